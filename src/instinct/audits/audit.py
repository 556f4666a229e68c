"""The audit as people get it: in Python an object that shows itself, elsewhere one document."""

import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from instinct.audits.plan import audit_plan
from instinct.benchmarks.registry import find_dataset, matching_task
from instinct.data import Dataset, Discrete, Predicate, find_filter, remove, remove_where, write
from instinct.deep.algorithms.settings import Setting
from instinct.engine.run_plan import MakeExecutor, run_plan
from instinct.engine.scheduler import OnStudyProgress
from instinct.errors import BadInput
from instinct.report.kit.page import Page, html, write_page
from instinct.report.sections.numbers import rows
from instinct.report.study_page import compose
from instinct.study.findings import Findings, read_findings
from instinct.study.plan import Cell
from instinct.util.atomic import write_atomically
from instinct.util.hashing import hash_bytes
from instinct.util.jsonio import to_json_data


@dataclass(frozen=True)
class Audit:
    """What a dataset teaches regardless of the reward.

    In a notebook it shows itself as its page.
    """

    findings: Findings
    folder: Path

    @cached_property
    def page(self) -> Page:
        return compose(self.findings)

    @property
    def results(self) -> pd.DataFrame:
        """One row for every algorithm and label: means over seeds, errors, intervals."""
        return pd.DataFrame(rows(self.findings))

    @property
    def positive_bias(self) -> pd.DataFrame:
        """The bias that every algorithm shows, with its interval over seeds."""
        return pd.DataFrame(self.document["positive_bias"])

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """The tables of the page as they are shown, by name."""
        return {
            table.name: pd.DataFrame(table.texts, columns=[*table.columns])
            for table in self.page.tables
        }

    @property
    def figures(self) -> dict[str, Figure]:
        """The figures of the page by name."""
        return {drawing.name: drawing.figure for drawing in self.page.drawings}

    @property
    def verdicts(self) -> list[str]:
        return [verdict.text for verdict in self.page.verdicts]

    @cached_property
    def document(self) -> dict[str, Any]:
        """All of it as plain data, as `instinct audit --json` prints it."""
        return audit_document(self.findings, self.page, self.folder / "index.html")

    def write(self) -> Path:
        """Write the page with its tables and figures into the folder; the page's path."""
        return write_page(self.page, self.folder)

    def _repr_html_(self) -> str:
        page = html(self.page).replace("&", "&amp;").replace('"', "&quot;")
        return f'<iframe srcdoc="{page}" style="width:100%;height:48em;border:0"></iframe>'

    def __str__(self) -> str:
        return "\n".join([self.page.summary, *self.verdicts])


def audit(
    dataset: str | Path | Dataset,
    *,
    algorithms: Sequence[str] = (),
    preset: str = "quick",
    env: str | None = None,
    labels: Sequence[str] = (),
    filters: Sequence[str | Predicate] = (),
    seeds: int = 3,
    first_seed: int = 0,
    episodes: int | None = None,
    settings: Mapping[str, Setting] | None = None,
    remove_terminals: bool | None = None,
    action_range: tuple[float, float] | None = None,
    folder: Path | str | None = None,
    watch: OnStudyProgress = lambda _: None,
    executor: MakeExecutor | None = None,
) -> Audit:
    """Train under the true and the wrong rewards, judge by the true task, and report.

    `dataset` is a name, a file, or a `Dataset`, which needs a `folder` to be kept in. `env` is
    where to judge; without one that is known, the audit tells how far rewards move the policies.
    `filters` are names (see `instinct.data.find_filter`) or functions of the dataset that give one
    true for every transition to remove: agents learn with and without each, by default under the
    true reward alone. An audit that was stopped goes on when it is called again.
    """
    if isinstance(dataset, Dataset):
        dataset = kept(dataset, folder)
    name = str(dataset)
    where = audit_folder(name) if folder is None else Path(folder)
    opened = find_dataset(name, action_range=action_range)
    named = [each if isinstance(each, str) else masked(each, opened, where) for each in filters]
    plan = audit_plan(
        name,
        algorithms=algorithms,
        preset=preset,
        env=env,
        labels=labels,
        filters=named,
        seeds=seeds,
        first_seed=first_seed,
        episodes=episodes,
        settings=settings,
        remove_terminals=remove_terminals,
        action_range=action_range,
    )
    if isinstance(opened.action_space, Discrete) and plan.task != "gridworld":
        raise BadInput(
            f"{name} has discrete actions; `instinct theory` tells what can be computed of it"
        )
    if plan.task not in ("", "gridworld"):
        matching_task(str(plan.task), opened)
    for shown in plan.filters[1:]:
        remove_where(opened, find_filter(shown))
    del opened
    run_plan(plan, where, watch, executor)
    return Audit(read_findings(where), where)


def kept(dataset: Dataset, folder: Path | str | None) -> Path:
    """A dataset in memory as a file that workers can open."""
    if folder is None:
        raise BadInput("a dataset in memory needs a folder to be audited in")
    path = Path(folder) / f"{dataset.hash[:12]}.npz"
    if not path.exists():
        write(dataset, path)
    return path


def masked(predicate: Predicate, dataset: Dataset, folder: Path) -> str:
    """A filter of the user's own as a file that workers can open: which transitions go."""
    rows = np.asarray(predicate(dataset))
    remove(dataset, rows)
    buffer = io.BytesIO()
    np.save(buffer, rows, allow_pickle=False)
    name = re.sub(r"\W+", "-", getattr(predicate, "__name__", "")).strip("-") or "filter"
    path = folder / f"{name}-{hash_bytes(buffer.getvalue())[:16]}.npy"
    write_atomically(path, buffer.getvalue())
    return str(path)


def audit_folder(dataset: str) -> Path:
    """results/audit-NAME, with nothing in the name that a folder cannot be called."""
    name = re.sub(r"[^\w.@-]+", "-", Path(dataset).stem if Path(dataset).exists() else dataset)
    return Path("results") / f"audit-{name}"


def audit_document(findings: Findings, page: Page, path: Path) -> dict[str, Any]:
    """All numbers of an audit as plain data."""
    plan = findings.plan
    document = {
        "dataset": plan.datasets[0],
        "task": plan.task_of(plan.datasets[0]),
        "preset": plan.preset,
        "seeds": plan.seeds,
        "first_seed": plan.first_seed,
        "episodes": plan.episodes,
        "results": rows(findings),
        "positive_bias": [
            {"algorithm": algorithm, **found._asdict()}
            for algorithm in plan.algorithms
            if (found := findings.bias(plan.datasets[0], algorithm)) is not None
        ],
        "data": {
            name: value
            for name, value in findings.data.get(plan.datasets[0], {}).items()
            if name not in ("points", "cost_points")
        },
        "filters": [
            {"filter": shown, **facts}
            for shown in plan.filters[1:]
            for cell in [Cell(plan.datasets[0], "BC", plan.labels[0], shown)]
            if (facts := findings.removed(cell)) is not None
        ],
        "verdicts": [asdict(verdict) for verdict in page.verdicts],
        "missing": [*findings.missing],
        "core_hours": findings.seconds / 3600,
        "versions": dict(findings.versions),
        "page": str(path),
    }
    result: dict[str, Any] = to_json_data(document)
    return result
