"""The number of runs, beside the arithmetic of the paper's section on computing."""

import pytest

from instinct.study.paper_counts import STUDIES, compare
from instinct.study.plan_files import shipped_plans


@pytest.mark.parametrize("name", STUDIES)
def test_the_differences_add_up(name: str) -> None:
    found = compare(shipped_plans()[name])
    assert found is not None
    assert found.paper_tuning == 5 * 15 * 5 * 4 * 2 == 3000
    assert found.paper_final == 6 * 15 * 5 * 10 + 15 * 4 * 10 == 5100
    assert found.paper_tuning + sum(each.tuning for each in found.differences) == found.tuning
    assert found.paper_final + sum(each.final for each in found.differences) == found.final


def test_d4rl_is_four_tuned_algorithms_bc_once_and_the_transformer() -> None:
    plan = shipped_plans()["d4rl"]
    found = compare(plan)
    assert found is not None
    assert len(plan.tuning()) == found.tuning == 4 * 15 * 4 * 4 * 2
    assert found.final == (4 * 4 + 1 + 4) * 15 * 10
    reasons = {each.reason: (each.tuning, each.final) for each in found.differences}
    assert reasons["halfcheetah never terminates: no-terminal would be the same data"] == (
        -5 * 5 * 4 * 2,
        -5 * 5 * 10,
    )
    bc = "BC reads no rewards: it is trained once, not for every reward type"
    assert reasons[bc] == (0, -15 * 4 * 10)


def test_no_terminal_is_only_where_there_are_falls() -> None:
    plan = shipped_plans()["cql-architecture"]
    without = {cell.dataset for cell in plan.cells() if cell.label == "no-terminal"}
    assert {name.partition("-")[0] for name in without} == {"hopper", "walker2d"}


def test_other_plans_are_not_compared() -> None:
    smaller = shipped_plans()["d4rl"].scale_down(("hopper-medium", "PSPI"), 3, 1000)
    found = compare(smaller)
    assert found is not None
    assert (found.tuning, found.final) == (4 * 4 * 2, 4 * 3)
    assert found.paper_final + sum(each.final for each in found.differences) == found.final
