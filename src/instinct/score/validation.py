"""Datasets whose bias is known from trained agents, with their scores, in a CSV file."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from instinct.errors import BadInput
from instinct.util.atomic import replacing

NESTED, TEXTS, PREFIX = ("predicted", "by_ratio"), ("dataset", "scored", "family"), "C="


@dataclass(frozen=True)
class Validated:
    """A dataset: what agents reached, and what measures of the data alone say."""

    dataset: str
    scored: str
    """The dataset that was scored: the same, or fewer transitions of the same policies."""
    family: str
    positive_bias: float
    share: float | None
    predicted: Mapping[str, float | None]
    by_ratio: Mapping[float, float]
    """The score by C."""


def write_validation(path: Path, rows: Sequence[Validated]) -> None:
    """Write the datasets with all their numbers to a CSV file."""
    flat = []
    for row in rows:
        kept = {name: value for name, value in asdict(row).items() if name not in NESTED}
        ratios = {f"{PREFIX}{ratio:g}": value for ratio, value in row.by_ratio.items()}
        flat.append({**kept, **row.predicted, **ratios})
    with replacing(path) as scratch, scratch.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [*flat[0]])
        writer.writeheader()
        writer.writerows({name: short(value) for name, value in row.items()} for row in flat)


def short(value: object) -> object:
    return f"{value:.6g}" if isinstance(value, float) else value


def read_validation(path: Path) -> list[Validated]:
    """Read back what `write_validation` has written."""
    with path.open(encoding="utf-8", newline="") as file:
        return [validated(row) for row in csv.DictReader(file)]


def validated(row: dict[str, str]) -> Validated:
    numbers = {name: float(x) if x else None for name, x in row.items() if name not in TEXTS}
    bias, share = numbers.pop("positive_bias"), numbers.pop("share")
    ratios = {float(name[2:]): x for name, x in numbers.items() if name.startswith(PREFIX)}
    predicted = {name: x for name, x in numbers.items() if not name.startswith(PREFIX)}
    if bias is None or None in ratios.values():
        raise BadInput("has no positive bias or score", field=row["dataset"])
    known = {ratio: x for ratio, x in ratios.items() if x is not None}
    dataset, scored, family = (row[name] for name in TEXTS)
    return Validated(dataset, scored, family, bias, share, predicted, known)
