"""`instinct bench`: how fast things are on this machine, as ratios within one run."""

from dataclasses import asdict
from typing import Annotated, Any

import typer

from instinct.cli.output import Json, print_json, progress, show_table
from instinct.errors import BadInput
from instinct.report.kit.tables import Table

app = typer.Typer(help="Measure speed on this machine.", no_args_is_help=True)


@app.command()
def tabular(
    states: Annotated[int, typer.Option(min=40, help="States.")] = 10_000,
    actions: Annotated[int, typer.Option(min=1, help="Actions.")] = 10,
    transitions: Annotated[int, typer.Option(min=100, help="Transitions.")] = 1_000_000,
    json: Json = False,
) -> None:
    """Run every tabular algorithm once on random data, and tell seconds and memory.

    Example: instinct bench tabular --states 1000 --transitions 100000
    """
    from instinct.bench.tabular import measure

    rows = [row._asdict() for row in measure(states, actions, transitions)]
    caption = f"{states:,} states, {actions} actions, {transitions:,} transitions."
    tell("tabular", caption, rows, json)


@app.command()
def train(
    algorithm: Annotated[
        list[str] | None, typer.Option(help="Only this one; may be given several times.")
    ] = None,
    size: Annotated[
        list[str] | None, typer.Option(help="Only `paper` or `small` (3 × 64 networks).")
    ] = None,
    json: Json = False,
) -> None:
    """Measure training steps per second of one core, and what they are of the core's peak.

    Example: instinct bench train --algorithm ATAC --size paper --json
    """
    from instinct.bench.training import SIZES, measure
    from instinct.deep.algorithms.registry import ALGORITHMS, find_algorithm

    names = [find_algorithm(name).NAME for name in algorithm or ALGORITHMS]
    sizes = [*(size or SIZES)]
    if wrong := {*sizes} - {*SIZES}:
        raise BadInput(f"no size is called {wrong.pop()!r}; there are {', '.join(SIZES)}")
    rows = []
    with progress("training speed") as step:
        for row in measure(names, sizes):
            rows.append(row)
            step(len(rows), len(names) * len(sizes), f"{row['algorithm']}, {row['size']}")
    tell("train", "One core; the peak is that of a 256 × 256 × 256 product.", rows, json)


@app.command()
def start(
    algorithm: Annotated[
        list[str] | None, typer.Option(help="Only this one; may be given several times.")
    ] = None,
    transitions: Annotated[
        int, typer.Option(min=1000, help="Transitions of the dataset.")
    ] = 1_000_000,
    json: Json = False,
) -> None:
    """Measure in fresh processes how long training takes to start, and the memory it needs.

    Example: instinct bench start --algorithm ATAC --json
    """
    from instinct.bench.start import measure_start
    from instinct.deep.algorithms.registry import ALGORITHMS, find_algorithm

    names = [find_algorithm(name).NAME for name in algorithm or ALGORITHMS]
    rows = []
    with progress("start of training") as step:
        for row in measure_start(names, transitions):
            rows.append(row)
            step(len(rows), len(names), str(row["algorithm"]))
    tell("start", f"One core; {transitions:,} random transitions.", rows, json)


@app.command()
def profile(
    algorithm: Annotated[str, typer.Argument(metavar="ALGORITHM", help="For example CQL or DT.")],
    size: Annotated[str, typer.Option(help="`paper` or `small`.")] = "paper",
    json: Json = False,
) -> None:
    """Time the matrix products of one update alone, and tell what share of a step they take.

    Example: instinct bench profile CQL
    """
    from instinct.bench.profile import profile as measure
    from instinct.bench.training import SIZES
    from instinct.deep.algorithms.registry import find_algorithm

    name = find_algorithm(algorithm).NAME
    if size not in SIZES:
        raise BadInput(f"no size is called {size!r}; there are {', '.join(SIZES)}")
    rows = [asdict(row) for row in measure(name, size)]
    tell("profile", f"The products of one update of {name}, each timed alone.", rows, json)


@app.command()
def evaluate(
    episodes: Annotated[int, typer.Option(min=2, help="Episodes.")] = 50,
    task: Annotated[
        str,
        typer.Option(help="hopper, with a policy that runs; any other with an untrained one."),
    ] = "hopper",
    json: Json = False,
) -> None:
    """Compare lockstep evaluation with a plain loop, one episode after another.

    Example: instinct bench evaluate --task metaworld:reach --json
    """
    from instinct.bench.evaluation import bench_evaluate, compare, untrained
    from instinct.benchmarks.registry import find_task

    if task == "hopper":
        result = asdict(bench_evaluate(episodes))
    else:
        where = find_task(task)
        result = asdict(compare(untrained(where), where, episodes))
    if json:
        print_json(result)
    else:
        tell("evaluate", "The same episodes in lockstep and one after another.", [result], json)


@app.command()
def safety(
    task: Annotated[
        list[str] | None,
        typer.Option(help="Only this one, such as PointGoal1; may be given several times."),
    ] = None,
    steps: Annotated[int, typer.Option(min=1, help="Steps of each of eight episodes.")] = 100,
    json: Json = False,
) -> None:
    """Measure steps per second and the time of a reset of the safety tasks.

    Example: instinct bench safety --task CarGoal1 --json
    """
    from instinct.bench.safety import measure
    from instinct.benchmarks.safety.task import SETUPS

    names = task or [*SETUPS]
    rows: list[dict[str, Any]] = []
    with progress("safety tasks") as step:
        for name in names:
            step(len(rows), len(names), name)
            rows.append(measure(name, steps))
    caption = "Eight episodes, in seconds of one core; `speedup` is over Safety-Gymnasium's own."
    tell("safety", caption, rows, json)


@app.command()
def study(
    runs: Annotated[int, typer.Option(min=21, help="Small runs, all alike but for seeds.")] = 200,
    json: Json = False,
) -> None:
    """Measure what a study of many small runs loses outside of training and evaluation.

    Example: instinct bench study --json
    """
    from instinct.bench.study import measure

    with progress("runs") as step:
        result = asdict(measure(runs, report=lambda ended, of: step(ended, of, "ended")))
    if json:
        print_json(result)
    else:
        tell("study", "Memory in MB after 20 runs and after all.", [result], json)


def tell(name: str, caption: str, rows: list[dict[str, Any]], json: bool) -> None:
    if json:
        print_json({"results": rows})
        return
    cells = tuple(tuple(shown(value) for value in row.values()) for row in rows)
    show_table(Table(name, caption, tuple(rows[0]), cells))


def shown(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
