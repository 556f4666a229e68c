"""Verdicts: what the numbers of an audit say, in plain words with the numbers in them."""

import math
from collections.abc import Iterator

import numpy as np

from instinct.data import WRONG_LABELS
from instinct.deep import ALGORITHMS
from instinct.report.filter_verdicts import cost, filter_use
from instinct.report.kit.page import Level, Verdict
from instinct.report.sections.numbers import FORMS, form_of
from instinct.report.sections.tables import paper_name, paper_numbers
from instinct.study.findings import Findings
from instinct.study.measurement import QUANTITIES
from instinct.study.plan import reads_rewards
from instinct.study.statistics import probability_of_improvement

HOLDS: Level = "holds"
NOTE: Level = "note"
WARNING: Level = "warning"
ENOUGH, LITTLE = 0.9, 0.5
"""What share of the true reward's result makes the reward unnecessary, and what share needs it."""
SAME = 1.25
"""Up to so many times what the seed does, the reward does not move a policy."""


def verdicts(findings: Findings, dataset: str) -> tuple[Verdict, ...]:
    """The sentences of one dataset."""
    if findings.main is None:
        return (*moved(findings, dataset), unjudged(), *how_sure(findings, dataset))
    tellers = (
        *(reward_use, beside_imitation, stopped, survival, goals, bias),
        *(filter_use, cost, how_sure),
    )
    return tuple(verdict for teller in tellers for verdict in teller(findings, dataset))


def reward_use(findings: Findings, dataset: str) -> Iterator[Verdict]:
    """How much of the true-reward policy is reached without the true reward."""
    main = str(findings.main)
    true = means(findings, dataset, "original", main)
    wrong = {label: means(findings, dataset, label, main) for label in WRONG_LABELS}
    shared = [name for name in true if all(name in found for found in wrong.values())]
    if not shared:
        return
    best = max(true, key=lambda name: true[name])
    worst = {name: min(found[name] for found in wrong.values()) for name in shared}
    without = max(worst, key=lambda name: worst[name])
    form = form_of(findings.plan, main)
    reached = f"{without} trained with wrong rewards reaches a {QUANTITIES[main]} of " + ", ".join(
        f"{wrong[label][without]:{form}} ({label})" for label in WRONG_LABELS
    )
    beside = f"the best policy with the true reward ({best}) reaches {true[best]:{form}}"
    if true[best] <= 0:
        yield Verdict(f"{reached}; {beside}. A share cannot be told where that is not above 0.")
        return
    share, added = worst[without] / true[best], true[best] - worst[without]
    if share >= ENOUGH:
        judgement, level = "this dataset does not test reward use", WARNING
    elif share < LITTLE:
        judgement, level = "this dataset needs the reward", HOLDS
    else:
        judgement, level = "this dataset tests reward use only in part", NOTE
    if added < 0:
        found = (
            f"are better than the policy trained with it, {worst[without]:{form}} against "
            f"{true[best]:{form}}"
        )
    else:
        found = f"reach {share:.0%} of the true-reward policy"
    adds = f"adds {added:{form}} at most" if added > 0 else "adds nothing here"
    yield Verdict(
        f"Policies trained without the true reward {found}: {judgement}. {reached}; {beside}, so "
        f"the reward {adds}.",
        level,
    )
    if share >= ENOUGH and findings.plan.preset == "quick" and best in ALGORITHMS:
        yield Verdict(first_look(dataset, main))


def first_look(dataset: str, quantity: str) -> str:
    """What the quick preset leaves open where the reward seems to add little."""
    papers = [
        row
        for row in paper_numbers([dataset], quantity).values()
        if row.dataset == paper_name(dataset) and row.label == "original"
    ]
    theirs = ""
    if papers:
        best = max(papers, key=lambda row: row.mean)
        reached = f"{best.mean:{FORMS[quantity]}} with {best.algorithm}"
        theirs = f" (the paper's, on its data, reach {reached})"
    return (
        "A first look: agents that train longer than the quick preset's may make more of the true "
        f"reward{theirs}; --preset paper tells."
    )


def beside_imitation(findings: Findings, dataset: str) -> Iterator[Verdict]:
    """Wrong rewards against imitating the data."""
    main = str(findings.main)
    imitation = findings.result(dataset, "BC", findings.plan.labels[0])
    if imitation is None or main not in imitation.means:
        return
    bc, form = imitation.means[main], form_of(findings.plan, main)
    for algorithm in pessimists(findings):
        told = {
            label: values
            for label, values in findings.by_label(dataset, algorithm, main).items()
            if label in WRONG_LABELS
        }
        if not told:
            continue
        gains = {label: float(values.mean() - bc.mean()) for label, values in told.items()}
        chances = [
            float(probability_of_improvement(values, bc))
            for values in told.values()
            if min(len(values), len(bc)) > 1
        ]
        said = ", ".join(f"{gain:+{form}} ({label})" for label, gain in gains.items())
        chance = ""
        if chances:
            chance = f"; a run beats one of BC with probability {min(chances):.2f} at least"
        above = all(gain >= 0 for gain in gains.values())
        yield Verdict(
            f"Against imitation (BC, {bc.mean():{form}}), {algorithm} with wrong rewards: {said}"
            f"{chance}.",
            HOLDS if above else NOTE,
        )


def stopped(findings: Findings, dataset: str) -> Iterator[Verdict]:
    """BC that is stopped before it overfits, beside the paper's, which is not."""
    plan = findings.plan
    imitation = findings.result(dataset, "BC", plan.labels[0])
    paper = paper_numbers([dataset], "success").get((paper_name(dataset), "BC", None))
    if imitation is None or "success" not in imitation.means or paper is None:
        return
    held_out = plan.configured(imitation.cell, {}).get("held_out")
    if held_out:
        yield Verdict(
            f"BC learns from {1 - float(held_out):.0%} of the episodes and ends with the policy "
            "that came nearest to the others, so that wrong rewards are held against the best "
            f"imitation that can be had: {imitation.means['success'].mean():.2f}. The paper's BC, "
            f"3 × 256 trained for a million steps without that, has {paper.mean:.2f}."
        )


def survival(findings: Findings, dataset: str) -> Iterator[Verdict]:
    """How long policies last, against the recorded episodes, where an episode ends by a fall."""
    if findings.plan.end_of(dataset) != "fall":
        return
    recorded = findings.data.get(dataset, {}).get("behavior", {}).get("length")
    lengths = {
        algorithm: np.mean(
            [values.mean() for label, values in found.items() if label in WRONG_LABELS]
        )
        for algorithm in pessimists(findings)
        if (found := findings.by_label(dataset, algorithm, "length")).keys() & {*WRONG_LABELS}
    }
    if recorded is None or not lengths:
        return
    said = ", ".join(f"{length:.0f} ({algorithm})" for algorithm, length in lengths.items())
    imitation = findings.result(dataset, "BC", findings.plan.labels[0])
    bc = ""
    if imitation is not None and "length" in imitation.means:
        bc = f", BC's {imitation.means['length'].mean():.0f}"
    longest = all(length > recorded for length in lengths.values())
    yield Verdict(
        f"Episodes under wrong rewards last {said} steps on average; the recorded ones last "
        f"{recorded:.0f}{bc}.",
        HOLDS if longest else NOTE,
    )


def goals(findings: Findings, dataset: str) -> Iterator[Verdict]:
    """What the data do at the goal, where there is one."""
    facts = findings.data.get(dataset)
    if findings.main != "success" or facts is None:
        return
    reached = facts["behavior"].get("success")
    if reached is None:
        yield Verdict(
            "No recorded episode ends by a terminal, whether it reaches the goal or not: the data "
            "do not tell success from failure by their length, and no positive bias is to be "
            "expected."
        )
    else:
        others = "; the others are cut off by a timeout" if reached < 1 else ""
        yield Verdict(
            f"Of the recorded episodes {reached:.0%} reach the goal and end there by a terminal, "
            f"which makes the goal a place to stay for good{others}."
        )


def bias(findings: Findings, dataset: str) -> Iterator[Verdict]:
    """The positive bias that each algorithm shows."""
    said = []
    for algorithm in pessimists(findings):
        found = findings.bias(dataset, algorithm)
        if found is not None:
            text = f"{number(found.estimate)} ({algorithm}"
            if found.low is not None and found.high is not None:
                text += f", 95 % interval {number(found.low)} to {number(found.high)}"
            said.append(text + ")")
    if said:
        best = findings.best(dataset)
        yield Verdict(
            f"Positive bias of the data: {', '.join(said)}; 1 means that wrong rewards lead to "
            f"nothing, ∞ that they cannot hurt, with {best:.4g} as the best possible "
            f"{QUANTITIES[str(findings.main)]}."
        )


def how_sure(findings: Findings, dataset: str) -> Iterator[Verdict]:
    """What to keep in mind."""
    del dataset
    if findings.plan.seeds == 1:
        yield Verdict(
            "One seed was trained per cell: a glance, without intervals; --seeds 3 or more tells "
            "how far chance goes.",
            WARNING,
        )


def moved(findings: Findings, dataset: str) -> Iterator[Verdict]:
    """How far wrong rewards move the policies, beside what the seed does."""
    for algorithm in pessimists(findings):
        seed = findings.action_distance(dataset, algorithm, "original")
        by = {label: findings.action_distance(dataset, algorithm, label) for label in WRONG_LABELS}
        known = {label: gap for label, gap in by.items() if gap is not None}
        if seed is None or not known:
            continue
        said = ", ".join(f"{gap:.2f} ({label})" for label, gap in known.items())
        little = max(known.values()) <= SAME * seed
        yield Verdict(
            f"Another reward moves what {algorithm} does at recorded states by {said}, another "
            f"seed alone by {seed:.2f}, of actions between -1 and 1: there the "
            f"{'data decide, hardly the reward' if little else 'reward makes a difference'}.",
            WARNING if little else NOTE,
        )


def unjudged() -> Verdict:
    return Verdict(
        "No environment was given to judge policies in: how good and how safe they are is not "
        "known. Name one with --env; what stands here is what the data alone can tell.",
        WARNING,
    )


def pessimists(findings: Findings) -> list[str]:
    return [name for name in findings.plan.algorithms if reads_rewards(name)]


def means(findings: Findings, dataset: str, label: str, quantity: str) -> dict[str, float]:
    """The mean over seeds of every algorithm that reads rewards and has been run."""
    return {
        algorithm: float(found.means[quantity].mean())
        for algorithm in pessimists(findings)
        if (found := findings.result(dataset, algorithm, label)) is not None
        and quantity in found.means
    }


def number(value: float) -> str:
    return "∞" if math.isinf(value) else f"{value:.1f}"
