"""Claims on terminals, architecture, and scores with the true reward."""

from collections.abc import Iterator, Sequence

from instinct.results.claims.claim import Case, Claim
from instinct.results.claims.locomotion import PESSIMISTS, side_by_side
from instinct.results.evidence import SAME, Evidence, better, same
from instinct.results.paper_evidence import PaperEvidence
from instinct.study.intervals import Mean


def without_terminals(
    evidence: Evidence, algorithms: Sequence[str]
) -> Iterator[tuple[str, str, Mean, Mean]]:
    """Yield name, text and the scores with the true reward, with and without terminals."""
    for dataset in evidence.datasets:
        for algorithm in algorithms:
            kept = evidence.mean(dataset, algorithm, "original", "score")
            gone = evidence.mean(dataset, algorithm, "no-terminal", "score")
            if kept is not None and gone is not None:
                text = f"{gone.value:.1f} without terminal transitions, {kept.value:.1f} with them"
                yield f"{dataset}, {algorithm}", text, kept, gone


def terminals(evidence: Evidence) -> Iterator[Case]:
    for name, text, kept, gone in without_terminals(evidence, PESSIMISTS):
        numbers = {"with": kept.value, "without": gone.value}
        yield Case(name, text, same(gone, kept), numbers)


def terminals_of_others(evidence: Evidence) -> Iterator[Case]:
    for name, text, kept, gone in without_terminals(evidence, ("IQL", "CQL")):
        numbers = {"with": kept.value, "without": gone.value}
        yield Case(name, text, better(kept, gone), numbers)


def architecture(evidence: Evidence) -> Iterator[Case]:
    yield from side_by_side(evidence, evidence.datasets, "CQL3", "CQL", same)


def true_reward(evidence: Evidence) -> Iterator[Case]:
    """Compare our scores with the paper's; the paper's own scores make no case."""
    if isinstance(evidence, PaperEvidence):
        return
    paper = PaperEvidence()
    for dataset in evidence.datasets:
        for algorithm in (*PESSIMISTS, "IQL", "CQL", "DT"):
            ours = evidence.mean(dataset, algorithm, "original", "score")
            theirs = paper.mean(dataset, algorithm, "original", "score")
            if ours is not None and theirs is not None:
                yield Case(
                    f"{dataset}, {algorithm}",
                    f"{ours.value:.1f}, in the paper {theirs.value:.1f}",
                    same(ours, theirs),
                    {"score": ours.value, "paper": theirs.value},
                )


ABLATIONS = (
    Claim(
        "terminals",
        "With the true reward, terminal transitions make no difference to ATAC and PSPI",
        f"within {SAME:.0f} points and a standard error",
        "Appendix C.5, Table 13",
        terminals,
    ),
    Claim(
        "terminals-iql-cql",
        "With the true reward, IQL and CQL are worse without terminal transitions",
        "below the score with terminal transitions by more than the standard error",
        "Appendix C.5, Table 13",
        terminals_of_others,
    ),
    Claim(
        "architecture",
        "The architecture does not explain CQL's sensitivity: ATAC's networks give the same",
        f"CQL3 within {SAME:.0f} points and a standard error of CQL",
        "Appendix C.7, Table 7",
        architecture,
    ),
    Claim(
        "true-reward",
        "With the true reward, scores are close to those of the algorithms' own papers",
        f"within {SAME:.0f} points and a standard error of the paper's score, which stands for "
        "theirs. Our data are not D4RL's",
        "Appendix C.3 (no numbers of the other papers)",
        true_reward,
    ),
)
