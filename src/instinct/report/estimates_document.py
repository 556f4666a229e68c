"""Estimates and the decision as plain data, for the JSON document of an audit."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from instinct.estimate import DEFAULT, reliability_of
from instinct.estimate.reliability import rank_correlation
from instinct.report.cell_estimates import CellEstimate, cell_estimates, truth_of
from instinct.report.decision import bias_shares, decide
from instinct.study.estimates import DatasetEstimates
from instinct.study.findings import Findings

CELL_NUMBERS = ("seeds", "judged", "distance", "outside", "other_labels", "other_seeds")


def estimates_document(findings: Findings, dataset: str) -> dict[str, Any] | None:
    """Return all estimates, per policy, beside the truth if it was measured."""
    found = findings.estimates.get(dataset)
    if found is None:
        return None
    return {
        "estimators": [*found.estimators],
        "default": DEFAULT,
        "horizon": found.horizon,
        "seconds": found.seconds,
        "problem": found.problem_code or None,
        "recorded": dict(found.recorded),
        "cut_short": found.cut_short,
        "coverage": None if found.coverage is None else asdict(found.coverage),
        "policies": [
            {
                **{name: getattr(each.cell, name) for name in ("algorithm", "label", "filter")},
                "seed": each.seed,
                "support": None if each.support is None else asdict(each.support),
                "estimates": {
                    estimator: {name: asdict(value) for name, value in values.items()}
                    for estimator, values in each.estimates.items()
                },
                "refusals": dict(each.refusals),
                "truth": truth_of(findings.results.get(each.cell), each.seed),
            }
            for each in found.policies
        ],
        "ranks": ranks(findings, found),
    }


def ranks(findings: Findings, found: DatasetEstimates) -> dict[str, dict[str, float]]:
    """Return the rank correlation with the truth, by estimator and quantity, where it is defined.

    It needs three policies that have both.
    """
    correlations: dict[str, dict[str, float]] = {}
    for estimator in found.estimators:
        for quantity in found.recorded:
            pairs = [
                (each.estimates[estimator][quantity].value, truth[quantity])
                for each in found.policies
                if quantity in each.estimates.get(estimator, {})
                and quantity in (truth := truth_of(findings.results.get(each.cell), each.seed))
            ]
            values = np.array(pairs).reshape(-1, 2)
            correlation = rank_correlation(values[:, 0], values[:, 1])
            if correlation is not None:
                correlations.setdefault(estimator, {})[quantity] = correlation
    return correlations


def decision_document(findings: Findings, dataset: str) -> dict[str, Any] | None:
    """Return the decision block; None if nothing was to be estimated."""
    found, decision = findings.estimates.get(dataset), decide(findings, dataset)
    if found is None or decision is None:
        return None
    cells = cell_estimates(findings, dataset)
    return {
        **asdict(decision),
        "recorded": dict(found.recorded),
        "cells": [cell_document(each) for each in cells.values()],
        "bias": [asdict(each) for each in bias_shares(findings, dataset)],
        "reliability": [
            asdict(reliability_of(estimator, quantity))
            for estimator in found.estimators
            for quantity in found.recorded
        ],
        "collect": {
            "leaving": None if found.leaving is None else asdict(found.leaving),
            "ends": None if found.ends is None else asdict(found.ends),
        },
    }


def cell_document(found: CellEstimate) -> Mapping[str, Any]:
    return {
        **{name: getattr(found.cell, name) for name in ("algorithm", "label", "filter")},
        **{name: getattr(found, name) for name in CELL_NUMBERS},
        "refusal": found.refusal or None,
        "estimates": {
            name: {
                **asdict(value),
                "widened": None if (wide := found.widened(name)) is None else asdict(wide),
            }
            for name, value in found.values.items()
        },
    }
