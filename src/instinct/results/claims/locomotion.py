"""Claims on ATAC and PSPI in the locomotion tasks."""

import math
from collections.abc import Callable, Iterator, Sequence

from instinct.data import WRONG_LABELS
from instinct.results.claims.claim import Case, Claim
from instinct.results.evidence import Evidence, better, difference_error, no_worse, quality, task
from instinct.study.intervals import Mean

PESSIMISTS = ("ATAC", "PSPI")
STRONG_LENGTH_BIAS = (("hopper", "random"), ("hopper", "medium"), ("walker2d", "medium"))
"""Tasks and qualities of the datasets that the paper calls strongly length-biased."""
BELOW_EXPERT = ("random", "medium", "medium-replay", "medium-expert")
MIDDLE = ("medium", "medium-replay", "medium-expert")
MARGIN = 5.0
"""Wrong rewards are "no better" than BC up to this many points and a standard error."""
EXPERT_LEVEL = 90.0
NO_PESSIMISM = ("NoPessimism",)
"""Algorithms that learn values without pessimism, as a control."""


def length_biased(evidence: Evidence) -> list[str]:
    return [name for name in evidence.datasets if (task(name), quality(name)) in STRONG_LENGTH_BIAS]


def side_by_side(
    evidence: Evidence,
    datasets: Sequence[str],
    algorithm: str,
    other: str,
    holds: Callable[[Mean, Mean], bool],
) -> Iterator[Case]:
    """Compare two algorithms that are told the same wrong reward."""
    for dataset in datasets:
        for label in WRONG_LABELS:
            one = evidence.mean(dataset, algorithm, label, "score")
            two = evidence.mean(dataset, other, label, "score")
            if one is not None and two is not None:
                yield Case(
                    f"{dataset}, {label}",
                    f"{algorithm} {one.value:.1f}, {other} {two.value:.1f}",
                    holds(one, two),
                    {algorithm: one.value, other: two.value},
                )


def against(name: str, value: Mean, other: Mean, key: str, text: str, holds: bool) -> Case:
    """Make the case of a score and the one that it is compared with."""
    numbers = {"score": value.value, key: other.value}
    return Case(name, f"{value.value:.1f}, {text} {other.value:.1f}", holds, numbers)


def length_bias(evidence: Evidence) -> Iterator[Case]:
    for dataset in length_biased(evidence):
        bc = evidence.mean(dataset, "BC", "original", "score")
        for algorithm, label, found in evidence.wrong_means(dataset, PESSIMISTS, "score"):
            if bc is not None:
                name = f"{dataset}, {algorithm}, {label}"
                yield against(name, found, bc, "bc", "BC", no_worse(found, bc))


def survival(evidence: Evidence) -> Iterator[Case]:
    yield from longer(evidence, PESSIMISTS)


def longer(evidence: Evidence, algorithms: tuple[str, ...]) -> Iterator[Case]:
    """Compare the lengths of episodes with the recorded ones."""
    for dataset in evidence.falling(*BELOW_EXPERT):
        recorded = evidence.recorded(dataset, "length")
        for algorithm, label, found in evidence.wrong_means(dataset, algorithms, "length"):
            if recorded is not None:
                yield Case(
                    f"{dataset}, {algorithm}, {label}",
                    f"{found.value:.0f} steps, recorded {recorded:.0f}",
                    found.value > recorded,
                    {"length": found.value, "recorded": recorded},
                )


def diverse_data(evidence: Evidence) -> Iterator[Case]:
    for dataset in evidence.falling("medium-replay"):
        for algorithm in (*PESSIMISTS, "IQL", "CQL"):
            true = evidence.mean(dataset, algorithm, "original", "score")
            for _, label, found in evidence.wrong_means(dataset, (algorithm,), "score"):
                if true is not None:
                    name = f"{dataset}, {algorithm}, {label}"
                    yield against(
                        name, found, true, "true", "with the true reward", better(true, found)
                    )


def no_length_bias(evidence: Evidence) -> Iterator[Case]:
    for dataset in evidence.never_falling(*MIDDLE):
        bc = evidence.mean(dataset, "BC", "original", "score")
        for algorithm, label, found in evidence.wrong_means(dataset, PESSIMISTS, "score"):
            true = evidence.mean(dataset, algorithm, "original", "score")
            if bc is not None and true is not None:
                limit = bc.value + difference_error(found, bc) + MARGIN
                yield Case(
                    f"{dataset}, {algorithm}, {label}",
                    f"{found.value:.1f}, BC {bc.value:.1f}, with the true reward {true.value:.1f}",
                    found.value <= limit and better(true, found),
                    {"score": found.value, "bc": bc.value, "true": true.value},
                )


def degrading(evidence: Evidence) -> Iterator[Case]:
    """Zero and random rewards are between the true one and the negative one."""
    for dataset in evidence.never_falling("medium-expert"):
        for algorithm in (*PESSIMISTS, "IQL", "CQL"):
            by_label = {
                label: evidence.mean(dataset, algorithm, label, "score")
                for label in ("original", "zero", "random", "negative")
            }
            for upper, lower in (
                *(("original", "zero"), ("original", "random")),
                *(("zero", "negative"), ("random", "negative")),
            ):
                high, low = by_label[upper], by_label[lower]
                if high is not None and low is not None:
                    yield Case(
                        f"{dataset}, {algorithm}, {upper} and {lower}",
                        f"{high.value:.1f} and {low.value:.1f}",
                        better(high, low),
                        {upper: high.value, lower: low.value},
                    )


def expert_data(evidence: Evidence) -> Iterator[Case]:
    for dataset in (name for name in evidence.datasets if quality(name) == "expert"):
        for algorithm, label, found in evidence.wrong_means(dataset, (*PESSIMISTS, "DT"), "score"):
            yield Case(
                f"{dataset}, {algorithm}, {label}",
                f"{found.value:.1f}",
                found.value >= EXPERT_LEVEL,
                {"score": found.value},
            )


def infinite_bias(evidence: Evidence) -> Iterator[Case]:
    for dataset in evidence.falling("expert"):
        bias = evidence.bias(dataset, "ATAC")
        if bias is not None:
            text = "∞" if math.isinf(bias) else f"{bias:.1f}"
            yield Case(f"{dataset}, ATAC", f"bias {text}", math.isinf(bias), {"bias": bias})


def pessimism(evidence: Evidence) -> Iterator[Case]:
    for dataset in length_biased(evidence):
        for control, label, found in evidence.wrong_means(dataset, NO_PESSIMISM, "score"):
            for algorithm in PESSIMISTS:
                ours = evidence.mean(dataset, algorithm, label, "score")
                if ours is not None:
                    name = f"{dataset}, {algorithm}, {label}"
                    yield against(name, ours, found, "control", control, better(ours, found))


LOCOMOTION = (
    Claim(
        "length-bias",
        "With strong length bias, ATAC and PSPI with wrong rewards are no worse than BC",
        "hopper-random, hopper-medium and walker2d-medium: the mean score is not below BC's by "
        "more than the standard error of the difference",
        "Section 4.1.1, Table 13",
        length_bias,
    ),
    Claim(
        "survival",
        "ATAC and PSPI with wrong rewards survive longer than the behavior",
        "hopper and walker2d below expert: the mean episode is longer than the recorded ones",
        "Section 4.1.1, Appendix C.4, Table 5",
        survival,
    ),
    Claim(
        "diverse-data",
        "Diverse data need the reward: medium-replay is worse with wrong rewards",
        "hopper and walker2d, ATAC, PSPI, IQL and CQL: below the true reward's score by more than "
        "the standard error",
        "Section 4.1.1, Table 13",
        diverse_data,
    ),
    Claim(
        "no-length-bias",
        "Without length bias, wrong rewards are no better than BC and worse than the true one",
        "halfcheetah from medium to medium-expert, ATAC and PSPI: at most five points and a "
        "standard error above BC, and below the true reward's score by more than the standard "
        "error",
        "Section 4.1.1, Table 13",
        no_length_bias,
    ),
    Claim(
        "degrading",
        "On halfcheetah-medium-expert, policies get worse as the reward gets more wrong",
        "ATAC, PSPI, IQL and CQL: zero and random are below the true reward and above negative by "
        "more than the standard error",
        "Section 4.1.1, Table 13",
        degrading,
    ),
    Claim(
        "expert-data",
        "On expert data, ATAC, PSPI and DT reach expert level with wrong rewards",
        f"a mean score of {EXPERT_LEVEL:.0f} or more",
        "Section 4.1.1, Table 13",
        expert_data,
    ),
    Claim(
        "infinite-bias",
        "hopper-expert and walker2d-expert have infinite positive bias",
        "ATAC reaches a mean score of 100 under every wrong reward",
        "Section 4.1.1, figure of the estimated positive bias, Table 13",
        infinite_bias,
    ),
    Claim(
        "pessimism",
        "The effect needs pessimism",
        "with strong length bias and wrong rewards, ATAC and PSPI are better by more than the "
        "standard error than the same actor-critic without pessimism",
        "Section 4.1, first message (no such table)",
        pessimism,
    ),
)
