"""Estimate the policies of an audit from its data alone, once, and keep that in its store."""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from instinct.benchmarks.registry import find_dataset, find_task
from instinct.data import Dataset
from instinct.deep import TrainedPolicy, cache_programs, load_policy
from instinct.engine.run_plan import terminable
from instinct.engine.trial_runner import RUNS
from instinct.errors import BadInput, InstinctError, Stopped
from instinct.estimate import DEFAULT, Estimate, Judgment, Problem, make_judge
from instinct.estimate.regions import where_episodes_end, where_policies_leave
from instinct.study.estimates import DatasetEstimates, PolicyEstimate
from instinct.study.extensions import find_own
from instinct.study.plan import Cell, Plan
from instinct.study.store import Store, open_store
from instinct.study.trials import Trial
from instinct.study.tuning import choose_settings
from instinct.util.hashing import hash_json
from instinct.util.progress import Progress, no_progress
from instinct.util.versions import versions

METHOD = 2
"""Increase it when the same policies get other estimates; audits then make them again."""
ESTIMATORS = (DEFAULT, "fqe")
"""The estimator that decides, and one that may contradict it."""
FEWEST_EPISODES = 30
"""Intervals are a bootstrap over episodes, which means little with fewer."""
LONGEST = 2000
"""Episodes are judged over at most so many steps."""


class Candidate(NamedTuple):
    """A finished run of an audit, and its policy or the reason why it cannot be judged."""

    cell: Cell
    trial: Trial
    policy: TrainedPolicy | None
    problem: str = ""


def estimate_policies(plan: Plan, folder: Path, on_progress: Progress = no_progress) -> None:
    """Estimate all policies that the store has no estimates of."""
    with open_store(folder, plan, versions()) as store, terminable():
        try:
            for dataset in store.plan.datasets:
                estimate_dataset(store, dataset, folder, on_progress)
        except KeyboardInterrupt:
            raise Stopped(
                "stopped while policies were estimated from the data; all runs have ended, and the "
                "same command goes on from here"
            ) from None


def estimate_dataset(store: Store, name: str, folder: Path, on_progress: Progress) -> None:
    """Estimate the policies trained on one dataset, unless that has been done."""
    trials = [*finished_trials(store, name)]
    facts = store.datasets().get(name)
    if not trials or facts is None or trials[0][1].is_tabular:
        return
    identities = [trial.identity for _, trial in trials]
    key = hash_json([METHOD, facts["hash"], identities, [*ESTIMATORS]])
    known = store.estimates().get(name)
    if known is not None and known.key == key:
        return
    trial = trials[0][1]
    dataset = find_dataset(name, action_range=trial.action_range, task=trial.task)
    task_horizon = (find_task(trial.task).horizon if trial.task else 0) or 0
    horizon = min(task_horizon or int(dataset.lengths.max()), LONGEST)
    candidates = [load_candidate(folder, cell, trial) for cell, trial in trials]
    started = time.perf_counter()
    found = judge_all(dataset, horizon, candidates, on_progress)
    seconds = time.perf_counter() - started
    store.write_estimates(name, DatasetEstimates(key=key, seconds=seconds, **found))


def finished_trials(store: Store, dataset: str) -> Iterator[tuple[Cell, Trial]]:
    """Yield the cells and trials of the results on a dataset that have ended without failure."""
    plan, succeeded = store.plan, store.succeeded()
    for cell, combination in plan.settled(choose_settings(plan, store)).items():
        for seed in plan.final_seeds if cell.dataset == dataset else ():
            trial = plan.trial(cell, combination, seed)
            if succeeded.get(trial.identity):
                yield cell, trial


def load_candidate(folder: Path, cell: Cell, trial: Trial) -> Candidate:
    """Load the policy of a run, or say why it cannot be judged."""
    if find_own(trial.algorithm) is not None:
        return Candidate(cell, trial, None, "the function of one's own keeps no policy")
    kept = folder / RUNS / trial.identity
    if not (kept / "result.json").exists():
        return Candidate(cell, trial, None, "the run's folder is not there")
    try:
        return Candidate(cell, trial, load_policy(kept))
    except BadInput as fault:
        return Candidate(cell, trial, None, f"the policy cannot be read ({fault.problem})")


def judge_all(
    dataset: Dataset, horizon: int, candidates: Sequence[Candidate], on_progress: Progress
) -> dict[str, Any]:
    """Return the fields of the dataset's estimates, or the reason why there are none."""
    problem = Problem(dataset, horizon)
    found: dict[str, Any] = {
        "horizon": horizon,
        "recorded": recorded_means(problem),
        "cut_short": cut_short(problem),
        "ends": where_episodes_end(dataset),
        "estimators": ESTIMATORS,
    }
    policies = [each.policy for each in candidates if each.policy is not None]
    if dataset.episodes < FEWEST_EPISODES:
        why = f"the data have {dataset.episodes} episodes; estimates need {FEWEST_EPISODES}"
        return {**found, "problem": why, "problem_code": "few-episodes"}
    if not policies:
        return {**found, "problem": candidates[0].problem, "problem_code": "no-policies"}
    try:
        cache_programs()
        on_progress(0, 3, "fitting a model of the data")
        judge = make_judge(dataset, horizon=horizon)
        on_progress(1, 3, f"estimating {len(policies)} policies without a simulator")
        judgments = judge.judge(policies, ESTIMATORS)
        on_progress(2, 3, "looking where policies leave the data")
        leaving = where_policies_leave(judge.problem, judge.behavior, policies)
        on_progress(3, 3, "estimates made")
    except InstinctError as error:
        return {**found, "problem": str(error), "problem_code": "fit-failed"}
    return {
        **found,
        "coverage": judge.coverage,
        "leaving": leaving,
        "policies": tuple(policy_estimates(candidates, judgments)),
    }


def recorded_means(problem: Problem) -> dict[str, float]:
    """Return the mean of every quantity over recorded episodes, up to the horizon."""
    data, steps = problem.dataset, problem.dataset.steps
    return {
        signal.quantity: float(
            data.per_episode(
                signal.values * np.where(steps < problem.horizon, signal.discount**steps, 0.0)
            ).mean()
        )
        for signal in problem.signals
    }


def cut_short(problem: Problem) -> float:
    """Return the share of episodes whose recording stopped before the horizon."""
    data = problem.dataset
    return float((data.timeouts[data.stops - 1] & (data.lengths < problem.horizon)).mean())


def policy_estimates(
    candidates: Sequence[Candidate], judgments: Sequence[Judgment]
) -> Iterator[PolicyEstimate]:
    """Yield the estimates of all policies, refused ones included."""
    judged = iter(judgments)
    for each in candidates:
        if each.policy is None:
            refusals = dict.fromkeys(ESTIMATORS, each.problem)
            yield PolicyEstimate(each.cell, each.trial.seed, {}, refusals)
        else:
            yield policy_estimate(each, next(judged))


def policy_estimate(candidate: Candidate, judgment: Judgment) -> PolicyEstimate:
    estimates: dict[str, dict[str, Estimate]] = {}
    refusals: dict[str, str] = {}
    for estimator, answers in judgment.answers.items():
        for quantity, answer in answers.items():
            if not isinstance(answer, Estimate):
                refusals[estimator] = answer.reason
            elif np.isfinite([answer.value, answer.low, answer.high]).all():
                estimates.setdefault(estimator, {})[quantity] = answer
            else:
                refusals[estimator] = "the estimate is not finite"
    return PolicyEstimate(
        candidate.cell, candidate.trial.seed, estimates, refusals, judgment.support
    )
