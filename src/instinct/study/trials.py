"""Trials: one training run and its evaluation, described by names so that any worker can run it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property

from instinct.data import ActionSpace, find_label
from instinct.deep import ALGORITHMS, Algorithm, configure
from instinct.deep.algorithms.settings import Setting, identity_settings
from instinct.deep.training.run_training import stages
from instinct.study.algorithm_settings import is_tabular
from instinct.util.hashing import hash_json


@dataclass(frozen=True)
class Trial:
    """A dataset, an algorithm with all its settings, a label, a seed; a task and test episodes.

    `label` is a name that `find_label` knows. A trial without a task is not evaluated.
    """

    dataset: str
    algorithm: str
    label: str
    settings: Mapping[str, Setting]
    seed: int
    task: str = ""
    episodes: int = 50
    filters: tuple[str, ...] = ()
    action_range: tuple[float, float] | None = None
    own: tuple[tuple[str, str], ...] = ()
    """The user's own objects that the trial names, with the fingerprints of their code."""

    @cached_property
    def identity(self) -> str:
        """A hash of everything that defines the trial.

        A setting that was added to an algorithm later counts only if it differs from its neutral
        value, so that trials that ran before keep their identity.
        """
        deep = ALGORITHMS.get(self.algorithm)
        content = asdict(self)
        if deep is not None and not self.is_tabular:
            content["settings"] = identity_settings(deep, self.settings, since=2)
        if not self.own:
            del content["own"]
        return hash_json(content)

    @property
    def filtered_name(self) -> str:
        """The name of the dataset after the filters."""
        return filtered_name(self.dataset, self.filters)

    @property
    def reward_label(self) -> str:
        """The label that gives the rewards; no-terminal has the original ones."""
        return find_label(self.label).base

    def __str__(self) -> str:
        return f"{self.algorithm} on {self.filtered_name}, {self.label}, seed {self.seed}"

    @property
    def is_tabular(self) -> bool:
        """Whether its task is for tabular algorithms."""
        return is_tabular(self.task)

    def configured(self, space: ActionSpace | None = None) -> Algorithm:
        """Return the deep algorithm with its settings, by default that for continuous actions."""
        return configure(self.algorithm, self.settings, space)

    @cached_property
    def warm_starts(self) -> dict[str, str]:
        """Keys of the warm starts by stage; trials with equal keys share a warm start."""
        if self.is_tabular or self.algorithm not in ALGORITHMS:
            return {}
        return {
            stage.NAME: hash_json(
                [
                    stage.NAME,
                    asdict(stage),
                    self.dataset,
                    self.filters,
                    self.seed,
                    self.reward_label if stage.READS_REWARDS else "",
                ]
            )
            for stage in stages(self.configured())[:-1]
        }


def filtered_name(dataset: str, filters: tuple[str, ...]) -> str:
    return " | ".join([dataset, *filters])
