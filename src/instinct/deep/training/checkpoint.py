"""Trees of arrays in safetensors files that are either whole or absent."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax
import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from instinct.data import Array
from instinct.errors import BadInput
from instinct.util.atomic import write_atomically


def save_tree(path: Path, tree: Any, notes: Mapping[str, str] | None = None) -> None:
    arrays = {name: np.asarray(leaf, order="C") for name, leaf in named_leaves(tree)}
    write_atomically(path, save(arrays, dict(notes or {})))


def load_arrays(path: Path) -> tuple[dict[str, Array], dict[str, str]]:
    """The arrays by name, and the notes."""
    try:
        with safe_open(path, framework="numpy") as file:
            names = file.keys()
            return {name: file.get_tensor(name) for name in names}, file.metadata() or {}
    except (SafetensorError, OSError) as error:
        raise BadInput(f"is not a readable safetensors file ({error})", file=path) from None


def nest(arrays: Mapping[str, Array]) -> dict[str, Any]:
    """The tree of dictionaries and tuples that the names spell."""
    tree: dict[str, Any] = {}
    for name, array in arrays.items():
        *places, last = name.split("/")
        branch = tree
        for place in places:
            branch = branch.setdefault(place, {})
        branch[last] = array
    return {name: with_tuples(branch) for name, branch in tree.items()}


def with_tuples(tree: Any) -> Any:
    """Dictionaries numbered from 0 become tuples."""
    if not isinstance(tree, dict):
        return tree
    branches = {name: with_tuples(branch) for name, branch in tree.items()}
    numbers = [str(i) for i in range(len(branches))]
    if set(numbers) == set(branches):
        return tuple(branches[number] for number in numbers)
    return branches


def named_leaves(tree: Any) -> list[tuple[str, Any]]:
    """The leaves with their place in the tree, such as policy/0/weight."""
    leaves, _ = jax.tree_util.tree_flatten_with_path(tree)
    return [(jax.tree_util.keystr(path, simple=True, separator="/"), leaf) for path, leaf in leaves]
