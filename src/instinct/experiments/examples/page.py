"""The page of the examples of positive bias."""

from instinct.experiments.provenance import provenance
from instinct.experiments.results import ExperimentResults
from instinct.report.kit.page import Page, Section
from instinct.report.kit.tables import Number, Table

TITLES = {
    "proposition": "The examples of the paper's proposition",
    "remark": "Goals with a horizon: two ways to a positive bias",
    "no bias": "Data without a positive bias: no more than data that cover everything",
    "as printed": "Statements as printed, without a condition that they need or assume",
}


def compose(results: ExperimentResults) -> Page:
    claims = [row for row in results.results if row["kind"] == "proposition"]
    holding = sum(row["holds"] == row["mdps"] for row in claims)
    return Page(
        title="Examples of positive data bias",
        summary=f"{holding} of the {len(claims)} examples have, on every MDP tried, at least the "
        "bias that the paper claims.",
        sections=tuple(
            Section(title, tables=(table(results, kind),)) for kind, title in TITLES.items()
        ),
        provenance={key: value for key, value in provenance(results).items() if key != "policy"}
        | {"bias": "the exact degree 1/ε; the table has the smallest over the MDPs"},
    )


def table(results: ExperimentResults, kind: str) -> Table:
    return Table(
        name=kind.replace(" ", "_"),
        caption="The smallest degree of positive bias claimed and computed over the MDPs.",
        columns=("example", "claimed", "computed", "holds on"),
        rows=tuple(
            (
                row["example"],
                degree_number(row["claimed"]),
                degree_number(row["computed"]),
                f"{row['holds']} of {row['mdps']} MDPs",
            )
            for row in results.results
            if row["kind"] == kind
        ),
    )


def degree_number(degree: float | str) -> Number:
    """Parse a degree: infinity is a text in the results."""
    return Number(float(degree), ".3g")
