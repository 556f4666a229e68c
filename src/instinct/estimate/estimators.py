"""All estimators behind one function, and when none of them is to be trusted."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from instinct.data import Dataset
from instinct.deep import TrainedPolicy
from instinct.errors import BadInput
from instinct.estimate import dynamics, fqe, wis
from instinct.estimate.answers import QUANTITIES, Answer, Answers, Refusal
from instinct.estimate.behavior import Behavior, clone
from instinct.estimate.model import Model, fit
from instinct.estimate.policies import has_memory
from instinct.estimate.problem import Problem
from instinct.estimate.support import Coverage, Support, coverage, support

ESTIMATORS = {
    "dynamics": "rollouts in a learned model",
    "fqe": "fitted Q evaluation",
    "wis": "weighted importance sampling",
}
DEFAULT = "dynamics"


@dataclass(frozen=True)
class Judgment:
    """The answers about one policy, by estimator and quantity, and its support."""

    answers: Mapping[str, Answers]
    support: Support | None

    def answer(self, quantity: str, estimator: str = DEFAULT) -> Answer:
        return self.answers[estimator][quantity]


@dataclass(frozen=True)
class Judge:
    """A dataset with what was fitted to it once, ready to judge any number of policies."""

    problem: Problem
    model: Model
    behavior: Behavior

    @property
    def coverage(self) -> Coverage:
        return coverage(self.problem, self.behavior)

    def judge(
        self, policies: Sequence[TrainedPolicy], estimators: Sequence[str] = tuple(ESTIMATORS)
    ) -> list[Judgment]:
        """Judge all policies at once; refuse where the data cannot judge one."""
        for policy in policies:
            if policy.action_space != self.problem.dataset.action_space:
                raise BadInput(
                    f"the policy acts in {policy.action_space}, but the data in "
                    f"{self.problem.dataset.action_space}"
                )
        readable = [each for each in policies if not has_memory(each)]
        judged = iter(self.judge_readable(readable, estimators) if readable else [])
        unread = refuse(self.problem, estimators, "the policy reads its history, not one state")
        return [Judgment(unread, None) if has_memory(each) else next(judged) for each in policies]

    def judge_readable(
        self, policies: Sequence[TrainedPolicy], estimators: Sequence[str]
    ) -> list[Judgment]:
        found: dict[str, list[Answers]] = {}
        run: dict[str, Callable[[], list[Answers]]] = {
            "fqe": lambda: fqe.evaluate(self.problem, self.model, policies),
            "dynamics": lambda: dynamics.evaluate(self.problem, self.model, policies),
            "wis": lambda: wis.evaluate(self.problem, self.behavior, policies),
        }
        for name in estimators:
            found[name] = run[name]()
        supports = support(self.problem, self.behavior, policies)
        return [
            Judgment(
                refuse(self.problem, estimators, near.problem)
                if near.problem
                else {name: found[name][number] for name in estimators},
                near,
            )
            for number, near in enumerate(supports)
        ]


def refuse(problem: Problem, estimators: Sequence[str], reason: str) -> dict[str, Answers]:
    """Refuse every quantity of every estimator for the same reason."""
    return {name: dict.fromkeys(problem.quantities, Refusal(reason)) for name in estimators}


def make_judge(
    dataset: Dataset,
    *,
    horizon: int = 0,
    discount: float = 0.99,
    members: int = 5,
    seed: int = 0,
    settings: Mapping[str, Any] | None = None,
) -> Judge:
    """Fit the ensemble and the behavior to a dataset; `settings` are those of both fits."""
    problem = Problem(dataset, horizon, discount, members, seed)
    given = dict(settings or {})
    return Judge(problem, fit(problem, **given), clone(problem, **given))


def estimate(
    policy: TrainedPolicy,
    dataset: Dataset,
    quantity: str = "return",
    *,
    estimator: str = DEFAULT,
    **options: Any,
) -> Answer:
    """Estimate one quantity of one policy; `options` are those of `make_judge`."""
    if estimator not in ESTIMATORS:
        raise BadInput(f"no estimator is called {estimator!r}; there are {', '.join(ESTIMATORS)}")
    if quantity not in QUANTITIES:
        raise BadInput(f"no quantity is called {quantity!r}; there are {', '.join(QUANTITIES)}")
    if quantity not in Problem(dataset).quantities:
        return Refusal(f"the data have no {quantity}")
    return (
        make_judge(dataset, **options).judge([policy], [estimator])[0].answers[estimator][quantity]
    )
