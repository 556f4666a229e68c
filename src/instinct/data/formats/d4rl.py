"""D4RL's HDF5 files, v0 to v2, and DSRL's, which are the same with `costs`."""

from pathlib import Path

import h5py

from instinct.data.assemble import HORIZON, OPTIONAL, REQUIRED, ActionRange, assemble
from instinct.data.dataset import Dataset
from instinct.data.formats import hdf5
from instinct.data.formats.files import reading
from instinct.data.formats.spaces import NAMES, space_arrays, space_of
from instinct.errors import BadInput
from instinct.util.atomic import replacing


def read_d4rl(
    path: Path, *, action_range: ActionRange | None = None, horizon: int = HORIZON
) -> Dataset:
    with reading(path, "HDF5"):
        with h5py.File(path, "r") as file:
            if "episode_0" in file:
                raise BadInput("is the inside of a Minari dataset: name its folder instead")
            arrays = {
                name: hdf5.array(file, name) for name in (*REQUIRED, *OPTIONAL) if name in file
            }
            bounds = {name: hdf5.array(file, name) for name in NAMES if name in file}
        return assemble(
            arrays, action_space=space_of(bounds), action_range=action_range, horizon=horizon
        )


def write_d4rl(dataset: Dataset, path: Path, *, next_observations: bool = True) -> None:
    """Write D4RL's v2 layout.

    Without the next observations, as in some v0 and v1 files, the rows before a timeout lose
    theirs for good: reading such a file leaves them out.
    """
    with replacing(path) as scratch, h5py.File(scratch, "w") as file:
        for name, array in dataset.fields():
            if name != "next_observations" or next_observations:
                file.create_dataset(name, data=array, compression="gzip", compression_opts=1)
        for name, array in space_arrays(dataset.action_space).items():
            file[name] = array
