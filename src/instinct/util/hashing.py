"""SHA-256 of bytes, of JSON content and of named arrays, as hexadecimal text."""

import hashlib
import json
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from instinct.util.rows import InBlocks, blocks_of


def hash_bytes(content: bytes) -> str:
    """Hash bytes."""
    return hashlib.sha256(content).hexdigest()


def hash_json(content: Any) -> str:
    """Hash plain data by its JSON text with sorted keys."""
    return hash_bytes(json.dumps(content, sort_keys=True).encode())


def hash_arrays(arrays: Iterable[tuple[str, NDArray[Any] | InBlocks]], prefix: str = "") -> str:
    """Hash arrays with their names, types and shapes, after a text."""
    digest = hashlib.sha256(prefix.encode())
    for name, array in arrays:
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        for _, block in blocks_of(array):
            digest.update(np.ascontiguousarray(block).data)
    return digest.hexdigest()
