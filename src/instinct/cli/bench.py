"""`instinct bench`: measure speed on this machine."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from instinct.cli import bench_studies
from instinct.cli.help import App
from instinct.cli.options import split_names
from instinct.cli.output import Json, print_json, show_progress, show_rows, show_table
from instinct.errors import BadInput

app = App(help="Measure speed on this machine.", no_args_is_help=True)
app.add_typer(bench_studies.app)

Algorithms = Annotated[
    list[str] | None,
    typer.Option("--algorithms", metavar="NAME,...", help="Algorithms.", show_default="all"),
]


@app.command()
def tabular(
    states: Annotated[int, typer.Option(min=40, metavar="N", help="States.")] = 10_000,
    actions: Annotated[int, typer.Option(min=1, metavar="N", help="Actions.")] = 10,
    transitions: Annotated[
        int, typer.Option(min=100, metavar="N", help="Transitions.")
    ] = 1_000_000,
    json: Json = False,
) -> None:
    """Run every tabular algorithm once on random data; measure seconds and memory.

    Example: instinct bench tabular --states 1000 --transitions 100000
    """
    from instinct.bench.tabular import measure

    rows = [row._asdict() for row in measure(states, actions, transitions)]
    caption = f"{states:,} states, {actions} actions, {transitions:,} transitions."
    show_rows("tabular", caption, rows, json)


@app.command()
def train(
    algorithms: Algorithms = None,
    size: Annotated[
        list[str] | None,
        typer.Option(help="`paper` or `small` (3 × 64); can be repeated."),
    ] = None,
    json: Json = False,
) -> None:
    """Measure training steps per second on one core, and their share of the core's peak speed.

    Example: instinct bench train --algorithms ATAC --size paper --json
    """
    from instinct.bench.training import MEASURED, SIZES, measure
    from instinct.deep.algorithms.registry import find_algorithm

    chosen = split_names(algorithms) or MEASURED
    names = [name if name in MEASURED else find_algorithm(name).NAME for name in chosen]
    sizes = [*(size or SIZES)]
    if wrong := {*sizes} - {*SIZES}:
        raise BadInput(f"no size is called {wrong.pop()!r}; there are {', '.join(SIZES)}")
    rows = []
    with show_progress("training speed") as on_progress:
        for row in measure(names, sizes):
            rows.append(row)
            on_progress(len(rows), len(names) * len(sizes), f"{row['algorithm']}, {row['size']}")
    show_rows(
        "train", "One core; the peak is the speed of a 256 × 256 × 256 matrix product.", rows, json
    )


@app.command()
def start(
    algorithms: Algorithms = None,
    transitions: Annotated[
        int, typer.Option(min=1000, metavar="N", help="Transitions of the dataset.")
    ] = 1_000_000,
    json: Json = False,
) -> None:
    """Measure the start-up time and the memory of training in new processes.

    Example: instinct bench start --algorithms ATAC --json
    """
    from instinct.bench.start import measure_start
    from instinct.deep.algorithms.registry import ALGORITHMS, find_algorithm

    chosen = split_names(algorithms) or ALGORITHMS
    names = [find_algorithm(name).NAME for name in chosen]
    rows = []
    with show_progress("start of training") as on_progress:
        for row in measure_start(names, transitions):
            rows.append(row)
            on_progress(len(rows), len(names), str(row["algorithm"]))
    show_rows("start", f"One core; {transitions:,} random transitions.", rows, json)


@app.command()
def profile(
    algorithm: Annotated[str, typer.Argument(metavar="ALGORITHM", help="For example CQL or DT.")],
    size: Annotated[str, typer.Option(help="`paper` or `small`.")] = "paper",
    json: Json = False,
) -> None:
    """Time the matrix products of one update, and compare them with a whole step.

    Example: instinct bench profile CQL
    """
    from instinct.bench.profile import profile as measure
    from instinct.bench.training import SIZES
    from instinct.deep.algorithms.registry import find_algorithm

    name = find_algorithm(algorithm).NAME
    if size not in SIZES:
        raise BadInput(f"no size is called {size!r}; there are {', '.join(SIZES)}")
    rows = [asdict(row) for row in measure(name, size)]
    show_rows(
        "profile", f"The matrix products of one update of {name}, each timed alone.", rows, json
    )


@app.command()
def evaluate(
    episodes: Annotated[int, typer.Option(min=2, metavar="N", help="Episodes.")] = 50,
    task: Annotated[
        str,
        typer.Option(help="The policy is trained in locomotion tasks, untrained in others."),
    ] = "hopper",
    envpool: Annotated[
        bool,
        typer.Option(
            "--envpool",
            help="Compare with EnvPool instead, where it is installed, in all locomotion tasks.",
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Compare lockstep evaluation with a loop over single episodes.

    Example: instinct bench evaluate --task metaworld:reach --json
    """
    if envpool:
        compare_with_envpool(episodes, json)
        return
    from instinct.bench.evaluation import bench_evaluate

    result = asdict(bench_evaluate(task, episodes))
    if json:
        print_json(result)
    else:
        show_rows("evaluate", "The same episodes in lockstep and one by one.", [result], json)


def compare_with_envpool(episodes: int, json: bool) -> None:
    """Measure both simulations of the locomotion tasks and print their speeds."""
    from instinct.bench.envpool_speed import TASKS, check_envpool, measure

    check_envpool()
    rows: list[dict[str, Any]] = []
    with show_progress("EnvPool") as on_progress:
        for row in measure(episodes):
            rows.append(asdict(row))
            on_progress(len(rows), 2 * len(TASKS), row.task)
    caption = "Steps per second on all cores; `ratio` is EnvPool's speed divided by ours."
    show_rows("envpool", caption, rows, json)


@app.command()
def safety(
    task: Annotated[
        list[str] | None,
        typer.Option(help="A safety task such as PointGoal1; can be repeated."),
    ] = None,
    steps: Annotated[
        int, typer.Option(min=1, metavar="N", help="Steps per episode, of eight episodes.")
    ] = 100,
    json: Json = False,
) -> None:
    """Measure steps per second and reset time of the safety tasks.

    Example: instinct bench safety --task CarGoal1 --json
    """
    from instinct.bench.safety import measure
    from instinct.benchmarks.registry import BENCHMARKS

    family = BENCHMARKS["safety"]
    names = task or [family.short_name(name) for name in family.tasks]
    rows: list[dict[str, Any]] = []
    with show_progress("safety tasks") as on_progress:
        for name in names:
            on_progress(len(rows), len(names), name)
            rows.append(measure(name, steps))
    caption = "Eight episodes on one core; `speedup` is relative to Safety-Gymnasium."
    show_rows("safety", caption, rows, json)


@app.command()
def read(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE",
            help="A table, which is described, or another dataset, which is opened.",
            show_default="a Parquet file of random numbers, which is deleted again",
        ),
    ] = None,
    rows: Annotated[
        int, typer.Option(min=1, metavar="N", help="Rows of the file that is made.")
    ] = 10_000_000,
    columns: Annotated[
        int, typer.Option(min=3, metavar="N", help="Columns of the file that is made.")
    ] = 20,
    json: Json = False,
) -> None:
    """Describe a large table, or open another dataset; measure seconds, speed and memory.

    Example: instinct bench read --rows 1000000
    """
    from instinct.bench.reading import measure

    result = asdict(measure(file, rows, columns))
    if json:
        print_json(result)
    else:
        show_rows("read", "In a process of its own, on one core.", [result], json)


@app.command()
def estimate(
    folders: Annotated[
        list[Path], typer.Argument(metavar="FOLDER...", help="Finished audits with their runs.")
    ],
    estimators: Annotated[
        list[str] | None,
        typer.Option("--estimators", metavar="NAME,...", help="Estimators.", show_default="all"),
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Write the rows to this CSV file as well."),
    ] = None,
    json: Json = False,
) -> None:
    """Compare estimates without a simulator with the true test episodes of finished audits.

    Audits say how reliable estimates are from such a file, the one in the package.

    Example: instinct bench estimate results/audit-hopper-medium --out reliability.csv
    """
    from instinct.bench.estimate import measure
    from instinct.deep import cache_programs
    from instinct.estimate import ESTIMATORS
    from instinct.estimate.reliability import write_comparisons

    chosen = split_names(estimators) or [*ESTIMATORS]
    if wrong := {*chosen} - {*ESTIMATORS}:
        raise BadInput(f"no estimator is called {wrong.pop()!r}; there are {', '.join(ESTIMATORS)}")
    cache_programs()
    with show_progress("datasets") as on_progress:
        rows = [asdict(row) for row in measure(folders, chosen, on_progress)]
    if file is not None:
        write_comparisons(file, rows)
    caption = "Rank correlation with the truth, regret of the choice, share of intervals that held."
    show_rows("estimate", caption, rows, json)


@app.command()
def score(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER", help="Archived results, or the CSV file that --out has written."
        ),
    ] = Path("docs/results"),
    file: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Write the datasets to this CSV file as well."),
    ] = None,
    figure: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the datasets into this file.")
    ] = None,
    json: Json = False,
) -> None:
    """Compare scores before training with what the agents of archived results reached.

    Example: instinct bench score docs/results --out docs/results/score.csv
    """
    from instinct.bench.score import measure
    from instinct.report.kit.figures import check_format, save
    from instinct.score.agreement import agreements
    from instinct.score.figure import draw_validation
    from instinct.score.table import agreement_table
    from instinct.score.validation import read_validation, write_validation

    if figure is not None:
        check_format(figure)
    with show_progress("datasets") as on_progress:
        rows = read_validation(folder) if folder.is_file() else measure(folder, on_progress)
    if file is not None:
        write_validation(file, rows)
    if figure is not None:
        save(draw_validation(rows), figure)
    found = [*agreements(rows)]
    if json:
        print_json({"results": [asdict(each) for each in found]})
    else:
        show_table(agreement_table(found))
