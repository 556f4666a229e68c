"""Minari datasets: all storages, and spaces of several parts in Gymnasium's order."""

import json
import os
import sys
from pathlib import Path

import numpy as np
import pytest
from gymnasium import spaces
from hypothesis import given, settings
from hypothesis import strategies as st

from instinct.data import Box, Discrete, read
from instinct.errors import BadInput
from tests.data.minari_files import ACTIONS, STORAGES, Space, describe, write_minari_files

pytest.importorskip("pyarrow", reason="the extra tables is not installed")

SPACES: dict[str, Space] = {
    "box": spaces.Box(-1, 1, (3,), np.float32),
    "matrix": spaces.Box(-1, 1, (2, 3), np.float32),
    "dictionary": spaces.Dict(
        {
            "speed": spaces.Box(-1, 1, (2, 2), np.float64),
            "gear": spaces.Discrete(3, start=1),
            "lights": spaces.Tuple([spaces.MultiBinary(2), spaces.MultiDiscrete([2, 3])]),
        }
    ),
    "tuple": spaces.Tuple([spaces.Discrete(2), spaces.Box(-1, 1, (1,), np.float32)]),
}


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("name", SPACES)
def test_observations_are_those_of_gymnasium_flattened(
    name: str, storage: str, tmp_path: Path
) -> None:
    space = SPACES[name]
    episodes = write_minari_files(tmp_path / "data", storage, space)
    dataset = read(tmp_path / "data")
    flat = [
        np.stack([np.asarray(spaces.flatten(space, each)) for each in samples])
        for samples in episodes
    ]
    expected = np.concatenate([each[:-1] for each in flat]).astype(np.float32)
    following = np.concatenate([each[1:] for each in flat]).astype(np.float32)
    assert dataset.observations.tolist() == expected.tolist()
    assert dataset.next_observations.tolist() == following.tolist()
    assert dataset.observations.shape[1] == spaces.flatdim(space)
    assert dataset.action_space == Box.of(2, -2, 2)
    assert dataset.rewards.tolist() == [1, 2, 3, 1, 2]
    assert dataset.terminals.tolist() == [False, False, True, False, False]
    assert dataset.timeouts.tolist() == [False, False, False, False, True]
    assert dataset.costs is not None
    assert dataset.costs.tolist() == pytest.approx([0.1, 0.2, 0.3, 0.1, 0.2])


@pytest.mark.parametrize("storage", STORAGES)
def test_the_order_of_the_parts_is_said(storage: str, tmp_path: Path) -> None:
    write_minari_files(tmp_path / "data", storage, SPACES["dictionary"])
    (repair,) = read(tmp_path / "data").repairs
    order = "gear (one-hot), lights/0, lights/1 (one-hot), speed"
    assert repair == f"observations: 14 numbers from {order}, in this order"


@pytest.mark.parametrize("storage", STORAGES)
def test_discrete_actions_are_read(storage: str, tmp_path: Path) -> None:
    write_minari_files(tmp_path / "data", storage, SPACES["box"], spaces.Discrete(4))
    dataset = read(tmp_path / "data")
    assert dataset.action_space == Discrete(4)
    assert dataset.actions.shape == (5,)


@pytest.mark.parametrize("storage", STORAGES)
def test_parts_of_real_numbers_need_no_space(storage: str, tmp_path: Path) -> None:
    boxes = spaces.Dict({"z": SPACES["box"], "a": SPACES["matrix"]})
    episodes = write_minari_files(tmp_path / "data", storage, boxes, described=False)
    expected = np.concatenate([episodes[0][0]["a"].ravel(), episodes[0][0]["z"]])
    assert read(tmp_path / "data").observations[0].tolist() == expected.tolist()
    write_minari_files(tmp_path / "choices", storage, SPACES["tuple"], described=False)
    with pytest.raises(BadInput, match="no observation_space in the metadata says whether"):
        read(tmp_path / "choices")


BAD_SPACES: dict[str, tuple[Space, Space, str]] = {
    "images": (
        spaces.Dict({"view": spaces.Box(0, 255, (8, 8, 3), np.uint8)}),
        ACTIONS,
        "observations/view: are images of shape [8, 8, 3]",
    ),
    "gray images": (
        spaces.Box(0, 255, (40, 32), np.uint8),
        ACTIONS,
        "observations: are images of shape [40, 32]",
    ),
    "texts": (
        spaces.Tuple([spaces.Text(3)]),
        ACTIONS,
        "observations/0: is of type Text, of which no vector",
    ),
    "dictionary of actions": (
        SPACES["box"],
        spaces.Dict({"hand": ACTIONS}),
        "action_space: is of type Dict; only flat boxes and numbers from 0 can be read",
    ),
}


@pytest.mark.parametrize("name", BAD_SPACES)
def test_other_spaces_are_refused_in_one_sentence(name: str, tmp_path: Path) -> None:
    space, actions, message = BAD_SPACES[name]
    data = tmp_path / "minari" / "data"
    data.mkdir(parents=True)
    text = {
        "observation_space": json.dumps(describe(space)),
        "action_space": json.dumps(describe(actions)),
    }
    (data / "metadata.json").write_text(json.dumps({"data_format": "arrow", **text}))
    with pytest.raises(BadInput) as caught:
        read(tmp_path / "minari")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_choice_outside_its_space_is_refused_with_its_row(tmp_path: Path) -> None:
    write_minari_files(tmp_path / "data", "arrow", SPACES["tuple"])
    path = tmp_path / "data" / "data" / "metadata.json"
    metadata = json.loads(path.read_text())
    space = json.loads(metadata["observation_space"])
    space["subspaces"][0]["start"] = 5
    path.write_text(json.dumps(metadata | {"observation_space": json.dumps(space)}))
    with pytest.raises(BadInput, match=r"0/observations/0, row 0: is not among the 2 choices from"):
        read(tmp_path / "data")


def test_episodes_are_read_by_their_numbers(tmp_path: Path) -> None:
    write_minari_files(tmp_path / "data", "parquet", SPACES["box"])
    first = read(tmp_path / "data")
    data = tmp_path / "data" / "data"
    (data / "1").rename(data / "9")
    (data / "0").rename(data / "10")
    assert read(tmp_path / "data").lengths.tolist() == first.lengths.tolist()[::-1]


def test_links_out_of_the_folder_are_not_followed(tmp_path: Path) -> None:
    for storage, inside in (("parquet", "1/part-0.parquet"), ("hdf5", "main_data.hdf5")):
        folder = tmp_path / storage
        write_minari_files(folder, storage, SPACES["box"])
        file = folder / "data" / inside
        file.rename(tmp_path / "outside")
        file.symlink_to(tmp_path / "outside")
        with pytest.raises(BadInput, match="is a link out of the folder: not followed"):
            read(folder)


def test_pipes_are_not_opened(tmp_path: Path) -> None:
    write_minari_files(tmp_path / "data", "arrow", SPACES["box"])
    file = tmp_path / "data" / "data" / "0" / "part-0.arrow"
    file.unlink()
    os.mkfifo(file)
    with pytest.raises(BadInput, match=r"part-0\.arrow: is a pipe, a device or a socket"):
        read(tmp_path / "data")


def test_the_missing_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_minari_files(tmp_path / "data", "arrow", SPACES["box"])
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(BadInput, match=r"run: pip install 'survival-instinct\[tables\]'"):
        read(tmp_path / "data")


@pytest.mark.parametrize("storage", ["arrow", "parquet"])
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_damaged_file_is_an_error_or_a_valid_dataset(
    storage: str, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("minari") / "data"
    write_minari_files(folder, storage, SPACES["tuple"])
    file = folder / "data" / "0" / f"part-0.{storage}"
    contents = bytearray(file.read_bytes())
    for _ in range(data.draw(st.integers(1, 8))):
        contents[data.draw(st.integers(0, len(contents) - 1))] = data.draw(st.integers(0, 255))
    file.write_bytes(contents)
    fault = None
    try:
        read(folder)
    except BadInput as error:
        fault = str(error)
    assert fault is None or (fault.startswith(str(folder)) and "\n" not in fault)
