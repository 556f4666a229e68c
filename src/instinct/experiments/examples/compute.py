"""Compute the bias of the paper's examples, and of counterexamples to statements as printed.

Each example is an MDP with data. Its bias is computed exactly and compared with the claim.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from instinct.experiments.experiment import ExperimentSettings
from instinct.experiments.results import ExperimentResults
from instinct.theory import counterexamples, examples
from instinct.theory.examples import Example
from instinct.theory.garnet import garnet
from instinct.theory.support import support
from instinct.theory.value_gaps import near_actions, return_gap
from instinct.util.jsonio import to_json_data
from instinct.util.progress import Progress


class Degrees(NamedTuple):
    """The degree of positive bias that is claimed, and the exact one."""

    claimed: float
    computed: float


def degrees(example: Example) -> Degrees:
    return Degrees(example.degree, example.bias.degree)


def lemma_degrees() -> Degrees:
    """Compare the degree by the length-bias condition with that by the lemma at α = 1."""
    example = counterexamples.no_way_back()
    mdp, covered = example.mdp, support(example.mdp, example.mu)
    beta = return_gap(mdp, mdp.optimal().policy, near_actions(mdp, covered, 1.0))
    return Degrees(example.bias.degree, 1 / (beta * mdp.span) if beta > 0 else np.inf)


Cases = dict[str, Callable[[int], Degrees]]

CLAIMS: Cases = {
    "potential shaping, exact": lambda seed: degrees(examples.shaping(seed)),
    "potential shaping, ε₁ = 0.01": lambda seed: degrees(examples.shaping(seed, 0.01)),
    "expert data": lambda seed: degrees(examples.expert(seed)),
    "near-expert data": lambda seed: degrees(examples.near_expert(seed)),
    "length bias by reward": lambda seed: degrees(examples.length_bias_by_reward(seed)),
    "length bias by advantage": lambda seed: degrees(examples.length_bias_by_advantage(seed)),
}
"""The cases of the paper's proposition on positive bias."""

GOALS: Cases = {
    "goal, horizon extended to H + 1": lambda _: degrees(examples.goal("extend")),
    "goal, other trajectories cut at H - 1": lambda _: degrees(examples.goal("cut")),
}
"""The remark on goals with a horizon: two remedies that create a positive bias."""

NO_BIAS: Cases = {
    "goal, all trajectories of H steps": lambda _: degrees(examples.goal("none")),
    "stochastic expert": lambda seed: degrees(examples.stochastic_expert(seed)),
}
"""Remarks on data without a positive bias: no more than data that cover every pair."""

PRINTED: Cases = {
    "full-length recordings optimal": lambda _: degrees(counterexamples.stitched()),
    "data of any one policy": lambda _: degrees(counterexamples.any_policy()),
    "length bias by advantage, sign as printed": lambda seed: degrees(
        counterexamples.advantage_as_printed(garnet(20, 3, 2, seed))
    ),
    "length bias by advantage as the lemma at α = 1": lambda _: lemma_degrees(),
}
"""Statements as they are printed, without a condition that they need or the paper assumes."""

KINDS = {"proposition": CLAIMS, "remark": GOALS, "no bias": NO_BIAS, "as printed": PRINTED}
CASES = sum(map(len, KINDS.values()))


def compute_examples(settings: ExperimentSettings, on_progress: Progress) -> ExperimentResults:
    """Compute the bias of every example on several MDPs, and compare it with the claim."""
    seeds = range(int(settings["seed"]), int(settings["seed"]) + int(settings["mdps"]))
    rows = []
    for kind, cases in KINDS.items():
        for name, make in cases.items():
            found = [make(seed) for seed in seeds]
            rows.append(
                {
                    "kind": kind,
                    "example": name,
                    "claimed": min(each.claimed for each in found),
                    "computed": min(each.computed for each in found),
                    "holds": sum(holds(each, at_most=kind == "no bias") for each in found),
                    "mdps": len(found),
                }
            )
            on_progress(len(rows), CASES, name)
    return ExperimentResults(
        study="bias-examples",
        results=tuple(to_json_data(rows)),
        settings=dict(settings),
        dataset="",
    )


def holds(degrees: Degrees, *, at_most: bool) -> bool:
    """Return whether the bias is at least (or at most) the claim, up to rounding errors."""
    if at_most:
        return degrees.computed <= degrees.claimed * (1 + 1e-9)
    return degrees.computed >= degrees.claimed * (1 - 1e-9)
