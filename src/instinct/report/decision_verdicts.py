"""The decision block in sentences: what to deploy, how sure that is, what data to collect next."""

from collections.abc import Iterator, Sequence

from instinct.estimate import DEFAULT, QUANTITIES, reliability_of
from instinct.estimate.regions import Contrast
from instinct.estimate.support import FAR
from instinct.report.decision import Decision, bias_shares, decide
from instinct.report.kit.page import Level, Verdict
from instinct.report.verdict_values import list_values
from instinct.study.estimates import DatasetEstimates
from instinct.study.findings import Findings

RECOMMENDED = {
    "imitation": "deploy imitation",
    "offline-rl": "deploy offline RL",
    "neither": "deploy neither imitation nor offline RL",
    "unknown": "none; the data do not tell whether to deploy imitation or offline RL",
}
REASONS = {
    "overlap": "the intervals of their estimated returns overlap",
    "refused": "some of their policies could not be judged from the data",
    "nothing-to-compare": "no offline RL policy was trained on the recorded rewards beside BC",
    "no-rewards": "the data have no rewards to estimate",
    "never-measured": "the estimator was never compared with a truth",
    "estimators-disagree": "the two estimators contradict each other",
    "higher-cost": "offline RL has a higher estimated return, but also a higher cost than the data "
    "and imitation; give a cost target to say what is acceptable",
    "cost-unclear": "the estimated cost is not surely within the target",
    "outside-data": "the policies act outside the data",
    "above-cost-target": "the estimated costs are above the target",
    "below-data": "the estimated returns are below that of the data",
    "all-excluded": "policies act outside the data, cost too much or are worse than the data",
    "others-excluded": "the others act outside the data, cost too much or are worse than the data",
    "higher-return": "the interval of its estimated return is above that of the alternative",
}
"""What the codes of reasons mean."""


def decision_verdicts(findings: Findings, dataset: str) -> Iterator[Verdict]:
    """Make the sentences of the block; none if nothing was to be estimated."""
    decision, estimates = decide(findings, dataset), findings.estimates.get(dataset)
    if decision is None or estimates is None:
        return
    if not estimates.problem:
        yield from estimated_bias(findings, dataset)
        yield from leaves_data(estimates)
    yield from recorded_ends(estimates)
    if not estimates.problem:
        yield from estimate_reliability(estimates)
    yield recommend(decision, estimates)


def recommend(decision: Decision, estimates: DatasetEstimates) -> Verdict:
    """Say what to deploy, and why."""
    why = REASONS.get(decision.reason) or estimates.problem
    which = f" ({' or '.join(decision.algorithms)})" if decision.algorithms else ""
    known = [each for each in decision.candidates if each.estimate is not None]
    values = [
        f"{each.algorithm} {each.estimate.low:.4g} to {each.estimate.high:.4g}"
        for each in known
        if each.estimate is not None
    ]
    more = f" Estimated returns: {', '.join(values)}." if values else ""
    if "return" in estimates.recorded:
        more += f" Recorded: {estimates.recorded['return']:.4g}."
    level: Level = "warning"
    if decision.algorithms:
        level = "holds" if reliability_of(DEFAULT, "return").ranks else "note"
    return Verdict(
        f"Recommendation: {RECOMMENDED[decision.recommendation]}{which}. Reason: {why}.{more}",
        level,
        "decision",
        {each.algorithm: each.estimate.value for each in known if each.estimate is not None},
    )


def estimate_reliability(estimates: DatasetEstimates) -> Iterator[Verdict]:
    """Say how well the estimator did where the truth is known."""
    found = reliability_of(DEFAULT, "return" if "return" in estimates.recorded else "length")
    unknown = [
        QUANTITIES[name]
        for name in ("return", "cost", "length", "end")
        if name in estimates.recorded and reliability_of(DEFAULT, name).held is None
    ]
    never = f" Never compared with a truth: {', '.join(unknown)}." if unknown else ""
    if found.rank is None or found.regret is None or found.held is None:
        yield Verdict(f"These estimates are untested.{never}", "warning", "estimate-reliability")
        return
    meaning = (
        "policies may be ranked by these numbers"
        if found.ranks
        else "do not rank policies by these numbers"
    )
    yield Verdict(
        f"Where the truth is known ({found.policies} policies on {found.datasets} datasets), the "
        f"estimated {QUANTITIES[found.quantity]} had the rank correlation {found.rank:.2f} with "
        f"it, the policy chosen by it was {found.regret:.0%} below the best, and intervals held "
        f"for {found.held:.0%}: {meaning}.{never}",
        "note" if found.ranks else "warning",
        "estimate-reliability",
        {"rank": found.rank, "regret": found.regret, "held": found.held},
    )


def estimated_bias(findings: Findings, dataset: str) -> Iterator[Verdict]:
    """Say which share of the estimated gain over imitation is the data's bias."""
    for found in bias_shares(findings, dataset):
        numbers = {"gain": found.gain, **{f"share_{k}": x for k, x in found.shares.items()}}
        if found.shares:
            yield Verdict(
                f"{found.algorithm} gains {found.gain:.4g} over imitation by estimate. Wrong "
                f"rewards reach {list_values(found.shares, '.0%')} of that: the data's bias.",
                "note",
                "estimated-bias",
                numbers,
            )
        elif not found.is_certain:
            yield Verdict(
                f"No certain gain of {found.algorithm} over imitation ({found.gain:+.4g} by "
                "estimate, and the intervals overlap): so no share of it is the data's bias.",
                "note",
                "estimated-bias",
                numbers,
            )


def leaves_data(estimates: DatasetEstimates) -> Iterator[Verdict]:
    """Say where policies leave the data, and so where to collect more."""
    found = estimates.leaving
    if found is None:
        return
    where = describe(found.columns) or "no column"
    text = (
        f"Policies act outside the data (more than {FAR:.0f} deviations of the recorded behavior "
        f"away) at {found.outside:.1%} of the recorded states. To learn more about them, collect "
        f"data where they are farthest from it. These states differ in {where}."
    )
    yield Verdict(
        text, "note", "leaves-data", {"outside": found.outside, "distance": found.distance}
    )


def recorded_ends(estimates: DatasetEstimates) -> Iterator[Verdict]:
    """Say how recorded episodes end, and what comes before."""
    found = estimates.ends
    if found is None:
        return
    where = describe(found.columns)
    which = "ends with a low reward" if found.kind == "low-reward" else "them"
    before = f" The states before {which} differ in {where}." if where else ""
    yield Verdict(
        f"{found.share:.0%} of the recorded episodes end in a terminal, after {found.steps:.0f} "
        f"steps on average.{before}",
        "note",
        "recorded-ends",
        {"share": found.share, "steps": found.steps},
    )


def describe(columns: Sequence[Contrast]) -> str:
    """List columns with the middle half of their values within the region."""
    return "; ".join(
        f"{each.column} ({each.low:.3g} to {each.high:.3g}, mean of all {each.mean:.3g})"
        for each in columns
    )
