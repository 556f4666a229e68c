"""Record scripted policies: play whole episodes side by side and store them in order."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from instinct.data import Array
from instinct.tasks.simulation import Simulation
from instinct.util.progress import Progress, no_progress

Act = Callable[[Array, Array], Array]
"""Returns actions, given the numbers of the running episodes and their observations."""


def record(
    simulation: Simulation,
    seeds: Sequence[int],
    act: Act,
    on_progress: Progress = no_progress,
    most: int = 0,
) -> dict[str, Any]:
    """Play the episodes of these seeds and return the fields of a dataset, in that order.

    `most` is the largest possible number of transitions, for the progress.
    """
    playing = np.arange(len(seeds))
    observations = np.array([simulation.reset(place, seed) for place, seed in enumerate(seeds)])
    steps: list[dict[str, Any]] = []
    recorded = 0
    while len(playing):
        before = observations[playing]
        actions = act(playing, before)
        step = simulation.step(playing, actions)
        fields: dict[str, Any] = {
            "episodes": playing,
            "observations": before.astype(np.float32),
            "actions": actions,
            "rewards": step.rewards,
            "next_observations": step.observations.astype(np.float32),
            "terminals": step.terminals,
            "timeouts": step.timeouts,
        }
        steps.append(fields if step.costs is None else fields | {"costs": step.costs})
        observations[playing] = step.observations
        playing = playing[~(step.terminals | step.timeouts)]
        recorded += len(actions)
        on_progress(recorded, most, "transitions")
    columns = {name: np.concatenate([step[name] for step in steps]) for name in steps[0]}
    order = np.argsort(columns.pop("episodes"), kind="stable")
    return {name: array[order] for name, array in columns.items()}
