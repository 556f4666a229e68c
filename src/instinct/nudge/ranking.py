"""Rank candidate filters by what the score's model predicts, without training."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from time import monotonic
from typing import Any

from instinct.benchmarks.registry import find_benchmark
from instinct.data import Array, Dataset
from instinct.data.removal import count_episodes
from instinct.errors import BadInput, Damaged
from instinct.nudge.candidates import Candidate, find_candidates
from instinct.nudge.goals import REWARD, Goal, check_goal, find_goal
from instinct.nudge.prediction import Predictor
from instinct.report.sections.numbers import FORMS
from instinct.study.intervals import DUST
from instinct.tasks.simulation import End
from instinct.util.jsonio import read_json, write_json
from instinct.util.progress import Progress, no_progress
from instinct.util.validation import convert

FILE = "ranking.json"
SIMILAR = 0.9
"""Two filters are similar if they share so much of what either removes."""


@dataclass(frozen=True)
class Ranked:
    """A candidate: what it removes, and what is predicted after it."""

    name: str
    removed: int
    """Transitions that it removes."""
    cut: int
    """Episodes that lose some of their transitions."""
    gone: int
    """Episodes that lose all of them."""
    predicted: Mapping[str, float]
    """By quantity."""
    gain: float
    """How much better the goal's quantity is than before."""
    allowed: bool = True
    """Whether it leaves enough of the reward."""
    chosen: bool = False
    """Whether it is one of the best, to be trained."""
    low: float | None = None
    high: float | None = None
    """The 95% interval of the gain over episodes; only the best have one."""


@dataclass(frozen=True)
class Ranking:
    """All candidates of a dataset, the best first."""

    dataset: str
    hash: str
    task: str
    goal: str
    quantity: str
    """The quantity that candidates are ranked by."""
    tolerance: float | None
    """The share of the reward that may be lost; None if that does not matter."""
    end: End
    horizon: int
    transitions: int
    episodes: int
    used: int
    """Transitions that the model is built of."""
    before: Mapping[str, float]
    """What is predicted without a filter, by quantity."""
    candidates: tuple[Ranked, ...]
    seconds: float

    @property
    def best(self) -> tuple[Ranked, ...]:
        """The candidates to be trained, the best first."""
        return tuple(each for each in self.candidates if each.chosen)

    def form(self, quantity: str) -> str:
        """Return the format of a quantity; the benchmark decides on that of the score."""
        if quantity == "score":
            return f".{find_benchmark(self.task).score_digits}f"
        return FORMS[quantity]

    def find(self, name: str) -> Ranked:
        """Return the candidate of that name."""
        return next(each for each in self.candidates if each.name == name)


@dataclass(frozen=True)
class RankingOptions:
    """The options that decide on a ranking, besides the data."""

    goal: str
    task: str = ""
    filters: tuple[str, ...] = ()
    """Filters of the user's own, besides the proposed ones."""
    best: int = 3
    keep: float = 0.1
    """The least share of the transitions that a filter must keep."""
    tolerance: float | None = None
    seed: int = 0


def rank_filters(
    dataset: Dataset, source: str, options: RankingOptions, on_progress: Progress = no_progress
) -> Ranking:
    """Propose filters for a goal and rank them without training."""
    began, goal = monotonic(), find_goal(options.goal)
    predictor = Predictor(dataset, source, options.task, options.seed)
    end = predictor.world.end
    check_goal(goal, dataset, end)
    candidates = find_candidates(
        dataset, predictor.sample, end, goal, options.filters, options.keep
    )
    if not candidates:
        raise BadInput(
            f"no filter removes something and keeps {options.keep:.0%} of the transitions; name "
            "one with `filters=`",
            option="filters",
        )
    before = predictor.predict()
    quantity = goal.quantity(before) or str(REWARD_GOAL.quantity(before))
    ranked, masks = [], {}
    for number, candidate in enumerate(candidates):
        on_progress(number, len(candidates), candidate.name)
        after = predictor.predict(candidate.rows)
        ranked.append(rate(dataset, candidate, goal, quantity, before, after, options.tolerance))
        masks[candidate.name] = candidate.rows
    ranked.sort(key=lambda each: (not each.allowed, -round(each.gain, DUST), each.removed))
    best = choose_best(ranked, masks, options.best)
    on_progress(len(candidates), len(candidates), "intervals")
    sure = predictor.gain_intervals(goal, quantity, [masks[name] for name in best])
    ends = {
        name: (None, None) if each is None else (each.low, each.high)
        for name, each in zip(best, sure, strict=True)
    }
    return Ranking(
        dataset=source,
        hash=dataset.hash,
        task=options.task,
        goal=goal.name,
        quantity=quantity,
        tolerance=options.tolerance,
        end=end,
        horizon=predictor.world.horizon,
        transitions=len(dataset),
        episodes=dataset.episodes,
        used=len(predictor.sample),
        before=before,
        candidates=tuple(
            replace(each, chosen=True, low=ends[each.name][0], high=ends[each.name][1])
            if each.name in ends
            else each
            for each in ranked
        ),
        seconds=monotonic() - began,
    )


REWARD_GOAL = find_goal("return")
"""What candidates are ranked by where the data do not show the goal itself."""


def rate(
    dataset: Dataset,
    candidate: Candidate,
    goal: Goal,
    quantity: str,
    before: Mapping[str, float],
    after: Mapping[str, float],
    tolerance: float | None,
) -> Ranked:
    """Compare the predictions with and without a filter."""
    cut, gone = count_episodes(dataset, candidate.rows)
    reward = next((name for name in REWARD if name in before), None)
    kept = reward is None or keeps_reward(before[reward], after[reward], tolerance)
    return Ranked(
        name=candidate.name,
        removed=int(candidate.rows.sum()),
        cut=cut,
        gone=gone,
        predicted=after,
        gain=goal.sign * (after[quantity] - before[quantity]),
        allowed=kept,
    )


def keeps_reward(before: float, after: float, tolerance: float | None) -> bool:
    """Tell whether no more than the tolerated share of a reward is lost.

    >>> keeps_reward(10.0, 9.1, 0.1), keeps_reward(-10.0, -11.5, 0.1), keeps_reward(1.0, 0.0, None)
    (True, False, True)
    """
    return tolerance is None or after >= before - tolerance * abs(before)


def choose_best(ranked: Sequence[Ranked], masks: Mapping[str, Array], number: int) -> list[str]:
    """Return the first names of a ranking, without those that remove nearly the same."""
    best: list[str] = []
    for each in ranked:
        if all(overlap(masks[each.name], masks[name]) < SIMILAR for name in best):
            best.append(each.name)
        if len(best) == number:
            break
    return best


def overlap(one: Array, other: Array) -> float:
    """Return how much of what either of two filters removes both remove."""
    return float((one & other).sum() / max((one | other).sum(), 1))


def load_ranking(folder: Path, asked: Mapping[str, Any]) -> Ranking | None:
    """Read the ranking in a folder if it is of the same data and options."""
    path = folder / FILE
    if not path.exists():
        return None
    try:
        content = read_json(path)
        if content.get("asked") != asked:
            return None
        return convert(content["ranking"], Ranking)
    except (BadInput, Damaged, KeyError):
        return None


def keep_ranking(folder: Path, asked: Mapping[str, Any], ranking: Ranking) -> None:
    """Write a ranking, so that the same command goes on with the same filters."""
    write_json(folder / FILE, {"asked": dict(asked), "ranking": asdict(ranking)})
