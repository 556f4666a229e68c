"""The audit: train under true and wrong rewards, judge in the true task, report."""

import io
import re
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from instinct.audits.card import dataset_card
from instinct.audits.document import audit_document
from instinct.audits.estimates import estimate_policies
from instinct.audits.kept import keep_dataset
from instinct.audits.options import AuditOptions
from instinct.audits.plan import audit_plan, judged_in
from instinct.audits.progress import Display, Silent, show_study_progress
from instinct.audits.tables import keep_table
from instinct.benchmarks.registry import find_benchmark, find_dataset, find_task, matching_task
from instinct.data import (
    NO_ROLES,
    Dataset,
    Label,
    Predicate,
    Roles,
    check_label,
    find_filter,
    find_label,
    is_frame,
    make_roles,
    read_frame,
    remove,
    remove_where,
)
from instinct.deep import find_algorithm
from instinct.engine.prediction import all_trials, predict, predict_from_memory, stages_of
from instinct.engine.run_plan import MakeExecutor, run_plan
from instinct.errors import BadInput
from instinct.report.kit.page import Page, html, write_page
from instinct.report.sections.numbers import rows
from instinct.report.sections.registry import SectionMaker
from instinct.report.study_page import compose
from instinct.study.ends import guess_end, terminal_facts
from instinct.study.extensions import find_own
from instinct.study.findings import Findings, read_findings
from instinct.study.own import Own
from instinct.study.plan import Plan
from instinct.study.store import FILE, read_store
from instinct.util.atomic import write_atomically
from instinct.util.folders import folder_name
from instinct.util.hashing import hash_bytes

WITHOUT_REWARDS = ("zero", "random")
"""The labels of data without rewards."""


@dataclass(frozen=True, repr=False)
class Audit:
    """The result of an audit: what a dataset teaches regardless of the reward.

    In a notebook it is shown as its page.

    >>> import instinct
    >>> found = instinct.audit("gridworld", seeds=2, episodes=10, folder="grid", progress=False)
    >>> found
    Audit(gridworld: BC, PEVI under original, zero, random, negative; 10 of 10 runs ended)
    >>> [*found.results.columns[:4]]
    ['dataset', 'algorithm', 'label', 'filter']
    """

    findings: Findings
    folder: Path
    sections: tuple[SectionMaker, ...] = ()

    @cached_property
    def page(self) -> Page:
        """The page with verdicts, tables and figures."""
        return compose(self.findings, self.sections, self.folder)

    @property
    def results(self) -> pd.DataFrame:
        """One row for every algorithm, label and filter: means over seeds, errors, intervals."""
        return pd.DataFrame(rows(self.findings))

    @property
    def positive_bias(self) -> pd.DataFrame:
        """The positive bias as every algorithm shows it, with its interval over seeds."""
        return pd.DataFrame(self.document["positive_bias"])

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """The tables of the page as text, by name."""
        return {
            table.name: pd.DataFrame(table.texts, columns=[*table.columns])
            for table in self.page.tables
        }

    @property
    def figures(self) -> dict[str, Figure]:
        """The figures of the page, by name."""
        return {drawing.name: drawing.figure for drawing in self.page.drawings}

    @property
    def verdicts(self) -> list[str]:
        """The verdicts as sentences; `page.verdicts` has their codes too."""
        return [verdict.text for verdict in self.page.verdicts]

    @cached_property
    def document(self) -> dict[str, Any]:
        """All numbers as plain data, as `instinct audit --json` prints them."""
        return audit_document(self.findings, self.page, self.folder / "index.html")

    def write(self) -> Path:
        """Write the page with its tables and figures into the folder and return its path."""
        return write_page(self.page, self.folder)

    @property
    def card(self) -> str:
        """The dataset card: Markdown with the metadata that Hugging Face reads."""
        return dataset_card(self.findings, self.page)

    def _repr_html_(self) -> str:
        page = html(self.page).replace("&", "&amp;").replace('"', "&quot;")
        return f'<iframe srcdoc="{page}" style="width:100%;height:48em;border:0"></iframe>'

    def __repr__(self) -> str:
        plan, findings = self.findings.plan, self.findings
        return (
            f"Audit({plan.datasets[0]}: {', '.join(plan.algorithms)} under "
            f"{', '.join(plan.labels)}; {findings.ended} of {findings.trials} runs ended)"
        )

    def __str__(self) -> str:
        return "\n".join([self.page.summary, *self.verdicts])


def audit(
    dataset: Any,
    *,
    algorithms: Sequence[str | Own | type[Any]] = (),
    control: bool = False,
    labels: Sequence[str | Label] = (),
    env: Any = None,
    preset: str = "quick",
    seeds: int = 3,
    first_seed: int = 0,
    episodes: int | None = None,
    filters: Sequence[str | Predicate] = (),
    settings: Mapping[str, Any] | None = None,
    remove_terminals: bool | None = None,
    both_ends: bool = False,
    action_range: tuple[float, float] | None = None,
    cost_target: float | None = None,
    estimates: bool | None = None,
    folder: Path | str | None = None,
    sections: Sequence[SectionMaker] = (),
    progress: bool = True,
    executor: MakeExecutor | None = None,
    **roles: Any,
) -> Audit:
    """Tell what a dataset teaches regardless of the reward.

    Train BC and pessimistic agents under the true and under wrong rewards, judge them in the true
    task, and report. An audit that was stopped resumes when it is called again.

    Args:
        dataset: The name of a dataset, a file or folder, a `Dataset` or a data frame. The last two
            need a `folder`.
        algorithms: Besides BC: names, `Own("name", train)`, or subclasses of `Algorithm`.
        control: Train ATAC and PSPI without their pessimism as well, and say whether pessimism is
            the cause.
        labels: Names such as "zero" or "corrupt:0.3", or `Label` objects. By default the paper's
            four, with filters the original alone.
        env: Where to judge: the name of a task, the id of a Gymnasium environment, an environment,
            or a function that makes one. By default where a named dataset was recorded. Without
            any, the audit estimates from the data how good the policies are.
        preset: "quick" or "paper".
        seeds: Agents to train per algorithm and label.
        first_seed: The first of these seeds.
        episodes: Test episodes of every agent; by default those of the benchmark.
        filters: Names (see `find_filter`) or functions from a dataset to one true per transition
            to remove. Agents learn with and without each.
        settings: Hyperparameters for all algorithms but BC, or by algorithm:
            `{"BC": {"steps": 1000}}`.
        remove_terminals: Remove terminal transitions under wrong rewards. By default where they
            are falls: the task says it, or else the audit guesses it from the data and says so.
        both_ends: Train both with and without the terminal transitions, and compare.
        action_range: The range of every action dimension, for files that do not say it.
        cost_target: The cost that a safe episode may have; by default the benchmark's.
        estimates: Estimate return, cost and survival from the data alone; by default only if there
            is no task to evaluate in.
        folder: Where results are kept; by default results/audit-NAME.
        sections: Functions from findings to more sections of the page.
        progress: Show progress in a notebook or a terminal.
        executor: Where trials run; by default on all cores of this machine.
        roles: Those of the columns of a table, as in `load`: `episode="stay"` and so on.

    >>> import instinct
    >>> found = instinct.audit("gridworld", seeds=2, episodes=10, folder="grid", progress=False)
    >>> bool(found.results.query("algorithm == 'PEVI'")["return"].min() > 0.9)
    True
    """
    options = AuditOptions(
        algorithms=tuple(algorithms),
        control=control,
        preset=preset,
        env=env,
        labels=tuple(labels),
        filters=tuple(filters),
        seeds=seeds,
        first_seed=first_seed,
        episodes=episodes,
        settings=dict(settings or {}),
        remove_terminals=remove_terminals,
        both_ends=both_ends,
        action_range=action_range,
        cost_target=cost_target,
        estimates=estimates,
    )
    in_memory = isinstance(dataset, Dataset) or is_frame(dataset)
    name = "the dataset" if in_memory else str(dataset)
    chosen = make_roles(roles)
    with show_study_progress(name) if progress else nullcontext(Silent()) as display:
        return run_audit(dataset, options, folder, sections, display, executor, chosen)


def run_audit(
    dataset: Any,
    options: AuditOptions,
    folder: Path | str | None = None,
    sections: Sequence[SectionMaker] = (),
    display: Display | None = None,
    executor: MakeExecutor | None = None,
    roles: Roles = NO_ROLES,
    *,
    retry_failed: bool = False,
) -> Audit:
    """Run an audit from its options; the dataset is opened once and checked before any training.

    `roles` are those of the columns of a table. With `retry_failed`, failed runs run again.
    """
    display = display or Silent()
    task = "" if options.env is None else judged_in(options.env)
    if is_frame(dataset):
        space = find_task(task).action_space if task else None
        dataset = read_frame(
            dataset, roles=roles, action_range=options.action_range, task_space=space
        )
    elif isinstance(dataset, Dataset) and roles != NO_ROLES:
        raise BadInput("a Dataset has no columns with roles")
    if isinstance(dataset, Dataset):
        name, opened = str(keep(dataset, folder)), dataset
    else:
        folder = audit_folder(str(dataset)) if folder is None else Path(folder)
        name = keep_table(str(dataset), folder, options.action_range, task, roles)
        opened = find_dataset(
            name,
            action_range=options.action_range,
            task=task,
            on_progress=display.dataset,
        )
    where = audit_folder(name) if folder is None else Path(folder)
    named = tuple(
        each if isinstance(each, str) else write_mask(each, opened, where)
        for each in options.filters
    )
    options = replace(options, filters=named)
    if not opened.has_rewards and not options.labels:
        options = replace(options, labels=WITHOUT_REWARDS)
    plan = assume_end(audit_plan(name, options), opened, where)
    check(plan, opened)
    if options.both_ends and not opened.terminals.any():
        raise BadInput(f"{name} has no terminals to keep or remove", option="both_ends")
    del opened
    announce_time(plan, where, display)
    run_plan(plan, where, display.trials, executor, retry_failed=retry_failed)
    if options.estimates or (options.estimates is None and not plan.task_of(name)):
        estimate_policies(plan, where, display.estimates)
    return Audit(read_findings(where), where, tuple(sections))


def announce_time(plan: Plan, folder: Path, display: Display) -> None:
    """Say how long an audit will take that has not begun yet.

    Audits with the paper's settings take hours, so that a moment is spent on measuring if the speed
    of this machine is not known.
    """
    if type(display) is Silent or (folder / FILE).exists():
        return
    found = predict_from_memory(plan)
    if found is None and plan.preset == "paper" and stages_of(all_trials(plan)):
        found = predict(plan)
    if found is not None:
        display.announce(found.describe())


def assume_end(plan: Plan, dataset: Dataset, folder: Path) -> Plan:
    """Guess from the data what a terminal means, if neither the task nor the user says it.

    An audit that has begun keeps what it assumed.
    """
    known = plan.remove_terminals is not None or plan.task_end(plan.datasets[0]) != "unknown"
    if known or not dataset.terminals.any():
        return plan
    if (folder / FILE).exists():
        with read_store(folder) as store:
            return replace(plan, assumed_end=store.plan.assumed_end)
    return replace(plan, assumed_end=guess_end(terminal_facts(dataset)))


def check(plan: Plan, dataset: Dataset) -> None:
    """Refuse a plan that does not fit its dataset."""
    tabular = find_benchmark(str(plan.task)).algorithms == "tabular" if plan.task else False
    if not tabular:
        for name in plan.algorithms:
            if find_own(name) is None:
                find_algorithm(name, dataset.action_space)
        if plan.task:
            matching_task(plan.task, dataset)
    for label in plan.labels:
        check_label(dataset, find_label(label))
    for name in plan.filters[1:]:
        remove_where(dataset, find_filter(name))


def keep(dataset: Dataset, folder: Path | str | None) -> Path:
    """Write a dataset that is in memory to a file that workers can open."""
    if folder is None:
        raise BadInput("a dataset in memory needs a folder to be audited in")
    path = Path(folder) / f"{dataset.hash[:12]}.npz"
    keep_dataset(dataset, path)
    return path


def write_mask(predicate: Predicate, dataset: Dataset, folder: Path) -> str:
    """Write what a filter given as a function removes to a file that workers can open."""
    removed = np.asarray(predicate(dataset))
    remove(dataset, removed)
    buffer = io.BytesIO()
    np.save(buffer, removed, allow_pickle=False)
    name = re.sub(r"\W+", "-", getattr(predicate, "__name__", "")).strip("-") or "filter"
    path = folder / f"{name}-{hash_bytes(buffer.getvalue())[:16]}.npy"
    write_atomically(path, buffer.getvalue())
    return str(path)


def audit_folder(dataset: str) -> Path:
    """Return the default folder of an audit, results/audit-NAME."""
    name = Path(dataset).stem if Path(dataset).exists() else dataset
    return Path("results") / folder_name(f"audit-{name}")
