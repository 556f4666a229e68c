"""The number of runs against the arithmetic of the paper's section on computing."""

import pytest

from instinct.paper.tables import safety_tasks
from instinct.study.paper_counts import EXPERIMENTS, compare
from instinct.study.plan_files import shipped_plans

D4RL, METAWORLD, SAFETY, DSRL = EXPERIMENTS
BC = "BC reads no rewards: it is trained once, not for every reward type"


@pytest.mark.parametrize(
    ("name", "tuning", "final"),
    [
        *((name, 5 * 15 * 5 * 4 * 2, 6 * 15 * 5 * 10 + 15 * 4 * 10) for name in D4RL.studies),
        *((name, 5 * 15 * 4 * 4 * 3, 6 * 15 * 4 * 10 + 15 * 4 * 10) for name in METAWORLD.studies),
    ],
)
def test_the_differences_add_up(name: str, tuning: int, final: int) -> None:
    plan = shipped_plans()[name]
    found = compare(plan)
    assert found is not None
    assert (found.paper_tuning, found.paper_final) == (tuning, final)
    assert len(plan.tuning()) == found.tuning
    assert tuning + sum(each.tuning for each in found.differences) == found.tuning
    assert final + sum(each.final for each in found.differences) == found.final


def test_the_papers_sums() -> None:
    """3,000 and 3,600 runs for tuning, 4,500 and 3,600 for results, 1,200 transformers.

    On Safety-Gymnasium 384 runs, which are tuning and results at once.
    """
    runs = [each.runs for each in (D4RL, METAWORLD, SAFETY)]
    assert [sum(tuning for tuning, _ in each.values()) for each in runs] == [3000, 3600, 384]
    assert sum(final for each in runs for _, final in each.values()) == 4500 + 3600 + 1200
    assert [*DSRL.runs.values()] == [*SAFETY.runs.values()]


def reasons(name: str) -> dict[str, tuple[int, int]]:
    found = compare(shipped_plans()[name])
    assert found is not None
    return {each.reason: (each.tuning, each.final) for each in found.differences}


def test_d4rl_is_four_tuned_algorithms_bc_once_and_the_transformer() -> None:
    plan = shipped_plans()["d4rl"]
    found = compare(plan)
    assert found is not None
    assert found.tuning == 4 * 15 * 4 * 4 * 2
    assert found.final == (4 * 4 + 1 + 4) * 15 * 10
    assert reasons("d4rl")["halfcheetah never terminates: no-terminal would be the same data"] == (
        -5 * 5 * 4 * 2,
        -5 * 5 * 10,
    )
    assert reasons("d4rl")[BC] == (0, -15 * 4 * 10)


def test_metaworld_is_the_same_with_four_reward_types() -> None:
    """CQL3 has a study of its own; nothing else differs from the paper but BC."""
    found = compare(shipped_plans()["metaworld"])
    assert found is not None
    assert found.tuning == 4 * 15 * 4 * 4 * 3
    assert found.final == (4 * 4 + 1 + 4) * 15 * 10
    assert reasons("metaworld") == {
        "in the study cql-architecture-metaworld": (-15 * 4 * 4 * 3, -15 * 4 * 10),
        BC: (0, -15 * 3 * 10),
    }


def test_no_terminal_is_only_where_there_are_falls() -> None:
    plan = shipped_plans()["cql-architecture"]
    without = {cell.dataset for cell in plan.cells() if cell.label == "no-terminal"}
    assert {name.partition("-")[0] for name in without} == {"hopper", "walker2d"}


def test_a_smaller_study_still_adds_up() -> None:
    smaller = shipped_plans()["d4rl"].scale_down(("hopper-medium", "PSPI"), 3, 1000)
    found = compare(smaller)
    assert found is not None
    assert (found.tuning, found.final) == (4 * 4 * 2, 4 * 3)
    assert found.paper_final + sum(each.final for each in found.differences) == found.final


def test_other_plans_are_not_compared() -> None:
    assert compare(shipped_plans()["metaworld-no-goal-terminal"]) is None


@pytest.mark.parametrize("name", [*SAFETY.studies, *DSRL.studies])
def test_safety_is_the_papers_and_imitation_beside_it(name: str) -> None:
    """ATAC and PSPI as the paper counts them; BC on all data and on cost-free data."""
    plan = shipped_plans()[name]
    found = compare(plan)
    assert found is not None
    assert (found.paper_tuning, found.paper_final) == (384, 0)
    assert (found.tuning, found.final) == (2 * 16 * 4 * 3, 2 * 16 * 3)
    assert reasons(name) == {
        "BC, all data, is not counted by the paper": (0, 48),
        "BC, cost-free data, is not counted by the paper": (0, 48),
    }
    assert {plan.task_of(dataset) for dataset in plan.datasets} == {
        f"safety:{task}" for task in safety_tasks()
    }
