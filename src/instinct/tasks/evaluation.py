"""Evaluate policies in lockstep: one forward pass per step for all test episodes.

The policy always acts for blocks of 32 episodes, and the row of an episode in its block follows
from its number. The result of an episode therefore depends neither on the number of episodes nor
on how many are played at once.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from instinct.data import Array
from instinct.errors import BadInput
from instinct.tasks.simulation import Simulation, Step, Task

BLOCK = 32


class Policy(Protocol):
    """Acts in n episodes at once, in the units of the task, with a memory passed between steps."""

    def start(self, n: int, seed: int) -> Any: ...

    def act(self, memory: Any, observations: Array, rewards: Array) -> tuple[Array, Any]: ...


@dataclass(frozen=True, repr=False)
class Evaluation:
    """Return and length of every test episode; score, success and cost where the task has them.

    >>> import numpy as np
    >>> Evaluation(returns=np.array([3.0, 4.0]), lengths=np.array([3, 4]))
    Evaluation(2 episodes: return 3.5, length 3.5)
    """

    returns: Array
    lengths: Array
    scores: Array | None = None
    successes: Array | None = None
    costs: Array | None = None

    def __repr__(self) -> str:
        arrays = {
            "return": self.returns,
            "length": self.lengths,
            "score": self.scores,
            "success rate": self.successes,
            "cost": self.costs,
        }
        means = (f"{name} {v.mean():.4g}" for name, v in arrays.items() if v is not None)
        return f"Evaluation({len(self.returns)} episodes: {', '.join(means)})"


def evaluate(
    policy: Policy, task: Task, episodes: int = 50, seed: int = 0, at_once: int = 128
) -> Evaluation:
    """Play the test episodes of the seed; `at_once` limits the memory and changes no result."""
    if episodes < 1 or at_once < 1:
        raise BadInput("an evaluation needs at least one episode")
    places = min(episodes, at_once)
    simulation = task.simulation(places)
    tally = Tally(episodes)
    for first in range(0, episodes, places):
        group = np.arange(first, min(first + places, episodes))
        for playing, step in play(policy, simulation, task.observation_size, group, seed):
            tally.add(playing, step)
    return tally.evaluation(task)


class Tally:
    """Adds up rewards, costs and lengths of episodes, step by step."""

    def __init__(self, episodes: int) -> None:
        self.lengths = np.zeros(episodes, int)
        self.sums: dict[str, Array] = {}

    def add(self, playing: Array, step: Step) -> None:
        """Add one step of the episodes with these numbers."""
        self.lengths[playing] += 1
        for name in ("rewards", "successes", "costs"):
            values = getattr(step, name)
            if values is not None:
                self.sums.setdefault(name, np.zeros(len(self.lengths)))[playing] += values

    def evaluation(self, task: Task) -> Evaluation:
        returns, successes = self.sums["rewards"], self.sums.get("successes")
        return Evaluation(
            returns,
            self.lengths,
            task.scores(returns),
            None if successes is None else successes > 0,
            self.sums.get("costs"),
        )


def play(
    policy: Policy, simulation: Simulation, size: int, episodes: Array, seed: int
) -> Iterator[tuple[Array, Step]]:
    """Play the episodes and yield, for every step, the numbers of the running ones and the step."""
    blocks = [Block(policy, size, number, seed) for number in np.unique(episodes // BLOCK).tolist()]
    first = blocks[0].number
    for place, episode in enumerate(episodes.tolist()):
        start = simulation.reset(place, episode_seed(seed, episode))
        blocks[episode // BLOCK - first].observations[episode % BLOCK] = start
    places = np.arange(len(episodes))
    while len(places):
        playing = episodes[places]
        block, row = playing // BLOCK - first, playing % BLOCK
        actions = np.concatenate([blocks[b].act()[row[block == b]] for b in np.unique(block)])
        step = simulation.step(places, actions)
        for b in np.unique(block):
            mine = block == b
            blocks[b].update(row[mine], step.observations[mine], step.rewards[mine])
        yield playing, step
        places = places[~(step.terminals | step.timeouts)]


class Block:
    """The policy's view of 32 episodes; rows of episodes that are not running stay as they are."""

    def __init__(self, policy: Policy, size: int, number: int, seed: int) -> None:
        self.policy, self.number = policy, number
        self.observations = np.zeros((BLOCK, size), np.float32)
        self.rewards = np.zeros(BLOCK)
        self.memory = policy.start(BLOCK, episode_seed(seed, number))

    def act(self) -> Array:
        actions, self.memory = self.policy.act(self.memory, self.observations, self.rewards)
        return actions

    def update(self, rows: Array, observations: Array, rewards: Array) -> None:
        self.observations[rows] = observations
        self.rewards[rows] = rewards


def episode_seed(*numbers: int) -> int:
    """Derive a seed from other numbers, such as a seed and the number of an episode."""
    return int(np.random.SeedSequence(numbers).generate_state(1)[0])


def mean_and_error(values: Sequence[float] | Array) -> tuple[float, float]:
    """Return the mean and its standard error."""
    values = np.asarray(values, float)
    error = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else 0.0
    return float(values.mean()), float(error)
