import pytest

from instinct.errors import BadInput
from instinct.paper.tables import NAMES, gridworld, safety, safety_tasks, table

ROWS = {
    "cql_architecture_d4rl": 112,
    "cql_architecture_metaworld": 120,
    "d4rl_episode_lengths": 260,
    "d4rl_scores": 370,
    "metaworld_success": 315,
}


@pytest.mark.parametrize("name", NAMES)
def test_the_tables_are_complete(name: str) -> None:
    assert len(table(name)) == ROWS[name]


def test_published_scores() -> None:
    scores = {(row.dataset, row.algorithm, row.label): row for row in table("d4rl_scores")}
    assert scores["hopper-random", "ATAC", "zero"].mean == 22.6
    assert scores["hopper-random", "ATAC", "zero"].stderr == 3.8
    assert scores["hopper-random", "behavior", None].stderr is None
    assert gridworld()["PEVI", "negative"] == 0.92
    assert gridworld()["BC", "zero"] == -1.19


def test_published_safety_scores() -> None:
    """Three agents on each of sixteen tasks; safe agents are black in the paper."""
    assert len(safety()) == 3 * len(safety_tasks()) == 48
    rows = {(row.task, row.algorithm): (row.score, row.normalized_cost) for row in safety()}
    assert rows["PointGoal1", "PSPI"] == (0.59, 0.9)
    assert rows["CarButton2", "ATAC"] == (-0.11, 1.22)
    assert rows["CarGoal2", "COptiDICE"] == (0.25, 0.91)
    black = [row.algorithm for row in safety() if row.normalized_cost <= 1]
    assert (black.count("ATAC"), black.count("PSPI"), len(black)) == (9, 6, 9 + 6 + 7)


def test_an_unknown_table_is_refused() -> None:
    with pytest.raises(BadInput, match="no table 'd4rl'"):
        table("d4rl")
