"""Claims on DT, IQL and CQL in the locomotion tasks."""

from collections.abc import Iterator

from instinct.results.claims.claim import Case, Claim
from instinct.results.claims.locomotion import BELOW_EXPERT, against, longer, side_by_side
from instinct.results.evidence import SAME, Evidence, no_worse, same, task

FAILED = 0.5
"""An agent almost fails with a wrong reward if this share of the true reward's score is missing."""


def decision_transformer(evidence: Evidence) -> Iterator[Case]:
    for dataset in evidence.datasets:
        true = evidence.mean(dataset, "DT", "original", "score")
        for _, label, found in evidence.wrong_means(dataset, ("DT",), "score"):
            if true is not None:
                yield against(
                    f"{dataset}, {label}",
                    *(found, true, "true", "with the true reward", same(found, true)),
                )


def decision_transformer_survival(evidence: Evidence) -> Iterator[Case]:
    yield from longer(evidence, ("DT",))


def cql_on_walker2d(evidence: Evidence) -> Iterator[Case]:
    for dataset in evidence.falling(*BELOW_EXPERT):
        true = evidence.mean(dataset, "CQL", "original", "score")
        if true is None or task(dataset) != "walker2d":
            continue
        for _, label, found in evidence.wrong_means(dataset, ("CQL",), "score"):
            yield against(
                f"{dataset}, {label}",
                *(found, true, "true", "with the true reward"),
                found.value < FAILED * true.value,
            )


def iql_more_robust(evidence: Evidence) -> Iterator[Case]:
    datasets = evidence.falling(*BELOW_EXPERT, "expert")
    yield from side_by_side(evidence, datasets, "IQL", "CQL", no_worse)


OTHER_ALGORITHMS = (
    Claim(
        "decision-transformer",
        "DT hardly depends on the reward",
        f"within {SAME:.0f} points and a standard error of its score with the true reward",
        "Section 4.1.1, Table 13",
        decision_transformer,
    ),
    Claim(
        "decision-transformer-survival",
        "DT with wrong rewards survives longer than the behavior",
        "hopper and walker2d below expert: the mean episode is longer than the recorded ones",
        "Appendix C.4, Table 5",
        decision_transformer_survival,
    ),
    Claim(
        "cql-walker2d",
        "CQL with wrong rewards almost fails on walker2d",
        "below expert: less than half of its score with the true reward",
        "Section 4.1.1, Table 13",
        cql_on_walker2d,
    ),
    Claim(
        "iql-more-robust",
        "IQL is more robust to wrong rewards than CQL",
        "hopper and walker2d: with the same wrong reward, IQL's score is not below CQL's by more "
        "than the standard error",
        "Section 4.1.1, Table 13",
        iql_more_robust,
    ),
)
