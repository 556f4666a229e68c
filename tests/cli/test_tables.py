"""Commands open tables: columns by options or by a TOML file beside the table."""

from pathlib import Path

import pytest

import instinct
from instinct.audits.tables import keep_table
from instinct.cli.roles import OPTIONS
from instinct.data.tables.roles import make_roles, roles_toml
from tests.cli.conftest import Run
from tests.data.tables.tables import ROLES, clinic

pytest.importorskip("pyarrow", reason="the extra tables is not installed")

FLAGS = (
    *("--episode", "stay", "--time", "hour", "--action", "dose", "--observation", "pul*"),
    *("--reward", "alive", "--terminal", "home"),
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    clinic().to_csv(tmp_path / "clinic.csv", index=False)
    return tmp_path / "clinic.csv"


def test_inspect_shows_a_table_and_what_was_decided(run: Run, file: Path) -> None:
    document = run("inspect", file, *FLAGS, "--json").json
    assert (document["transitions"], document["episodes"]) == (4, 2)
    assert document["hash"] == instinct.load(clinic(), **ROLES).hash
    shown = " ".join(run("inspect", file, *FLAGS).out.split())
    assert "rows: sorted by stay and hour" in shown
    assert "shifted and scaled to mean 0" in shown


def test_options_go_over_the_roles_beside_the_table(run: Run, file: Path) -> None:
    file.with_suffix(".toml").write_text(roles_toml(make_roles({**ROLES, "standardize": False})))
    plain = run("inspect", file, "--json").json
    assert not any("deviation" in each for each in plain["repairs"])
    scaled = run("inspect", file, "--standardize", "--json").json
    assert scaled["hash"] == instinct.load(clinic(), **ROLES).hash


def test_convert_writes_a_dataset_with_its_repairs(run: Run, file: Path, tmp_path: Path) -> None:
    assert run("convert", file, tmp_path / "clinic.npz", *FLAGS).code == 0
    converted, loaded = instinct.load(tmp_path / "clinic.npz"), instinct.load(clinic(), **ROLES)
    assert converted.hash == loaded.hash
    assert converted.repairs == loaded.repairs


def test_messages_name_the_options(run: Run, file: Path) -> None:
    outcome = run("inspect", file, "--action", "dos", *FLAGS[:4])
    assert outcome.code == 2
    assert "no column is called 'dos' (--action); there are dose" in outcome.err
    assert "name its columns with --action" in run("inspect", file).err
    assert "gridworld: is no table" in run("inspect", "gridworld", "--episode", "stay").err


def test_names_that_look_like_markup_are_shown_as_they_are(run: Run, tmp_path: Path) -> None:
    table = clinic().rename(columns={"pulse": "[/red]"}).assign(**{"[bold]": 1.0})
    table.to_csv(tmp_path / "odd.csv", index=False)
    named = (*FLAGS[:7], "[/red]", "--observation", "[bold]", *FLAGS[8:])
    outcome = run("inspect", tmp_path / "odd.csv", *named)
    assert outcome.code == 0
    assert "[bold] is the same in every row" in " ".join(outcome.out.split())
    assert "[/red]" in run("describe", tmp_path / "odd.csv").out


def test_describe_proposes_roles_that_open_the_table(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "clinic.csv"
    clinic().rename(columns={"alive": "reward", "home": "done"}).to_csv(path, index=False)
    outcome = run("describe", path, "--out", path.with_suffix(".toml"))
    assert outcome.code == 0
    assert 'observation = ["pulse"]' in outcome.out
    assert run("inspect", path, "--json").json["transitions"] == 4
    again = run("describe", path, "--out", path.with_suffix(".toml"))
    assert (again.code, "exists already" in again.err) == (2, True)


def test_describe_as_json(run: Run, file: Path) -> None:
    document = run("describe", file, "--json").json
    assert document["rows"] == 5
    dose = next(each for each in document["columns"] if each["name"] == "dose")
    assert (dose["low"], dose["high"], dose["missing"], dose["role"]) == ("0", "3", 0, "action")


def test_describe_refuses_what_is_no_table(run: Run, tmp_path: Path) -> None:
    assert "no such file or folder" in run("describe", tmp_path / "nothing.csv").err
    (tmp_path / "data.npz").write_bytes(b"PK\x03\x04")
    assert (
        "is not a CSV, Parquet, Arrow or Feather file" in run("describe", tmp_path / "data.npz").err
    )


@pytest.mark.parametrize("command", ["inspect", "convert", "audit"])
def test_the_help_lists_all_roles_in_80_columns(
    run: Run, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shown = run(command, "--help").out
    assert max(map(len, shown.splitlines())) <= 80
    for name in OPTIONS:
        assert f"--{name} " in shown.replace("/", " ")


def test_an_audit_keeps_the_dataset_of_its_table(run: Run, file: Path, tmp_path: Path) -> None:
    small = ("--set", "units=8", "--set", "batch_size=16", "--set", "steps=20")
    options = ("--algorithms", "IQL", "--labels", "zero", "--seeds", 1, *small)
    folder = tmp_path / "page"
    outcome = run("audit", file, *FLAGS, *options, "--out", folder, "--json")
    assert "2 of 2 runs failed" in outcome.err  # the log is smaller than a batch
    (kept,) = folder.glob("clinic-*.npz")
    assert instinct.load(kept).hash == instinct.load(clinic(), **ROLES).hash
    assert {row["dataset"] for row in outcome.json["results"]} == {str(kept)}
    assert (folder / "index.html").exists()


@pytest.mark.parametrize("damage", ["flipped", "cut", "another"])
def test_a_damaged_dataset_of_an_audit_is_written_again(
    tmp_path: Path, file: Path, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Also one that is sound but has other transitions than its name says."""
    roles = make_roles(ROLES)
    (kept,) = {keep_table(str(file), tmp_path / "page", roles=roles) for _ in range(2)}
    path = Path(kept)
    content, dataset = path.read_bytes(), instinct.load(kept)
    match damage:
        case "flipped":
            place = content.index(dataset.rewards.tobytes())
            path.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        case "cut":
            path.write_bytes(content[: len(content) // 2])
        case "another":
            instinct.write(dataset.change(rewards=dataset.rewards + 1), path)
    assert not caplog.records
    assert keep_table(str(file), tmp_path / "page", roles=roles) == kept
    assert instinct.load(kept).hash == dataset.hash
    (record,) = caplog.records
    assert record.getMessage().startswith(f"{kept}: is damaged")


def test_an_audit_refuses_roles_of_what_is_no_table(run: Run) -> None:
    outcome = run("audit", "gridworld", "--episode", "stay")
    assert (outcome.code, outcome.err) == (
        2,
        "instinct: gridworld: is no table, whose columns have roles\n",
    )
