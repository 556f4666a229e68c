"""How fast this machine trained and tested before, so that an estimate needs no measurement."""

from collections.abc import Mapping

from instinct.errors import InstinctError
from instinct.util.folders import cache_folder
from instinct.util.hashing import hash_json
from instinct.util.jsonio import read_json, write_json
from instinct.util.versions import describe_machine, versions

FILE = "speeds.json"


def key_of(kind: str) -> str:
    """Return the key of a kind of training, or of a task, on this machine with these versions."""
    return hash_json([kind, describe_machine(), versions().get("jax", "")])


def recall() -> dict[str, float]:
    """Return the seconds per step by key; nothing if they are missing or damaged."""
    try:
        content = read_json(cache_folder() / FILE)
    except InstinctError:
        return {}
    return {key: float(value) for key, value in content.items() if isinstance(value, float)}


def remember(seconds: Mapping[str, float]) -> None:
    """Add seconds per step by kind; a cache that cannot be written is no failure."""
    new = {key_of(kind): value for kind, value in seconds.items()}
    try:
        write_json(cache_folder() / FILE, recall() | new)
    except InstinctError:
        return
