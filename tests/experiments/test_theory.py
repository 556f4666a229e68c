import json
from typing import Any

import numpy as np
import pytest

from instinct.data import Dataset, Discrete
from instinct.experiments.examples import BIAS_EXAMPLES
from instinct.experiments.theory import compute as theory
from instinct.tabular import Model
from instinct.tabular.world import observed_world
from instinct.theory.support import out_of_support, support
from instinct.util.progress import no_progress


def chain(ends_by_terminal: bool) -> Dataset:
    """Two actions in state 0: action 0 pays 1 and ends, action 1 pays 0.5 and leads to state 1.

    There the recording ends, by a terminal with another 0.2, or by a timeout.
    """
    ends = {"terminals": [True, False, True], "timeouts": [False, False, False]}
    rows = 3
    if not ends_by_terminal:
        ends = {"terminals": [True, False], "timeouts": [False, True]}
        rows = 2
    return Dataset(
        observations=np.array([[0], [0], [1]])[:rows],
        actions=np.array([0, 1, 0])[:rows],
        rewards=np.array([1.0, 0.5, 0.2])[:rows],
        next_observations=np.array([[0], [1], [1]])[:rows],
        terminals=np.array(ends["terminals"]),
        timeouts=np.array(ends["timeouts"]),
        action_space=Discrete(2),
    )


def run(problem: theory.TheoryProblem) -> dict[str, Any]:
    results = theory.compute(problem, no_progress)
    json.dumps(results.details, allow_nan=False)
    return {**results.details, "labels": results.results}


def test_dataset_computed_by_hand() -> None:
    """With γ = 1/2 the two ways are worth 1 and 0.5 + 0.2/2 = 0.6: a regret of 0.4 at worst."""
    found = run(theory.empirical(chain(ends_by_terminal=True), discount=0.5))
    assert found["best_return"] == pytest.approx(1)
    assert found["epsilon"] == pytest.approx(0.4)
    assert found["positive_bias"] == pytest.approx(2.5)
    bias = {row["label"]: row["positive_bias"] for row in found["labels"]}
    assert bias["original"] == "inf"
    assert bias["zero"] == bias["negative"] == pytest.approx(2.5)


def test_timeouts_make_a_positive_bias() -> None:
    """After the timeout nothing is known: only action 0 stays in the data."""
    found = run(theory.empirical(chain(ends_by_terminal=False), discount=0.5))
    assert found["epsilon"] == pytest.approx(0, abs=1e-9)
    assert found["positive_bias"] == "inf"


def test_a_horizon_in_place_of_a_discount() -> None:
    found = run(theory.empirical(chain(ends_by_terminal=True), horizon=2))
    assert found["best_return"] == pytest.approx(1)
    assert found["epsilon"] == pytest.approx(1 - 0.7)


def test_data_without_a_feasible_policy() -> None:
    cut = chain(ends_by_terminal=False)
    always_cut = cut.change(terminals=np.zeros(2, bool), timeouts=np.ones(2, bool))
    found = run(
        theory.empirical(always_cut.change(next_observations=np.array([[2], [2]])), discount=0.5)
    )
    assert not found["feasible"]
    assert "positive_bias" not in found
    feasible = next(item for item in found["assumptions"] if item["name"] == "feasible constraint")
    assert not feasible["holds"]


def test_action_without_data_leaves_the_support() -> None:
    """Action 1 in state 1 has no data: taking it leaves the support after one discounted step."""
    model = Model.of(chain(ends_by_terminal=True), discount=0.5)
    shown = observed_world(model, unknown=-1.0)
    policy = np.zeros(shown.mdp.rewards.shape)
    policy[:, 1] = 1
    assert out_of_support(shown.mdp, policy, support(shown.mdp, shown.counts)) == pytest.approx(0.5)
    assert shown.mdp.value(policy) == pytest.approx(0.5 - 0.5 * 2)


def test_every_example_of_the_paper_has_the_bias_it_claims() -> None:
    results = BIAS_EXAMPLES.run(BIAS_EXAMPLES.configure(mdps=2))
    holds = {
        row["example"]: row["holds"] for row in results.results if row["kind"] == "proposition"
    }
    assert len(holds) == 6
    assert {*holds.values()} == {2}
    remarks = [row for row in results.results if row["kind"] in ("remark", "no bias")]
    assert [row["holds"] for row in remarks] == [2, 2, 2, 2]
    printed = [row for row in results.results if row["kind"] == "as printed"]
    assert [row["holds"] for row in printed] == [0, 0, 0, 0]
