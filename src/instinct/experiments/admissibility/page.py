"""The page of the measured admissibility."""

from collections.abc import Iterator, Mapping
from typing import Any

from instinct.experiments.provenance import provenance
from instinct.experiments.results import ExperimentResults
from instinct.report.kit.page import Page, Section
from instinct.report.kit.tables import Number, Table

EXACT = (
    "An algorithm is R-admissible if its regret vanishes with more data, against every policy that "
    "stays in the support and under every reward r̄ in [-R, 1] that agrees with the data. The "
    "regrets here are exact: r̄ = -R out of support is the worst for all of these policies at once, "
    "and the best of them solves the constrained problem. Policies that leave the support are no "
    "part of the condition. That a regret vanishes is seen on the sizes shown, not proved."
)

ResultRow = Mapping[str, Any]


def compose(results: ExperimentResults) -> Page:
    kinds = dict.fromkeys(row["problem"] for row in results.results)
    return Page(
        title="Admissibility, measured",
        summary=verdict(results),
        sections=(
            Section("What is measured", text=(EXACT,)),
            *(Section(kind.capitalize(), tables=(table(results, kind),)) for kind in kinds),
        ),
        provenance=provenance(results)
        | {"regret": "the largest over labels and MDPs, divided by Σ_t γ^t: a reward per step"},
    )


def verdict(results: ExperimentResults) -> str:
    """Compare BC with the pessimistic algorithms at the largest data and pessimism."""
    strongest = [row for row in results.results if row["R"] == extreme(results, "R")]
    largest = {
        row["problem"]: max(
            each["transitions"] for each in strongest if each["problem"] == row["problem"]
        )
        for row in strongest
    }
    rows = [row for row in strongest if row["transitions"] == largest[row["problem"]]]
    pessimistic = max(rows_regret(rows, imitation=False))
    imitation = max(rows_regret(rows, imitation=True))
    return (
        f"With the most data and R = {extreme(results, 'R'):g}, the pessimistic algorithms have a "
        f"regret of at most {pessimistic:.3f} per step under the worst reward that agrees with the "
        f"data; BC, which is not pessimistic, has {imitation:.3g}."
    )


def rows_regret(rows: list[ResultRow], *, imitation: bool) -> Iterator[float]:
    return (row["regret"] for row in rows if (row["algorithm"] == "BC") == imitation)


def extreme(results: ExperimentResults, name: str) -> float:
    return float(max(row[name] for row in results.results))


def table(results: ExperimentResults, kind: str) -> Table:
    """Tabulate the regret by algorithm, degree of pessimism and size of the data."""
    rows = [row for row in results.results if row["problem"] == kind]
    places = [*dict.fromkeys((row["R"], row["transitions"]) for row in rows)]
    most = max(places)
    return Table(
        name=kind.replace(" ", "_"),
        caption="The largest regret per step over all labels, and the largest R up to which it is "
        f"at most {results.settings['small']:g} per step (at R = {most[0]:g}, {most[1]:,} "
        "transitions).",
        columns=("algorithm", *(f"R = {R:g}, {n:,}" for R, n in places), "admissible up to"),
        rows=tuple(
            (
                name,
                *(Number(largest(rows, name, place), ".3f") for place in places),
                Number(
                    min(float(row["degree"]) for row in chosen(rows, name, most)),
                    ".3g",
                ),
            )
            for name in dict.fromkeys(row["algorithm"] for row in rows)
        ),
    )


def largest(rows: list[ResultRow], name: str, place: tuple[float, int]) -> float:
    return max(float(row["regret"]) for row in chosen(rows, name, place))


def chosen(rows: list[ResultRow], name: str, place: tuple[float, int]) -> list[ResultRow]:
    return [
        row for row in rows if row["algorithm"] == name and (row["R"], row["transitions"]) == place
    ]
