"""JSON files, and JSON for numbers that JSON does not have."""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from instinct.errors import BadInput, Damaged
from instinct.util.atomic import write_atomically
from instinct.util.hashing import hash_json
from instinct.util.reading import read_text

CHECKSUM = "checksum"
"""The entry of a JSON object that holds the SHA-256 of all others."""


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write a JSON object with its checksum, whole or not at all."""
    whole = {**content, CHECKSUM: checksum(content)}
    write_atomically(path, (json.dumps(whole, indent=2) + "\n").encode())


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object and check its checksum; files of earlier versions have none."""
    try:
        content = json.loads(read_text(path))
    except BadInput as fault:
        raise Damaged(fault.problem, file=path) from None
    except (ValueError, RecursionError) as error:
        raise Damaged(f"is not a readable JSON file ({error})", file=path) from None
    if not isinstance(content, dict):
        raise Damaged("is not a JSON object", file=path)
    found = content.pop(CHECKSUM, None)
    if found is not None and found != checksum(content):
        raise Damaged("is damaged: its checksum does not fit", file=path)
    return content


def checksum(content: Mapping[str, Any]) -> str:
    """Return the SHA-256 of an object as JSON gives it back."""
    return hash_json(json.loads(json.dumps(content)))


def to_json_data(value: Any) -> Any:
    """Replace infinities by the texts "inf" and "-inf", since JSON has none."""
    if isinstance(value, dict):
        return {name: to_json_data(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_json_data(item) for item in value]
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return value
