"""Recipes: how a dataset with a name is made on this machine."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from instinct.benchmarks.dataset_store import get_or_make, note_of
from instinct.data import Dataset
from instinct.errors import BadInput
from instinct.util.hashing import hash_json
from instinct.util.progress import Progress, no_progress


class Recipe(ABC):
    """Makes a dataset once and keeps it in the data folder."""

    quality: str = ""
    """How good the recorded policies are, in families with several qualities."""

    if TYPE_CHECKING:  # fields of dataclasses or properties

        @property
        @abstractmethod
        def name(self) -> str: ...

        @property
        @abstractmethod
        def task(self) -> str:
            """The name of the task in which it is recorded."""

        @property
        @abstractmethod
        def transitions(self) -> int:
            """The number of transitions, or an upper bound if `varies`."""

    @property
    def varies(self) -> bool:
        """Whether the number of transitions is known only once the dataset is made."""
        return False

    @property
    @abstractmethod
    def source(self) -> str:
        """A few words on the policies that are recorded."""

    @abstractmethod
    def provenance(self) -> dict[str, Any]:
        """Return everything that determines the data."""

    @abstractmethod
    def make(self, on_progress: Progress = no_progress) -> Dataset:
        """Make the dataset; the progress counts transitions."""

    def resize(self, transitions: int) -> "Recipe":
        """Return the recipe of the same dataset with so many transitions."""
        del transitions
        raise BadInput(f"{self.name} has a fixed number of transitions")

    @property
    def entry(self) -> str:
        """The name in the data folder; other versions or settings have another name."""
        return f"{self.name.replace(':', '-')}-{hash_json(self.provenance())[:12]}"

    def note(self) -> dict[str, Any] | None:
        """Return the note on the dataset, with its hash, if it has been made."""
        return note_of(self.entry)

    def dataset(self, on_progress: Progress = no_progress) -> Dataset:
        """Read the dataset from the data folder, or make it now and keep it there."""
        return get_or_make(self.entry, lambda: self.make(on_progress), self.provenance())


@dataclass(frozen=True)
class FunctionRecipe(Recipe):
    """A dataset that a function builds in memory whenever it is opened.

    >>> import instinct
    >>> FunctionRecipe("copy", "gridworld", lambda: instinct.load("gridworld")).dataset()
    Dataset(4,500 transitions, 500 episodes)
    """

    name: str
    task: str
    build: Callable[[], Dataset]

    @property
    def transitions(self) -> int:
        return 0

    @property
    def varies(self) -> bool:
        return True

    @property
    def source(self) -> str:
        return ""

    def provenance(self) -> dict[str, Any]:
        return {"name": self.name}

    def make(self, on_progress: Progress = no_progress) -> Dataset:
        del on_progress
        return self.build()

    def note(self) -> None:
        return None

    def dataset(self, on_progress: Progress = no_progress) -> Dataset:
        return self.make(on_progress)
