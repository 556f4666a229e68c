"""The values that verdicts are made from, and how they are written."""

import math
from collections.abc import Mapping

from instinct.data import WRONG_LABELS, Array
from instinct.study.algorithm_settings import control_of
from instinct.study.findings import Findings
from instinct.study.intervals import Mean, mean_of
from instinct.study.plan import reads_rewards


def reward_readers(findings: Findings) -> list[str]:
    """Return the algorithms of the study that learn from rewards, without controls of others."""
    names = findings.plan.algorithms
    controls = {control_of(name) for name in names}
    return [name for name in names if reads_rewards(name) and name not in controls]


def label_means(findings: Findings, dataset: str, label: str, quantity: str) -> dict[str, Mean]:
    """Return the mean over seeds of every algorithm that reads rewards and has results."""
    return {
        algorithm: mean_of(found.means[quantity])
        for algorithm in reward_readers(findings)
        if (found := findings.result(dataset, algorithm, label)) is not None
        and quantity in found.means
    }


def wrong_label_values(
    findings: Findings, dataset: str, algorithm: str, quantity: str
) -> dict[str, Array]:
    """Return the values of all seeds under every wrong label that has results."""
    found = findings.by_label(dataset, algorithm, quantity)
    return {label: values for label, values in found.items() if label in WRONG_LABELS}


def list_values(values: Mapping[str, float], form: str) -> str:
    """Format values with their names: `88.0 (zero), 92.0 (random)`."""
    return ", ".join(f"{value:{form}} ({name})" for name, value in values.items())


def format_bias(value: float) -> str:
    return "∞" if math.isinf(value) else f"{value:.1f}"
