"""Choose the snapshots of a training whose data are nearest to D4RL's, and compare trainings."""

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from instinct.behaviors.behavior import Behavior
from instinct.behaviors.choice import Choice, Fact, compare, distance
from instinct.behaviors.collection import Part, collect
from instinct.behaviors.selection import load_network, measure, saved_policies
from instinct.behaviors.shipped import Share, Shipped
from instinct.behaviors.training import TrainingConfig
from instinct.benchmarks.locomotion.d4rl_facts import D4RL_FACTS
from instinct.benchmarks.locomotion.data_facts import behavior_facts, data_facts
from instinct.benchmarks.locomotion.datasets import Recordings, recordable
from instinct.benchmarks.locomotion.task import LocomotionTask
from instinct.errors import BadInput
from instinct.tasks.simulation import action_box
from instinct.util.progress import Progress, no_progress

REPLAY_PARTS = 8
"""Snapshots that medium-replay is recorded from."""
FINALISTS = 5
"""Candidates for medium that are measured a second time, on more data."""


class Interval(NamedTuple):
    """Rounds of a training, from `start` to before `stop`."""

    start: int
    stop: int

    @property
    def snapshot(self) -> int:
        """After how many rounds the policy was saved that stands for the interval.

        It is the one in the middle, or the later of two; in the first round the untrained one.
        """
        return (self.start + self.stop + 1) // 2 if self.start else 0


def wanted_facts(task: str, quality: str) -> tuple[Fact, ...]:
    """Return D4RL's facts about a dataset."""
    if (task, quality) not in D4RL_FACTS:
        raise BadInput(f"no facts of D4RL's are known for {task}-{quality}; give `medium=`")
    return D4RL_FACTS[task, quality]


def select_nearest(
    task: LocomotionTask,
    folder: Path,
    name: str,
    command: str,
    *,
    transitions: int = 100_000,
    screening_transitions: int = 20_000,
    episodes: int = 100,
    on_progress: Progress = no_progress,
) -> tuple[Shipped, dict[str, Any]]:
    """Choose medium and the parts of medium-replay of a training by D4RL's facts.

    All snapshots are measured on a few transitions with noise. The five nearest candidates for
    medium are measured again on more, with noise and without, and the nearest is chosen.
    Medium-replay are the first rounds of the training; how many is chosen by `replay_rounds`.
    """
    medium, replay = (wanted_facts(task.name, each) for each in ("medium", "medium-replay"))
    steps, paths = zip(*saved_policies(folder).items(), strict=True)
    box = action_box(task)
    with_noise = [fact for fact in medium if not fact.name.startswith("mode_")]
    screened: list[dict[str, float]] = []
    for number, (step, path) in enumerate(zip(steps, paths, strict=True), start=1):
        part = Part(Behavior(load_network(path), box), screening_transitions)
        screened.append(data_facts(collect(task, [part]), task))
        on_progress(number, len(steps), f"step {step:,}: {distance(screened[-1], with_noise):.2f}")
    nearest = sorted(range(len(steps)), key=lambda i: distance(screened[i], with_noise))[:FINALISTS]
    measured = {
        i: behavior_facts(Behavior(load_network(paths[i]), box), task, transitions) for i in nearest
    }
    best = min(nearest, key=lambda i: distance(measured[i], medium))
    intervals = replay_intervals(replay_rounds(screened, steps, replay))
    weights = interval_steps(intervals, steps)
    shares = [Share(f"replay-{number}", n) for number, n in enumerate(weights, start=1)]
    chosen = {share.snapshot: each.snapshot for share, each in zip(shares, intervals, strict=True)}
    chosen["medium"] = best
    networks = {name: load_network(paths[i]) for name, i in chosen.items()}
    snapshots = tuple(
        measure(task, networks[name], name, steps[i], episodes) for name, i in chosen.items()
    )
    return Shipped(task.name, name, command, snapshots, tuple(shares)), networks


def replay_intervals(rounds: int, parts: int = REPLAY_PARTS) -> list[Interval]:
    """Divide the rounds of a training into parts that grow towards the end.

    The policy changes fastest in the beginning: the i-th of n parts ends after (i/n)² of the
    rounds, and every part has at least one. The first has exactly one.
    """
    ends = [0, 1]
    for i in range(2, parts + 1):
        ends.append(max(ends[-1] + 1, round(rounds * (i / parts) ** 2)))
    return [Interval(*pair) for pair in itertools.pairwise(ends)]


def interval_steps(intervals: Sequence[Interval], steps: Sequence[int]) -> list[int]:
    """Return how many steps of the training the policy of each interval stands for.

    A training begins with `warm_up` random actions. The untrained policy stands for these only,
    and the second policy for the rest of the first round.
    """
    bounds = [
        0,
        min(TrainingConfig.warm_up, steps[1]),
        *(steps[each.stop] for each in intervals[1:]),
    ]
    return [stop - start for start, stop in itertools.pairwise(bounds)]


def replay_rounds(
    measured: Sequence[Mapping[str, float]], steps: Sequence[int], wanted: Sequence[Fact]
) -> int:
    """Return after how many rounds the replay of a training is nearest to the wanted facts.

    `measured` are the facts of the untrained policy and of those after every round, and `steps`
    their steps.
    """
    if len(measured) <= REPLAY_PARTS:
        raise BadInput(f"a replay needs a training of at least {REPLAY_PARTS} rounds")
    return min(
        range(REPLAY_PARTS, len(measured)),
        key=lambda rounds: distance(mixture(measured, steps, replay_intervals(rounds)), wanted),
    )


def mixture(
    measured: Sequence[Mapping[str, float]], steps: Sequence[int], intervals: Sequence[Interval]
) -> dict[str, float]:
    """Return mean score and length of the episodes of a replay."""
    weights = interval_steps(intervals, steps)
    policies = [measured[each.snapshot] for each in intervals]
    episodes = [n / policy["length"] for n, policy in zip(weights, policies, strict=True)]
    scores = [policy["score"] for policy in policies]
    return {
        "length": sum(weights) / sum(episodes),
        "score": sum(n * s for n, s in zip(episodes, scores, strict=True)) / sum(episodes),
    }


def compare_behaviors(
    task: LocomotionTask, transitions: int, on_progress: Progress = no_progress
) -> list[Choice]:
    """Measure the data of all shipped behaviors, and compare them with D4RL's facts."""
    qualities = [quality for name, quality in D4RL_FACTS if name == task.name]
    found = []
    for quality in qualities:
        names = recordable(task.name, quality)
        measured = {}
        for number, name in enumerate(names, start=1):
            recipe = Recordings(task.name, quality, transitions, named_behavior=name)
            if quality == "medium":
                behavior = recipe.policy(recipe.sources()[0])
                measured[name] = behavior_facts(behavior, task, transitions)
            else:
                measured[name] = data_facts(recipe.make(), task)
            on_progress(number, len(names), f"{quality} of {name}")
        found.append(compare(quality, transitions, wanted_facts(task.name, quality), measured))
    return found
