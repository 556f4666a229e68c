"""Save trees of arrays as safetensors files, written atomically, and read them.

Every file has a checksum of its arrays and notes; files of earlier versions have none.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax
import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from instinct.data import Array
from instinct.errors import BadInput, Damaged
from instinct.util.atomic import write_atomically
from instinct.util.hashing import hash_arrays
from instinct.util.reading import refuse_special

CHECKSUM = "checksum"
"""The note that holds the checksum of a file."""


def save_tree(path: Path, tree: Any, notes: Mapping[str, str] | None = None) -> None:
    """Write the leaves of the tree by name, with notes as metadata."""
    arrays = {name: np.asarray(leaf, order="C") for name, leaf in named_leaves(tree)}
    kept = dict(notes or {})
    write_atomically(path, save(arrays, kept | {CHECKSUM: checksum(arrays, kept)}))


def load_arrays(path: Path) -> tuple[dict[str, Array], dict[str, str]]:
    """Return the arrays of a file by name, and its notes. Raise if it is damaged."""
    refuse_special(path)
    try:
        with safe_open(path, framework="numpy") as file:
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            notes: dict[str, str] = dict(file.metadata() or {})
    except (SafetensorError, OSError, ValueError, TypeError) as error:
        raise Damaged(f"is not a readable safetensors file ({error})", file=path) from None
    found = notes.pop(CHECKSUM, None)
    if found is not None and found != checksum(arrays, notes):
        raise Damaged("is damaged: its checksum does not fit", file=path)
    return arrays, notes


def checksum(arrays: Mapping[str, Array], notes: Mapping[str, str]) -> str:
    """Return the SHA-256 of arrays with their names, types, shapes, and of notes."""
    return hash_arrays(sorted(arrays.items()), json.dumps(dict(notes), sort_keys=True))


def nest(arrays: Mapping[str, Array]) -> dict[str, Any]:
    """Return the tree of dictionaries and tuples that the names describe."""
    tree: dict[str, Any] = {}
    for name, array in arrays.items():
        *places, last = name.split("/")
        branch = tree
        for place in places:
            branch = branch.setdefault(place, {})
        branch[last] = array
    return {name: with_tuples(branch) for name, branch in tree.items()}


def with_tuples(tree: Any) -> Any:
    """Convert dictionaries with the keys 0, 1, … to tuples."""
    if not isinstance(tree, dict):
        return tree
    branches = {name: with_tuples(branch) for name, branch in tree.items()}
    numbers = [str(i) for i in range(len(branches))]
    if set(numbers) == set(branches):
        return tuple(branches[number] for number in numbers)
    return branches


def take(arrays: Mapping[str, Array], prefix: str) -> dict[str, Array]:
    """Return the arrays whose names begin with the prefix, without it."""
    return {
        name.removeprefix(prefix): array
        for name, array in arrays.items()
        if name.startswith(prefix)
    }


def nest_snapshots(arrays: Mapping[str, Array], file: Path) -> dict[int, dict[str, Any]]:
    """Return weights by step from arrays whose names begin with the step."""
    for name in arrays:
        step, _, rest = name.partition("/")
        if not (step.isdecimal() and rest):
            raise Damaged("is not part of the policy after a step", file=file, field=name)
    steps = sorted({int(name.partition("/")[0]) for name in arrays})
    return {step: nest(take(arrays, f"{step}/")) for step in steps}


def restore(template: Any, arrays: Mapping[str, Array], file: Path) -> Any:
    """Return the template's tree with the arrays as leaves.

    Names, shapes and types must be those of the template's leaves, which may be abstract.
    """
    leaves = named_leaves(template)
    names = {name for name, _ in leaves}
    if surplus := arrays.keys() - names:
        raise BadInput("holds an array of another kind of run", file=file, field=min(surplus))
    for name, leaf in leaves:
        if name not in arrays:
            raise BadInput("is missing", file=file, field=name)
        found, wanted = arrays[name], (leaf.shape, leaf.dtype)
        if (found.shape, found.dtype) != wanted:
            problem = f"must be {leaf.dtype}{[*leaf.shape]}, not {found.dtype}{[*found.shape]}"
            raise BadInput(problem, file=file, field=name)
    return jax.tree.unflatten(jax.tree.structure(template), [arrays[name] for name, _ in leaves])


def named_leaves(tree: Any) -> list[tuple[str, Any]]:
    """Return the leaves with their names, such as policy/0/weight."""
    leaves, _ = jax.tree_util.tree_flatten_with_path(tree)
    return [(jax.tree_util.keystr(path, simple=True, separator="/"), leaf) for path, leaf in leaves]
