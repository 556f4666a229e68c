"""The replay buffer of an online training."""

import numpy as np

from instinct.data import Array
from instinct.deep.algorithms.algorithm import Batch


class Replay:
    """The last `capacity` transitions; the oldest give way to the newest."""

    def __init__(self, capacity: int, observations: int, actions: int) -> None:
        self.capacity = capacity
        self.added = 0
        self.rows = {
            "observations": np.zeros((capacity, observations), np.float32),
            "actions": np.zeros((capacity, actions), np.float32),
            "rewards": np.zeros(capacity, np.float32),
            "next_observations": np.zeros((capacity, observations), np.float32),
            "goes_on": np.zeros(capacity, np.float32),
        }

    def __len__(self) -> int:
        return min(self.added, self.capacity)

    def add(self, *transition: Array | float) -> None:
        """One transition, in the order of `Batch`."""
        place = self.added % self.capacity
        for rows, entry in zip(self.rows.values(), transition, strict=True):
            rows[place] = entry
        self.added += 1

    def sample(self, shape: tuple[int, int], generator: np.random.Generator) -> Batch:
        """Batches of transitions drawn uniformly with replacement."""
        index = generator.integers(0, len(self), shape)
        return Batch(**{name: rows[index] for name, rows in self.rows.items()})  # type: ignore[arg-type]

    def arrays(self) -> dict[str, Array]:
        """What is in use, by name."""
        used = {name: rows[: len(self)] for name, rows in self.rows.items()}
        return {**used, "added": np.array(self.added)}

    def restore(self, arrays: dict[str, Array]) -> None:
        for name, rows in self.rows.items():
            rows[: len(arrays[name])] = arrays[name]
        self.added = int(arrays["added"])
