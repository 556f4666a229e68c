"""What the commands of `instinct datasets` do."""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from instinct.benchmarks.benchmark import Benchmark, episode_terminals
from instinct.benchmarks.dataset_store import path_of
from instinct.benchmarks.recipe import FunctionRecipe, Recipe
from instinct.benchmarks.registry import BENCHMARKS, find_benchmark, find_recipe
from instinct.cli.output import out, print_json, show_progress, show_table
from instinct.data import Dataset
from instinct.data.summary import summarize
from instinct.errors import BadInput
from instinct.report.datasets import (
    CostRow,
    GoalRow,
    ScoreRow,
    comparison,
    cost_table,
    goal_table,
    score_table,
)
from instinct.report.kit.cost_scatter import draw_costs
from instinct.report.kit.figures import check_format, save
from instinct.report.kit.length_bias import HORIZON, Scatter, draw_grid
from instinct.report.kit.markdown import markdown
from instinct.report.kit.tables import Table
from instinct.util.folders import data_folder

DrawFigure = Callable[[], Figure]
"""Draws the figure of a family."""

ACROSS = 5
"""Panels in a row of a figure."""


def show(json: bool) -> None:
    """Print all datasets by name."""
    recipes = [one for family in BENCHMARKS.values() for one in family.datasets.values()]
    rows = [describe(one) for one in recipes]
    rows += [
        {"name": name, "transitions": None, "state": "file", "path": str(path)}
        for family in BENCHMARKS.values()
        for name, path in family.files().items()
    ]
    if json:
        print_json({"datasets": rows, "folder": str(data_folder())})
        return
    cells = tuple(
        (
            str(row["name"]),
            "–" if row["transitions"] is None else f"{row['transitions']:,}",
            str(row["state"]),
            str(row.get("source") or row.get("path") or "–"),
        )
        for row in rows
    )
    columns = ("dataset", "transitions", "state", "recorded from")
    show_table(Table("datasets", f"Datasets in {data_folder()}", columns, cells))


def describe(one: Recipe) -> dict[str, Any]:
    """Describe a dataset; its state is `made` if it is in the data folder."""
    if isinstance(one, FunctionRecipe):
        return {"name": one.name, "transitions": None, "state": "built in"}
    note = one.note()
    return {
        "name": one.name,
        "transitions": None if one.varies else one.transitions,
        "state": "not made" if note is None else "made",
        "source": one.source,
        "path": None if note is None else str(path_of(one.entry)),
        "hash": None if note is None else note["hash"],
        "provenance": one.provenance(),
    }


def make(name: str, transitions: int | None, no_goal_terminal: bool, json: bool) -> None:
    """Make a dataset, and print where it is."""
    if no_goal_terminal:
        pair = find_benchmark(name).without_goal_terminal(name)
        if pair is None:
            raise BadInput(f"{name} has no variant without a goal terminal")
        name = pair
    one = find_recipe(name, transitions)
    if isinstance(one, FunctionRecipe):
        raise BadInput(f"{name} is built in; there is nothing to make")
    dataset = open_recipe(one)
    if json:
        print_json(describe(one) | asdict(summarize(dataset)))
    else:
        out.print(f"{len(dataset):,} transitions: {path_of(one.entry)}", soft_wrap=True)


def show_all(family: str, transitions: int | None, figure: Path | None, in_markdown: bool) -> None:
    """Make all datasets of a family, and print their table."""
    if figure is not None:
        check_format(figure)
    families = {name: each for name, each in BENCHMARKS.items() if each.datasets}
    if family not in families:
        raise BadInput(f"no family is called {family!r}; there are {', '.join(families)}")
    table, draw = family_table(families[family], transitions)
    if figure is not None:
        save(draw(), figure)
    if in_markdown:
        out.print(markdown(table, caption=False), soft_wrap=True)
    else:
        show_table(table)


def family_table(family: Benchmark, transitions: int | None) -> tuple[Table, DrawFigure]:
    """Choose the table and the figure by what the family measures."""
    if family.cost_target is not None:
        return tabulate_costs(family, family.cost_target, transitions)
    if family.score_name == "success":
        return tabulate_goals(family, transitions)
    return tabulate_scores(family, transitions)


def tabulate_scores(family: Benchmark, transitions: int | None) -> tuple[Table, DrawFigure]:
    """Tabulate scores and lengths; the figure has one row per task."""
    rows: list[ScoreRow] = []
    scatters: dict[str, list[Scatter]] = {}
    for name, one in family.datasets.items():
        dataset = open_recipe(family.recipe(name, transitions))
        task = family.task(one.task)
        scores = task.scores(dataset.returns)
        quantity = "return" if scores is None else "normalized score"
        values = dataset.returns if scores is None else scores
        rows.append(ScoreRow(family.paper_name(name), summarize(dataset), values))
        title, horizon = family.short_name(name), task.horizon or HORIZON
        scatter = Scatter(title, dataset.lengths, values, quantity, horizon=horizon)
        scatters.setdefault(one.task, []).append(scatter)
    table = comparison(rows, family) if family.paper_tables else score_table(rows)
    return table, lambda: draw_grid([*scatters.values()])


def tabulate_goals(family: Benchmark, transitions: int | None) -> tuple[Table, DrawFigure]:
    """Tabulate successes and lengths."""
    rows = []
    for name in family.datasets:
        if family.goals_end(name):
            dataset = open_recipe(family.recipe(name, transitions))
            rows.append(GoalRow(family.short_name(name), dataset, episode_terminals(dataset)))
    scatters = [
        Scatter(row.name, row.dataset.lengths, row.dataset.returns, successes=row.successes)
        for row in rows
    ]
    grid = [scatters[first : first + ACROSS] for first in range(0, len(scatters), ACROSS)]
    return goal_table(rows), lambda: draw_grid(grid)


def tabulate_costs(
    family: Benchmark, target: float, transitions: int | None
) -> tuple[Table, DrawFigure]:
    """Tabulate returns and costs."""
    rows = []
    for name, one in family.datasets.items():
        dataset = open_recipe(family.recipe(name, transitions))
        scores = family.task(one.task).scores(dataset.returns)
        values = dataset.returns if scores is None else scores
        rows.append(CostRow(family.short_name(name), dataset, values, target))
    return cost_table(rows, target), lambda: draw_costs(rows, target)


def open_recipe(one: Recipe) -> Dataset:
    """Open a dataset; make it first if necessary, with a progress bar."""
    with show_progress(one.name) as on_progress:
        return one.dataset(on_progress)
