"""Tables become datasets: numbers worked out by hand, and every decision is said."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import instinct
from instinct.data import Box, Discrete, make_roles, read, write
from instinct.errors import BadInput
from tests.data.tables.tables import ROLES, clinic

pytest.importorskip("pyarrow", reason="the extra tables is not installed")


def test_rows_are_sorted_and_episodes_end_where_the_id_changes() -> None:
    dataset = instinct.load(clinic(), **ROLES, standardize=False)
    assert dataset.observations[:, 0].tolist() == [70, 70, 90, 90]
    assert dataset.next_observations[:, 0].tolist() == [70, 90, 90, 80]
    assert dataset.actions[:, 0].tolist() == [1, 2, 3, 0.5]
    assert dataset.rewards.tolist() == [0, 0, 1, 0]
    assert dataset.terminals.tolist() == [False, False, True, False]
    assert dataset.timeouts.tolist() == [False, False, False, True]
    assert "rows: sorted by stay and hour" in dataset.repairs


def test_observations_are_standardized_over_all_rows() -> None:
    dataset = instinct.load(clinic(), **ROLES)
    assert dataset.observations[:, 0] == pytest.approx(
        (np.array([70, 70, 90, 90]) - 80) / np.sqrt(80)
    )
    assert "observations: shifted and scaled to mean 0 and deviation 1, 1 columns" in (
        dataset.repairs
    )


def test_columns_keep_their_names_and_units_also_in_a_file(tmp_path: Path) -> None:
    table = clinic(ward=["surgery", "general", "general", "surgery", "general"])
    roles = {**ROLES, "observation": ["pulse", "ward"]}
    dataset = instinct.load(table, **roles)
    pulse, *wards = dataset.columns
    assert (pulse.name, pulse.mean) == ("pulse", 80.0)
    assert pulse.scale == pytest.approx(np.sqrt(80))
    assert [each.name for each in wards] == ["ward=general", "ward=surgery"]
    write(dataset, tmp_path / "kept.npz")
    assert read(tmp_path / "kept.npz").columns == dataset.columns
    plain = instinct.load(table, **roles, standardize=False)
    assert {each[1:] for each in plain.columns} == {(0.0, 1.0)}
    assert plain.hash == replace(plain, columns=()).hash
    with pytest.raises(BadInput, match="does not name every dimension"):
        replace(plain, columns=plain.columns[:1])


def test_the_range_of_actions_is_the_recorded_one_unless_given() -> None:
    assert str(instinct.load(clinic(), **ROLES).action_space) == "[0, 3]"
    given_range = instinct.load(clinic(), **ROLES, action_range=(0, 10))
    assert str(given_range.action_space) == "[0, 10]"


def test_texts_become_one_column_each_in_the_order_of_their_names() -> None:
    table = clinic(pulse=["high", "low", "low", "high", "low"])
    dataset = instinct.load(table, **ROLES, standardize=False)
    assert dataset.observations.tolist() == [[0, 1], [0, 1], [0, 1], [1, 0]]
    assert "observations: pulse became pulse=high, pulse=low" in dataset.repairs


def test_constant_columns_are_left_out() -> None:
    roles = {**ROLES, "observation": ["pulse", "height"]}
    dataset = instinct.load(clinic(height=1.8), **roles)
    assert dataset.observations.shape == (4, 1)
    assert "observations: height is the same in every row, left out" in dataset.repairs


def test_missing_values_are_carried_within_an_episode_only() -> None:
    table = clinic(pulse=[None, 70.0, None, 80.0, None])
    dataset = instinct.load(table, **ROLES, standardize=False, missing="carry")
    assert dataset.observations[:, 0].tolist() == [70, 70, 70, 75]
    assert (
        "observations: 2 missing values of pulse carried forward, 1 before any value filled with "
        "the mean" in dataset.repairs
    )


def test_missing_values_are_marked_by_an_indicator() -> None:
    table = clinic(pulse=[None, 70.0, 90.0, 80.0, None])
    dataset = instinct.load(table, **ROLES, standardize=False, missing="indicator")
    assert dataset.observations.tolist() == [[70, 0], [80, 1], [90, 0], [80, 1]]


def test_a_missing_text_is_in_no_category() -> None:
    table = clinic(pulse=[None, "low", "high", "low", "low"])
    dataset = instinct.load(table, **ROLES, standardize=False, missing="indicator")
    assert dataset.observations.tolist() == [[0, 1, 0], [0, 1, 0], [1, 0, 0], [0, 0, 1]]


def test_missing_rewards_count_as_nothing_only_if_missing_is_not_refused() -> None:
    table = clinic(alive=[None, None, 1.0, None, None])
    dataset = instinct.load(table, **ROLES, missing="carry")
    assert dataset.rewards.tolist() == [0, 0, 1, 0]
    assert "rewards: 4 missing values of alive count as 0" in dataset.repairs
    with pytest.raises(BadInput, match=r"^alive: 4 values are missing"):
        instinct.load(table, **ROLES)


def test_missing_actions_are_never_invented() -> None:
    carried = instinct.load(
        clinic(dose=[0.5, 1.0, None, None, 2.0]), **ROLES, missing="carry", standardize=False
    )
    assert carried.actions[:, 0].tolist() == [1, 2, 2, 0.5]
    with pytest.raises(BadInput, match=r"^dose: 1 actions are missing"):
        instinct.load(clinic(dose=[None, 1.0, 3.0, 0.0, 2.0]), **ROLES, missing="carry")


def test_an_outcome_in_all_rows_of_an_episode_counts_in_the_last() -> None:
    dataset = instinct.load(clinic(home=[0, 1, 1, 0, 1]), **ROLES)
    assert dataset.terminals.tolist() == [False, False, True, False]
    assert any("home is the same in all rows of an episode" in each for each in dataset.repairs)


def test_whole_numbers_with_gaps_are_said_to_be_amounts() -> None:
    dataset = instinct.load(clinic(dose=[0, 10, 20, 0, 10]), **ROLES)
    assert dataset.action_space == Box((0,), (20,))
    assert "actions: the 3 whole numbers of dose are read as amounts, not as choices" in (
        dataset.repairs
    )


@pytest.mark.parametrize(
    ("dose", "numbers", "names"),
    [
        (["low", "none", "low", "high", "high"], [2, 0, 1, 1], "0 = high, 1 = low, 2 = none"),
        ([0, 1, 2, 0, 1], [1, 1, 2, 0], "0 = 0, 1 = 1, 2 = 2"),
        ([1, 2, 3, 1, 2], [1, 1, 2, 0], "0 = 1, 1 = 2, 2 = 3"),
        ([True, False, True, True, False], [0, 0, 1, 1], "0 = 0, 1 = 1"),
        (pd.Categorical([5, 7, 5, 5, 7]), [1, 1, 0, 0], "0 = 5, 1 = 7"),
    ],
)
def test_texts_flags_and_codes_are_choices(dose: Any, numbers: list[int], names: str) -> None:
    """The rows in order are 1, 4, 2 of stay a, and 0 of stay b."""
    dataset = instinct.load(clinic(dose=dose), **ROLES)
    assert dataset.actions.tolist() == numbers
    assert dataset.action_space == Discrete(names.count("="))
    assert f"actions: dose is a choice, not an amount: {names}" in dataset.repairs


def test_the_user_says_whether_actions_are_choices() -> None:
    amounts = instinct.load(clinic(dose=[0, 1, 2, 0, 1]), **ROLES, discrete=False)
    assert amounts.action_space == Box((0,), (2,))
    choices = instinct.load(clinic(), **ROLES, discrete=True)
    assert choices.actions.tolist() == [2, 3, 4, 1]
    assert choices.action_space == Discrete(5)
    with_range = instinct.load(clinic(dose=[0, 1, 2, 0, 1]), **ROLES, action_range=(0, 5))
    assert with_range.action_space == Box((0,), (5,))


def test_missing_choices_are_carried_only_if_allowed() -> None:
    table = clinic(dose=["x", "y", None, "x", "x"])
    assert instinct.load(table, **ROLES, missing="carry").actions.tolist() == [1, 0, 0, 0]


def test_the_task_says_whether_actions_are_choices(tmp_path: Path) -> None:
    path = tmp_path / "clinic.csv"
    clinic(dose=[0, 1, 2, 0, 1]).to_csv(path, index=False)
    roles = make_roles(ROLES)
    assert read(path, task_space=Box.of(1, -5, 5), roles=roles).action_space == Box.of(1, -5, 5)
    found = read(path, task_space=Discrete(4), roles=roles)
    assert (found.action_space, found.actions.tolist()) == (Discrete(4), [1, 1, 2, 0])
    with pytest.raises(BadInput, match="dose: are not the 2 choices of the task"):
        read(path, task_space=Discrete(2), roles=roles)


def test_flags_end_episodes_without_an_id() -> None:
    roles = {name: value for name, value in ROLES.items() if name not in ("episode", "time")}
    dataset = instinct.load(clinic(home=[0, 0, 1, 0, 1]), **roles)
    assert dataset.lengths.tolist() == [3, 2]


def test_times_can_be_dates() -> None:
    hours = pd.Timestamp("2020-01-01") + pd.to_timedelta([0, 0, 2, 1, 1], unit="h")
    dataset = instinct.load(clinic(hour=hours), **ROLES)
    assert dataset.hash == instinct.load(clinic(), **ROLES).hash


def test_a_time_can_be_an_observation_too() -> None:
    roles = {**ROLES, "observation": ["pulse", "hour"]}
    dataset = instinct.load(clinic(), **roles, standardize=False)
    assert dataset.observations.tolist() == [[70, 0], [70, 1], [90, 2], [90, 0]]


def test_rewards_at_the_end_are_kept_without_terminals() -> None:
    dataset = instinct.load(clinic(), **{**ROLES, "terminal": None})
    assert dataset.returns.tolist() == [1, 0]
    assert not dataset.terminals.any()


def test_a_table_may_have_no_rewards() -> None:
    dataset = instinct.load(clinic(), **{**ROLES, "reward": None})
    assert not dataset.has_rewards
    assert "rewards: missing" in dataset.repairs


def test_actions_are_in_the_space_of_a_task(tmp_path: Path) -> None:
    clinic().to_csv(tmp_path / "clinic.csv", index=False)
    roles = make_roles(ROLES)
    space = Box((-5.0,), (5.0,))
    assert read(tmp_path / "clinic.csv", task_space=space, roles=roles).action_space == space
    other = Box.of(2)
    recorded = read(tmp_path / "clinic.csv", task_space=other, roles=roles)
    assert str(recorded.action_space) == "[0, 3]"


def test_costs_are_read() -> None:
    dataset = instinct.load(clinic(falls=[0, 1, 2, 0, 0]), **ROLES, cost="falls")
    assert dataset.costs is not None
    assert dataset.costs.tolist() == [1, 0, 2, 0]


@pytest.mark.parametrize("ending", ["csv", "parquet", "arrow", "feather"])
def test_files_hold_what_their_frame_holds(ending: str, tmp_path: Path) -> None:
    table = clinic(pulse=["high", None, "low", "high", "low"])
    path = tmp_path / f"clinic.{ending}"
    if ending == "csv":
        table.to_csv(path, index=False)
    elif ending == "parquet":
        table.to_parquet(path)
    else:
        table.to_feather(path)
    roles = {**ROLES, "missing": "indicator"}
    assert instinct.load(path, **roles).hash == instinct.load(table, **roles).hash


class Frame:
    """A data frame of a library that only speaks Arrow's protocol, as polars does."""

    def __init__(self, table: Any) -> None:
        self.table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)


def test_other_frames_are_read_by_their_arrow_stream() -> None:
    import pyarrow as pa

    table = pa.Table.from_pandas(clinic(pulse=["high", "low", "low", "high", "low"]))
    texts = table.column("pulse")
    expected = instinct.load(table, **ROLES).hash
    for kind in (pa.string_view(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())):
        changed = table.set_column(table.column_names.index("pulse"), "pulse", texts.cast(kind))
        assert instinct.load(Frame(changed), **ROLES).hash == expected


def test_categories_of_numbers_are_texts() -> None:
    table = clinic(pulse=pd.Categorical([2, 1, 1, 2, 1]))
    dataset = instinct.load(table, **ROLES, standardize=False)
    assert dataset.observations.tolist() == [[1, 0], [1, 0], [1, 0], [0, 1]]
    assert "observations: pulse became pulse=1, pulse=2" in dataset.repairs


@pytest.mark.parametrize("kind", ["date32", "date64", "time32", "time64", "timestamp", "duration"])
def test_all_types_of_times_order_rows(kind: str) -> None:
    import pyarrow as pa

    units = {"time32": ("s",), "time64": ("us",), "timestamp": ("ns",), "duration": ("ms",)}
    arrow_type = getattr(pa, kind)(*units.get(kind, ()))
    table = pa.Table.from_pandas(clinic())
    whole = pa.int32() if kind in ("date32", "time32") else pa.int64()
    days = [hour * (86_400_000 if kind == "date64" else 1) for hour in clinic()["hour"]]
    times = pa.array(days, whole).cast(arrow_type)
    changed = table.set_column(table.column_names.index("hour"), "hour", times)
    assert instinct.load(changed, **ROLES).hash == instinct.load(clinic(), **ROLES).hash
    twice = changed.set_column(changed.column_names.index("hour"), "hour", times.take([0] * 5))
    with pytest.raises(BadInput, match="hour: episode a has two rows at "):
        instinct.load(twice, **ROLES)


@settings(max_examples=30)
@given(st.permutations(range(5)))
def test_the_order_of_rows_does_not_matter(order: list[int]) -> None:
    table = clinic(pulse=[None, 70.1, 90.3, None, 70.7])
    roles = {**ROLES, "missing": "carry"}
    shuffled = instinct.load(table.iloc[order], **roles)
    assert shuffled.hash == instinct.load(table, **roles).hash


def test_large_files_are_read_in_blocks(tmp_path: Path) -> None:
    rows = 200_000
    random = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "stay": np.arange(rows) // 10,
            "hour": np.arange(rows) % 10,
            "dose": random.uniform(size=rows),
            "pulse": random.choice(["a", "b", "c"], rows),
            "alive": 1.0,
            "home": np.arange(rows) % 10 == 9,
        }
    )
    table.to_parquet(tmp_path / "large.parquet", row_group_size=30_000)
    dataset = instinct.load(tmp_path / "large.parquet", **ROLES, standardize=False)
    assert (len(dataset), dataset.episodes) == (rows, rows // 10)
    assert dataset.actions[:, 0] == pytest.approx(table["dose"])
    assert (dataset.observations[:, 1] == (table["pulse"] == "b")).all()


def test_types_of_a_csv_file_hold_for_all_its_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("instinct.data.tables.source.BLOCK_BYTES", 200)
    rows = ["stay,hour,dose,pulse,alive,home"]
    rows += [f"{row // 50},{row},{row % 2},{'' if row < 90 else row / 2},0,0" for row in range(99)]
    (tmp_path / "log.csv").write_text("\n".join([*rows, "1,99,0.5,7.5,1,1"]))
    dataset = instinct.load(tmp_path / "log.csv", **ROLES, missing="carry", standardize=False)
    assert dataset.actions[-1].tolist() == [0.5]
    assert dataset.observations[-2:, 0].tolist() == [49, 7.5]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_the_delimiter_is_found(delimiter: str, tmp_path: Path) -> None:
    clinic().to_csv(tmp_path / "log.csv", index=False, sep=delimiter)
    assert len(instinct.load(tmp_path / "log.csv", **ROLES)) == 4


def test_large_tables_are_cached_by_their_roles(
    tmp_path: Path, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("instinct.data.cache.MIN_TRANSITIONS", 1)
    clinic(other=[1.0, 2.0, 3.0, 4.0, 5.0]).to_csv(tmp_path / "log.csv", index=False)
    first = instinct.load(tmp_path / "log.csv", **ROLES)
    assert [*own_cache.rglob("*.npz")]
    again = instinct.load(tmp_path / "log.csv", **ROLES)
    assert (again.hash, again.repairs) == (first.hash, first.repairs)
    other = instinct.load(tmp_path / "log.csv", **{**ROLES, "observation": "other"})
    assert other.hash != first.hash
