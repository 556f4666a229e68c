"""The section of tuning: what every combination of settings has given."""

from collections.abc import Iterator, Mapping

from instinct.deep.algorithms.settings import Setting
from instinct.report.kit.page import Section
from instinct.report.kit.tables import Table, TableCell
from instinct.report.sections.numbers import form_of
from instinct.report.sections.tables import mean_cell
from instinct.study.findings import Findings


def tuning_section(findings: Findings) -> Iterator[Section]:
    """Make a table with a row for every tuned cell and a column for every combination."""
    plan, main = findings.plan, findings.main
    tried = [each for each in findings.tried if main in each.means]
    if main is None or not tried:
        return
    form, shown = form_of(plan, main), 4 if plan.is_filtered else 3
    columns = [*dict.fromkeys(described(each.settings) for each in tried)]
    rows: dict[tuple[str, ...], dict[str, TableCell]] = {}
    for each in tried:
        row = rows.setdefault(each.cell[:shown], {})
        row[described(each.settings)] = mean_cell(each.means[main], form)
    seeds = "one seed" if plan.tuning_seeds == 1 else f"mean over {plan.tuning_seeds} seeds"
    yield Section(
        title="Tuning",
        folded=True,
        tables=(
            Table(
                "tuning",
                f"The {main} with every combination of settings that tuning tried, {seeds}.",
                ("dataset", "algorithm", "label", "filter")[:shown] + tuple(columns),
                tuple(
                    (*cell, *(row.get(name, "") for name in columns)) for cell, row in rows.items()
                ),
            ),
        ),
    )


def described(settings: Mapping[str, Setting]) -> str:
    """Write settings as one would set them.

    >>> described({"beta": 0.3, "layers": 2})
    'beta=0.3, layers=2'
    """
    return ", ".join(f"{name}={value}" for name, value in settings.items())
