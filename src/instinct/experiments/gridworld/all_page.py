"""The page of all tabular algorithms in the grid world."""

from collections.abc import Callable, Mapping
from typing import Any

from instinct.experiments.gridworld.page import value_range
from instinct.experiments.provenance import provenance
from instinct.experiments.results import ExperimentResults
from instinct.report.kit.page import Page, Section
from instinct.report.kit.tables import Number, Table, TableCell

IMITATION = "BC"


def compose(results: ExperimentResults) -> Page:
    return Page(
        title="Grid world: all admissible algorithms",
        summary=verdict(results),
        sections=(
            Section(
                "Return and probability of leaving the data",
                tables=(returns(results), leaving(results)),
            ),
            Section("Settings", tables=(settings(results),)),
        ),
        provenance=provenance(results) | {"pessimism": f"R = {results.settings['R']:g}"},
    )


def verdict(results: ExperimentResults) -> str:
    pessimistic = [row for row in results.results if row["algorithm"] != IMITATION]
    means = value_range([row["mean"] for row in pessimistic])
    outside = value_range([row["out_of_support"] for row in pessimistic])
    return (
        f"The {len({row['algorithm'] for row in pessimistic})} pessimistic algorithms return "
        f"{means} under the true and the wrong rewards. They leave the data with probability "
        f"{outside}."
    )


def returns(results: ExperimentResults) -> Table:
    caption = (
        f"Mean true return over {results.results[0]['episodes']:,} test episodes, ± one standard "
        "error."
    )
    return by_label(
        "returns", caption, results, lambda row: Number(row["mean"], ".2f", row["stderr"])
    )


def leaving(results: ExperimentResults) -> Table:
    caption = "The exact probability of leaving the data support."
    return by_label("leaving", caption, results, lambda row: Number(row["out_of_support"], ".2f"))


def by_label(
    name: str,
    caption: str,
    results: ExperimentResults,
    cell: Callable[[Mapping[str, Any]], TableCell],
) -> Table:
    """Tabulate one value per algorithm (rows) and label (columns)."""
    cells: dict[str, dict[str, TableCell]] = {}
    for row in results.results:
        cells.setdefault(row["algorithm"], {})[row["label"]] = cell(row)
    labels = tuple(dict.fromkeys(row["label"] for row in results.results))
    return Table(
        name,
        caption,
        columns=("algorithm", *labels),
        rows=tuple(
            (algorithm, *(by[label] for label in labels)) for algorithm, by in cells.items()
        ),
    )


def settings(results: ExperimentResults) -> Table:
    label = results.results[0]["label"]
    return Table(
        name="settings",
        caption=f"The settings of each algorithm under the {label} label.",
        columns=("algorithm", "settings"),
        rows=tuple(
            (row["algorithm"], ", ".join(map(setting_text, row["settings"].items())) or "none")
            for row in results.results
            if row["label"] == label
        ),
    )


def setting_text(setting: tuple[str, Any]) -> str:
    name, value = setting
    if isinstance(value, list):
        return f"{name} from {value[0]:g} to {value[-1]:g}"
    return f"{name} = {value:.4g}" if isinstance(value, float) else f"{name} = {value}"
