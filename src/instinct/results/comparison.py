"""The page of several audits side by side: datasets, algorithms or versions."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from instinct.errors import BadInput
from instinct.report.answer import QUESTION, answer, count_shares
from instinct.report.gap_plots import imitation_values, rows_plot
from instinct.report.kit.page import Answer, Page, Section, Verdict
from instinct.report.kit.tables import Missing, Number, Table, TableCell
from instinct.report.reward_verdicts import find_agents
from instinct.report.sections.bias import number
from instinct.report.sections.numbers import form_of
from instinct.report.sections.tables import mean_cell
from instinct.report.verdict_values import reward_readers
from instinct.report.verdicts import verdicts
from instinct.results.archive import STUDY, read_archive
from instinct.study.findings import Findings, read_findings
from instinct.study.measurement import QUANTITIES

NOT_RUN = "not run under every label"
MEANING = """
The share is that of the best true-reward result which the worst wrong reward reaches. Audits with
the same SHA-256 are of the same data.
"""


class Compared(NamedTuple):
    """One dataset of an audit or study, with its verdicts."""

    name: str
    findings: Findings
    dataset: str
    verdicts: tuple[Verdict, ...]


def read_compared(folders: Sequence[Path]) -> list[Compared]:
    """Read audits, studies or archives; a study of several datasets has a row for each."""
    found = []
    for name, folder in zip(short_names(folders), folders, strict=True):
        archived = (folder / STUDY).exists()
        findings = read_archive(folder)[0] if archived else read_findings(folder)
        datasets = findings.plan.datasets
        for dataset in datasets:
            each = name if len(datasets) == 1 else f"{name}: {dataset}"
            found.append(Compared(each, findings, dataset, verdicts(findings, dataset)))
    return found


def short_names(folders: Sequence[Path]) -> list[str]:
    """Return the names of folders, with their parents where names are the same.

    >>> short_names([Path("a/audit"), Path("b/audit"), Path("b/other")])
    ['a/audit', 'b/audit', 'other']
    """
    names = [folder.resolve().name for folder in folders]
    return [
        name if names.count(name) == 1 else f"{folder.resolve().parent.name}/{name}"
        for name, folder in zip(names, folders, strict=True)
    ]


def compose_comparison(folders: Sequence[Path]) -> Page:
    """Make the page of audits side by side."""
    if len(folders) < 2:
        raise BadInput("a comparison needs two or more audits")
    rows = read_compared(folders)
    return Page(
        title=f"{len(rows)} audits side by side",
        summary=f"{', '.join(row.name for row in rows)}.",
        sections=(
            Section("The audits", text=(MEANING,), tables=(audits_table(rows),)),
            Section("Their answers", tables=(answers_table(rows),)),
        ),
        provenance={row.name: describe(row) for row in rows},
        answer=compared_answer(rows),
        missing=tuple(f"{r.name}: {text}" for r in rows for text in r.findings.missing),
    )


def compared_answer(rows: Sequence[Compared]) -> Answer:
    """Count the audits by what they say."""
    one_seed = all(row.findings.plan.seeds == 1 for row in rows)
    counted = count_shares([row.verdicts for row in rows], "audits", one_seed=one_seed)
    plot = rows_plot([(row.name, row.findings, row.dataset) for row in rows])
    if counted is None:
        said = "None of these audits can say what its data teach regardless of the reward."
        return Answer(QUESTION, said, "unknown", plot)
    return Answer(QUESTION, *counted, plot)


def audits_table(rows: Sequence[Compared]) -> Table:
    """Make the table of numbers with a row per audit."""
    return Table(
        "comparison",
        "The best agent with the true reward, the worst wrong reward of the agent that is best "
        "without it, imitation, and positive bias: means over seeds ± one standard error, where "
        "there are several.",
        (
            *("audit", "quantity", "true reward", "worst wrong reward", "imitation", "share"),
            *("positive bias", "by"),
        ),
        tuple((row.name, *numbers(row)) for row in rows),
    )


def numbers(row: Compared) -> Iterator[TableCell]:
    findings, dataset, main = row.findings, row.dataset, row.findings.main
    agents = None if main is None else find_agents(findings, dataset)
    if main is None or agents is None:
        yield QUANTITIES.get(str(main), "nothing measured")
        yield from [Missing(NOT_RUN)] * 5
        yield ""
        return
    form = form_of(findings.plan, main)
    worst = min(agents.by_label, key=lambda label: agents.by_label[label].value)
    by_label = findings.by_label(dataset, agents.without, main)
    yield QUANTITIES[main]
    yield mean_cell(findings.by_label(dataset, agents.best, main)["original"], form)
    yield mean_cell(by_label[worst], form)
    imitation = imitation_values(findings, dataset, main)
    yield Missing("BC was not run") if imitation is None else mean_cell(imitation, form)
    yield share_cell(row)
    yield from bias_cells(row)


def share_cell(row: Compared) -> TableCell:
    """Return the share that the verdict has, with its interval."""
    found = next((v.numbers for v in row.verdicts if v.code == "reward-use"), {})
    if "share" not in found:
        return Missing("the agents did not get out of the true reward what is there")
    ends = (found["share_low"], found["share_high"]) if "share_low" in found else None
    return Number(found["share"], ".0%", interval=ends)


def bias_cells(row: Compared) -> tuple[TableCell, TableCell]:
    """Return the largest positive bias that an algorithm shows, and that algorithm."""
    found = {
        name: bias
        for name in reward_readers(row.findings)
        if (bias := row.findings.bias(row.dataset, name)) is not None
    }
    if not found:
        return Missing(NOT_RUN), ""
    best = max(found, key=lambda name: found[name].estimate)
    return number(found[best]), best


def answers_table(rows: Sequence[Compared]) -> Table:
    """Make the table of sentences."""
    given = [(row.name, answer(row.findings, {row.dataset: row.verdicts})) for row in rows]
    return Table(
        "answers",
        "What each audit says by itself.",
        ("audit", "answer", "how sure"),
        tuple((name, each.sentence, each.in_words) for name, each in given),
    )


def describe(row: Compared) -> str:
    plan, facts = row.findings.plan, row.findings.data.get(row.dataset, {})
    version = row.findings.versions.get("instinct", "unknown")
    return (
        f"{row.dataset}, SHA-256 {facts.get('hash', 'unknown')}; {', '.join(plan.algorithms)}; "
        f"preset {plan.preset}; {plan.seeds} {'seed' if plan.seeds == 1 else 'seeds'}; "
        f"{plan.episodes} test episodes; instinct {version}"
    )
