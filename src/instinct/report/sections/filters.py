"""The table of what filters remove, for pages and terminals."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from instinct.data import ALL
from instinct.report.kit.page import Section
from instinct.report.kit.tables import Missing, Number, Table, TableCell
from instinct.study.findings import Findings

CAPTION = (
    "What each filter removes. Episodes that lose some transitions are cut; those that lose all "
    "are gone. Rewards and costs are per 1,000 transitions."
)
COVERAGE = """
Coverage measures what is left around removed states: of the ten nearest recorded states of other
episodes, the fraction that is kept. If it is about the fraction of all transitions that are kept,
the removed states lie among kept ones, and the filter leaves no hole to stay out of. 0 means that
it leaves a hole.
"""


def filter_section(findings: Findings) -> Iterator[Section]:
    """Make the section of what the plan's filters remove from each dataset."""
    found = {
        (cell.dataset, cell.filter): facts
        for cell in findings.plan.cells()
        if cell.filter != ALL and (facts := findings.removed(cell)) is not None
    }
    if found:
        yield Section(
            title="What the filters remove",
            text=(COVERAGE,),
            tables=(removal_table((*key, facts) for key, facts in found.items()),),
        )


def removal_table(rows: Iterable[tuple[str, str, Mapping[str, Any]]]) -> Table:
    """Tabulate one row per dataset and filter."""
    return Table(
        "filters",
        CAPTION,
        (
            "dataset",
            "filter",
            "transitions",
            "kept",
            "episodes",
            "cut",
            "gone",
            "coverage",
            "reward per 1,000",
            "reward per 1,000 after",
            "cost per 1,000",
            "cost per 1,000 after",
        ),
        tuple((dataset, name, *cells(facts)) for dataset, name, facts in rows),
    )


def cells(facts: Mapping[str, Any]) -> Iterator[TableCell]:
    yield Number(facts["transitions"], ",.0f")
    yield Number(1 - facts["removed"] / facts["transitions"], ".1%")
    for name in ("episodes", "cut", "gone"):
        yield Number(facts[name], ",.0f")
    for name, form, without in (
        ("coverage", ".2f", "nothing was removed, or there is one episode"),
        ("reward", ".2f", "the dataset has no rewards"),
        ("reward_after", ".2f", "the dataset has no rewards"),
        ("cost", ".2f", "the dataset has no costs"),
        ("cost_after", ".2f", "the dataset has no costs"),
    ):
        yield Missing(without) if facts[name] is None else Number(facts[name], form)
