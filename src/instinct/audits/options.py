"""The options of an audit, defined once for Python and the command line."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from instinct.data import Label, Predicate
from instinct.deep.algorithms.settings import Setting
from instinct.study.own import Own


@dataclass(frozen=True)
class AuditOptions:
    """The options of an audit; the defaults are those of `instinct.audit`.

    >>> AuditOptions(labels=["original", "corrupt:0.3"]).preset
    'quick'
    """

    algorithms: Sequence[str | Own | type[Any]] = ()
    """Besides BC; empty means those that the benchmark of the dataset suggests."""
    control: bool = False
    """Train pessimistic agents without their pessimism as well, and compare."""
    preset: str = "quick"
    env: Any = None
    """Where to judge; None means where a named dataset was recorded."""
    labels: Sequence[str | Label] = ()
    """Empty means the paper's four, or the original alone with filters."""
    filters: Sequence[str | Predicate] = ()
    seeds: int = 3
    first_seed: int = 0
    episodes: int | None = None
    """Test episodes of every agent; None means those of the benchmark."""
    settings: Mapping[str, Setting | Mapping[str, Setting]] = field(default_factory=dict)
    """Hyperparameters of all algorithms but BC."""
    remove_terminals: bool | None = None
    """Remove terminal transitions under wrong rewards; None means where they are falls."""
    both_ends: bool = False
    """Train both with and without the terminal transitions, and compare."""
    action_range: tuple[float, float] | None = None
    cost_target: float | None = None
    """The cost that a safe episode may have; None means the benchmark's, if it has one."""
    estimates: bool | None = None
    """Estimate return, cost and survival of the policies from the data alone as well."""
