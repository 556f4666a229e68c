"""Judge trained policies without a simulator, from recorded data alone."""

from instinct.estimate.answers import QUANTITIES, Answer, Estimate, Refusal
from instinct.estimate.estimators import (
    DEFAULT,
    ESTIMATORS,
    Judge,
    Judgment,
    estimate,
    make_judge,
)
from instinct.estimate.problem import Problem
from instinct.estimate.reliability import Reliability, reliability_of
from instinct.estimate.support import Coverage, Support

__all__ = [
    "DEFAULT",
    "ESTIMATORS",
    "QUANTITIES",
    "Answer",
    "Coverage",
    "Estimate",
    "Judge",
    "Judgment",
    "Problem",
    "Refusal",
    "Reliability",
    "Support",
    "estimate",
    "make_judge",
    "reliability_of",
]
