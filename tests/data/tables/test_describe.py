"""Describe what a table holds, and propose roles that open it."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import instinct
from instinct.data.tables.describe import ColumnFacts
from tests.data.tables.tables import ROLES, clinic

pytest.importorskip("pyarrow", reason="the extra tables is not installed")


def test_facts_of_every_column() -> None:
    table = clinic(
        pulse=[np.nan, 70.5, 90.0, None, 80.0],
        ward=["x", None, "y", "x", "x"],
        height=1.8,
        admitted=pd.to_datetime(["2020-01-02", "2020-01-01", "2020-01-03", "NaT", "2020-01-01"]),
    )
    found = {each.name: each for each in instinct.describe(table).columns}
    assert found["pulse"] == ColumnFacts(
        "pulse", "number", 2, "70.5", "90", False, None, "observation"
    )
    assert found["ward"] == ColumnFacts("ward", "text", 1, "x", "y", False, 2, "observation")
    assert found["height"].constant
    assert found["height"].role == ""
    assert (found["admitted"].kind, found["admitted"].missing) == ("time", 1)
    assert found["admitted"].low == "2020-01-01 00:00:00"


def test_roles_are_proposed_by_name() -> None:
    table = clinic(patient_id=range(5), cost=0.5, dose_b=[1, 2, 3, 4, 5]).rename(
        columns={"alive": "Reward", "home": "discharged"}
    )
    roles = instinct.describe(table).roles
    assert (roles.episode, roles.time, roles.reward) == ("stay", "hour", "Reward")
    assert (roles.cost, roles.terminal, roles.timeout) == ("cost", "discharged", None)
    assert roles.action == ("dose", "dose_b")
    assert roles.observation == ("pulse",)


@pytest.mark.parametrize(
    ("name", "values", "discrete"),
    [
        ("drug", [*"abcab"], True),
        ("action", [0, 1, 2, 0, 1], True),
        ("action", [0, 10, 20, 0, 10], None),
        ("action", [0.0, 1.0, 2.0, 0.0, 1.0], None),
    ],
)
def test_choices_are_proposed_as_they_are_read(
    name: str, values: list[object], discrete: bool | None
) -> None:
    found = instinct.describe(clinic(dose=values).rename(columns={"dose": name}))
    assert found.roles.action == (name,)
    assert found.roles.discrete is discrete
    assert ("discrete = true\n" in found.toml) == (discrete is True)
    frame = clinic(dose=values).rename(columns={"dose": name})
    loaded = instinct.load(frame, **{**ROLES, "action": name})
    assert isinstance(loaded.action_space, instinct.Discrete) == (discrete is True)


def test_the_best_name_has_the_role_and_other_ids_have_none() -> None:
    table = pd.DataFrame(
        {
            "subject_id": [1, 1],
            "icustay_id": [7, 7],
            "birth_date": pd.to_datetime(["1950-01-01"] * 2),
            "charttime": pd.to_datetime(["2020-01-01", "2020-01-02"]),
            "length_of_stay": [1, 2],
            "nothing": [np.nan, np.nan],
        }
    )
    roles = instinct.describe(table).roles
    assert (roles.episode, roles.time) == ("icustay_id", "charttime")
    assert roles.observation == ("length_of_stay",)


def test_the_proposal_opens_the_table(tmp_path: Path) -> None:
    table = clinic().rename(columns={"alive": "reward", "home": "terminal"})
    path = tmp_path / "clinic.parquet"
    table.to_parquet(path)
    (tmp_path / "clinic.toml").write_text(instinct.describe(path).toml)
    assert len(instinct.load(path)) == 4


def test_not_a_number_in_a_file_is_missing(tmp_path: Path) -> None:
    import pyarrow as pa
    from pyarrow import feather

    table = pa.table({"a": pa.array([1.0, float("nan"), None, 3.0])})
    feather.write_feather(table, tmp_path / "a.arrow")
    (facts,) = instinct.describe(tmp_path / "a.arrow").columns
    assert (facts.missing, facts.low, facts.high) == (2, "1", "3")


def test_a_table_of_nothing_is_described() -> None:
    found = instinct.describe(clinic().head(0))
    assert found.rows == 0
    assert {each.missing for each in found.columns} == {0}
