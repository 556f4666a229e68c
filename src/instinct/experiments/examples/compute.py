"""Compute the bias of the paper's examples, and of counterexamples to statements as printed.

Each example is an MDP with data. Its bias is computed exactly and compared with the claim.
"""

from collections.abc import Callable

from instinct.experiments.experiment import ExperimentSettings
from instinct.experiments.results import ExperimentResults
from instinct.theory import counterexamples, examples
from instinct.theory.examples import Example
from instinct.theory.garnet import garnet
from instinct.util.jsonio import to_json_data
from instinct.util.progress import Progress

CLAIMS: dict[str, Callable[[int], Example]] = {
    "potential shaping, exact": examples.shaping,
    "potential shaping, ε₁ = 0.01": lambda seed: examples.shaping(seed, 0.01),
    "expert data": examples.expert,
    "near-expert data": examples.near_expert,
    "length bias by reward": examples.length_bias_by_reward,
    "length bias by advantage": examples.length_bias_by_advantage,
}
"""The cases of the paper's proposition on positive bias."""

PRINTED: dict[str, Callable[[int], Example]] = {
    "full-length recordings optimal": lambda _: counterexamples.stitched(),
    "data of any one policy": lambda _: counterexamples.any_policy(),
    "length bias by advantage, sign as printed": lambda seed: counterexamples.advantage_as_printed(
        garnet(20, 3, 2, seed)
    ),
}
"""Statements that do not hold as they are printed in the paper."""


def compute_examples(settings: ExperimentSettings, on_progress: Progress) -> ExperimentResults:
    """Compute the bias of every example on several MDPs, and compare it with the claim."""
    seeds = range(int(settings["seed"]), int(settings["seed"]) + int(settings["mdps"]))
    rows = []
    for kind, cases in {"proposition": CLAIMS, "as printed": PRINTED}.items():
        for name, make in cases.items():
            found = [make(seed) for seed in seeds]
            degrees = [example.bias.degree for example in found]
            rows.append(
                {
                    "kind": kind,
                    "example": name,
                    "claimed": min(example.degree for example in found),
                    "computed": min(degrees),
                    "holds": sum(
                        degree >= example.degree * (1 - 1e-9)
                        for degree, example in zip(degrees, found, strict=True)
                    ),
                    "mdps": len(found),
                }
            )
            on_progress(len(rows), len(CLAIMS) + len(PRINTED), name)
    return ExperimentResults(
        study="bias-examples",
        results=tuple(to_json_data(rows)),
        settings=dict(settings),
        dataset="",
    )
