"""The page of the grid world: BC and PEVI beside the paper's."""

from instinct.benchmarks.gridworld.world import GridWorld
from instinct.experiments.gridworld.figures import draw_length_bias
from instinct.experiments.provenance import provenance
from instinct.experiments.results import ExperimentResults
from instinct.paper import gridworld as paper_gridworld
from instinct.report.kit.grid_map import draw_map
from instinct.report.kit.page import Drawing, Page, Section
from instinct.report.kit.tables import Number, Table, TableCell

ALGORITHMS = ("BC", "PEVI")
PATH_LABEL = "negative"
"""The label whose paths are drawn; the paths of all labels are the same."""

WHY = """
Four in five recorded episodes turn back and end on the lava, where the recording stops. One in five
reaches the key, where an agent can stay. So only policies that reach the key can stay inside the
data until the end. Pessimism avoids what is not in the data, and finds these policies under any
reward.
"""
MAP = "The grid, the data (darker is more frequent), and the paths of BC and PEVI, {} reward."
LENGTH_BIAS = "Length bias: the longest episodes in the data are the good ones."


def table(results: ExperimentResults) -> Table:
    """Tabulate our returns by label, beside the paper's."""
    ours = {(row["algorithm"], row["label"]): row for row in results.results}
    paper = paper_gridworld()
    rows = []
    for label in dict.fromkeys(row["label"] for row in results.results):
        cells: list[TableCell] = [label]
        for algorithm in ALGORITHMS:
            row = ours[algorithm, label]
            cells.append(Number(row["mean"], ".2f", row["stderr"]))
            cells.append(Number(paper[algorithm, label], ".2f", 0.0))
        rows.append(tuple(cells))
    return Table(
        name="returns",
        caption=f"Mean true return over {results.results[0]['episodes']:,} test episodes, "
        "± one standard error.",
        columns=("reward label", "BC", "BC (paper)", "PEVI", "PEVI (paper)"),
        rows=tuple(rows),
    )


def verdict(results: ExperimentResults) -> str:
    """Summarize the returns of BC and PEVI."""
    means = {
        name: [r["mean"] for r in results.results if r["algorithm"] == name] for name in ALGORITHMS
    }
    return (
        f"Pessimistic offline RL (PEVI) returns {value_range(means['PEVI'])} under the true, zero, "
        "random and negative reward. Imitation of the same data (BC) returns "
        f"{value_range(means['BC'])}. The best possible return is {GridWorld().best_return:.2f}."
    )


def value_range(values: list[float]) -> str:
    low, high = f"{min(values):.2f}", f"{max(values):.2f}"
    return low if low == high else f"{low} to {high}"


def compose(results: ExperimentResults) -> Page:
    world = GridWorld()
    dataset = world.dataset()
    paths = {name: results.details["paths"][f"{name} {PATH_LABEL}"] for name in ALGORITHMS}
    grid = Drawing("map", draw_map(world, dataset, paths), MAP.format(PATH_LABEL))
    bias = Drawing("length_bias", draw_length_bias(world, dataset), LENGTH_BIAS)
    return Page(
        title="Grid world: right behavior from wrong rewards",
        summary=verdict(results),
        sections=(
            Section("Returns", tables=(table(results),)),
            Section("Why", text=(WHY,), drawings=(grid, bias)),
        ),
        provenance=provenance(results)
        | {
            "pessimism of PEVI": f"β = {results.settings['beta']:g}, with the paper's value bounds",
            "horizon": f"{results.settings['horizon']} steps",
            "layout": "our own: the paper does not print its layout; all facts that it states hold",
        },
    )
