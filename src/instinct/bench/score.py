"""Compare scores before training with what agents reached, on the datasets of archived results.

Per dataset, `positive_bias` is the largest that an algorithm showed, as on the leaderboard, and
`share` is what the best algorithm reached under the worst wrong reward, relative to the best
result with the true reward.
"""

from collections.abc import Iterable
from pathlib import Path

from instinct.benchmarks.registry import find_benchmark, find_dataset, find_recipe, size_of, task_of
from instinct.errors import BadInput
from instinct.report.reward_verdicts import find_agents
from instinct.results.archive import STUDY, read_archive
from instinct.results.leaderboard import entries, ranked
from instinct.score.cells import TRANSITIONS, cut_into_cells
from instinct.score.scale import scale_of
from instinct.score.scoring import predict, score_dataset
from instinct.score.validation import Validated
from instinct.study.findings import Findings
from instinct.util.progress import Progress, no_progress

RATIOS = (1.1, 1.25, 1.5, 2.0)
"""The C that are tried; the score has 1.25."""


def measure(folder: Path, on_progress: Progress = no_progress) -> list[Validated]:
    """Score all datasets on which the archives in the folder have a positive bias."""
    studies = [read_archive(path.parent)[0] for path in sorted(folder.glob(f"*/{STUDY}"))]
    groups = ranked(entries(studies))
    if not groups:
        raise BadInput("holds no archived results with a positive bias", file=folder)
    found = []
    for number, group in enumerate(groups):
        name = group[0].dataset
        on_progress(number, len(groups), name)
        found.append(validate(name, group[0].bias.estimate, share_without(studies, name)))
    return found


def validate(name: str, bias: float, share: float | None) -> Validated:
    """Score a dataset whose bias is known."""
    scored = small_enough(name)
    dataset = find_dataset(scored)
    found = score_dataset(dataset, scored)
    cells, scale = cut_into_cells(dataset), scale_of(dataset, scored)
    predicted = {"score": found.score, "negative": found.worst, "original": found.best}
    return Validated(
        name,
        scored,
        family(name),
        bias,
        share,
        {**predicted, "score / original": found.score / found.best, **found.measures},
        {ratio: predict(cells, scale, "zero", ratio) for ratio in RATIOS},
    )


def small_enough(name: str) -> str:
    """Return the name, or if a large dataset has not been made that of a smaller one."""
    large = size_of(name) > 2 * TRANSITIONS and "@" not in name
    return f"{name}@{2 * TRANSITIONS}" if large and find_recipe(name).note() is None else name


def family(dataset: str) -> str:
    """Return the name of the benchmark, or of the task where tasks have no prefix."""
    benchmark = find_benchmark(dataset)
    return benchmark.name if benchmark.prefix else task_of(dataset) or ""


def share_without(studies: Iterable[Findings], dataset: str) -> float | None:
    """Return the largest share reached without the true reward in a study, if one knows it."""
    agents = [find_agents(each, dataset) for each in studies if dataset in each.plan.datasets]
    known = [each for each in agents if each is not None and each.true.value > 0]
    return max((each.wrong / each.true.value for each in known), default=None)
