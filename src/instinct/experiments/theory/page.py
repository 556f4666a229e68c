"""The page of a dataset's exact theory."""

from collections.abc import Sequence
from typing import Any

from matplotlib.figure import Figure

from instinct.benchmarks.gridworld.world import GridWorld
from instinct.experiments.results import ExperimentResults
from instinct.report.kit.figures import INK, figure, label_colors, label_powers, styled
from instinct.report.kit.grid_map import draw_map
from instinct.report.kit.page import Drawing, Page, Section
from instinct.report.kit.tables import Number, Table

KAPPA = "κ(δ): the gain in the training reward from leaving the data for δ expected steps."
REGRET = "The largest loss of true return by leaving the data for at most δ expected steps."


def compose(results: ExperimentResults, name: str) -> Page:
    found = results.details
    sections = [Section("Which assumptions hold", tables=(assumptions(found["assumptions"]),))]
    if found["feasible"]:
        sections.append(Section("By label", tables=(labels(results),)))
        drawings = [Drawing("kappa", draw_kappa(results), KAPPA)]
        drawings.append(Drawing("regret", draw_regret(found["regret"]), REGRET))
        sections.append(Section("Leaving the data for a few steps", drawings=tuple(drawings)))
    if "path" in found:
        world = GridWorld()
        grid = draw_map(world, world.dataset(), {"π†": found["path"]})
        caption = "The data, and the solution of the constrained problem."
        sections.append(Section("The world", drawings=(Drawing("map", grid, caption),)))
    return Page(
        title=f"The theory of {name}",
        summary=verdict(results),
        sections=tuple(sections),
        provenance={
            **{key: f"{value}" for key, value in results.settings.items() if value is not None},
            "dataset": f"SHA-256 {results.dataset}",
            "values": "sums of rewards from the start, exact up to the linear programs' tolerance",
            "versions": ", ".join(f"{key} {version}" for key, version in results.versions.items()),
        },
    )


def verdict(results: ExperimentResults) -> str:
    found = results.details
    if not found["feasible"]:
        return (
            "No policy can stay inside these data. The constrained problem has no solution, and "
            "the bias is not defined."
        )
    if found["positive_bias"] == "inf":
        return (
            "The positive bias of the data is infinite: every policy that stays inside them has "
            f"the best possible true return ({found['best_return']:.4g}), under any training "
            f"reward. One expected step outside costs at most {found['slope']:.4g}."
        )
    return (
        f"The positive bias of the data is {found['positive_bias']:.4g}: a policy that stays "
        f"inside them loses at most {found['epsilon']:.4g} of the best true return "
        f"({found['best_return']:.4g}). Each expected step outside costs at most "
        f"{found['slope']:.4g} more."
    )


def assumptions(checks: Sequence[dict[str, Any]]) -> Table:
    return Table(
        name="assumptions",
        caption="The paper's assumptions, for the rewards of all labels.",
        columns=("assumption", "holds", "in numbers"),
        rows=tuple(
            (item["name"], "yes" if item["holds"] else "no", item["sentence"]) for item in checks
        ),
    )


def labels(results: ExperimentResults) -> Table:
    return Table(
        name="labels",
        caption="λ† is the smallest penalty per step outside at which leaving the data never pays.",
        columns=("label", "λ†", "κ(0.1)", "κ(1)", "positive bias"),
        rows=tuple(
            (
                row["label"],
                Number(row["lambda"]),
                *(Number(dict(map(tuple, row["kappa"]))[delta]) for delta in (0.1, 1.0)),
                Number(float(row["positive_bias"])),
            )
            for row in results.results
        ),
    )


def draw_kappa(results: ExperimentResults) -> Figure:
    drawing = figure(4.6, 3.6)
    with styled():
        axes = drawing.add_subplot()
        colors = label_colors(row["label"] for row in results.results)
        for row in results.results:
            x, y = zip(*row["kappa"], strict=True)
            label = row["label"]
            axes.plot(x, y, marker="o", markersize=3.5, color=colors[label], label=label)
        if "kappa_bound" in results.details:
            x, y = zip(*results.details["kappa_bound"], strict=True)
            axes.plot(x, y, color=INK, linestyle="--", label="min(2H, (2H+1)δ)")
        axes.set(xscale="log", xlabel="δ", ylabel="κ(δ)")
        axes.set_yscale("symlog", linthresh=1e-3)
        label_powers(axes.xaxis)
        label_powers(axes.yaxis)
        axes.set_ylim(bottom=0)
        axes.legend(fontsize=8)
    return drawing


def draw_regret(curve: Sequence[Sequence[float]]) -> Figure:
    drawing = figure(4.6, 3.6)
    with styled():
        axes = drawing.add_subplot()
        axes.plot(*zip(*curve, strict=True), marker="o", markersize=3.5, color="#1f5fa8")
        axes.set(xlabel="δ", ylabel="largest regret", xlim=(0, None), ylim=(0, None))
    return drawing
