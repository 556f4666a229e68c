"""The page of all tabular algorithms in the grid world."""

from collections.abc import Callable, Mapping
from typing import Any

from instinct.experiments.gridworld.page import spread
from instinct.experiments.provenance import provenance
from instinct.experiments.results import Results
from instinct.report.kit.page import Page, Section
from instinct.report.kit.tables import Cell, Number, Table

IMITATION = "BC"


def compose(results: Results) -> Page:
    return Page(
        title="Grid world: every admissible algorithm",
        summary=verdict(results),
        sections=(
            Section(
                "Return and chance of leaving the data", tables=(returns(results), leaving(results))
            ),
            Section("Settings", tables=(settings(results),)),
        ),
        provenance=provenance(results) | {"pessimism": f"R = {results.settings['R']:g}"},
    )


def verdict(results: Results) -> str:
    pessimistic = [row for row in results.results if row["algorithm"] != IMITATION]
    return (
        f"The {len({row['algorithm'] for row in pessimistic})} pessimistic algorithms return "
        f"{spread([row['mean'] for row in pessimistic])} under the true and the wrong rewards, and "
        f"leave the data with probability {spread([row['out_of_support'] for row in pessimistic])}."
    )


def returns(results: Results) -> Table:
    caption = (
        f"Mean true return over {results.results[0]['episodes']:,} test episodes, ± one standard "
        "error."
    )
    return by_label(
        "returns", caption, results, lambda row: Number(row["mean"], ".2f", row["stderr"])
    )


def leaving(results: Results) -> Table:
    caption = "The exact probability of leaving the data support."
    return by_label("leaving", caption, results, lambda row: Number(row["out_of_support"], ".2f"))


def by_label(
    name: str, caption: str, results: Results, cell: Callable[[Mapping[str, Any]], Cell]
) -> Table:
    """One row per algorithm, one column per label."""
    cells: dict[str, dict[str, Cell]] = {}
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


def settings(results: Results) -> Table:
    label = results.results[0]["label"]
    return Table(
        name="settings",
        caption=f"The settings of each algorithm (those shown are for the {label} label).",
        columns=("algorithm", "settings"),
        rows=tuple(
            (row["algorithm"], ", ".join(map(stated, row["settings"].items())) or "none")
            for row in results.results
            if row["label"] == label
        ),
    )


def stated(setting: tuple[str, Any]) -> str:
    name, value = setting
    if isinstance(value, list):
        return f"{name} from {value[0]:g} to {value[-1]:g}"
    return f"{name} = {value:.4g}" if isinstance(value, float) else f"{name} = {value}"
