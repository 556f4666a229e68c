"""LeRobot datasets: states and actions of their Parquet files, numbers worked out by hand."""

import json
from pathlib import Path
from typing import Any

import pytest

from instinct.data import Box, Discrete, read
from instinct.errors import BadInput

pa = pytest.importorskip("pyarrow", reason="the extra tables is not installed")

STATES = [[0.0, 0.5], [1.0, 0.5], [2.0, 0.5], [10.0, 0.5], [11.0, 0.5]]
COLUMNS: dict[str, Any] = {
    "observation.state": STATES,
    "action": [[3.0, 0.0], [-1.0, 0.0], [0.5, 0.0], [0.25, 0.0], [0.0, 0.0]],
    "timestamp": [0.0, 0.1, 0.2, 0.0, 0.1],
    "frame_index": [0, 1, 2, 0, 1],
    "episode_index": [0, 0, 0, 1, 1],
    "index": [0, 1, 2, 3, 4],
    "task_index": [0] * 5,
    "next.reward": [1.0, 0.0, 1.0, 0.0, 0.5],
    "next.done": [False, False, True, False, False],
}
FEATURES = {
    "observation.state": {"dtype": "float32", "shape": [2], "names": ["x", "y"]},
    "observation.images.top": {"dtype": "video", "shape": [480, 640, 3], "names": None},
    "action": {"dtype": "float32", "shape": [2], "names": ["x", "y"]},
}


def write_lerobot(
    folder: Path, *files: str, version: str = "v3.0", fixed: bool = True, **changes: Any
) -> Path:
    """Write two episodes, of three frames and of two, one file each if two are named."""
    from pyarrow import parquet

    (folder / "meta").mkdir(parents=True)
    info = {"codebase_version": version, "fps": 10, "features": FEATURES}
    (folder / "meta" / "info.json").write_text(json.dumps(info))
    short = ("next_reward", "next_done", "observation_state")
    renamed = {k.replace("_", ".") if k in short else k: v for k, v in changes.items()}
    columns = {k: v for k, v in (COLUMNS | renamed).items() if v is not None}
    arrays = {}
    for name, values in columns.items():
        is_list = isinstance(values, list) and isinstance(values[0], list)
        kind = pa.list_(pa.float32(), len(values[0]) if fixed else -1) if is_list else None
        arrays[name] = pa.array(values, kind)
    table = pa.table(arrays)
    names = files or ("chunk-000/file-000.parquet",)
    parts = [table] if len(names) == 1 else [table.slice(0, 3), table.slice(3)]
    for name, part in zip(names, parts, strict=True):
        path = folder / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        parquet.write_table(part, path)
    return folder


@pytest.mark.parametrize(
    ("version", "files"),
    [
        ("v3.0", ["chunk-000/file-000.parquet"]),
        ("v3.0", ["chunk-000/file-001.parquet", "chunk-000/file-000.parquet"]),
        ("v2.1", ["chunk-000/episode_000000.parquet", "chunk-000/episode_000001.parquet"]),
    ],
)
@pytest.mark.parametrize("fixed", [True, False])
def test_frames_become_transitions(
    version: str, files: list[str], fixed: bool, tmp_path: Path
) -> None:
    """Episode 1 ends in a timeout: its last frame is only the next observation of the first."""
    dataset = read(write_lerobot(tmp_path / "robot", *files, version=version, fixed=fixed))
    assert dataset.observations.tolist() == STATES[:4]
    assert dataset.next_observations.tolist() == [STATES[i] for i in (1, 2, 2, 4)]
    assert dataset.actions[:, 0].tolist() == [3, -1, 0.5, 0.25]
    assert dataset.rewards.tolist() == [1, 0, 1, 0]
    assert dataset.terminals.tolist() == [False, False, True, False]
    assert dataset.timeouts.tolist() == [False, False, False, True]
    assert dataset.action_space == Box((-1, -1), (3, 1))


def test_what_was_read_is_said(tmp_path: Path) -> None:
    repairs = read(write_lerobot(tmp_path / "robot")).repairs
    assert repairs[:4] == (
        "observations: read from observation.state",
        "actions: read from action",
        "rewards: read from next.reward",
        "terminals: read from next.done",
    )
    assert "observations: observation.images.top not read" in repairs
    lost = next(each for each in repairs if each.startswith("transitions"))
    assert lost.endswith("with them a reward of 0.5 of 2.5")


def test_done_at_every_end_is_said_to_be_taken_for_terminals(tmp_path: Path) -> None:
    done = [False, False, True, False, True]
    dataset = read(write_lerobot(tmp_path / "robot", next_done=done))
    assert dataset.lengths.tolist() == [3, 2]
    assert not dataset.timeouts.any()
    assert any("every end is taken for a terminal" in each for each in dataset.repairs)


def test_without_rewards_and_done(tmp_path: Path) -> None:
    dataset = read(write_lerobot(tmp_path / "robot", next_reward=None, next_done=None))
    assert not dataset.has_rewards
    assert dataset.lengths.tolist() == [2, 1]
    assert "terminals: missing, every episode ends with a timeout" in dataset.repairs


def test_frames_are_sorted(tmp_path: Path) -> None:
    """The frames of episode 0 are 2, 0, 1 in the file."""
    path = write_lerobot(tmp_path / "robot", frame_index=None)
    assert read(path).observations[:3, 0].tolist() == [0, 1, 2]
    changed = COLUMNS | {"frame_index": [1, 2, 0, 0, 1]}
    mixed = tmp_path / "mixed"
    write_lerobot(mixed, next_done=None)
    from pyarrow import parquet

    kinds = {name: pa.array(values) for name, values in changed.items() if name != "next.done"}
    parquet.write_table(pa.table(kinds), mixed / "data" / "chunk-000" / "file-000.parquet")
    dataset = read(mixed)
    assert dataset.observations[:2, 0].tolist() == [2, 0]
    assert "rows: sorted by episode_index and frame_index" in dataset.repairs


def test_states_of_the_environment_follow_those_of_the_robot(tmp_path: Path) -> None:
    others: dict[str, Any] = {
        "observation.environment_state": [[each] for each in (7.0, 8.0) * 2 + (9.0,)]
    }
    path = write_lerobot(tmp_path / "robot", **others)
    assert read(path).observations[0].tolist() == [0, 0.5, 7]


def test_whole_numbers_are_choices_and_single_amounts_vectors(tmp_path: Path) -> None:
    choices = read(write_lerobot(tmp_path / "choices", action=[0, 2, 1, 0, 1]))
    assert choices.action_space == Discrete(3)
    amounts = read(write_lerobot(tmp_path / "amounts", action=[0.0, 0.5, 1.0, 0.0, 1.0]))
    assert amounts.action_space == Box.of(1)


def test_the_task_knows_the_range_of_actions(tmp_path: Path) -> None:
    path = write_lerobot(tmp_path / "robot")
    assert read(path, task_space=Box.of(2, -5, 5)).action_space == Box.of(2, -5, 5)


FAULTS: dict[str, tuple[dict[str, Any], str]] = {
    "version": ({"version": "v1.6"}, "codebase_version: is 'v1.6'; versions 2 and 3"),
    "no state": (
        {"observation_state": None},
        "observation.state: is missing; the dataset has observation.state, observation.images.top",
    ),
    "no action": ({"action": None}, "action: is missing"),
    "missing state": (
        {"observation_state": [[0.0, 1.0], None, *STATES[2:]]},
        "observation.state, row 1: is missing",
    ),
    "uneven states": (
        {"observation_state": [[0.0, 1.0], [2.0], *STATES[2:]], "fixed": False},
        "observation.state: is not a list of equally many numbers in every row",
    ),
    "texts": ({"action": ["a"] * 5}, "action: holds string values where numbers are needed"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_are_one_sentence(name: str, tmp_path: Path) -> None:
    changes, message = FAULTS[name]
    path = write_lerobot(tmp_path / "robot", **changes)
    with pytest.raises(BadInput) as caught:
        read(path)
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(path))


def test_two_frames_with_one_number_are_refused(tmp_path: Path) -> None:
    path = write_lerobot(tmp_path / "robot", frame_index=[0, 1, 1, 0, 1])
    with pytest.raises(BadInput, match="frame_index: episode 0 has two rows at 1"):
        read(path)


def test_links_and_text_files_are_refused(tmp_path: Path) -> None:
    path = write_lerobot(tmp_path / "robot")
    file = path / "data" / "chunk-000" / "file-000.parquet"
    file.rename(tmp_path / "outside.parquet")
    file.symlink_to(tmp_path / "outside.parquet")
    with pytest.raises(BadInput, match="is a link out of the folder"):
        read(path)
    file.unlink()
    file.write_text("episode_index,action\n0,1\n")
    with pytest.raises(BadInput, match="is not an Arrow or Parquet file"):
        read(path)
