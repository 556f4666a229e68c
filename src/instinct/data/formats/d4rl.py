"""Read and write the HDF5 files of D4RL, v0 to v2, and of DSRL, which also have `costs`."""

from pathlib import Path

import h5py

from instinct.data.arrays import Array
from instinct.data.assemble import HORIZON, ActionRange, assemble
from instinct.data.dataset import Dataset
from instinct.data.formats import hdf5
from instinct.data.formats.files import check_memory, translate_errors
from instinct.data.formats.names import find_fields
from instinct.data.formats.spaces import SPACE_FIELDS, space_from_arrays, space_to_arrays
from instinct.data.spaces import ActionSpace
from instinct.errors import BadInput
from instinct.util.atomic import replacing
from instinct.util.rows import Rows


def read_d4rl(
    path: Path,
    *,
    action_range: ActionRange | None = None,
    task_space: ActionSpace | None = None,
    horizon: int = HORIZON,
) -> Dataset:
    with translate_errors(path, "HDF5"):
        with h5py.File(path, "r") as file:
            if hdf5.open_item(file, "episode_0") is not None:
                raise BadInput("is a file inside a Minari dataset; give the path of its folder")
            chosen = find_fields([*file])
            known = [*chosen.names.values(), *SPACE_FIELDS]
            found = {name: item for name in known if (item := hdf5.open_item(file, name))}
            check_memory(sum(getattr(item, "nbytes", 0) for item in found.values()))
            arrays: dict[str, Array | Rows] = {
                name: (hdf5.open_rows if name in chosen.in_blocks else hdf5.read_array)(file, name)
                for name in chosen.names.values()
            }
            bounds = {name: hdf5.read_array(file, name) for name in SPACE_FIELDS if name in found}
            dataset = assemble(
                chosen.rename(arrays),
                action_space=space_from_arrays(bounds),
                action_range=action_range,
                task_space=task_space,
                horizon=horizon,
            )
        return dataset.add_repairs(chosen.repairs)


def write_d4rl(dataset: Dataset, path: Path, *, next_observations: bool = True) -> None:
    """Write the layout of D4RL v2.

    Some v0 and v1 files have no next observations. Reading such a file removes rows before a
    timeout, because their next observations are unknown, unless the end has a reward of its own.
    """
    with replacing(path) as scratch, h5py.File(scratch, "w") as file:
        for name, array in dataset.fields():
            if name != "next_observations" or next_observations:
                file.create_dataset(name, data=array, compression="gzip", compression_opts=1)
        for name, array in space_to_arrays(dataset.action_space).items():
            file[name] = array
