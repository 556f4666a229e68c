"""What a new user tries first: files as they are, environments of other kinds, no options."""

from pathlib import Path

import numpy as np
import pytest

import instinct
from instinct.data import Array, Discrete, read
from instinct.engine.inline_executor import InlineExecutor
from tests.cli.conftest import Run
from tests.data.datasets import small
from tests.data.tables.tables import ROLES, clinic

pytest.importorskip("pyarrow", reason="the extra tables is not installed")


def save(path: Path, **changes: Array | None) -> Path:
    """Write the small dataset as plain arrays; those that are None are left out."""
    fields = {**dict(small().fields()), **changes}
    arrays = {name: array for name, array in fields.items() if array is not None}
    np.savez(path, allow_pickle=False, **arrays)
    return path


@pytest.mark.parametrize("name", ["icu.csv", "icu.parquet"])
def test_a_table_without_roles_says_how_to_name_them(run: Run, name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    table = clinic().rename(columns={"alive": "reward", "home": "discharged"})
    table.to_csv(path, index=False) if name == "icu.csv" else table.to_parquet(path)
    outcome = run("inspect", path)
    assert outcome.code == 2
    assert "instinct describe" in outcome.err
    assert run("describe", path, "--out", path.with_suffix(".toml")).code == 0
    assert run("inspect", path, "--json").json["episodes"] == 2


def test_names_of_gymnasium_need_no_conversion(run: Run, tmp_path: Path) -> None:
    names = ("obs", "action", "reward", "terminated", "truncated")
    theirs = ("observations", "actions", "rewards", "terminals", "timeouts")
    fields = dict(small().fields())
    plain = {new: fields[old] for new, old in zip(names, theirs, strict=True)}
    np.savez(tmp_path / "log.npz", allow_pickle=False, **plain)
    document = run("inspect", tmp_path / "log.npz", "--json").json
    assert document["episodes"] == 3
    assert "observations: read from obs" in document["repairs"]
    np.savez(tmp_path / "odd.npz", allow_pickle=False, view=fields["observations"])
    assert "the file has view" in run("inspect", tmp_path / "odd.npz").err


def test_a_range_that_nothing_describes_is_said_with_its_option(run: Run, tmp_path: Path) -> None:
    path = save(tmp_path / "log.npz", actions=3 * small().actions)
    document = run("inspect", path, "--json").json
    (said,) = [each for each in document["repairs"] if each.startswith("actions")]
    assert "[-3, 3] is taken from the data" in said
    assert "--action-range" in said


def test_rewards_at_discharge_are_kept_without_next_observations(tmp_path: Path) -> None:
    """Both stays that end well have their reward in the row before a timeout."""
    path = save(
        tmp_path / "log.npz",
        next_observations=None,
        rewards=np.array([0, 1.0, 0, 0, 1.0, 0]),
        terminals=np.array([0, 0, 0, 0, 0, 1]),
        timeouts=np.array([0, 1, 0, 0, 1, 0]),
    )
    assert read(path).returns.tolist() == [1, 1, 0]


def test_images_are_refused_in_one_sentence(run: Run, tmp_path: Path) -> None:
    pixels = np.zeros((6, 8, 8, 3), np.uint8)
    outcome = run("inspect", save(tmp_path / "log.npz", observations=pixels))
    assert outcome.code == 2
    assert "are images of shape [8, 8, 3]" in outcome.err
    assert outcome.err.count("\n") == 1


def test_discrete_actions_of_a_table_are_read(run: Run, tmp_path: Path) -> None:
    clinic(dose=["none", "low", "high", "low", "none"]).to_csv(tmp_path / "log.csv", index=False)
    flags = [f for k, v in ROLES.items() for f in (f"--{k}", v[0] if isinstance(v, list) else v)]
    shown = run("inspect", tmp_path / "log.csv", *flags, "--json").json
    assert (
        "actions: dose is a choice, not an amount: 0 = high, 1 = low, 2 = none"
        in (shown["repairs"])
    )
    loaded = instinct.load(tmp_path / "log.csv", **ROLES)
    assert loaded.action_space == Discrete(3)


def test_a_frame_and_its_roles_are_audited(tmp_path: Path) -> None:
    small_settings = {"units": 4, "batch_size": 4, "steps": 2}
    found = instinct.audit(
        clinic(),
        **ROLES,
        algorithms=["IQL"],
        labels=["zero"],
        settings={"BC": small_settings, "IQL": small_settings},
        seeds=1,
        folder=tmp_path,
        progress=False,
        executor=lambda where, _: InlineExecutor(where),
    )
    (kept,) = tmp_path.glob("*.npz")
    assert instinct.load(kept).hash == instinct.load(clinic(), **ROLES).hash
    assert found.document["results"][0]["dataset"] == str(kept)
    with pytest.raises(instinct.BadInput, match="a Dataset has no columns with roles"):
        instinct.audit(small(), episode="stay", folder=tmp_path)
