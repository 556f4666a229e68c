"""Compare the estimators with the truth, on policies whose test episodes were played.

Everything is read from finished audits: the policies from their run folders, the truth from their
stores. Per dataset and estimator:

- `rank`: Spearman's rank correlation of the estimated with the true means of all policies judged.
- `regret`: how much worse the policy with the best estimate is than the best one, relative to it.
- `held`: the share of policies whose true mean lies in the interval.
- `refused`: the share of policies without an estimate. They have no part in the other numbers,
  which hold for the rest alone.

The trivial estimators are the data's own mean, which ranks nothing, and that imitation is best.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from instinct.benchmarks.registry import find_dataset, find_task
from instinct.data import Array, Dataset
from instinct.deep import TrainedPolicy, load_policy
from instinct.errors import BadInput
from instinct.estimate import ESTIMATORS, Answer, Estimate, Judgment, make_judge
from instinct.estimate.reliability import rank_correlation
from instinct.study.store import EndedTrial, read_store
from instinct.util.progress import Progress, no_progress

TRUTHS = ("return", "length", "cost")
"""The quantities that both test episodes and estimators have; a larger cost is worse."""
MEAN, IMITATION = "mean of the data", "imitation is best"


@dataclass(frozen=True)
class Comparison:
    """One estimator on one dataset; None stands for a number that is not defined."""

    dataset: str
    quantity: str
    estimator: str
    policies: int
    rank: float | None
    regret: float | None
    held: float | None
    refused: float


@dataclass(frozen=True)
class Judged:
    """A policy with its run, which has the truth, and the hash of the dataset it learned from."""

    run: EndedTrial
    policy: TrainedPolicy
    dataset_hash: str

    def truth(self, quantity: str) -> float:
        return self.run.measurement.mean(quantity)


def measure(
    folders: Sequence[Path],
    estimators: Sequence[str] = tuple(ESTIMATORS),
    on_progress: Progress = no_progress,
) -> list[Comparison]:
    """Compare all estimators on all datasets of the audits."""
    groups = policies_by_dataset(folders)
    found: list[Comparison] = []
    for number, policies in enumerate(groups.values()):
        trial = policies[0].run.trial
        on_progress(number, len(groups), trial.dataset)
        dataset = find_dataset(trial.dataset, action_range=trial.action_range, task=trial.task)
        if {each.dataset_hash for each in policies} != {dataset.hash}:
            raise BadInput(f"{trial.dataset} has changed since it was audited")
        judge = make_judge(dataset, horizon=find_task(trial.task).horizon or 0)
        judgments = judge.judge([each.policy for each in policies], estimators)
        found += compare(trial.dataset, dataset, policies, judgments, estimators)
    return found


def policies_by_dataset(folders: Sequence[Path]) -> dict[tuple[str, str], list[Judged]]:
    """Return the judged policies whose weights were kept, by dataset and task."""
    groups: dict[tuple[str, str], list[Judged]] = {}
    for folder in folders:
        with read_store(folder) as store:
            ended, facts = store.ended(), store.datasets()
        for identity, run in ended.items():
            kept = folder / "runs" / identity
            if run.trial.task and run.measurement.episodes and (kept / "result.json").exists():
                key = (run.trial.dataset, run.trial.task)
                known = str(facts[run.trial.dataset]["hash"])
                groups.setdefault(key, []).append(Judged(run, load_policy(kept), known))
    if not groups:
        raise BadInput("no audit has judged policies with run folders", field="folders")
    return groups


def compare(
    name: str,
    dataset: Dataset,
    policies: Sequence[Judged],
    judgments: Sequence[Judgment],
    estimators: Sequence[str],
) -> Iterator[Comparison]:
    """Yield the comparisons of one dataset, those with the trivial estimators last."""
    for quantity in TRUTHS:
        if quantity not in policies[0].run.measurement.episodes:
            continue
        truth = np.array([each.truth(quantity) for each in policies])
        answers: dict[str, list[Answer | None]] = {
            each: [judged.answers[each].get(quantity) for judged in judgments]
            for each in estimators
        }
        for estimator, given in (answers | trivial(dataset, policies, quantity)).items():
            yield score(name, quantity, estimator, truth, given)


def trivial(
    dataset: Dataset, policies: Sequence[Judged], quantity: str
) -> dict[str, list[Answer | None]]:
    """Return the answers of those who look at no policy."""
    rows = {"return": dataset.rewards, "cost": dataset.costs, "length": np.ones(len(dataset))}
    values = rows[quantity]
    if values is None:
        return {}
    mean = float(dataset.per_episode(values).mean())
    better = -1.0 if quantity == "cost" else 1.0
    imitates = [each.run.trial.algorithm == "BC" for each in policies]
    return {
        MEAN: [Estimate(mean, mean, mean)] * len(policies),
        IMITATION: [Estimate(x, x, x) for x in (mean + better * each for each in imitates)],
    }


def score(
    name: str, quantity: str, estimator: str, truth: Array, answers: Sequence[Answer | None]
) -> Comparison:
    """Compare the answers of one estimator with the truth."""
    given = [(x, t) for x, t in zip(answers, truth, strict=True) if isinstance(x, Estimate)]
    refused = 1 - len(given) / len(truth)
    if not given:
        return Comparison(name, quantity, estimator, len(truth), None, None, None, refused)
    values, known = np.array([x.value for x, _ in given]), np.array([t for _, t in given])
    held = float(np.mean([x.low <= t <= x.high for x, t in given]))
    return Comparison(
        name,
        quantity,
        estimator,
        len(truth),
        rank_correlation(values, known),
        regret(values, known, truth, lower_is_better=quantity == "cost"),
        held,
        refused,
    )


def regret(values: Array, known: Array, truth: Array, *, lower_is_better: bool) -> float | None:
    """Return how much worse the choice is than the best of all policies, relative to the best.

    Among equal estimates the choice is random: the mean of their true values counts.
    """
    sign = -1 if lower_is_better else 1
    chosen = float(known[values == (sign * values).max() * sign].mean())
    best = float((sign * truth).max() * sign)
    return sign * (best - chosen) / abs(best) if best else None
