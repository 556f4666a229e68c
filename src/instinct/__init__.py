"""Tell what offline RL data teaches regardless of the reward.

>>> import instinct
>>> found = instinct.audit("gridworld", seeds=2, folder="results/grid")  # doctest: +SKIP
>>> found.results, found.verdicts, found.page  # doctest: +SKIP

`audit` trains pessimistic agents on a dataset under the true and under wrong rewards, judges them
in the true task, and reports what the data teach by themselves. `load`, `inspect`, `train` and
`evaluate` are its parts. `Label`, `Own`, `Algorithm`, `Benchmark` and `Section` are what you can
add.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from instinct.api import evaluate as evaluate
    from instinct.api import inspect as inspect
    from instinct.api import load as load
    from instinct.api import register as register
    from instinct.api import train as train
    from instinct.audits.audit import Audit as Audit
    from instinct.audits.audit import audit as audit
    from instinct.audits.options import AuditOptions as AuditOptions
    from instinct.benchmarks.benchmark import Benchmark as Benchmark
    from instinct.benchmarks.gymnasium.environment_task import EnvironmentTask as EnvironmentTask
    from instinct.benchmarks.recipe import FunctionRecipe as FunctionRecipe
    from instinct.data import Box as Box
    from instinct.data import Dataset as Dataset
    from instinct.data import Discrete as Discrete
    from instinct.data import Label as Label
    from instinct.data import describe as describe
    from instinct.data import find_filter as find_filter
    from instinct.data import find_label as find_label
    from instinct.data import relabel as relabel
    from instinct.data import remove_terminals as remove_terminals
    from instinct.data import remove_where as remove_where
    from instinct.data import write as write
    from instinct.data.summary import Summary as Summary
    from instinct.deep import Algorithm as Algorithm
    from instinct.deep import TrainedPolicy as TrainedPolicy
    from instinct.deep import hyperparameters as hyperparameters
    from instinct.deep import load_policy as load_policy
    from instinct.deep import setting as setting
    from instinct.errors import BadInput as BadInput
    from instinct.errors import InstinctError as InstinctError
    from instinct.report.kit.page import Drawing as Drawing
    from instinct.report.kit.page import Section as Section
    from instinct.report.kit.tables import Number as Number
    from instinct.report.kit.tables import Table as Table
    from instinct.study.findings import Findings as Findings
    from instinct.study.own import Own as Own
    from instinct.tasks.evaluation import Evaluation as Evaluation
    from instinct.tasks.evaluation import Policy as Policy
    from instinct.tasks.simulation import Task as Task

__version__ = "0.2.0"

_PUBLIC = {
    "Algorithm": "deep",
    "Audit": "audits.audit",
    "AuditOptions": "audits.options",
    "BadInput": "errors",
    "Benchmark": "benchmarks.benchmark",
    "Box": "data",
    "Dataset": "data",
    "Discrete": "data",
    "Drawing": "report.kit.page",
    "EnvironmentTask": "benchmarks.gymnasium.environment_task",
    "Evaluation": "tasks.evaluation",
    "Findings": "study.findings",
    "FunctionRecipe": "benchmarks.recipe",
    "InstinctError": "errors",
    "Label": "data",
    "Number": "report.kit.tables",
    "Own": "study.own",
    "Policy": "tasks.evaluation",
    "Section": "report.kit.page",
    "Summary": "data.summary",
    "Table": "report.kit.tables",
    "Task": "tasks.simulation",
    "TrainedPolicy": "deep",
    "audit": "audits.audit",
    "describe": "data",
    "evaluate": "api",
    "find_filter": "data",
    "find_label": "data",
    "hyperparameters": "deep",
    "inspect": "api",
    "load": "api",
    "load_policy": "deep",
    "register": "api",
    "relabel": "data",
    "remove_terminals": "data",
    "remove_where": "data",
    "setting": "deep",
    "train": "api",
    "write": "data",
}
"""The public names and the modules that define them."""

__all__ = ["__version__", *_PUBLIC]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: `import instinct` alone loads nothing."""
    if name not in _PUBLIC:
        raise AttributeError(f"module 'instinct' has no attribute {name!r}")
    value = getattr(import_module(f"instinct.{_PUBLIC[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
