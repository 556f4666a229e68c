"""The results of a study, as they are kept: one JSON file that says what every number is."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from instinct.errors import BadInput
from instinct.util.atomic import replacing
from instinct.util.versions import versions

FILE = "results.json"


@dataclass(frozen=True)
class Results:
    """What a study found, and all that a report needs to tell it."""

    study: str
    results: tuple[Mapping[str, Any], ...]
    settings: Mapping[str, Any]
    dataset: str
    """The content hash of the dataset."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """What the figures show beyond the rows."""
    versions: Mapping[str, str] = field(default_factory=versions)


def save(results: Results, folder: Path) -> None:
    with replacing(folder / FILE) as scratch:
        scratch.write_text(json.dumps(asdict(results), indent=1, allow_nan=False), "utf-8")


def load(folder: Path) -> Results:
    path = folder / FILE
    try:
        return Results(**json.loads(path.read_text("utf-8")))
    except FileNotFoundError:
        raise BadInput("does not exist; run the study first", file=path) from None
    except (ValueError, TypeError) as error:
        raise BadInput("does not hold the results of a study", file=path) from error
