"""Every format reads what it wrote, and reports a bad file in one sentence."""

import json
import os
import pickle
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from instinct.data import Array, Box, Dataset, Discrete, read, write
from instinct.data.formats.d4rl import write_d4rl
from instinct.errors import BadInput, InstinctError
from tests.data.datasets import datasets, small

NAMES = ("data.hdf5", "data.npz", "folder")


def fresh(folder: Path, name: str) -> Path:
    """Return a path that does not exist yet."""
    path = folder / name
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    return path


@pytest.mark.parametrize("name", NAMES)
@given(dataset=datasets())
def test_every_format_reads_what_it_wrote(name: str, dataset: Dataset, tmp_path: Path) -> None:
    path = fresh(tmp_path, name)
    write(dataset, path)
    back = read(path)
    assert back.hash == dataset.hash
    assert back.action_space == dataset.action_space
    assert back.repairs == ()


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=200)
@given(data=st.data())
def test_a_damaged_file_is_an_error_or_a_valid_dataset(
    name: str, data: st.DataObject, tmp_path: Path
) -> None:
    path = fresh(tmp_path, name)
    write(small(), path)
    file = path
    if path.is_dir():
        inside = data.draw(st.sampled_from(["main_data.hdf5", "metadata.json"]))
        file = path / "data" / inside
    contents = bytearray(file.read_bytes())
    if data.draw(st.booleans()):
        contents = contents[: data.draw(st.integers(0, len(contents) - 1))]
    else:
        for _ in range(data.draw(st.integers(1, 8))):
            contents[data.draw(st.integers(0, len(contents) - 1))] = data.draw(st.integers(0, 255))
    file.write_bytes(contents)
    fault = None
    try:
        read(path)
    except BadInput as error:
        fault = str(error)
    assert fault is None or (fault.startswith(str(path)) and "\n" not in fault)


def d4rl(path: Path, **fields: object) -> Path:
    """Write a D4RL file with the fields of the small dataset, some replaced, or removed if None."""
    contents = dict(small().fields()) | fields
    with h5py.File(path, "w") as file:
        for name, values in contents.items():
            if values is not None:
                file[name] = values
    return path


def test_a_v2_file_needs_no_repairs(tmp_path: Path) -> None:
    path = d4rl(
        tmp_path / "v2.hdf5", **{"infos/qpos": np.zeros((6, 2)), "metadata/algorithm": b"SAC"}
    )
    assert read(path).hash == small().hash
    assert read(path).repairs == ()


def test_next_observations_are_taken_from_the_next_rows(tmp_path: Path) -> None:
    """The row with a timeout is removed; terminal rows get a placeholder."""
    dataset = read(d4rl(tmp_path / "v1.hdf5", next_observations=None))
    assert dataset.observations[:, 0].tolist() == [0, 1, 10, 11, 20]
    assert dataset.next_observations[:, 0].tolist() == [1, 1, 11, 12, 20]
    assert dataset.terminals.tolist() == [False, True, False, False, True]
    assert dataset.timeouts.tolist() == [False, False, False, True, False]
    first, second = dataset.repairs
    assert first == "next_observations: missing, taken from the next rows"
    assert second.startswith("transitions: 1 rows before a timeout removed")
    assert second.endswith("with them a reward of 0.5 of 12.5")


def test_a_reward_at_the_end_is_not_lost_with_its_row(tmp_path: Path) -> None:
    """Two of three episodes end in a timeout, one of them with the only reward of its data."""
    dataset = read(
        d4rl(
            tmp_path / "sparse.hdf5",
            next_observations=None,
            rewards=np.array([0.0, 0.0, 0.0, 0.0, 1.0, 0.0]),
            terminals=np.zeros(6),
            timeouts=np.array([0, 1, 0, 0, 1, 1]),
        )
    )
    assert dataset.observations[:, 0].tolist() == [0, 10, 11, 12]
    assert dataset.next_observations[:, 0].tolist() == [1, 11, 12, 12]
    assert dataset.timeouts.tolist() == [True, False, False, True]
    assert dataset.returns.tolist() == [0, 1]
    _, kept, removed = dataset.repairs
    assert kept.startswith("next_observations: set to the row's own observation in 1 rows")
    assert removed.startswith("transitions: 2 rows before a timeout removed")
    assert removed.endswith("with them a reward of 0 of 1")


@given(dataset=datasets())
def test_a_file_without_next_observations_loses_only_rows_with_timeouts(
    dataset: Dataset, tmp_path: Path
) -> None:
    """Those stay whose reward is outside the range of the rewards within episodes."""
    path = tmp_path / "v1.hdf5"
    write_d4rl(dataset, path, next_observations=False)
    within = [0.0] if dataset.ends.all() else dataset.rewards[~dataset.ends].tolist()
    usual = [reward == 0 or min(within) <= reward <= max(within) for reward in dataset.rewards]
    kept = ~(dataset.timeouts & np.array(usual))
    if not kept.any():
        with pytest.raises(BadInput, match="no row is followed by another"):
            read(path)
        return
    back = read(path)
    assert (back.observations == dataset.observations[kept]).all()
    assert (back.terminals == dataset.terminals[kept]).all()
    assert (back.rewards == dataset.rewards[kept]).all()
    ends = dataset.ends[kept]
    assert (back.next_observations[~ends] == dataset.next_observations[kept & ~dataset.ends]).all()
    assert (back.next_observations[ends] == back.observations[ends]).all()


def test_missing_timeouts_are_found_by_next_observations(
    tmp_path: Path,
) -> None:
    dataset = read(d4rl(tmp_path / "v0.hdf5", timeouts=None))
    assert dataset.hash == small().hash
    assert dataset.repairs == (
        "timeouts: 1 marked where a row is not followed by its next observation, first after row 4",
    )


def test_without_timeouts_and_next_observations_the_horizon_splits_episodes(tmp_path: Path) -> None:
    path = d4rl(tmp_path / "v0.hdf5", timeouts=None, next_observations=None)
    dataset = read(path, horizon=3)
    assert dataset.repairs[0] == "timeouts: missing, 1 marked where an episode reaches 3 steps"
    assert dataset.lengths.tolist() == [2, 2, 1]


def test_a_recording_that_stops_in_an_episode_ends_with_a_timeout(tmp_path: Path) -> None:
    cut = {name: array[:4] for name, array in small().fields()}
    dataset = read(d4rl(tmp_path / "cut.hdf5", **cut))
    assert dataset.timeouts.tolist() == [False, False, False, True]
    assert dataset.repairs == ("timeouts: marked at the last row, where the recording ends",)


def test_rounding_is_repaired_and_reported(tmp_path: Path) -> None:
    following = small().next_observations.copy()
    following[2] += 1e-5
    actions = small().actions.copy()
    actions[2] = 1 + 2e-6
    dataset = read(d4rl(tmp_path / "r.hdf5", next_observations=following, actions=actions))
    assert dataset.hash == small().hash
    assert [repair.split(":")[0] for repair in dataset.repairs] == ["next_observations", "actions"]


def test_rows_that_are_terminal_and_timeout_are_terminals(tmp_path: Path) -> None:
    dataset = read(d4rl(tmp_path / "both.hdf5", timeouts=np.array([0, 1, 0, 0, 1, 1], bool)))
    assert dataset.hash == small().hash
    assert dataset.repairs == ("timeouts: 2 removed from rows that are also terminals",)


def test_columns_and_lists_are_converted(tmp_path: Path) -> None:
    dataset = read(
        d4rl(
            tmp_path / "c.hdf5",
            rewards=small().rewards[:, None],
            observations=small().observations[:, 0],
            next_observations=small().next_observations[:, 0],
        )
    )
    assert dataset.hash == small().hash
    assert len(dataset.repairs) == 2


WIDE = np.array([[0.5, 2.0, 5.0]] * 5 + [[-0.5, -1.0, 5.0]])
BOUNDS = {
    "metadata/action_low": np.array([-4.0] * 3),
    "metadata/action_high": np.array([6.0] * 3),
}


def test_an_unknown_action_range_is_what_the_data_span(tmp_path: Path) -> None:
    """A dimension keeps [-1, 1] if it stays inside; a constant one is extended to 0."""
    dataset = read(d4rl(tmp_path / "wide.hdf5", actions=WIDE))
    assert dataset.action_space == Box((-1, -1, 0), (1, 2, 5))
    assert [repair.split(":")[0] for repair in dataset.repairs] == ["actions"]


def test_the_file_the_task_and_the_user_know_the_action_range(tmp_path: Path) -> None:
    plain = d4rl(tmp_path / "plain.hdf5", actions=WIDE)
    described = d4rl(tmp_path / "described.hdf5", actions=WIDE, **BOUNDS)
    task = Box.of(3, -5, 5)
    assert read(plain, task_space=task).action_space == task
    assert read(plain, task_space=task).repairs == ()
    assert read(described, task_space=task).action_space == Box.of(3, -4, 6)
    for path in (plain, described):
        found = read(path, task_space=task, action_range=(-9, 9))
        assert found.action_space == Box.of(3, -9, 9)


def test_a_task_with_other_actions_says_nothing_of_the_range(tmp_path: Path) -> None:
    path = d4rl(tmp_path / "data.hdf5")
    for other in (Box.of(2, -5, 5), Discrete(3)):
        assert read(path, task_space=other).hash == small().hash


def test_actions_outside_a_known_range_are_refused_with_the_option(tmp_path: Path) -> None:
    path = d4rl(tmp_path / "data.hdf5")
    with pytest.raises(BadInput) as caught:
        read(path, action_range=(-0.75, 0.75))
    assert (caught.value.field, caught.value.row) == ("actions", 2)
    assert caught.value.option == "action_range"


def test_whole_number_actions_are_discrete(tmp_path: Path) -> None:
    path = d4rl(tmp_path / "discrete.hdf5", actions=np.array([0, 3, 1, 1, 0, 2]))
    assert read(path).action_space == Discrete(4)


def wrong(**fields: object) -> Callable[[Path], Path]:
    return lambda folder: d4rl(folder / "data.hdf5", **fields)


def contents(name: str, data: bytes) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        (folder / name).write_bytes(data)
        return folder / name

    return make


def npz(**arrays: Array) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        np.savez(folder / "data.npz", allow_pickle=True, **{**dict(small().fields()), **arrays})
        return folder / "data.npz"

    return make


def truncated(folder: Path) -> Path:
    path = d4rl(folder / "data.hdf5")
    path.write_bytes(path.read_bytes()[:-500])
    return path


def foreign_link(folder: Path) -> Path:
    path = d4rl(folder / "data.hdf5", rewards=None)
    d4rl(folder / "other.hdf5")
    with h5py.File(path, "a") as file:
        file["rewards"] = h5py.ExternalLink("other.hdf5", "/rewards")
    return path


def outside_storage(folder: Path) -> Path:
    path = d4rl(folder / "data.hdf5", rewards=None)
    (folder / "raw").write_bytes(bytes(24))
    with h5py.File(path, "a") as file:
        file.create_dataset("rewards", (6,), "f4", external=str(folder / "raw"))
    return path


def archive_with_a_pickle(folder: Path) -> Path:
    path = npz()(folder)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("data.pkl", pickle.dumps([1]))
    return path


def bomb(folder: Path) -> Path:
    path = d4rl(folder / "data.hdf5", rewards=None)
    with h5py.File(path, "a") as file:
        file.create_dataset("rewards", (2**48,), "f4", chunks=(1024,))
    return path


def storage(name: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        write(small(), folder / "minari")
        metadata = folder / "minari" / "data" / "metadata.json"
        metadata.write_text(json.dumps(json.loads(metadata.read_text()) | {"data_format": name}))
        return folder / "minari"

    return make


def pipe(folder: Path) -> Path:
    os.mkfifo(folder / "pipe.npz")
    return folder / "pipe.npz"


def dictionary_actions(folder: Path) -> Path:
    write(small(), folder / "minari")
    metadata = folder / "minari" / "data" / "metadata.json"
    space = json.dumps({"type": "Dict", "subspaces": {}})
    metadata.write_text(json.dumps(json.loads(metadata.read_text()) | {"action_space": space}))
    return folder / "minari"


def npz_without_observations(folder: Path) -> Path:
    fields = {name: array for name, array in small().fields() if name != "observations"}
    parts = {"obs/hand": np.zeros(6), "obs/view": np.zeros((6, 8, 8))}
    np.savez(folder / "data.npz", allow_pickle=False, **fields, **parts)
    return folder / "data.npz"


def short_episode(folder: Path) -> Path:
    write(small(), folder / "minari")
    with h5py.File(folder / "minari" / "data" / "main_data.hdf5", "a") as file:
        del file["episode_1/rewards"]
        file["episode_1/rewards"] = np.zeros(2)
    return folder / "minari"


FAULTS: dict[str, tuple[Callable[[Path], Path], str]] = {
    "missing": (lambda folder: folder / "none.hdf5", "none.hdf5: does not exist"),
    "missing field": (wrong(actions=None), "data.hdf5: actions: is missing"),
    "misshapen": (wrong(actions=np.zeros((6, 1, 1))), "actions: has shape [6, 1, 1]"),
    "scalar actions": (wrong(actions=np.full(6, 0.5)), "actions: has shape [6]"),
    "images": (wrong(observations=np.zeros((6, 8, 8, 3))), "observations: are images of shape [8"),
    "many images": (
        wrong(observations=np.zeros((6, 2, 8, 8, 3)), next_observations=None),
        "observations: are arrays of shape [2, 8, 8, 3]",
    ),
    "dictionary of observations": (
        wrong(observations=None, **{"observations/hand": np.zeros(6)}),
        "observations: is a group of hand",
    ),
    "dictionary in an archive": (
        npz_without_observations,
        "observations: has several parts (obs/hand, obs/view)",
    ),
    "unequal": (wrong(rewards=np.zeros(5)), "rewards: has 5 rows, observations has 6 rows"),
    "scalar": (wrong(rewards=0.0), "rewards: has no rows, observations has 6 rows"),
    "nan": (wrong(actions=np.array([[0], [np.nan]] * 3)), "actions, row 1: not a finite"),
    "infinite": (
        wrong(observations=np.array([[0], [0], [0], [0], [0], [np.inf]])),
        "observations, row 5: not a finite",
    ),
    "range": (
        wrong(actions=np.full((6, 3), 9.0), **BOUNDS),
        "actions, row 0: outside the action range [-4, 6]^3",
    ),
    "text field": (wrong(rewards=np.array([b"a"] * 6)), "rewards: holds |S1 values"),
    "group": (wrong(rewards=None, **{"rewards/a": 1}), "rewards: is a group"),
    "no rows": (
        wrong(**{name: array[:0] for name, array in small().fields()}),
        "observations: holds no transitions",
    ),
    "no ends": (
        wrong(
            terminals=np.zeros(6),
            timeouts=np.zeros(6),
            observations=np.arange(6.0)[:, None],
            next_observations=np.arange(1.0, 7)[:, None],
        ),
        "timeouts: no row ends an episode",
    ),
    "no ends, no successors": (
        wrong(terminals=np.zeros(6), timeouts=np.zeros(6), next_observations=None),
        "timeouts: no row ends an episode",
    ),
    "truncated": (truncated, "data.hdf5: is not a valid HDF5 file"),
    "text": (contents("data.hdf5", b"observations,actions\n1,2\n"), "data.hdf5: is not a D4RL"),
    "empty": (contents("data.hdf5", b""), "data.hdf5: is empty"),
    "pickle": (contents("data.npz", pickle.dumps({"a": 1})), "is a pickle, which can run code"),
    "array": (contents("data.npz", b"\x93NUMPY\x01\x00"), "is a single array"),
    "object array": (
        npz(rewards=np.array([1, "a", None, 2, 3, 4], object)),
        "data.npz: rewards: holds pickled objects: refused, not loaded",
    ),
    "pickle in archive": (archive_with_a_pickle, "holds 'data.pkl', which is not an array"),
    "external link": (foreign_link, "rewards: is a link out of the file: not followed"),
    "external storage": (outside_storage, "rewards: has its values outside the file"),
    "bomb": (bomb, "GiB of memory"),
    "folder": (lambda folder: folder, "is a folder without Minari's data/metadata.json or"),
    "pipe": (pipe, "pipe.npz: is a pipe, a device or a socket"),
    "unknown storage": (storage("zarr"), "data_format: is 'zarr'; hdf5, arrow, parquet can be"),
    "storage without episodes": (storage("arrow"), "holds no numbered episodes"),
    "dictionary": (dictionary_actions, "action_space: is of type Dict"),
    "short episode": (short_episode, "episode_1/"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_an_error_names_file_field_and_row(name: str, tmp_path: Path) -> None:
    make, message = FAULTS[name]
    path = make(tmp_path)
    with pytest.raises(BadInput) as caught:
        read(path)
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_a_pickle_is_never_loaded(tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> tuple[Callable[[str], None], tuple[str]]:
            return (Path(tmp_path / "sprung").touch, ())  # type: ignore[return-value]

    trap = np.array([Trap()] * 6, object)
    for make in (npz(rewards=trap), contents("data.hdf5", pickle.dumps(Trap()))):
        with pytest.raises(BadInput, match="refused, not loaded"):
            read(make(tmp_path))
    assert not (tmp_path / "sprung").exists()


def test_repairs_are_stored_in_an_archive(tmp_path: Path) -> None:
    repaired = read(d4rl(tmp_path / "v0.hdf5", timeouts=None))
    write(repaired, tmp_path / "kept.npz")
    assert read(tmp_path / "kept.npz").repairs == repaired.repairs != ()


def test_failed_writes_leave_no_files(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="must end in"):
        write(small(), tmp_path / "data.csv")
    (tmp_path / "file").write_text("")
    with pytest.raises(InstinctError, match="cannot be written"):
        write(small(), tmp_path / "file" / "data.npz")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "precious").write_text("")
    with pytest.raises(BadInput, match="is a folder that already exists"):
        write(small(), tmp_path / "mine")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "mine", "precious"]


def test_a_failed_write_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "data.npz"
    write(small(), path)

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(zipfile.ZipFile, "open", full)
    with pytest.raises(InstinctError, match=r"data\.npz: cannot be written: No space left"):
        write(small(rewards=np.zeros(6)), path)
    monkeypatch.undo()
    assert read(path).hash == small().hash
    assert [file.name for file in tmp_path.iterdir()] == ["data.npz"]
