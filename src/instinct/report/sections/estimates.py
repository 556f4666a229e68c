"""The sections on what is estimated from the data alone: the decision, and every policy."""

from collections.abc import Iterator, Sequence

from instinct.data import ALL
from instinct.estimate import DEFAULT, ESTIMATORS, QUANTITIES, Estimate, Reliability, reliability_of
from instinct.estimate.regions import Contrast
from instinct.report.cell_estimates import COVERED, CellEstimate, cell_estimates, truth_of
from instinct.report.estimates_document import ranks
from instinct.report.kit.page import Section
from instinct.report.kit.tables import Missing, Number, Table, TableCell
from instinct.report.sections.common import if_filtered
from instinct.study.estimates import DatasetEstimates, PolicyEstimate
from instinct.study.findings import Findings
from instinct.study.plan import reads_rewards

SHOWN = ("return", "cost", "length", "end")
FORMS = {"return": ".4g", "cost": ".3g", "length": ".4g", "end": ".2f", COVERED: ".4g"}
HEADINGS = {"end": "end", "length": "steps"}
HOW_TO_READ = """
Return, cost, steps until an end and the probability of an end, per episode, estimated from the
recorded data alone by {estimator}. A value is the mean over seeds; its interval contains the 95%
intervals of all seeds. Actions are compared at recorded states, in units of the spread of the
recorded actions: with policies of the same algorithm under other labels, and with other seeds.
"""
RELIABILITY = """
How the estimators did where the truth is known. rank: Spearman's correlation of estimates and true
means. regret: how far the policy with the best estimate is below the best one. held: the share of
intervals that had the true mean inside. The decision uses intervals widened by that share. What is
not listed was never compared with a truth.
"""
ALL_POLICIES = """
Every policy, estimated from the recorded data alone. distance: of its actions from the recorded
behavior, in deviations of the behavior. outside: the share of recorded states where that is more
than 3; policies that act outside at more than half of them are refused. covered: the steps until a
rollout in the learned model leaves what the data cover.
"""


def decision_sections(findings: Findings) -> Iterator[Section]:
    """Make the decision block of data without a task to evaluate in."""
    if findings.main is not None or len(findings.plan.datasets) > 1:
        return
    for dataset, found in findings.estimates.items():
        if found.problem:
            continue
        cells = cell_estimates(findings, dataset)
        names = [name for name in SHOWN if name in found.recorded]
        text = HOW_TO_READ.format(estimator=ESTIMATORS[DEFAULT])
        if found.cut_short:
            text += (
                f" {found.cut_short:.0%} of the recordings stop before the {found.horizon:,} "
                "steps of the estimates, so that the data's own means are those of less time."
            )
        yield Section(
            "What is estimated without a simulator",
            text=(text,),
            tables=(
                estimate_table(findings, found, [*cells.values()], names),
                difference_table(findings, [*cells.values()]),
            ),
        )
        yield Section(
            "How reliable these estimates are",
            text=(RELIABILITY,),
            tables=(reliability_table(found, names),),
        )
        if tables := tuple(collect_tables(found)):
            yield Section("What data to collect next", tables=tables)


def estimate_table(
    findings: Findings,
    found: DatasetEstimates,
    cells: Sequence[CellEstimate],
    quantities: Sequence[str],
) -> Table:
    """Make the table of a row per cell, after the data's own means."""
    recorded: tuple[TableCell, ...] = (
        *("recorded", "", *if_filtered(findings.plan, "")),
        *(Number(found.recorded[name], FORMS[name]) for name in quantities),
    )
    return Table(
        "estimates",
        "Estimated per episode, beside the recorded means.",
        (
            *("algorithm", "label", *if_filtered(findings.plan, "filter")),
            *(HEADINGS.get(name, name) for name in quantities),
        ),
        (
            recorded,
            *(
                (
                    *names_of(findings, each),
                    *(value_cell(each.values.get(name), name, each.refusal) for name in quantities),
                )
                for each in cells
            ),
        ),
    )


def difference_table(findings: Findings, cells: Sequence[CellEstimate]) -> Table:
    """Make the table of how far policies differ, and of their support."""
    return Table(
        "differences",
        "How far actions differ, in units of the spread of the recorded ones, and support.",
        (
            *("algorithm", "label", *if_filtered(findings.plan, "filter")),
            *("other labels", "other seeds", "from data", "outside"),
        ),
        tuple(
            (
                *names_of(findings, each),
                number(each.other_labels, ".2f", "there is no other label"),
                number(each.other_seeds, ".2f", "there is no other seed"),
                number(each.distance, ".2f", "not judged"),
                number(each.outside, ".1%", "not judged"),
            )
            for each in cells
        ),
    )


def names_of(findings: Findings, found: CellEstimate | PolicyEstimate) -> tuple[str, ...]:
    _, algorithm, label, filter_name = found.cell
    shown = label if reads_rewards(algorithm) else ""
    return (algorithm, shown, *if_filtered(findings.plan, filter_name or ALL))


def value_cell(value: Estimate | None, quantity: str, refusal: str) -> TableCell:
    if value is None:
        return Missing(refusal or "it was not estimated")
    return Number(value.value, FORMS[quantity], interval=(value.low, value.high))


def number(value: float | None, form: str, why: str) -> TableCell:
    return Missing(why) if value is None else Number(value, form)


def reliability_table(found: DatasetEstimates, quantities: Sequence[str]) -> Table:
    """Make the table of what was measured about the estimators."""
    return Table(
        "reliability",
        "Reliability of the estimators where the truth is known.",
        ("quantity", "estimator", "datasets", "policies", "rank", "regret", "held"),
        tuple(
            reliability_row(measured)
            for name in quantities
            for estimator in found.estimators
            if (measured := reliability_of(estimator, name)).datasets
        ),
    )


def reliability_row(found: Reliability) -> tuple[TableCell, ...]:
    never = "never compared with a truth"
    return (
        QUANTITIES[found.quantity],
        found.estimator,
        Number(found.datasets, ".0f"),
        Number(found.policies, ".0f"),
        number(found.rank, ".2f", never),
        number(found.regret, ".0%", never),
        number(found.held, ".0%", never),
    )


def collect_tables(found: DatasetEstimates) -> Iterator[Table]:
    """Make the tables of where policies leave the data, and of where episodes end."""
    if found.leaving is not None and found.leaving.columns:
        yield contrast_table(
            "leaves-data",
            "Recorded states where policies are farthest from the recorded behavior.",
            found.leaving.columns,
        )
    if found.ends is not None and found.ends.columns:
        which = "an end with a low reward" if found.ends.kind == "low-reward" else "an end"
        yield contrast_table("before-ends", f"Recorded states before {which}.", found.ends.columns)


def contrast_table(name: str, caption: str, columns: Sequence[Contrast]) -> Table:
    return Table(
        name,
        f"{caption} Middle half of the values there; difference of the means in deviations.",
        ("column", "from", "to", "mean of all", "difference"),
        tuple(
            (
                each.column,
                *(Number(x, ".3g") for x in (each.low, each.high, each.mean)),
                Number(each.difference, ".2f"),
            )
            for each in columns
        ),
    )


def estimates_section(findings: Findings) -> Iterator[Section]:
    """Make the folded section of all policies: estimates, support and, if measured, the truth."""
    for number_of, (dataset, found) in enumerate(findings.estimates.items()):
        if found.problem:
            continue
        names = [name for name in SHOWN if name in found.recorded]
        tables = [policy_table(findings, found, f"policy-estimates-{number_of}", names)]
        correlations = ranks(findings, found)
        if correlations:
            tables.append(rank_table(correlations, f"estimate-ranks-{number_of}"))
        beside = " beside the truth" if findings.main is not None else ""
        yield Section(
            f"Estimates without a simulator{beside}: {dataset}"
            if len(findings.estimates) > 1
            else f"Estimates without a simulator{beside}",
            text=(ALL_POLICIES,),
            tables=tuple(tables),
            detail=True,
            folded=True,
        )


def policy_table(
    findings: Findings, found: DatasetEstimates, name: str, quantities: Sequence[str]
) -> Table:
    """Make the table of a row per policy."""
    columns = [
        *("algorithm", "label", *if_filtered(findings.plan, "filter"), "seed"),
        *("distance", "outside", COVERED),
    ]
    measured = findings.main is not None
    for quantity in quantities:
        if measured and quantity != "end":
            columns.append(f"true {HEADINGS.get(quantity, quantity)}")
        columns += [f"{HEADINGS.get(quantity, quantity)}, {each}" for each in found.estimators]
    return Table(
        name,
        "Estimates of every policy with their 95% intervals.",
        tuple(columns),
        tuple(policy_row(findings, found, each, quantities) for each in found.policies),
    )


def policy_row(
    findings: Findings,
    found: DatasetEstimates,
    policy: PolicyEstimate,
    quantities: Sequence[str],
) -> tuple[TableCell, ...]:
    near = policy.support
    covered = policy.estimates.get("dynamics", {}).get(COVERED)
    row: list[TableCell] = [
        *names_of(findings, policy),
        str(policy.seed),
        number(near.distance if near else None, ".2f", "not judged"),
        number(near.outside if near else None, ".1%", "not judged"),
        value_cell(covered, COVERED, policy.refusals.get("dynamics", "")),
    ]
    truth = truth_of(findings.results.get(policy.cell), policy.seed)
    for quantity in quantities:
        if findings.main is not None and quantity != "end":
            row.append(number(truth.get(quantity), FORMS[quantity], "not measured"))
        for estimator in found.estimators:
            value = policy.estimates.get(estimator, {}).get(quantity)
            row.append(value_cell(value, quantity, policy.refusals.get(estimator, "")))
    return tuple(row)


def rank_table(correlations: dict[str, dict[str, float]], name: str) -> Table:
    """Make the table of rank correlations with the truth."""
    quantities = [q for q in SHOWN if any(q in each for each in correlations.values())]
    return Table(
        name,
        "Rank correlation of estimates and truth over the policies of this audit.",
        ("estimator", *quantities),
        tuple(
            (estimator, *(number(each.get(q), ".2f", "not defined") for q in quantities))
            for estimator, each in correlations.items()
        ),
    )
