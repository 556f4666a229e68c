"""What to deploy if there is no simulator, no stronger than the estimates allow.

Candidates are imitation (BC) and the other algorithms under the recorded rewards, on all data. A
candidate is excluded if its policies act outside the data, if its estimated cost is above the
target, or if its estimated return is below that of the data. Imitation and offline RL are told
apart only if their intervals, widened by how often such intervals held where the truth is known, do
not overlap. Without a target for costs, offline RL that surely costs more is not recommended.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from instinct.data import WRONG_LABELS
from instinct.estimate import DEFAULT, Estimate, reliability_of
from instinct.report.cell_estimates import CellEstimate, cell_estimates
from instinct.study.estimates import DatasetEstimates
from instinct.study.findings import Findings
from instinct.study.plan import Cell, reads_rewards

Recommendation = Literal["imitation", "offline-rl", "neither", "unknown"]
IMITATION = "BC"
COMPARABLE = 0.05
"""With more episodes cut short by the recording, the data's means are those of less time."""

ELIGIBLE, REFUSED = "eligible", "refused"
OUTSIDE, COSTLY, BELOW = "outside-data", "above-cost-target", "below-data"
EXCLUDED = (OUTSIDE, COSTLY, BELOW)


@dataclass(frozen=True)
class Candidate:
    """An algorithm that could be deployed, and whether the estimates allow it."""

    algorithm: str
    status: str
    estimate: Estimate | None
    """The return, with the widened interval."""


@dataclass(frozen=True)
class Decision:
    """A recommendation, its reason as a code, and the algorithms that it names."""

    recommendation: Recommendation
    reason: str
    algorithms: tuple[str, ...] = ()
    candidates: tuple[Candidate, ...] = ()


@dataclass(frozen=True)
class BiasShare:
    """The share of the estimated gain over imitation that agents reach with wrong rewards, too."""

    algorithm: str
    gain: float
    is_certain: bool
    """Whether the widened intervals of the gain's two ends do not overlap."""
    shares: Mapping[str, float]
    """By wrong label; empty if there is no certain gain."""


def decide(findings: Findings, dataset: str) -> Decision | None:
    """Recommend what to deploy; None if nothing was estimated on purpose."""
    estimates = findings.estimates.get(dataset)
    if estimates is None:
        return None
    if estimates.problem:
        return Decision("unknown", estimates.problem_code)
    if "return" not in estimates.recorded:
        return Decision("unknown", "no-rewards")
    if reliability_of(DEFAULT, "return").held is None:
        return Decision("unknown", "never-measured")
    candidates = tuple(find_candidates(findings, dataset, estimates))
    chosen = choose(candidates)
    if chosen.reason == "higher-return" and contradicted(findings, dataset, estimates, chosen):
        chosen = Decision("unknown", "estimators-disagree")
    elif chosen.algorithms and not within_target(findings, dataset, chosen):
        chosen = Decision("unknown", "cost-unclear")
    elif chosen.recommendation == "offline-rl" and costs_more(findings, dataset, chosen):
        chosen = Decision("unknown", "higher-cost")
    return Decision(chosen.recommendation, chosen.reason, chosen.algorithms, candidates)


def candidate_cells(findings: Findings, dataset: str) -> dict[str, Cell]:
    """Return the cells of BC and of all algorithms under the true reward, without filters."""
    plan = findings.plan
    return {
        algorithm: Cell(
            dataset,
            algorithm,
            "original" if reads_rewards(algorithm) else plan.labels[0],
            plan.filters_for(algorithm)[0],
        )
        for algorithm in plan.algorithms
    }


def find_candidates(
    findings: Findings, dataset: str, estimates: DatasetEstimates, estimator: str = DEFAULT
) -> Iterator[Candidate]:
    """Yield all candidates that have policies, imitation first."""
    cells = cell_estimates(findings, dataset, estimator)
    target = findings.plan.cost_target_of(dataset)
    for algorithm, cell in candidate_cells(findings, dataset).items():
        if cell in cells:
            found = cells[cell]
            status = status_of(found, estimates, target, estimator)
            yield Candidate(algorithm, status, found.widened("return", estimator))


def status_of(
    found: CellEstimate, estimates: DatasetEstimates, cost_target: float | None, estimator: str
) -> str:
    """Say whether a candidate may be deployed as far as it is known, or why not."""
    if found.is_outside:
        return OUTSIDE
    value, cost = found.widened("return", estimator), found.values.get("cost")
    if value is None:
        return REFUSED
    if cost is not None and cost_target is not None and cost.low > cost_target:
        return COSTLY
    if estimates.cut_short <= COMPARABLE and value.high < estimates.recorded["return"]:
        return BELOW
    return ELIGIBLE


def choose(candidates: Sequence[Candidate]) -> Decision:
    """Choose between imitation and offline RL.

    >>> bc = Candidate("BC", "eligible", Estimate(10, 9, 11))
    >>> choose([bc, Candidate("PSPI", "eligible", Estimate(20, 12, 28))]).algorithms
    ('PSPI',)
    >>> choose([bc, Candidate("PSPI", "eligible", Estimate(11, 10, 12))]).reason
    'overlap'
    >>> choose([bc, Candidate("PSPI", "outside-data", None)]).recommendation
    'imitation'
    """
    imitation = [each for each in candidates if each.algorithm == IMITATION]
    others = [each for each in candidates if each.algorithm != IMITATION]
    able = [each for each in candidates if each.status == ELIGIBLE]
    if not imitation or not others:
        return Decision("unknown", "nothing-to-compare")
    if any(each.status == REFUSED for each in candidates):
        return Decision("unknown", REFUSED)
    if not able:
        reasons = {each.status for each in candidates}
        return Decision("neither", reasons.pop() if len(reasons) == 1 else "all-excluded")
    if imitation[0].status != ELIGIBLE:
        return Decision("offline-rl", "others-excluded", names(able))
    rivals = [each for each in able if each.algorithm != IMITATION]
    if not rivals:
        return Decision("imitation", "others-excluded", (IMITATION,))
    bc = bounds(imitation[0])
    better = [each for each in rivals if bounds(each).low > bc.high]
    if better:
        best = max(bounds(each).low for each in better)
        return Decision(
            "offline-rl",
            "higher-return",
            names([each for each in better if bounds(each).high >= best]),
        )
    if all(bc.low > bounds(each).high for each in rivals):
        return Decision("imitation", "higher-return", (IMITATION,))
    return Decision("unknown", "overlap")


def names(candidates: Sequence[Candidate]) -> tuple[str, ...]:
    return tuple(each.algorithm for each in candidates)


def bounds(candidate: Candidate) -> Estimate:
    assert candidate.estimate is not None
    return candidate.estimate


def contradicted(
    findings: Findings, dataset: str, estimates: DatasetEstimates, chosen: Decision
) -> bool:
    """Tell whether another estimator, with its own widened intervals, says the opposite."""
    for estimator in estimates.estimators:
        if estimator == DEFAULT or reliability_of(estimator, "return").held is None:
            continue
        other = choose([*find_candidates(findings, dataset, estimates, estimator)])
        opposite = {"imitation": "offline-rl", "offline-rl": "imitation"}
        if other.recommendation == opposite.get(chosen.recommendation):
            return True
    return False


def within_target(findings: Findings, dataset: str, chosen: Decision) -> bool:
    """Tell whether the cost of what is chosen is surely within its target, if there is one."""
    target = findings.plan.cost_target_of(dataset)
    estimates = findings.estimates[dataset]
    if target is None or "cost" not in estimates.recorded:
        return True
    costs = costs_of(findings, dataset, chosen.algorithms)
    return all(cost is not None and cost.high <= target for cost in costs)


def costs_more(findings: Findings, dataset: str, chosen: Decision) -> bool:
    """Tell whether offline RL surely costs more than the data and imitation, without a target."""
    recorded = findings.estimates[dataset].recorded.get("cost")
    if recorded is None or findings.plan.cost_target_of(dataset) is not None:
        return False
    (imitation,) = costs_of(findings, dataset, (IMITATION,))
    usual = recorded if imitation is None else max(recorded, imitation.high)
    costs = costs_of(findings, dataset, chosen.algorithms)
    return any(cost is not None and cost.low > usual for cost in costs)


def costs_of(findings: Findings, dataset: str, algorithms: Sequence[str]) -> list[Estimate | None]:
    """Return the estimated costs of candidates."""
    cells, places = cell_estimates(findings, dataset), candidate_cells(findings, dataset)
    return [cells[places[name]].values.get("cost") for name in algorithms]


def bias_shares(findings: Findings, dataset: str) -> Iterator[BiasShare]:
    """Yield for every algorithm which share of its gain wrong rewards reach as well."""
    cells, places = cell_estimates(findings, dataset), candidate_cells(findings, dataset)
    imitation = cells.get(places[IMITATION]) if IMITATION in places else None
    bc = None if imitation is None else imitation.widened("return")
    for algorithm, cell in places.items():
        found = cells.get(cell)
        true = None if found is None else found.widened("return")
        if algorithm == IMITATION or bc is None or true is None:
            continue
        gain, certain = true.value - bc.value, true.low > bc.high
        by_label = {
            label: wrong.values["return"].value
            for label in WRONG_LABELS
            if (wrong := cells.get(cell._replace(label=label))) is not None
            and "return" in wrong.values
        }
        shares = {label: (value - bc.value) / gain for label, value in by_label.items()}
        yield BiasShare(algorithm, gain, certain, shares if certain else {})
