"""The page of the random MDPs: regret by pessimism and data size, with the paper's bounds."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from instinct.data import WRONG_LABELS
from instinct.experiments.provenance import provenance
from instinct.experiments.results import ExperimentResults
from instinct.report.kit.figures import INK, figure, label_powers, styled
from instinct.report.kit.page import Drawing, Page, Section
from instinct.report.kit.tables import Number, Table

KINDS = ("positive", "zero", "negative")
IMITATION = "BC"
QUANTITIES = {"regret": "regret under the true reward", "cost": "steps out of support, V_cμ"}
PESSIMISM = (
    "Means over the wrong rewards (zero, random, negative) and all MDPs, {:,.0f} transitions. "
    "Black: the paper's bounds for unlimited data; there is none for R ≤ 2."
)
MARKERS = "osD^v<>Pp*h"

ResultRow = Mapping[str, Any]


def compose(results: ExperimentResults) -> Page:
    most, largest = extreme(results, "R"), extreme(results, "transitions")
    by_pessimism = draw(results, "R", lambda row: row["transitions"] == largest)
    by_size = draw(results, "transitions", lambda row: row["R"] == most)
    pessimism = PESSIMISM.format(largest)
    size = f"The same at R = {most:g} by data size; the bounds are for unlimited data."
    return Page(
        title="Random MDPs: pessimism needs a positive bias",
        summary=verdict(results),
        sections=(
            Section("Strongest pessimism, largest data", tables=(table(results),)),
            Section(
                "By degree of pessimism",
                drawings=(Drawing("pessimism", by_pessimism, pessimism),),
            ),
            Section(
                "By size of the data",
                drawings=(Drawing("size", by_size, size),),
            ),
        ),
        provenance=provenance(results) | details(results),
    )


def details(results: ExperimentResults) -> dict[str, str]:
    shape = {name: results.settings[name] for name in ("mdps", "states", "actions", "discount")}
    return {
        "MDPs": "{mdps} Garnet MDPs per bias, {states} states, {actions} actions, γ = {discount:g}"
        "".format(**shape),
        "regret": "V_r*(d_0) - V_r(d_0) of the learned policy, exact",
        "bounds": "ε + O(ι) and ι = δ + κ(δ) with R = K/δ + 2, exact for these MDPs",
    }


def extreme(results: ExperimentResults, name: str) -> float:
    return float(max(row[name] for row in results.results))


def mean(rows: list[ResultRow], name: str, **wanted: tuple[Any, ...]) -> float:
    """Average a column over the rows that have one of the wanted values."""
    chosen = [row for row in rows if all(row[key] in values for key, values in wanted.items())]
    return float(np.mean([row[name] for row in chosen]))


def strongest(results: ExperimentResults) -> list[ResultRow]:
    """Select the rows with the strongest pessimism and the largest data."""
    most, largest = extreme(results, "R"), extreme(results, "transitions")
    return [row for row in results.results if (row["R"], row["transitions"]) == (most, largest)]


def verdict(results: ExperimentResults) -> str:
    rows = [row for row in strongest(results) if row["algorithm"] != IMITATION]
    positive, zero, negative = (
        mean(rows, "regret", bias=(kind,), label=WRONG_LABELS) for kind in KINDS
    )
    return (
        f"With wrong rewards, strong pessimism (R = {rows[0]['R']:g}) and "
        f"{rows[0]['transitions']:,} transitions, the algorithms lose {positive:.2f} of the true "
        f"return where the data are positively biased, {zero:.2f} where they have no bias, and "
        f"{negative:.2f} where the bias is negative."
    )


def table(results: ExperimentResults) -> Table:
    """Tabulate regret by algorithm and bias, under true and wrong rewards."""
    rows = strongest(results)
    trained_on = {"true": ("original",), "wrong": WRONG_LABELS}
    return Table(
        name="regret",
        caption=f"Mean regret under the true reward at R = {rows[0]['R']:g} with "
        f"{rows[0]['transitions']:,} transitions, by bias of the data and training rewards.",
        columns=("algorithm", *(f"{kind} {which}" for kind in KINDS for which in trained_on)),
        rows=tuple(
            (
                name,
                *(
                    Number(
                        mean(rows, "regret", algorithm=(name,), bias=(kind,), label=labels), ".2f"
                    )
                    for kind in KINDS
                    for labels in trained_on.values()
                ),
            )
            for name in dict.fromkeys(row["algorithm"] for row in rows)
        ),
    )


def draw(results: ExperimentResults, x: str, keep: Callable[[ResultRow], bool]) -> Figure:
    """Draw regret above and V_cμ below, one column per bias, one line per algorithm."""
    drawing = figure(10, 5.6)
    rows = [row for row in results.results if keep(row) and row["label"] in WRONG_LABELS]
    algorithms = [*dict.fromkeys(row["algorithm"] for row in rows)]
    bounds = [row for row in results.details["bounds"] if row["label"] in WRONG_LABELS]
    with styled():
        axes = drawing.subplots(2, len(KINDS), sharex=True, sharey="row")
        for column, kind in enumerate(KINDS):
            for line, (quantity, title) in enumerate(QUANTITIES.items()):
                panel: Axes = axes[line, column]
                here = [row for row in rows if row["bias"] == kind]
                for number, name in enumerate(algorithms):
                    mine = [row for row in here if row["algorithm"] == name]
                    plot(panel, mine, x, quantity, number, name)
                draw_bound(panel, [row for row in bounds if row["bias"] == kind], x, quantity)
                panel.set_xscale("log")
                panel.set_yscale("symlog", linthresh=0.01)
                label_powers(panel.xaxis)
                label_powers(panel.yaxis)
                if line == 0:
                    panel.set_title(f"{kind} bias")
                else:
                    panel.set_xlabel("pessimism R" if x == "R" else "transitions")
                if column == 0:
                    panel.set_ylabel(title)
        for row_of_panels in axes:
            top = max(panel.dataLim.y1 for panel in row_of_panels)
            row_of_panels[0].set_ylim(-0.002, 1.5 * top)
        handles, names = axes[0, 0].get_legend_handles_labels()
        drawing.legend(handles, names, loc="outside right center")
    return drawing


def draw_bound(panel: Axes, bounds: list[ResultRow], x: str, quantity: str) -> None:
    """Draw the bound: against R as a curve, against data size at the strongest pessimism."""
    if x == "R":
        panel.plot(*averages(bounds, x, quantity), color=INK, linestyle="--", label="bound")
    else:
        most = max(row["R"] for row in bounds)
        panel.axhline(mean(bounds, quantity, R=(most,)), color=INK, linestyle="--", label="bound")


def averages(rows: list[ResultRow], x: str, quantity: str) -> tuple[list[float], list[float]]:
    places = sorted({row[x] for row in rows})
    return places, [mean(rows, quantity, **{x: (place,)}) for place in places]


def plot(panel: Axes, rows: list[ResultRow], x: str, quantity: str, number: int, name: str) -> None:
    imitation = name == IMITATION
    panel.plot(
        *averages(rows, x, quantity),
        label=name,
        marker=MARKERS[number % len(MARKERS)],
        markersize=4,
        linewidth=1.2,
        color="#9575cd" if imitation else None,
        linestyle=":" if imitation else "-",
    )
