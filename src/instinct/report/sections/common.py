"""Sections of a study's page that every study has: aggregates, data, curves, settings."""

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from instinct.data import ALL, Array
from instinct.deep.algorithms.settings import Setting
from instinct.report.kit.curves import Curve
from instinct.report.kit.curves import draw as draw_curves
from instinct.report.kit.length_bias import Scatter, draw_grid
from instinct.report.kit.length_bias import draw as draw_length_bias
from instinct.report.kit.page import Drawing, Section
from instinct.report.kit.score_figures import draw_profiles
from instinct.report.kit.tables import Missing, Number, Table, TableCell
from instinct.report.sections.numbers import form_of
from instinct.report.sections.tables import shown_algorithms
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
Where longer recorded episodes are better ones, staying inside the data for long is good behaviour,
whatever the reward says. An episode that ends by a terminal at a goal counts as one without end,
however short it is.
"""
MOVES = """
The root mean square difference between what two agents of different seeds do at the same recorded
states, one told the label, the other the truth; actions run from -1 to 1. Under the true label it
is what the seed alone does.
"""
MOVED = {"original": "original (seed alone)"}
ACROSS = 5
"""At most so many scatters in a row."""
FEW = 3
"""Of so many datasets, single ones are shown."""


def overview(findings: Findings) -> Iterator[Section]:
    """Over several datasets: interquartile means and performance profiles of every algorithm."""
    main, plan = findings.main, findings.plan
    if main is None or len(plan.datasets) < 2 or plan.seeds < 2:
        return
    rows: list[tuple[TableCell, ...]] = []
    profiles = {}
    for algorithm, shown in shown_algorithms(plan):
        for label in plan.labels if reads_rewards(algorithm) else plan.labels[:1]:
            scores = matrix(findings, algorithm, label, shown, main)
            if scores is None:
                continue
            told = (label,) if reads_rewards(algorithm) else ()
            name = ", ".join((algorithm, *told, *filter_of(plan, shown)))
            rows.append(
                (
                    algorithm,
                    *(told or ("",)),
                    *filter_of(plan, shown),
                    *(
                        between(interval(each, scores), form_of(plan, main))
                        for each in (interquartile_mean, mean)
                    ),
                )
            )
            best = max((findings.known_best(each) or 0.0 for each in plan.datasets), default=0.0)
            taus = np.linspace(0, best or float(scores.max()), 101)
            if label in ("original", "negative") or not reads_rewards(algorithm):
                profiles[name] = performance_profile(scores, taus, resamples=2000)
    if rows:
        caption = (
            f"Over the {len(plan.datasets)} datasets that all runs of a row are there for: "
            "95 % stratified bootstrap intervals."
        )
        columns = ("algorithm", "label", *filter_of(plan, "filter"), "interquartile mean", "mean")
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


def filter_of(plan: Plan, shown: str) -> tuple[str, ...]:
    """The filter, where it tells something."""
    return (shown,) if plan.is_filtered else ()


def matrix(
    findings: Findings, algorithm: str, label: str, shown: str, quantity: str
) -> Array | None:
    """Seeds × datasets; None unless every run is there."""
    columns = []
    for dataset in findings.plan.datasets:
        found = findings.result(dataset, algorithm, label, shown)
        if found is None or len(found.means.get(quantity, ())) < findings.plan.seeds:
            return None
        columns.append(found.means[quantity])
    return np.stack(columns, axis=1)


def between(found: Interval, form: str) -> Number:
    return Number(found.value, form, interval=(found.low, found.high))


def moves_section(findings: Findings) -> Iterator[Section]:
    """How far another reward moves the policies, beside what another seed does."""
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
        heads = ("dataset", "algorithm", *(MOVED.get(label, label) for label in plan.labels))
        yield Section(
            title="How far the reward moves the policies",
            text=(MOVES,),
            tables=(Table("moves", "Distance of actions at recorded states.", heads, tuple(rows)),),
            detail=findings.main is not None,
        )


def data_section(findings: Findings) -> Iterator[Section]:
    """What the data alone tell."""
    rows: list[tuple[TableCell, ...]] = []
    for dataset, facts in opened(findings):
        correlation = facts["correlation"]
        rows.append(
            (
                dataset,
                Number(facts["transitions"], ",.0f"),
                Number(facts["episodes"], ",.0f"),
                Number(facts["terminals"], ",.0f"),
                Missing("lengths or returns are all the same")
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
        text=(LENGTH_BIAS,),
        tables=(Table("data", "The datasets as they were found.", columns, tuple(rows)),),
        drawings=tuple(length_bias(findings)),
    )


def opened(findings: Findings) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The datasets, as they are, that are known."""
    for dataset in findings.plan.datasets:
        if dataset in findings.data:
            yield dataset, findings.data[dataset]


def length_bias(findings: Findings) -> Iterator[Drawing]:
    """The recorded episodes of every dataset."""
    scatters = []
    for dataset, facts in opened(findings):
        lengths, values = np.array(facts["points"]).T
        main = next(name for name in QUANTITIES if name in facts["behavior"])
        scatters.append(Scatter(dataset, lengths, values, QUANTITIES[main]))
    if scatters:
        across = max(n for n in range(1, ACROSS + 1) if len(scatters) % n == 0)
        rows = [scatters[i : i + across] for i in range(0, len(scatters), across)]
        drawing = draw_length_bias(scatters[0]) if len(scatters) == 1 else draw_grid(rows)
        yield Drawing("length-bias", drawing, "Length bias: one mark per recorded episode.")


def curves_section(findings: Findings) -> Iterator[Section]:
    """How the training went, for a few datasets."""
    if len(findings.plan.datasets) > FEW:
        return
    drawings = []
    for number, (dataset, algorithm) in enumerate(
        itertools.product(findings.plan.datasets, findings.plan.algorithms)
    ):
        curves = [*learning_curves(findings, dataset, algorithm)]
        if curves:
            caption = (
                f"{algorithm} on {dataset}: means over the training steps before each point; "
                "the band spans the seeds."
            )
            drawings.append(Drawing(f"curves-{number}", draw_curves(curves), caption))
    if drawings:
        yield Section(title="Learning curves", drawings=tuple(drawings))


def learning_curves(findings: Findings, dataset: str, algorithm: str) -> Iterator[Curve]:
    plan = findings.plan
    labels = plan.labels if reads_rewards(algorithm) else plan.labels[:1]
    for shown, label in itertools.product(plan.filters_for(algorithm), labels):
        found = findings.result(dataset, algorithm, label, shown)
        if found is None or "step" not in found.curves:
            continue
        told = label if reads_rewards(algorithm) else "BC"
        for name, values in found.curves.items():
            if name != "step":
                yield Curve(
                    name,
                    told if shown == ALL else f"{told}, {shown}",
                    found.curves["step"][0],
                    values.mean(axis=0),
                    values.min(axis=0),
                    values.max(axis=0),
                )


def settings_section(findings: Findings) -> Iterator[Section]:
    """The hyperparameters of every algorithm, and those that were tuned for each cell."""
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
            *filter_of(plan, cell.filter),
            ", ".join(f"{name}={value:g}" for name, value in found.settings.items()),
        )
        for cell, found in findings.results.items()
        if found.settings
    )
    tables = [Table("settings", "Settings.", ("algorithm", "setting", "value"), tuple(rows))]
    if tuned:
        columns = ("dataset", "algorithm", "label", *filter_of(plan, "filter"), "tuned settings")
        tables.append(Table("tuned", "Chosen by tuning.", columns, tuned))
    yield Section(title="Settings", tables=tuple(tables), detail=True)


def settings_by_label(plan: Plan, algorithm: str) -> dict[str, dict[str, Setting]]:
    """The settings of an algorithm on the first dataset, before tuning."""
    return {
        cell.label: plan.configured(cell, {})
        for cell in plan.cells()
        if cell.algorithm == algorithm and cell.dataset == plan.datasets[0]
    }


def values_of(name: str, by_label: dict[str, dict[str, Setting]]) -> str:
    """One value, or those of the labels where they differ."""
    values = {label: settings[name] for label, settings in by_label.items()}
    texts = {
        label: f"{value:g}" if isinstance(value, float) else str(value)
        for label, value in values.items()
    }
    if len({*texts.values()}) == 1:
        return next(iter(texts.values()))
    return ", ".join(f"{text} ({label})" for label, text in texts.items())
