"""The score of a dataset before training: what agents without the true reward will reach.

In a model of cells, the agent with zero rewards survives as long as a policy close to the data can.
Its true return, as a share of J*, is the score. The same with negative rewards is the worst case,
with the true rewards the best one.
"""

from dataclasses import dataclass
from time import monotonic

import numpy as np

from instinct.data import Array, Dataset
from instinct.errors import BadInput
from instinct.score.bounded import RATIO, plan_within, play
from instinct.score.cells import Cells, Selection, cut_into_cells
from instinct.score.measures import measure
from instinct.score.scale import Scale, scale_of
from instinct.study.bias import bias_degree
from instinct.study.intervals import LEVEL, Interval, Spread, around
from instinct.tabular.model import Model
from instinct.tasks.simulation import End

RESAMPLES = 40
"""Bootstrap samples of the episodes."""
FEWEST = 10
"""Episodes that an interval needs."""
DIGITS = 3
"""Decimals of the score that the positive bias is computed from; more mean nothing."""
LABELS = {"zero": 0.0, "negative": -1.0, "original": 1.0}
"""What the agents are told: this multiple of the true reward."""


@dataclass(frozen=True)
class Score:
    """What is predicted of a dataset without training. Shares are of J*."""

    score: float
    """The share that agents with zero rewards reach."""
    low: float | None
    high: float | None
    """The 95% interval over episodes; None with few episodes."""
    worst: float
    """The share under negative rewards."""
    best: float
    """The share under the true rewards."""
    positive_bias: float
    """J*/(J* - J) of the score."""
    scale: str
    """What J* is."""
    end: End
    """What a terminal means."""
    horizon: int
    transitions: int
    episodes: int
    used: int
    """Transitions that the model is built of."""
    measures: dict[str, float | None]
    """Other measures by name."""
    seconds: float

    @property
    def sentence(self) -> str:
        """What the score predicts."""
        sure = "" if self.low is None else f" (95% interval {self.low:.0%} to {self.high:.0%})"
        return (
            f"Agents that are trained with zero rewards are predicted to reach {self.score:.0%} of "
            f"{self.scale}{sure}."
        )


def score_dataset(dataset: Dataset, source: str = "", task: str = "", seed: int = 0) -> Score:
    """Score a dataset; `source` is its name, which may say its task."""
    if not dataset.has_rewards:
        raise BadInput("missing; a score needs the true rewards", field="rewards")
    began = monotonic()
    scale = scale_of(dataset, source, task)
    cells = cut_into_cells(dataset, seed)
    model = cells.model()
    shares = {label: predict(cells, scale, label) for label in LABELS}
    interval = bootstrap_interval(cells, scale, shares["zero"], seed)
    return Score(
        score=shares["zero"],
        low=None if interval is None else interval.low,
        high=None if interval is None else interval.high,
        worst=shares["negative"],
        best=shares["original"],
        positive_bias=bias_degree(round(shares["zero"], DIGITS), 1.0),
        scale=scale.name,
        end=scale.end,
        horizon=scale.horizon,
        transitions=len(dataset),
        episodes=dataset.episodes,
        used=len(cells.dataset),
        measures=measure(cells, model, scale),
        seconds=monotonic() - began,
    )


def predict(
    cells: Cells,
    scale: Scale,
    label: str,
    ratio: float | None = None,
    episodes: Array | None = None,
) -> float:
    """Return the share of J* that the agent of a label reaches in the model of some episodes."""
    chosen = cells.select(episodes)
    policy, model = plan_policy(cells, chosen, scale.end, label, ratio), chosen.model
    goal = cells.dataset.terminals[chosen.rows] & (scale.end == "goal")
    counted = per_pair(model, goal) if scale.counts_goals else model.rewards
    return float(scale.shares(play(model, policy, counted[None], scale.horizon))[0])


def plan_policy(
    cells: Cells, chosen: Selection, end: End, label: str = "zero", ratio: float | None = None
) -> Array:
    """Return the policy close to the chosen rows that is best under the rewards of a label."""
    model = chosen.model
    fall = cells.dataset.terminals[chosen.rows] & (end == "fall")
    without = np.append(~model.support.any(axis=1), False)[model.successors]
    leaving = per_pair(model, fall | without | chosen.cuts)
    if ratio is None:
        ratio = np.inf if cells.exact else RATIO
    return plan_within(model, LABELS[label] * model.rewards, leaving, ratio)


def per_pair(model: Model, values: Array) -> Array:
    """Return the mean of a value of the transitions at every pair, [S, A]; 0 out of support."""
    sums = np.bincount(model.pairs, values, minlength=model.counts.size)
    return np.asarray(sums.reshape(model.counts.shape) / np.maximum(model.counts, 1))


def bootstrap_interval(cells: Cells, scale: Scale, value: float, seed: int) -> Interval | None:
    """Return the interval of the score over episodes drawn with replacement; None for few."""
    number = cells.dataset.episodes
    if number < FEWEST:
        return None
    random = np.random.default_rng(seed)
    drawn = [
        predict(cells, scale, "zero", episodes=random.integers(number, size=number))
        for _ in range(RESAMPLES)
    ]
    return around(value, Spread(float(np.var(drawn, ddof=1)), RESAMPLES - 1), LEVEL)
