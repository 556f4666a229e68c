"""Verdicts on settings that differ between the labels of one algorithm."""

from collections.abc import Iterator

from instinct.deep import ALGORITHMS, configure, settings_of
from instinct.deep.algorithms.settings import Setting
from instinct.report.kit.page import Verdict
from instinct.report.verdict_values import reward_readers
from instinct.study.algorithm_settings import is_tabular
from instinct.study.findings import Findings


def settings_differ(findings: Findings, dataset: str) -> Iterator[Verdict]:
    """Name the settings that an algorithm does not have in common under all labels."""
    for algorithm in reward_readers(findings):
        by_label = settings_by_label(findings, dataset, algorithm)
        names = {name: None for each in by_label.values() for name in each}
        texts: list[str] = []
        numbers: dict[str, float] = {}
        for name in names:
            values = {label: each.get(name) for label, each in by_label.items()}
            if len({*map(str, values.values())}) > 1:
                listed = ", ".join(f"{value} ({label})" for label, value in values.items())
                texts.append(f"{name} is {listed}")
                numbers |= {
                    f"{name}, {label}": float(value)
                    for label, value in values.items()
                    if isinstance(value, int | float)
                }
        if texts:
            yield Verdict(
                f"Settings of {algorithm} differ by label: {'; '.join(texts)}. Differences "
                "between labels may come from them.",
                "note",
                "settings-differ",
                numbers,
            )


def settings_by_label(
    findings: Findings, dataset: str, algorithm: str
) -> dict[str, dict[str, Setting]]:
    """Return the settings under every label with results: the paper's and what was changed."""
    tabular = is_tabular(findings.plan.task_of(dataset)) or algorithm not in ALGORITHMS
    own = {} if tabular else settings_of(configure(algorithm))
    return {
        label: {**own, **found.changes}
        for label in findings.plan.labels
        if (found := findings.result(dataset, algorithm, label)) is not None and found.seeds
    }
