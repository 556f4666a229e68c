"""The page of the doubly robust corollary."""

from collections.abc import Callable, Mapping
from typing import Any

from instinct.experiments.provenance import provenance
from instinct.experiments.results import ExperimentResults
from instinct.report.kit.page import Page, Section
from instinct.report.kit.tables import Number, Table

IMITATION = "BC"
TEXT = (
    "All data cover an optimal policy. Under positive bias, every policy that stays in the data is "
    "optimal. Full coverage allows every policy. The stochastic expert acts optimally 95 % of the "
    "time and at random otherwise: imitation of its most frequent actions is optimal, but the data "
    "cover bad actions, so that there is no positive bias. The wrong reward is the negative of the "
    "true one. The first row is exact and for unlimited data."
)

ResultRow = Mapping[str, Any]


def compose(results: ExperimentResults) -> Page:
    return Page(
        title="True reward or positive bias: either is enough",
        summary=verdict(results),
        sections=(Section("Regret under the true reward", text=(TEXT,), tables=(table(results),)),),
        provenance=provenance(results)
        | {
            "MDPs": f"{results.results[0]['mdps']} Garnet MDPs with 20 states, γ = 0.9",
            "data": f"{results.settings['transitions']:,.0f} transitions; "
            f"R = {results.settings['R']:g}; sup d^π*/μ is at most "
            f"{results.details['concentrability']:.4g}",
            "regret": "V_r*(d_0) - V_r(d_0) of the learned policy, exact",
        },
    )


def verdict(results: ExperimentResults) -> str:
    rows = [row for row in results.results if row["algorithm"] != IMITATION]

    def extreme(of: Callable[[list[float]], float], key: str, data: str, told: str) -> float:
        found = [row[key] for row in rows if (row["data"], row["reward"]) == (data, told)]
        return float(of(found))

    reward = extreme(max, "most", "full coverage", "true")
    bias = extreme(max, "most", "positive bias", "wrong")
    neither = extreme(min, "least", "full coverage", "wrong")
    return (
        f"The pessimistic algorithms lose at most {reward:.2f} of the true return with the true "
        f"reward and no bias, at most {bias:.2f} with a wrong reward and a positive bias, and at "
        f"least {neither:.2f} with neither."
    )


def table(results: ExperimentResults) -> Table:
    cells = [*dict.fromkeys((row["data"], row["reward"]) for row in results.results)]
    regrets = {
        (row["algorithm"], row["data"], row["reward"]): row["regret"] for row in results.results
    }
    return Table(
        name="regret",
        caption="Mean regret under the true reward over the MDPs, by data and training reward.",
        columns=("algorithm", *(f"{data}, {told}" for data, told in cells)),
        rows=tuple(
            (name, *(Number(regrets[name, *cell], ".2f") for cell in cells))
            for name in dict.fromkeys(row["algorithm"] for row in results.results)
        ),
    )
