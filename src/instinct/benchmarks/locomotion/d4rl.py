"""D4RL's own files in the data folder."""

from pathlib import Path

from instinct.errors import BadInput
from instinct.util.folders import data_folder

PREFIX = "d4rl:"
HOST = "http://rail.eecs.berkeley.edu/datasets/offline_rl/gym_mujoco_v2"


def d4rl_path(name: str) -> Path:
    """Return the path of a dataset such as d4rl:hopper-medium-v2 in the data folder."""
    file = file_name(name)
    path = data_folder() / "d4rl" / file
    if not path.exists():
        raise BadInput(f"does not exist; download {HOST}/{file} and save it there", file=path)
    return path


def file_name(name: str) -> str:
    """Return D4RL's file name: hopper_medium_replay-v2.hdf5 for hopper-medium-replay-v2."""
    *words, version = name.removeprefix(PREFIX).split("-")
    if not words or not all(word.isalnum() for word in (*words, version)):
        raise BadInput(f"{name!r} is not one of D4RL's names, such as d4rl:hopper-medium-v2")
    return f"{'_'.join(words)}-{version}.hdf5"


def present() -> list[str]:
    """Return the names of the files in the data folder."""
    paths = sorted((data_folder() / "d4rl").glob("*.hdf5"))
    return [f"{PREFIX}{path.stem.replace('_', '-')}" for path in paths]
