"""The paper's claims, checked on our results and on the paper's own tables."""

from collections.abc import Sequence

from instinct.results.claims.ablations import ABLATIONS
from instinct.results.claims.claim import Case, CheckedClaim, Claim, count
from instinct.results.claims.goals import GOALS
from instinct.results.claims.gridworld import GRIDWORLD
from instinct.results.claims.locomotion import LOCOMOTION
from instinct.results.claims.other_algorithms import OTHER_ALGORITHMS
from instinct.results.claims.safety import SAFETY
from instinct.results.evidence import Evidence
from instinct.results.paper_evidence import PaperEvidence

__all__ = ["CLAIMS", "Case", "CheckedClaim", "Claim", "check_claims", "count"]

CLAIMS: tuple[Claim, ...] = (
    *(*GRIDWORLD, *LOCOMOTION, *OTHER_ALGORITHMS),
    *(*GOALS, *SAFETY, *ABLATIONS),
)


def check_claims(evidence: Evidence) -> Sequence[CheckedClaim]:
    """Check every claim on the evidence and on the paper's tables."""
    paper = PaperEvidence()
    return [
        CheckedClaim(claim, tuple(claim.check(evidence)), tuple(claim.check(paper)))
        for claim in CLAIMS
    ]
