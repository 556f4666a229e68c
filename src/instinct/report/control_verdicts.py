"""The verdict on whether pessimism is the cause, if the same agents were trained without it."""

from collections.abc import Iterator
from typing import NamedTuple

from instinct.data import WRONG_LABELS
from instinct.report.kit.page import Level, Verdict
from instinct.report.sections.numbers import form_of
from instinct.study.algorithm_settings import control_of
from instinct.study.findings import Findings
from instinct.study.intervals import Mean, difference_interval, mean_of
from instinct.study.measurement import QUANTITIES

LITTLE = 0.1
"""Pessimism is not the cause if it adds surely less than this share of what is reached with it."""


class Cause(NamedTuple):
    """The verdict of a comparison with the control."""

    text: str
    code: str
    level: Level


IS_CAUSE = Cause("pessimism is the cause", "pessimism-is-the-cause", "holds")
IS_NOT_CAUSE = Cause("pessimism is not the cause", "pessimism-is-not-the-cause", "note")
UNCLEAR = Cause("these runs do not tell whether pessimism is the cause", "cause-unclear", "note")


def pessimism(findings: Findings, dataset: str) -> Iterator[Verdict]:
    """Compare every pessimistic algorithm under a wrong reward with its control.

    They are compared by the length of episodes if a terminal is a fall, else by the main quantity,
    under zero rewards, or else under the first wrong reward that both have.
    """
    falls = findings.plan.end_of(dataset) == "fall"
    quantity = "length" if falls else str(findings.main)
    for algorithm in findings.plan.algorithms:
        ours = findings.by_label(dataset, algorithm, quantity)
        controls = findings.by_label(dataset, control_of(algorithm), quantity)
        shared = [label for label in WRONG_LABELS if label in ours and label in controls]
        if not shared:
            continue
        label = shared[0]
        one, other = mean_of(ours[label]), mean_of(controls[label])
        cause, numbers = compare(one, other)
        form = form_of(findings.plan, quantity)
        reach = (
            f"{algorithm} agents last {one.value:.0f} steps"
            if falls
            else f"{algorithm} agents reach a {QUANTITIES[quantity]} of {one.value:{form}}"
        )
        without = f"{other.value:.0f}" if falls else f"{other.value:{form}}"
        yield Verdict(
            f"With {label} rewards {reach}, and {without} without their pessimism "
            f"({control_of(algorithm)}): {cause.text}.",
            cause.level,
            cause.code,
            numbers,
        )


def compare(one: Mean, control: Mean) -> tuple[Cause, dict[str, float]]:
    """Say whether pessimism makes the difference, with the interval if there are several seeds."""
    numbers = {"with": one.value, "without": control.value}
    if min(one.runs, control.runs) < 2:
        return UNCLEAR, numbers
    _, low, high = difference_interval(one, control)
    numbers |= {"difference_low": low, "difference_high": high}
    if low > 0:
        return IS_CAUSE, numbers
    return (IS_NOT_CAUSE if high < LITTLE * abs(one.value) else UNCLEAR), numbers
