"""JSON files, and JSON for numbers that JSON does not have."""

import json
import math
from pathlib import Path
from typing import Any

from instinct.errors import BadInput
from instinct.util.atomic import write_atomically


def write_json(path: Path, content: Any) -> None:
    """Write a JSON file, whole or not at all."""
    write_atomically(path, (json.dumps(content, indent=2) + "\n").encode())


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON file that holds an object."""
    try:
        content = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise BadInput(f"is not a readable JSON file ({error})", file=path) from None
    if not isinstance(content, dict):
        raise BadInput("is not a JSON object", file=path)
    return content


def to_json_data(value: Any) -> Any:
    """Replace infinities by the texts "inf" and "-inf", since JSON has none."""
    if isinstance(value, dict):
        return {name: to_json_data(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_json_data(item) for item in value]
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return value
