"""The sections that every study has: aggregates, actions, data, learning curves, settings."""

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from instinct.data import ALL, Array
from instinct.deep.algorithms.settings import Setting
from instinct.report.kit.curves import PHONE, Curve
from instinct.report.kit.curves import draw as draw_curves
from instinct.report.kit.length_bias import Scatter, draw_grid
from instinct.report.kit.length_bias import draw as draw_length_bias
from instinct.report.kit.page import Drawing, Section
from instinct.report.kit.score_figures import draw_profiles
from instinct.report.kit.tables import Missing, Number, Table, TableCell
from instinct.report.sections.numbers import form_of
from instinct.report.sections.tables import filtered_algorithms
from instinct.study.findings import Findings
from instinct.study.measurement import QUANTITIES
from instinct.study.plan import Plan, reads_rewards
from instinct.study.statistics import (
    Interval,
    interquartile_mean,
    interval,
    mean,
    performance_profile,
)

LENGTH_BIAS = """
If longer recorded episodes are better ones, staying inside the data is good behavior under any
reward. An episode that ends in a terminal at a goal counts as endless, however short it is.
"""
ACTION_DISTANCE = """
The root mean square difference between the actions of two agents of different seeds at the same
recorded states, one trained on the label, the other on the true reward. Actions are between -1 and
1; for discrete actions it is the share of states in which they differ. Under the true label it is
the effect of the seed alone. Where the data have no rewards, the first label takes the place of the
true one.
"""
ACROSS = 5
"""The largest number of scatters in a row."""
FEW = 3
"""Pages of at most this many datasets have sections on single datasets."""


def overview_section(findings: Findings) -> Iterator[Section]:
    """Make the section over all datasets: interquartile means and performance profiles."""
    main, plan = findings.main, findings.plan
    if main is None or len(plan.datasets) < 2 or plan.seeds < 2:
        return
    rows: list[tuple[TableCell, ...]] = []
    profiles = {}
    for algorithm, filter_name in filtered_algorithms(plan):
        for label in plan.labels if reads_rewards(algorithm) else plan.labels[:1]:
            scores = matrix(findings, algorithm, label, filter_name, main)
            if scores is None:
                continue
            labels = (label,) if reads_rewards(algorithm) else ()
            name = ", ".join((algorithm, *labels, *if_filtered(plan, filter_name)))
            rows.append(
                (
                    algorithm,
                    *(labels or ("",)),
                    *if_filtered(plan, filter_name),
                    *(
                        between(interval(each, scores), form_of(plan, main))
                        for each in (interquartile_mean, mean)
                    ),
                )
            )
            best = max((findings.known_best(each) or 0.0 for each in plan.datasets), default=0.0)
            taus = np.linspace(0, best or float(scores.max()), 101)
            if label in ("original", "negative") or not reads_rewards(algorithm):
                profiles[name] = performance_profile(scores, taus)
    if rows:
        caption = (
            f"Over the {len(plan.datasets)} datasets, for rows with all runs: 95% "
            "intervals over seeds."
        )
        columns = ("algorithm", "label", *if_filtered(plan, "filter"), "interquartile mean", "mean")
        yield Section(
            title="Over all datasets",
            tables=(Table("aggregates", caption, columns, tuple(rows)),),
            drawings=(
                Drawing(
                    "profiles",
                    draw_profiles(profiles, QUANTITIES[main]),
                    "Performance profiles: the fraction of runs above a score.",
                ),
            ),
        )


def if_filtered(plan: Plan, text: str) -> tuple[str, ...]:
    """Return the text of the filter column, if there is one."""
    return (text,) if plan.is_filtered else ()


def matrix(
    findings: Findings, algorithm: str, label: str, filter_name: str, quantity: str
) -> Array | None:
    """Return the values as seeds × datasets; None if a run is missing."""
    columns = []
    for dataset in findings.plan.datasets:
        found = findings.result(dataset, algorithm, label, filter_name)
        if found is None or len(found.means.get(quantity, ())) < findings.plan.seeds:
            return None
        columns.append(found.means[quantity])
    return np.stack(columns, axis=1)


def between(found: Interval, form: str) -> Number:
    return Number(found.value, form, interval=(found.low, found.high))


def action_section(findings: Findings) -> Iterator[Section]:
    """Make the section of how far another reward changes the actions, for a few datasets."""
    plan = findings.plan
    if len(plan.datasets) > FEW:
        return
    rows: list[tuple[TableCell, ...]] = []
    for dataset, algorithm in itertools.product(plan.datasets, plan.algorithms):
        gaps = [
            findings.action_distance(dataset, algorithm, label)
            for label in (plan.labels if reads_rewards(algorithm) else plan.labels[:1])
        ]
        if any(gap is not None for gap in gaps):
            cells = [Missing("not run") if gap is None else Number(gap, ".3f") for gap in gaps]
            rows.append((dataset, algorithm, *cells, *[""] * (len(plan.labels) - len(cells))))
    if rows:
        references = {findings.reference_label(dataset) for dataset in plan.datasets}
        heads = (
            "dataset",
            "algorithm",
            *(f"{each} (seed alone)" if each in references else each for each in plan.labels),
        )
        yield Section(
            title="Effect of the reward on actions",
            text=(ACTION_DISTANCE,),
            tables=(
                Table("actions", "Distance of actions at recorded states.", heads, tuple(rows)),
            ),
            detail=findings.main is not None,
            folded=findings.main is not None,
        )


def data_section(findings: Findings) -> Iterator[Section]:
    """Make the section about the datasets."""
    rows: list[tuple[TableCell, ...]] = []
    for dataset, facts in opened(findings):
        correlation = facts["correlation"]
        rows.append(
            (
                dataset,
                Number(facts["transitions"], ",.0f"),
                Number(facts["episodes"], ",.0f"),
                Number(facts["terminals"], ",.0f"),
                Missing(
                    "lengths or returns are all the same"
                    if findings.has_rewards(dataset)
                    else "the data have no rewards"
                )
                if correlation is None
                else Number(correlation, ".3f"),
                facts["hash"][:12],
            )
        )
    columns = (
        "dataset",
        "transitions",
        "episodes",
        "terminals",
        "length–return correlation",
        "SHA-256",
    )
    yield Section(
        title="The data",
        detail=findings.main is not None,
        folded=True,
        text=(LENGTH_BIAS,),
        tables=(Table("data", "The datasets before filters.", columns, tuple(rows)),),
        drawings=tuple(length_bias(findings)),
    )


def opened(findings: Findings) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the facts of the datasets that were opened, before filters."""
    for dataset in findings.plan.datasets:
        if dataset in findings.data:
            yield dataset, findings.data[dataset]


def length_bias(findings: Findings) -> Iterator[Drawing]:
    """Draw length against return of the recorded episodes."""
    scatters = []
    for dataset, facts in opened(findings):
        lengths, values = np.array(facts["points"]).T
        main = next(name for name in QUANTITIES if name in facts["behavior"])
        if main == "length":
            continue
        scatters.append(Scatter(dataset, lengths, values, QUANTITIES[main]))
    if scatters:
        across = max(n for n in range(1, ACROSS + 1) if len(scatters) % n == 0)
        rows = [scatters[i : i + across] for i in range(0, len(scatters), across)]
        drawing = draw_length_bias(scatters[0]) if len(scatters) == 1 else draw_grid(rows)
        yield Drawing("length-bias", drawing, "Length bias: one mark per recorded episode.")


def curves_section(findings: Findings) -> Iterator[Section]:
    """Make the section of learning curves, for a few datasets."""
    if len(findings.plan.datasets) > FEW:
        return
    drawings = []
    for number, (dataset, algorithm) in enumerate(
        itertools.product(findings.plan.datasets, findings.plan.algorithms)
    ):
        curves = [*learning_curves(findings, dataset, algorithm)]
        if curves:
            caption = (
                f"{algorithm} on {dataset}: means over the training steps before each point"
                + ("." if findings.plan.seeds == 1 else "; the band spans the seeds.")
            )
            narrow = draw_curves(curves, PHONE)
            drawings.append(Drawing(f"curves-{number}", draw_curves(curves), caption, narrow))
    if drawings:
        yield Section(title="Learning curves", drawings=tuple(drawings), folded=True)


def learning_curves(findings: Findings, dataset: str, algorithm: str) -> Iterator[Curve]:
    plan = findings.plan
    labels = plan.labels if reads_rewards(algorithm) else plan.labels[:1]
    for filter_name, label in itertools.product(plan.filters_for(algorithm), labels):
        found = findings.result(dataset, algorithm, label, filter_name)
        if found is None or "step" not in found.curves:
            continue
        line = label if reads_rewards(algorithm) else algorithm
        for name, values in found.curves.items():
            if name != "step":
                yield Curve(
                    name,
                    line if filter_name == ALL else f"{line}, {filter_name}",
                    found.curves["step"][0],
                    values.mean(axis=0),
                    values.min(axis=0),
                    values.max(axis=0),
                )


def settings_section(findings: Findings) -> Iterator[Section]:
    """Make the section of hyperparameters, and of the tuned ones of every cell."""
    plan = findings.plan
    rows = [
        (algorithm, name, values_of(name, by_label))
        for algorithm in plan.algorithms
        for by_label in [settings_by_label(plan, algorithm)]
        for name in next(iter(by_label.values()))
    ]
    tuned = tuple(
        (
            *cell[:3],
            *if_filtered(plan, cell.filter),
            ", ".join(f"{name}={value:g}" for name, value in found.settings.items()),
        )
        for cell, found in findings.results.items()
        if found.settings
    )
    tables = [Table("settings", "Settings.", ("algorithm", "setting", "value"), tuple(rows))]
    if tuned:
        columns = ("dataset", "algorithm", "label", *if_filtered(plan, "filter"), "tuned settings")
        tables.append(Table("tuned", "Chosen by tuning.", columns, tuned))
    yield Section(title="Settings", tables=tuple(tables), detail=True, folded=True)


def settings_by_label(plan: Plan, algorithm: str) -> dict[str, dict[str, Setting]]:
    """Return the settings of an algorithm on the first dataset, before tuning."""
    return {
        cell.label: plan.settings_for(cell, {})
        for cell in plan.cells()
        if cell.algorithm == algorithm and cell.dataset == plan.datasets[0]
    }


def values_of(name: str, by_label: dict[str, dict[str, Setting]]) -> str:
    """Format one value, or those of all labels if they differ."""
    values = {label: settings[name] for label, settings in by_label.items()}
    texts = {
        label: f"{value:g}" if isinstance(value, float) else str(value)
        for label, value in values.items()
    }
    if len({*texts.values()}) == 1:
        return next(iter(texts.values()))
    return ", ".join(f"{text} ({label})" for label, text in texts.items())
