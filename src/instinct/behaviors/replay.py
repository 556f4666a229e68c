"""The replay buffer of online training."""

import numpy as np

from instinct.data import Array
from instinct.deep.algorithms.algorithm import Batch


class Replay:
    """Stores the last `capacity` transitions."""

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
        """Add one transition, with its fields in the order of `Batch`."""
        place = self.added % self.capacity
        for rows, entry in zip(self.rows.values(), transition, strict=True):
            rows[place] = entry
        self.added += 1

    def sample(self, shape: tuple[int, int], generator: np.random.Generator) -> Batch:
        """Draw batches of transitions uniformly with replacement."""
        index = generator.integers(0, len(self), shape)
        return Batch(**{name: rows[index] for name, rows in self.rows.items()})  # type: ignore[arg-type]

    def arrays(self) -> dict[str, Array]:
        """Return the stored transitions and their number, for a checkpoint."""
        used = {name: rows[: len(self)] for name, rows in self.rows.items()}
        return {**used, "added": np.array(self.added)}

    def restore(self, arrays: dict[str, Array]) -> None:
        for name, rows in self.rows.items():
            rows[: len(arrays[name])] = arrays[name]
        self.added = int(arrays["added"])
