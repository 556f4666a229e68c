"""Train a run, or several that share one program, through all stages to the run folder."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from instinct.deep.algorithms.algorithm import Algorithm
from instinct.deep.training.compilation_cache import release_programs
from instinct.deep.training.diagnostics import diagnose
from instinct.deep.training.loop import stage_key
from instinct.deep.training.runs import (
    CHECKPOINT,
    Outcome,
    Run,
    close_folder,
    open_folder,
    outcome_if_sound,
)
from instinct.deep.training.stage import PACE, OnProgress, Pace, StageTraining, train_stage


def train(
    run: Run,
    *,
    warm_starts: Path | None = None,
    pace: Pace = PACE,
    on_progress: OnProgress | None = None,
) -> Outcome:
    """Train one run to its end, from its checkpoint if it has one.

    `warm_starts` is a folder that runs share: a warm start in it is not trained again.
    """
    (outcome,) = train_alike([run], warm_starts=warm_starts, pace=pace, callbacks=[on_progress])
    return outcome


def train_alike(
    runs: Sequence[Run],
    *,
    callbacks: Sequence[OnProgress | None],
    warm_starts: Path | None = None,
    pace: Pace = PACE,
) -> list[Outcome]:
    """Train runs that differ only in numbers (seed, rewards, traced settings) as one program."""
    for run in runs:
        run.check()
    for run in runs:
        open_folder(run)
    outcomes = {
        i: outcome
        for i, run in enumerate(runs)
        if run.folder is not None and (outcome := outcome_if_sound(run.folder)) is not None
    }
    unfinished = [i for i in range(len(runs)) if i not in outcomes]
    if unfinished:
        release_programs()
        depth = len(stages(runs[0].algorithm)) - 1
        trainings = train_stages(
            [runs[i] for i in unfinished],
            depth,
            warm_starts,
            pace,
            [callbacks[i] for i in unfinished],
        )
        outcomes |= {
            i: finish_run(runs[i], training)
            for i, training in zip(unfinished, trainings, strict=True)
        }
    return [outcomes[i] for i in range(len(runs))]


def stages(algorithm: Algorithm) -> list[Algorithm]:
    """Return the stages of a training in order; the last is the algorithm itself."""
    before = algorithm.warm_start()
    return [*([] if before is None else stages(before)), algorithm]


def train_stages(
    runs: Sequence[Run],
    depth: int,
    warm_starts: Path | None,
    pace: Pace,
    callbacks: Sequence[OnProgress | None],
) -> list[StageTraining]:
    """Train the stages up to number `depth`; stages that runs share are trained once."""
    before: Sequence[StageTraining | None] = [None] * len(runs)
    if depth > 0:
        before = train_stages(runs, depth - 1, warm_starts, pace, callbacks)
    trainings = [
        new_training(run, depth, start, warm_starts, on_progress)
        for run, start, on_progress in zip(runs, before, callbacks, strict=True)
    ]
    distinct = {training.identity: training for training in reversed(trainings)}
    train_stage([training for training in distinct.values() if not training.failure], pace)
    return [distinct[training.identity] for training in trainings]


def new_training(
    run: Run,
    depth: int,
    before: StageTraining | None,
    warm_starts: Path | None,
    on_progress: OnProgress | None,
) -> StageTraining:
    """Return the training of the run's stage number `depth`, which starts from the stage before."""
    stage = stages(run.algorithm)[depth]
    identity = run.identity(stage)
    folder, name = run.folder, f"warm-start-{depth}.safetensors"
    if stage is run.algorithm:
        name = CHECKPOINT
    elif warm_starts is not None:
        folder, name = warm_starts, f"{identity}.safetensors"
    return StageTraining(
        algorithm=stage,
        data=run.data,
        key=stage_key(stage, run.seed),
        identity=identity,
        warm=None if before is None else before.state,
        failure="" if before is None else before.failure,
        checkpoint=None if folder is None else folder / name,
        on_progress=on_progress,
        keeps_snapshots=stage is run.algorithm,
    )


def finish_run(run: Run, training: StageTraining) -> Outcome:
    """Return the outcome of the last stage, and write it to the run's folder."""
    outcome = Outcome({}, training.metrics, training.failure)
    if training.state is not None and not training.failure:
        outcome = replace(
            outcome,
            weights=run.algorithm.weights(training.state),
            snapshots=training.snapshots,
            diagnostics=diagnose(run.algorithm, training.state, run.dataset),
        )
    if run.folder is not None:
        close_folder(run.folder, outcome)
    return outcome
