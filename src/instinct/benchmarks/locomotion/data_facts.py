"""Facts about recorded data: scores, lengths, and where episodes end."""

import numpy as np

from instinct.behaviors.behavior import Behavior
from instinct.behaviors.collection import Part, collect
from instinct.benchmarks.locomotion.simulation import HORIZON
from instinct.benchmarks.locomotion.task import LocomotionTask
from instinct.data import Dataset


def data_facts(dataset: Dataset, task: LocomotionTask) -> dict[str, float]:
    """Return mean score and length, the spread of lengths, and height and pitch at falls.

    The spread is the range from the 5 % to the 95 % quantile. Height and pitch are the first two
    observations; the height is the median. Recordings that were cut before the episode ended are
    left out.
    """
    ends = dataset.stops - 1
    whole = dataset.terminals[ends] | (dataset.lengths >= HORIZON)
    lengths, scores = dataset.lengths[whole], task.scores(dataset.returns[whole])
    if not len(lengths):
        return {}
    low, high = np.quantile(lengths, [0.05, 0.95])
    facts = {
        "score": float(scores.mean()),
        "length": float(lengths.mean()),
        "length_spread": float(high - low),
    }
    falls = dataset.next_observations[ends[dataset.terminals[ends]]]
    if len(falls):
        low, middle, high = np.quantile(falls[:, 1], [0.05, 0.5, 0.95])
        facts |= {
            "end_height": float(np.median(falls[:, 0])),
            "end_pitch_5": float(low),
            "end_pitch": float(middle),
            "end_pitch_95": float(high),
        }
    return facts


def behavior_facts(behavior: Behavior, task: LocomotionTask, transitions: int) -> dict[str, float]:
    """Record a behavior with noise and without, and return the facts of both."""
    noisy = data_facts(collect(task, [Part(behavior, transitions)]), task)
    silent = Behavior(behavior.network, behavior.box, noisy=False)
    mode = data_facts(collect(task, [Part(silent, transitions)]), task)
    return noisy | {f"mode_{name}": mode[name] for name in ("score", "length") if name in mode}
