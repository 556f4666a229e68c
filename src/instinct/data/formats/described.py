"""Tell whether a file says itself what its actions are, without reading its data."""

import zipfile
from pathlib import Path

import h5py

from instinct.data.formats.files import FILE_ERRORS, member, read_object
from instinct.data.formats.spaces import SPACE_FIELDS
from instinct.errors import BadInput


def describes_actions(path: Path) -> bool:
    """Tell whether a file or folder has a description of its action space.

    Damaged ones have none; their reader says what is wrong with them.
    """
    try:
        if path.is_dir():
            metadata = read_object(member(path, "data", "metadata.json"), "Minari metadata")
            return metadata.get("action_space") is not None
        if not path.is_file():
            return False
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                return any(f"{name}.npy" in archive.namelist() for name in SPACE_FIELDS)
        if h5py.is_hdf5(path):
            with h5py.File(path, "r") as file:
                return any(name in file for name in SPACE_FIELDS)
    except (BadInput, *FILE_ERRORS):
        pass
    return False
