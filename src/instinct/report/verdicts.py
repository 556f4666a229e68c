"""Verdicts: what the numbers of an audit mean, in short sentences."""

from collections.abc import Callable, Iterator

import numpy as np

from instinct.data import WRONG_LABELS
from instinct.report.control_verdicts import pessimism
from instinct.report.decision_verdicts import decision_verdicts
from instinct.report.filter_verdicts import cost, filter_use, recorded_cost
from instinct.report.kit.page import Level, Verdict
from instinct.report.reward_verdicts import reward_use
from instinct.report.run_verdicts import few_live_units, late_collapse
from instinct.report.sections.numbers import form_of
from instinct.report.sections.tables import paper_name, paper_numbers
from instinct.report.settings_verdicts import settings_differ
from instinct.report.verdict_values import (
    format_bias,
    list_values,
    reward_readers,
    wrong_label_values,
)
from instinct.study.findings import Findings
from instinct.study.intervals import difference_interval, lowest, mean_of
from instinct.study.measurement import QUANTITIES
from instinct.study.statistics import probability_of_improvement

HOLDS: Level = "holds"
NOTE: Level = "note"
WARNING: Level = "warning"
SAME = 1.25
"""The reward does not change a policy up to this multiple of what the seed changes."""

VerdictMaker = Callable[[Findings, str], Iterator[Verdict]]
"""Makes the verdicts of one subject on one dataset."""


def verdicts(findings: Findings, dataset: str) -> tuple[Verdict, ...]:
    """Make all verdicts on one dataset."""
    makers: tuple[VerdictMaker, ...] = (
        *(no_rewards, action_distance, recorded_cost, few_live_units, no_task, one_seed),
        decision_verdicts,
    )
    if findings.main is not None:
        makers = (
            *(no_rewards, reward_use, settings_differ, beside_imitation),
            *(early_stopping, survival, pessimism),
            *(
                goal_terminal,
                positive_bias,
                filter_use,
                recorded_cost,
                cost,
                late_collapse,
                few_live_units,
                one_seed,
            ),
        )
    return tuple(verdict for maker in makers for verdict in maker(findings, dataset))


def beside_imitation(findings: Findings, dataset: str) -> Iterator[Verdict]:
    """Compare every algorithm with wrong rewards to BC."""
    main = str(findings.main)
    imitation = findings.result(dataset, "BC", findings.plan.labels[0])
    if imitation is None or main not in imitation.means:
        return
    bc, form = imitation.means[main], form_of(findings.plan, main)
    for algorithm in reward_readers(findings):
        by_label = wrong_label_values(findings, dataset, algorithm, main)
        if not by_label:
            continue
        gains = {label: float(values.mean() - bc.mean()) for label, values in by_label.items()}
        chances = [
            float(probability_of_improvement(values, bc))
            for values in by_label.values()
            if min(len(values), len(bc)) > 1
        ]
        numbers = {"bc": float(bc.mean()), "smallest_gain": min(gains.values())}
        more, certain = "", False
        if chances:
            means = [mean_of(values) for values in by_label.values() if len(values) > 1]
            _, low, high = lowest(difference_interval(each, mean_of(bc)) for each in means)
            numbers |= {"smallest_gain_low": low, "smallest_gain_high": high}
            numbers["probability"] = min(chances)
            certain = low > 0
            more = (
                f" The smallest gain has the 95% interval {low:{form}} to {high:{form}}. The "
                f"smallest probability that a run beats a BC run is {min(chances):.2f}."
            )
        yield Verdict(
            f"{algorithm} with wrong rewards against imitation (BC, {bc.mean():{form}}): "
            f"{list_values(gains, f'+{form}')}.{more}",
            HOLDS if certain else NOTE,
            "beside-imitation",
            numbers,
        )


def early_stopping(findings: Findings, dataset: str) -> Iterator[Verdict]:
    """Compare BC with early stopping to the paper's BC without it."""
    plan = findings.plan
    imitation = findings.result(dataset, "BC", plan.labels[0])
    paper = paper_numbers([dataset], "success").get((paper_name(dataset), "BC", None))
    if imitation is None or "success" not in imitation.means or paper is None:
        return
    held_out = plan.settings_for(imitation.cell, {}).get("held_out")
    if held_out:
        ours = float(imitation.means["success"].mean())
        yield Verdict(
            f"BC with early stopping has a success rate of {ours:.2f}: it trains on "
            f"{1 - float(held_out):.0%} of the episodes and keeps the policy with the lowest error "
            f"on the rest. The paper's BC (3 × 256, a million steps, no early stopping) has "
            f"{paper.mean:.2f}.",
            NOTE,
            "early-stopping",
            {"bc": ours, "paper": paper.mean},
        )


def survival(findings: Findings, dataset: str) -> Iterator[Verdict]:
    """Compare the lengths of episodes to the recorded ones, if a terminal is a fall."""
    if findings.plan.end_of(dataset) != "fall":
        return
    recorded = findings.data.get(dataset, {}).get("behavior", {}).get("length")
    lengths = {
        algorithm: float(np.mean([values.mean() for values in by_label.values()]))
        for algorithm in reward_readers(findings)
        if (by_label := wrong_label_values(findings, dataset, algorithm, "length"))
    }
    if recorded is None or not lengths:
        return
    numbers = {"recorded": float(recorded), "shortest": min(lengths.values())}
    imitation = findings.result(dataset, "BC", findings.plan.labels[0])
    bc = ""
    if imitation is not None and "length" in imitation.means:
        numbers["bc"] = float(imitation.means["length"].mean())
        bc = f", those of BC {numbers['bc']:.0f}"
    yield Verdict(
        f"With wrong rewards, episodes last {list_values(lengths, '.0f')} steps on average. "
        f"Recorded episodes last {recorded:.0f} steps{bc}.",
        HOLDS if numbers["shortest"] > recorded else NOTE,
        "survival",
        numbers,
    )


def goal_terminal(findings: Findings, dataset: str) -> Iterator[Verdict]:
    """Say how many recorded episodes end at the goal, if there is one."""
    facts = findings.data.get(dataset)
    if findings.main != "success" or facts is None:
        return
    reached = facts["behavior"].get("success")
    if reached is None:
        yield Verdict(
            "No recorded episode ends in a terminal at the goal. So lengths do not separate "
            "success from failure, and no positive bias is expected.",
            NOTE,
            "no-goal-terminal",
        )
    else:
        others = " The others end by a timeout." if reached < 1 else ""
        yield Verdict(
            f"{reached:.0%} of the recorded episodes reach the goal and end there in a terminal."
            f"{others} So a policy can stay inside the data by reaching the goal.",
            NOTE,
            "goal-terminal",
            {"success": float(reached)},
        )


def positive_bias(findings: Findings, dataset: str) -> Iterator[Verdict]:
    """Give the positive bias of the data by every algorithm, with its interval."""
    texts, numbers = [], {}
    for algorithm in reward_readers(findings):
        found = findings.bias(dataset, algorithm)
        if found is not None:
            text = f"{format_bias(found.estimate)} ({algorithm}"
            if found.low is not None and found.high is not None:
                text += f", 95% interval {format_bias(found.low)} to {format_bias(found.high)}"
            texts.append(text + ")")
            numbers[algorithm] = found.estimate
    if texts:
        yield Verdict(
            f"Positive bias of the data: {', '.join(texts)}. 1 means that the worst wrong reward "
            "reaches nothing, ∞ that no wrong reward does harm. The best possible "
            f"{QUANTITIES[str(findings.main)]} is {findings.best(dataset):.4g}.",
            NOTE,
            "positive-bias",
            numbers,
        )


def one_seed(findings: Findings, dataset: str) -> Iterator[Verdict]:
    """Warn that one seed has no interval."""
    del dataset
    if findings.plan.seeds == 1:
        text = "One seed per cell: no intervals. Use three or more seeds."
        yield Verdict(text, WARNING, "one-seed", {"seeds": 1})


def action_distance(findings: Findings, dataset: str) -> Iterator[Verdict]:
    """Compare how far another reward and another seed change the actions."""
    for algorithm in reward_readers(findings):
        reference = findings.reference_label(dataset)
        seed = findings.action_distance(dataset, algorithm, reference)
        by = {
            label: findings.action_distance(dataset, algorithm, label)
            for label in WRONG_LABELS
            if label != reference
        }
        known = {label: gap for label, gap in by.items() if gap is not None}
        if seed is None or not known:
            continue
        little = max(known.values()) <= SAME * seed
        meaning = "the data decide, hardly the reward" if little else "the reward matters"
        unit = "actions are between -1 and 1"
        if findings.has_discrete_actions(dataset):
            unit = "shares of states with another action"
        yield Verdict(
            f"At recorded states, another reward changes the actions of {algorithm} by "
            f"{list_values(known, '.2f')}; another seed alone by {seed:.2f} ({unit}): {meaning}.",
            WARNING if little else NOTE,
            "action-distance",
            {"reward": max(known.values()), "seed": seed},
        )


def no_rewards(findings: Findings, dataset: str) -> Iterator[Verdict]:
    """Warn that the data have no rewards, so that nothing was trained on them."""
    if not findings.has_rewards(dataset):
        yield Verdict(
            "The data have no rewards. No agent learned from a true reward, so the audit cannot "
            f"say what one would add: it compares {', '.join(findings.plan.labels)}.",
            WARNING,
            "no-rewards",
        )


def no_task(findings: Findings, dataset: str) -> Iterator[Verdict]:
    """Warn that policies were not evaluated."""
    del findings, dataset
    yield Verdict(
        "No task to evaluate in: return and safety of the policies are not measured. Name an "
        "environment to measure them.",
        WARNING,
        "no-task",
    )
