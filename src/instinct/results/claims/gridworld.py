"""The claim on the grid world."""

from collections.abc import Iterator

from instinct.data import PAPER_LABELS
from instinct.results.claims.claim import Case, Claim
from instinct.results.evidence import Evidence


def gridworld(evidence: Evidence) -> Iterator[Case]:
    means = evidence.gridworld()
    for label in PAPER_LABELS:
        if ("PEVI", label) in means and ("BC", label) in means:
            pevi, bc = means["PEVI", label], means["BC", label]
            text = f"{pevi:.2f} against BC's {bc:.2f}"
            yield Case(f"PEVI, {label}", text, pevi > 0 > bc, {"pevi": pevi, "bc": bc})


GRIDWORLD = (
    Claim(
        "gridworld",
        "In the grid world, PEVI finds the key under any reward, and BC walks into the lava",
        "a return above 0 for PEVI and below 0 for BC",
        "Section 3.1, Table 16",
        gridworld,
    ),
)
