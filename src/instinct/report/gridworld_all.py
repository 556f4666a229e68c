"""The page of all tabular algorithms in the grid world."""

from typing import Any

from instinct.report.gridworld import spread
from instinct.report.page import Page, Section
from instinct.report.provenance import provenance
from instinct.report.tables import Table
from instinct.study.results import Results

IMITATION = "BC"


def compose(results: Results) -> Page:
    return Page(
        title="Grid world: every admissible algorithm",
        summary=verdict(results),
        sections=(
            Section("Return and chance of leaving the data", tables=(table(results),)),
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


def table(results: Results) -> Table:
    """One row per algorithm, one column per label: the return, and the chance of leaving."""
    cells: dict[str, dict[str, str]] = {}
    for row in results.results:
        text = f"{row['mean']:.2f} ± {row['stderr']:.2f} ({row['out_of_support']:.2f})"
        cells.setdefault(row["algorithm"], {})[row["label"]] = text
    labels = tuple(dict.fromkeys(row["label"] for row in results.results))
    return Table(
        name="returns",
        caption=f"Mean true return over {results.results[0]['episodes']:,} test episodes ± one "
        "standard error, and in brackets the exact probability of leaving the data support.",
        columns=("algorithm", *labels),
        rows=tuple(
            (name, *(by_label[label] for label in labels)) for name, by_label in cells.items()
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
