"""What is wrong with a table is said in one sentence that names the column."""

import builtins
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import instinct
from instinct.data.tables.roles import Roles, make_roles, read_roles, roles_toml
from instinct.errors import BadInput
from tests.data.tables.tables import ROLES, clinic

pytest.importorskip("pyarrow", reason="the extra tables is not installed")


def refusal(table: object, **changes: Any) -> str:
    with pytest.raises(BadInput) as caught:
        instinct.load(table, **{**ROLES, **changes})
    return str(caught.value)


def test_an_unknown_column_names_the_near_ones() -> None:
    assert refusal(clinic(), observation="pulses") == (
        "no column is called 'pulses' (`observation=`); there are pulse, dose and others"
    )


def test_a_pattern_without_columns_lists_columns() -> None:
    assert "no column is called 'vitals_*'" in refusal(clinic(), observation="vitals_*")


def test_two_rows_at_one_time_are_refused() -> None:
    assert refusal(clinic(hour=[0, 0, 1, 1, 1])) == "hour: episode a has two rows at 1"


def test_text_where_numbers_are_needed_is_refused() -> None:
    assert refusal(clinic(alive=[*"abcde"])) == "alive: holds text, which cannot be the reward"


def test_choices_that_cannot_be_read_are_refused() -> None:
    text = clinic(dose=[*"abcab"])
    assert refusal(text, discrete=False).startswith("dose: holds text, which is a choice")
    assert refusal(clinic(dose=[*"aaaaa"])) == "no action differs between rows (`action=`)"
    two = refusal(clinic(dose=[*"abcab"], drug=[*"xyxyx"]), action=["dose", "drug"], discrete=True)
    assert two.startswith("choices need one `action=` column, and there are 2")
    assert refusal(clinic(dose=["a", None, "b", "c", "a"])).startswith(
        "dose: 1 actions are missing"
    )


def test_too_many_choices_are_refused() -> None:
    rows = 66
    table = pd.DataFrame({"dose": np.arange(rows) / 2, "pulse": np.arange(rows), "home": 0})
    table.loc[rows - 1, "home"] = 1
    with pytest.raises(BadInput, match=r"^dose: has 66 different values, more than 64 choices"):
        instinct.load(table, action="dose", observation="pulse", terminal="home", discrete=True)


def test_missing_values_are_refused_with_the_choices() -> None:
    text = refusal(clinic(pulse=[None, 70.0, 90.0, 80.0, None]))
    assert text.startswith("pulse: 2 values are missing; choose `missing=` carry")
    assert "indicator" in text


def test_unknown_choices_are_refused() -> None:
    text = refusal(clinic(), missing="zero")
    assert text == "`missing=` is 'zero'; it can be refuse, carry, indicator"


@pytest.mark.parametrize("role", ["stay", "hour", "home"])
def test_keys_and_flags_cannot_be_missing(role: str) -> None:
    values = [None, *clinic()[role].astype(object)[1:]]
    assert refusal(clinic(**{role: values})) == f"{role}, row 0: is missing"


def test_flags_are_zero_or_one() -> None:
    assert refusal(clinic(home=[0, 0, 2, 0, 0])) == "home, row 2: neither 0 nor 1"


def test_infinite_numbers_are_refused() -> None:
    table = clinic(pulse=[70, np.inf, 80, 90, 70])
    assert refusal(table) == "pulse, row 1: not a finite 32-bit number"


def test_too_few_rows_are_refused() -> None:
    assert refusal(clinic().head(1)) == "has 1 rows; a dataset needs 2 or more"


def test_one_column_has_one_role() -> None:
    assert refusal(clinic(), cost="pulse") == "pulse: is both observation and cost"


def test_roles_of_one_column_take_no_pattern_of_several() -> None:
    assert "`reward=` needs one column, and '*' names 6" in refusal(clinic(), reward="*")


@pytest.mark.parametrize("role", ["action", "observation"])
def test_a_table_without_roles_says_what_to_do(role: str) -> None:
    text = refusal(clinic(), **{role: None})
    assert f"name its columns with `{role}=`" in text
    assert "`instinct describe` proposes them" in text


def test_episodes_need_an_id_or_flags() -> None:
    assert "needs an `episode=` column" in refusal(clinic(), episode=None, terminal=None)


def test_nothing_to_learn_is_refused() -> None:
    assert "no action differs" in refusal(clinic(dose=1.0))
    assert "no column differs" in refusal(clinic(pulse=1.0))


def test_names_of_people_are_no_categories() -> None:
    table = clinic().loc[np.repeat([0, 1, 2, 3, 4], 20)].assign(hour=range(100))
    table["pulse"] = [f"name {row}" for row in range(100)]
    assert refusal(table).startswith("pulse: has more than 64 different texts")


def test_frames_that_arrow_cannot_hold_are_refused() -> None:
    assert "the data frame cannot be read" in refusal(clinic(pulse=[1, "a", None, 2.5, object()]))
    assert "the data frame cannot be read" in refusal(clinic(hour=[2**63, 0, 1, 2, 3]))


def test_nested_columns_are_refused() -> None:
    assert "pulse: holds list" in refusal(clinic(pulse=[[1], [2], [3], [4], [5]]))


def test_hostile_names_are_shown_without_their_control_characters() -> None:
    table = clinic().rename(columns={"pulse": "\x1b[31mpulse\n"})
    text = refusal(table, observation="*pulse*", cost="\x1b[31mpulse\n")
    assert text == "?[31mpulse?: is both observation and cost"


def test_names_in_full_are_no_patterns() -> None:
    table = clinic().rename(columns={"pulse": "pulse[*]"})
    assert len(instinct.load(table, **{**ROLES, "observation": "pulse[*]"})) == 4


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a,b,a\n1,2,3\n", "two columns are called 'a'"),
        ("a,,b\n1,2,3\n", "column 2 has no name"),
        ("a,b\n1,2\n1,2,3\n", "CSV parse error"),
        ("", "is empty"),
        ("a,b\n1,\udcff\n", "is a table: name its columns"),
    ],
)
def test_damaged_text_is_refused(text: str, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(BadInput, match=problem) as caught:
        instinct.load(path)
    assert str(caught.value).startswith(f"{path}: ")


@pytest.mark.parametrize("beginning", [b"PAR1", b"ARROW1\0\0"])
def test_damaged_files_are_refused(beginning: bytes, tmp_path: Path) -> None:
    path = tmp_path / "log.bin"
    path.write_bytes(beginning + bytes(100))
    with pytest.raises(BadInput) as caught:
        instinct.load(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def test_roles_are_for_tables_only(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="gridworld: is no table"):
        instinct.load("gridworld", episode="stay")


def test_roles_beside_the_table_are_used_and_can_be_overridden(tmp_path: Path) -> None:
    path = tmp_path / "clinic.csv"
    clinic(other=[1.0, 2.0, 3.0, 4.0, 5.0]).to_csv(path, index=False)
    (tmp_path / "clinic.toml").write_text(roles_toml(make_roles(ROLES)))
    assert instinct.load(path).hash == instinct.load(clinic(), **ROLES).hash
    other = instinct.load(path, observation="other", standardize=False)
    assert other.observations[:, 0].tolist() == [2, 5, 3, 1]


def test_roles_come_back_from_toml(tmp_path: Path) -> None:
    roles = Roles(
        episode='a "quoted" \\ name',
        action=("dose_*", "\x7f\n"),
        missing="carry",
        standardize=False,
    )
    (tmp_path / "roles.toml").write_text(roles_toml(roles), "utf-8")
    assert read_roles(tmp_path / "roles.toml") == roles


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('file = "/etc/passwd"', "file: is no role; there are episode, time, action"),
        ("episode = 3", "episode: is not a text"),
        ('reward = ["a", "b"]', "reward: is not a text"),
        ("action = [1]", "action: is not a list of texts"),
        ("standardize = 'yes'", "standardize: is not true or false"),
        ('missing = "eval"', "it can be refuse, carry, indicator"),
        ("episode = ", "is not a valid TOML file"),
        ("episode = " + "[" * 20_000, "is not a valid TOML file"),
        ("#" * 2**20, "is larger than 1 MiB"),
        ('[episode]\nname = "a"', "episode: is not a text"),
    ],
)
def test_a_strangers_toml_can_only_name_columns(text: str, problem: str, tmp_path: Path) -> None:
    clinic().to_csv(tmp_path / "clinic.csv", index=False)
    (tmp_path / "clinic.toml").write_text(text)
    with pytest.raises(BadInput, match=problem) as caught:
        instinct.load(tmp_path / "clinic.csv")
    assert str(caught.value).startswith(str(tmp_path / "clinic.toml"))


def test_the_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name.partition(".")[0] == "pyarrow":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    assert refusal(clinic()).endswith("run: pip install 'survival-instinct[tables]'")
