"""Training a run, or several alike, through all stages from data to the run folder."""

from collections.abc import Sequence
from pathlib import Path

from instinct.deep.algorithms.algorithm import Algorithm
from instinct.deep.training.loop import stage_key
from instinct.deep.training.runs import (
    CHECKPOINT,
    Outcome,
    Run,
    close_folder,
    load_outcome,
    open_folder,
)
from instinct.deep.training.stage import PACE, Lane, Pace, Report, train_lanes


def train(
    run: Run,
    *,
    warm_starts: Path | None = None,
    pace: Pace = PACE,
    report: Report | None = None,
) -> Outcome:
    """Train one run to its end, from its checkpoint if it has one.

    `warm_starts` is a folder that runs share: a warm start found there is not trained again.
    """
    (outcome,) = train_alike([run], warm_starts=warm_starts, pace=pace, reports=[report])
    return outcome


def train_alike(
    runs: Sequence[Run],
    *,
    reports: Sequence[Report | None],
    warm_starts: Path | None = None,
    pace: Pace = PACE,
) -> list[Outcome]:
    """Train runs that differ only in numbers: seed, rewards, traced hyperparameters.

    Several are trained in one program.
    """
    for run in runs:
        run.check()
    outcomes = {
        i: load_outcome(run.folder)
        for i, run in enumerate(runs)
        if run.folder is not None and (run.folder / "result.json").exists()
    }
    going = [i for i in range(len(runs)) if i not in outcomes]
    if going:
        for i in going:
            open_folder(runs[i])
        depth = len(stages(runs[0].algorithm)) - 1
        lanes = follow(
            [runs[i] for i in going], depth, warm_starts, pace, [reports[i] for i in going]
        )
        outcomes |= {i: end(runs[i], lane) for i, lane in zip(going, lanes, strict=True)}
    return [outcomes[i] for i in range(len(runs))]


def stages(algorithm: Algorithm) -> list[Algorithm]:
    """Everything that the algorithm starts from, in order, and the algorithm itself."""
    before = algorithm.warm_start()
    return [*([] if before is None else stages(before)), algorithm]


def follow(
    runs: Sequence[Run],
    depth: int,
    warm_starts: Path | None,
    pace: Pace,
    reports: Sequence[Report | None],
) -> list[Lane]:
    """The runs after their stages up to `depth`; what two have in common is trained once."""
    before: Sequence[Lane | None] = (
        follow(runs, depth - 1, warm_starts, pace, reports) if depth else [None] * len(runs)
    )
    lanes = [
        lane_at(run, depth, start, warm_starts, report)
        for run, start, report in zip(runs, before, reports, strict=True)
    ]
    distinct = {lane.identity: lane for lane in reversed(lanes)}
    train_lanes([lane for lane in distinct.values() if not lane.failure], pace)
    return [distinct[lane.identity] for lane in lanes]


def lane_at(
    run: Run, depth: int, before: Lane | None, warm_starts: Path | None, report: Report | None
) -> Lane:
    """The run's stage of that depth, to be started from the stage before."""
    stage = stages(run.algorithm)[depth]
    identity = run.identity(stage)
    folder, name = run.folder, f"warm-start-{depth}.safetensors"
    if stage is run.algorithm:
        name = CHECKPOINT
    elif warm_starts is not None:
        folder, name = warm_starts, f"{identity}.safetensors"
    return Lane(
        algorithm=stage,
        data=run.data,
        key=stage_key(stage, run.seed),
        identity=identity,
        warm=None if before is None else before.state,
        failure="" if before is None else before.failure,
        checkpoint=None if folder is None else folder / name,
        report=report,
    )


def end(run: Run, lane: Lane) -> Outcome:
    """What the last stage left, also in the run's folder."""
    weights = {} if lane.failure or lane.state is None else run.algorithm.weights(lane.state)
    outcome = Outcome(weights, lane.metrics, lane.failure)
    if run.folder is not None:
        close_folder(run.folder, outcome)
    return outcome
