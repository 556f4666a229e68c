"""The documents of a run folder: `config.json` and `result.json`."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from instinct.data import ActionSpace, Box, Discrete
from instinct.deep.algorithms.fields import Setting
from instinct.errors import BadInput
from instinct.util.validation import read_document

CONFIG, RESULT = "config.json", "result.json"


@dataclass(frozen=True)
class RunConfig:
    """The contents of config.json: algorithm, settings, seed, label and data of a run."""

    algorithm: str
    settings: Mapping[str, Setting]
    seed: int
    label: str
    observation_size: int
    source: str = ""
    dataset: str = ""
    """The hash of the dataset."""
    action_low: tuple[float, ...] | None = None
    action_high: tuple[float, ...] | None = None
    discrete_actions: int | None = None
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def action_space(self) -> ActionSpace:
        if self.discrete_actions is not None:
            return Discrete(self.discrete_actions)
        if self.action_low is None or self.action_high is None:
            raise BadInput("is missing", field="action_low")
        return Box(self.action_low, self.action_high)

    def content(self) -> dict[str, Any]:
        """Return what is written to the file."""
        return {name: value for name, value in asdict(self).items() if value is not None}


@dataclass(frozen=True)
class RunResult:
    """The contents of result.json; earlier versions wrote no diagnostics and no checksums."""

    status: Literal["finished", "failed"]
    failure: str = ""
    diagnostics: Mapping[str, float] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    """The checksums of the files that belong to it."""


def read_config(folder: Path) -> RunConfig:
    """Read the config of a run; raise `Damaged` if it is none."""
    return read_document(folder / CONFIG, RunConfig)


def read_result(folder: Path) -> RunResult:
    """Read how a run ended; raise `Damaged` if it cannot be known."""
    return read_document(folder / RESULT, RunResult)


def load_diagnostics(folder: Path) -> dict[str, float]:
    """Read the diagnostics of a finished run; empty if it has none."""
    return dict(read_result(folder).diagnostics)


def describe_space(space: ActionSpace) -> dict[str, Any]:
    """Describe the actions of a run for its config."""
    if isinstance(space, Discrete):
        return {"discrete_actions": space.n}
    return {"action_low": space.low, "action_high": space.high}
