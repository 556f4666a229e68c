"""The page of the grid world: BC and PEVI beside the paper's."""

from instinct.benchmarks.gridworld.world import GridWorld
from instinct.experiments.gridworld.figures import draw_length_bias, draw_map
from instinct.experiments.provenance import provenance
from instinct.experiments.results import Results
from instinct.paper import gridworld as paper_gridworld
from instinct.report.kit.page import Drawing, Page, Section
from instinct.report.kit.tables import Cell, Number, Table

ALGORITHMS = ("BC", "PEVI")
SHOWN = "negative"
"""The label whose paths are drawn; the paper's figure shows that all give the same."""

WHY = """
Four in five recorded episodes set out, turn back and end on the lava, where the recording stops;
one in five reaches the key, where an agent can stay for good. So only policies that reach the key
can stay inside the data to the end, and pessimism, which fears what the data do not show, finds
them whatever the reward says.
"""
MAP = "The grid, the data (darker is more frequent), and the paths of BC and PEVI, {} reward."
LENGTH_BIAS = "Length bias: the longest episodes in the data are the good ones."


def table(results: Results) -> Table:
    """Our returns, label by label, beside the paper's."""
    ours = {(row["algorithm"], row["label"]): row for row in results.results}
    paper = paper_gridworld()
    rows = []
    for label in dict.fromkeys(row["label"] for row in results.results):
        cells: list[Cell] = [label]
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


def verdict(results: Results) -> str:
    """What was seen, in one sentence made from the numbers."""
    means = {
        name: [r["mean"] for r in results.results if r["algorithm"] == name] for name in ALGORITHMS
    }
    return (
        f"Pessimistic offline RL (PEVI) returns {spread(means['PEVI'])} under the true, zero, "
        f"random and negated reward; imitating the same data (BC) returns {spread(means['BC'])}. "
        f"The best possible return is {GridWorld().best_return:.2f}."
    )


def spread(values: list[float]) -> str:
    low, high = f"{min(values):.2f}", f"{max(values):.2f}"
    return low if low == high else f"{low} to {high}"


def compose(results: Results) -> Page:
    world = GridWorld()
    dataset = world.dataset()
    paths = {name: results.details["paths"][f"{name} {SHOWN}"] for name in ALGORITHMS}
    grid = Drawing("map", draw_map(world, dataset, paths), MAP.format(SHOWN))
    bias = Drawing("length_bias", draw_length_bias(world, dataset), LENGTH_BIAS)
    return Page(
        title="Grid world: right behaviour from wrong rewards",
        summary=verdict(results),
        sections=(
            Section("What each agent reaches", tables=(table(results),)),
            Section("Why", text=(WHY,), drawings=(grid, bias)),
        ),
        provenance=provenance(results)
        | {
            "pessimism of PEVI": f"β = {results.settings['beta']:g}, with the paper's value bounds",
            "horizon": f"{results.settings['horizon']} steps",
            "layout": "our own: the paper does not print its layout; all facts it states hold",
        },
    )
