"""Verdicts on what the true reward adds, and on whether the agents can tell."""

import math
from collections.abc import Iterator
from typing import NamedTuple

from instinct.data import WRONG_LABELS
from instinct.deep import ALGORITHMS
from instinct.report.kit.page import Level, Verdict
from instinct.report.sections.numbers import FORMS, form_of
from instinct.report.sections.tables import paper_name, paper_numbers
from instinct.report.verdict_values import label_means, list_values
from instinct.study.findings import Findings
from instinct.study.intervals import (
    Interval,
    Mean,
    difference_interval,
    lowest,
    mean_of,
    ratio_interval,
)
from instinct.study.measurement import QUANTITIES
from instinct.study.plan import reads_rewards

ENOUGH, LITTLE = 0.9, 0.5
"""A dataset does not test reward use from the first share on, and needs it below the second."""
ONE_SEED_MARGIN = 0.1
"""Without intervals, a result is below another one if this fraction of the other is missing."""
PAPER_RUNS = 10
"""Seeds behind every number in the paper's tables."""


class Shortfall(NamedTuple):
    """The gap between the best true-reward agent and another result."""

    name: str
    reached: float
    gap: float
    low: float | None = None
    high: float | None = None


class TrueReward(NamedTuple):
    """The best true-reward agent, and the algorithm that is best without the true reward."""

    best: str
    true: Mean
    without: str
    by_label: dict[str, Mean]

    @property
    def wrong(self) -> float:
        """The worst mean under a wrong reward."""
        return min(each.value for each in self.by_label.values())


def reward_use(findings: Findings, dataset: str) -> Iterator[Verdict]:
    """Compare policies trained with wrong rewards to the best one with the true reward.

    There is no comparison if the true-reward agents are worse than what is known to be possible.
    """
    agents = find_agents(findings, dataset)
    if agents is None:
        return
    here = below_other_agents(findings, dataset, agents)
    paper = below_the_paper(findings, dataset, agents)
    if here is not None or paper is not None:
        yield inconclusive(findings, agents, here, paper)
        return
    verdict = share_verdict(findings, dataset, agents)
    yield verdict
    enough = verdict.numbers.get("share", 0) >= ENOUGH
    if enough and findings.plan.preset == "quick" and agents.best in ALGORITHMS:
        yield first_look(dataset, str(findings.main))


def find_agents(findings: Findings, dataset: str) -> TrueReward | None:
    """Choose the agents to compare; None if no algorithm has results under all labels."""
    main = str(findings.main)
    true = label_means(findings, dataset, "original", main)
    wrong = {label: label_means(findings, dataset, label, main) for label in WRONG_LABELS}
    shared = [name for name in true if all(name in found for found in wrong.values())]
    if not shared:
        return None
    best = max(true, key=lambda name: true[name].value)
    without = max(shared, key=lambda name: min(found[name].value for found in wrong.values()))
    by_label = {label: wrong[label][without] for label in WRONG_LABELS}
    return TrueReward(best, true[best], without, by_label)


def below_other_agents(findings: Findings, dataset: str, agents: TrueReward) -> Shortfall | None:
    """Return the best other agent that is above the best true-reward agent, if there is one."""
    main, plan = str(findings.main), findings.plan
    above = []
    for algorithm in plan.algorithms:
        for label in plan.labels if reads_rewards(algorithm) else plan.labels[:1]:
            found = findings.result(dataset, algorithm, label)
            if (
                found is None
                or main not in found.means
                or (algorithm, label)
                == (
                    agents.best,
                    "original",
                )
            ):
                continue
            name = f"{algorithm}, {label}" if reads_rewards(algorithm) else algorithm
            above.append(shortfall(agents.true, name, mean_of(found.means[main])))
    return max(filter(None, above), key=lambda each: each.reached, default=None)


def below_the_paper(findings: Findings, dataset: str, agents: TrueReward) -> Shortfall | None:
    """Return the paper's best true-reward result on such data, if the agents are below it.

    Of the algorithms in the audit, if the paper has them.
    """
    rows = [
        row
        for row in paper_numbers([dataset], str(findings.main)).values()
        if row.dataset == paper_name(dataset) and row.label == "original"
    ]
    rows = [row for row in rows if row.algorithm in findings.plan.algorithms] or rows
    if not rows:
        return None
    best = max(rows, key=lambda row: row.mean)
    return shortfall(agents.true, best.algorithm, Mean(best.mean, best.stderr or 0.0, PAPER_RUNS))


def shortfall(true: Mean, name: str, other: Mean) -> Shortfall | None:
    """Return how far `true` is below the other mean; None if not by more than the interval."""
    gap = other.value - true.value
    if min(true.runs, other.runs) < 2:
        enough = gap > ONE_SEED_MARGIN * abs(other.value)
        return Shortfall(name, other.value, gap) if enough else None
    gap, low, high = difference_interval(other, true)
    return Shortfall(name, other.value, gap, low, high) if low > 0 else None


def inconclusive(
    findings: Findings, agents: TrueReward, here: Shortfall | None, paper: Shortfall | None
) -> Verdict:
    form = form_of(findings.plan, str(findings.main))
    numbers = {"true": agents.true.value, "wrong": agents.wrong}
    best = QUANTITIES[str(findings.main)]
    texts = [
        "Inconclusive: these agents did not get out of the true reward what is there.",
        f"Best {best} with the true reward: {agents.true.value:{form}} ({agents.best}).",
    ]
    for prefix, text, found in (
        ("reached", "Another agent here reached", here),
        ("paper", "The paper's agent, on its data, has", paper),
    ):
        if found is not None:
            numbers |= {prefix: found.reached, f"{prefix}_gap": found.gap}
            more = f"{found.gap:{form}} more"
            if found.low is not None and found.high is not None:
                numbers |= {f"{prefix}_gap_low": found.low, f"{prefix}_gap_high": found.high}
                more += f", 95% interval {found.low:{form}} to {found.high:{form}}"
            texts.append(f"{text} {found.reached:{form}} ({found.name}): {more}.")
    texts.append(describe_wrong(findings, agents))
    return Verdict(" ".join(texts), "warning", "true-reward-inconclusive", numbers)


def share_verdict(findings: Findings, dataset: str, agents: TrueReward) -> Verdict:
    """Say which share of the true reward's result wrong rewards reach, with its interval."""
    main = str(findings.main)
    form, true = form_of(findings.plan, main), agents.true.value
    added = true - agents.wrong
    numbers: dict[str, float] = {"true": true, "wrong": agents.wrong, "added": added}
    details = (
        f"{describe_wrong(findings, agents)} Best with the true reward: {true:{form}} "
        f"({agents.best})."
    )
    if true <= 0:
        text = f"{details} A share is defined only for values above 0."
        return Verdict(text, "note", "reward-use", numbers)
    share = agents.wrong / true
    meaning, level = read_share(share)
    numbers["share"] = share
    text = f"Policies trained without the true reward reach {share:.0%} of the best result with it"
    around = share_interval(findings, dataset, agents)
    certain = around is not None and read_share(around.low) == read_share(around.high)
    numbers["certain"] = certain
    if around is not None and math.isfinite(around.high - around.low):
        numbers |= {"share_low": around.low, "share_high": around.high}
        text += f" (95% interval {around.low:.0%} to {around.high:.0%})"
    elif around is not None:
        text += " (no bounded interval: the seeds differ too much)"
    doubt = "" if certain else " These seeds are too few to be certain."
    return Verdict(
        f"{text}: {meaning}.{doubt} {details}",
        level if certain else "note",
        "reward-use",
        numbers,
    )


def read_share(share: float) -> tuple[str, Level]:
    """Say what a share means for the dataset."""
    if share >= ENOUGH:
        return "this dataset does not test reward use", "warning"
    if share < LITTLE:
        return "this dataset needs the reward", "holds"
    return "this dataset tests reward use only in part", "note"


def share_interval(findings: Findings, dataset: str, agents: TrueReward) -> Interval | None:
    """Return the interval of the share; None with a single seed."""
    main = str(findings.main)
    if min(agents.true.runs, *(each.runs for each in agents.by_label.values())) < 2:
        return None
    true = findings.by_label(dataset, agents.best, main)["original"]
    wrong = findings.by_label(dataset, agents.without, main)
    return lowest(ratio_interval(wrong[label], true) for label in WRONG_LABELS)


def describe_wrong(findings: Findings, agents: TrueReward) -> str:
    main = str(findings.main)
    values = {label: each.value for label, each in agents.by_label.items()}
    return (
        f"{QUANTITIES[main].capitalize()} of {agents.without} with wrong rewards: "
        f"{list_values(values, form_of(findings.plan, main))}."
    )


def first_look(dataset: str, quantity: str) -> Verdict:
    """Warn that the quick preset may not use the true reward fully."""
    papers = [
        row
        for row in paper_numbers([dataset], quantity).values()
        if row.dataset == paper_name(dataset) and row.label == "original"
    ]
    theirs, numbers = "", {}
    if papers:
        best = max(papers, key=lambda row: row.mean)
        numbers = {"paper": best.mean}
        theirs = (
            f" The paper's best result, on its data, is {best.mean:{FORMS[quantity]}} "
            f"({best.algorithm})."
        )
    return Verdict(
        "This is a first look: agents that train longer may use the true reward better."
        f"{theirs} Use the paper preset to check.",
        "note",
        "first-look",
        numbers,
    )
