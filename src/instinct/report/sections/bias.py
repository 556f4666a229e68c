"""The sections of positive bias, also of goal data with and without their terminal."""

from collections.abc import Iterator

from instinct.benchmarks.registry import find_benchmark, short_name
from instinct.report.kit.page import Drawing, Section
from instinct.report.kit.score_figures import BiasBar, draw_bias
from instinct.report.kit.tables import Missing, Number, Table, TableCell
from instinct.study.bias import PositiveBias
from instinct.study.findings import Findings
from instinct.study.plan import reads_rewards

MEANING = """
1 means that the worst wrong reward reaches nothing, larger values that it does less harm, and ∞
that it does none.
"""
GOAL_TERMINAL = """
Without the terminal at the goal, recorded episodes continue after success and have the same length.
Then success is no way to stay inside the data for longer, and the paper expects no positive bias.
"""


def caption(findings: Findings) -> str:
    """Say what the number is; the interval only where there is one."""
    around = "" if findings.plan.seeds == 1 else ", 95% interval over seeds"
    return f"Positive bias J*/(J* − worst wrong-reward result){around}. ∞: that result reaches J*."


def bias_section(findings: Findings) -> Iterator[Section]:
    """Make the section of the positive bias of every dataset by every algorithm."""
    rows, marks = [], []
    for dataset in findings.plan.datasets:
        name = short_name(dataset, findings.plan.datasets)
        for algorithm in filter(reads_rewards, findings.plan.algorithms):
            found = findings.bias(dataset, algorithm)
            if found is None:
                marks.append(BiasBar(name, algorithm, None))
            else:
                marks.append(BiasBar(name, algorithm, found.estimate, found.low, found.high))
                rows.append((dataset, algorithm, number(found)))
    if rows:
        columns = ("dataset", "algorithm", "positive bias")
        yield Section(
            title="Positive bias",
            text=(MEANING,),
            tables=(Table("positive-bias", caption(findings), columns, tuple(rows)),),
            drawings=(Drawing("positive-bias-figure", draw_bias(marks), caption(findings)),),
        )


def goal_terminal_section(findings: Findings) -> Iterator[Section]:
    """Compare the bias of datasets with and without the terminal at the goal."""
    names = findings.plan.datasets
    rows: list[tuple[TableCell, ...]] = []
    for dataset in names:
        other = find_benchmark(dataset).without_goal_terminal(dataset)
        if other is None or other not in names:
            continue
        for algorithm in filter(reads_rewards, findings.plan.algorithms):
            pair = [
                Missing("not all labels were run") if found is None else number(found)
                for name in (dataset, other)
                for found in [findings.bias(name, algorithm)]
            ]
            rows.append((dataset, algorithm, *pair))
    if rows:
        columns = ("dataset", "algorithm", "with the goal terminal", "without")
        yield Section(
            title="With and without the goal terminal",
            text=(GOAL_TERMINAL,),
            tables=(Table("goal-terminal", caption(findings), columns, tuple(rows)),),
        )


def number(bias: PositiveBias) -> Number:
    between = None if bias.low is None or bias.high is None else (bias.low, bias.high)
    return Number(bias.estimate, ".1f", interval=between)
