"""Collect the columns of a table, block by block, in arrays made in advance."""

from typing import Any

import numpy as np

from instinct.data.arrays import Array
from instinct.data.tables.roles import printable
from instinct.data.tables.source import require_arrow
from instinct.errors import BadInput

MAX_CATEGORIES = 64
"""A column of more different texts is no category."""


def kind_of(arrow_type: Any) -> str:
    """Return number, flag, text, time, empty, or the name of a type that cannot be read."""
    is_type = require_arrow().types
    numbers = is_type.is_integer, is_type.is_floating, is_type.is_decimal
    if any(is_one(arrow_type) for is_one in numbers):
        return "number"
    if is_type.is_boolean(arrow_type):
        return "flag"
    if is_type.is_dictionary(arrow_type):
        return "text" if kind_of(arrow_type.value_type) in ("text", "number") else str(arrow_type)
    texts = is_type.is_string, is_type.is_large_string, is_type.is_string_view
    if any(is_one(arrow_type) for is_one in texts):
        return "text"
    if is_type.is_temporal(arrow_type):
        return "time"
    return "empty" if is_type.is_null(arrow_type) else str(arrow_type)


def as_text(block: Any) -> Any:
    """Return a block of texts or categories as plain texts."""
    return block.cast(require_arrow().large_string())


def as_float32(block: Any) -> Array:
    """Return a block of numbers or flags as 32-bit floats, NaN where a value is missing."""
    arrow = require_arrow()
    if arrow.types.is_decimal(block.type):
        block = block.cast(arrow.float64())
    with np.errstate(over="ignore"):
        return np.asarray(block.cast(arrow.float32(), safe=False).to_numpy(zero_copy_only=False))


class Numbers:
    """A column of numbers or flags as 32-bit floats, NaN where a value is missing."""

    def __init__(self, name: str, rows: int) -> None:
        self.name = name
        self.values = np.empty(rows, np.float32)

    def put(self, start: int, block: Any) -> None:
        values = as_float32(block)
        if np.isinf(values).any():
            row = start + int(np.isinf(values).argmax())
            raise BadInput("not a finite 32-bit number", field=printable(self.name), row=row)
        self.values[start : start + len(values)] = values


class Texts:
    """A column of texts as the numbers of its categories, -1 where a value is missing."""

    def __init__(self, name: str, rows: int, most: int | None = MAX_CATEGORIES) -> None:
        self.name, self.most = name, most
        self.values = np.empty(rows, np.int64)
        self.numbers: dict[str, int] = {}

    def put(self, start: int, block: Any) -> None:
        encoded = as_text(block).dictionary_encode()
        words = encoded.dictionary.to_pylist()
        known = [self.numbers.setdefault(word, len(self.numbers)) for word in words]
        if self.most is not None and len(self.numbers) > self.most:
            raise BadInput(
                f"has more than {self.most} different texts; give it no role or make it a number",
                field=printable(self.name),
            )
        codes = np.asarray(encoded.indices.fill_null(len(words)))
        self.values[start : start + len(codes)] = np.array([*known, -1])[codes]

    def in_order(self) -> list[str]:
        """Renumber the categories in the order of their names and return these."""
        names = sorted(self.numbers)
        ranks = np.empty(len(names) + 1, np.int64)
        ranks[[self.numbers[name] for name in names]] = np.arange(len(names))
        ranks[-1] = -1
        self.values = ranks[self.values]
        self.numbers = {name: number for number, name in enumerate(names)}
        return names


class Keys:
    """A column that rows are sorted by: whole or real numbers, or times. None may be missing."""

    def __init__(self, name: str, rows: int, arrow_type: Any) -> None:
        arrow = require_arrow()
        self.name, self.arrow_type = name, arrow_type
        whole = arrow.types.is_integer(arrow_type) or kind_of(arrow_type) == "time"
        self.target = arrow.int64() if whole else arrow.float64()
        self.values = np.empty(rows, np.int64 if whole else np.float64)

    def put(self, start: int, block: Any) -> None:
        arrow = require_arrow()
        if arrow.types.is_time32(block.type) or arrow.types.is_date32(block.type):
            block = block.cast(arrow.int32())
        values = block.cast(self.target)
        found = np.asarray(values.fill_null(0))
        missing = np.asarray(values.is_null()) | (found != found)
        if missing.any():
            row = start + int(missing.argmax())
            raise BadInput("is missing", field=printable(self.name), row=row)
        self.values[start : start + len(found)] = found

    def show(self, value: Any) -> str:
        """Show a value of the column as the table has it."""
        if kind_of(self.arrow_type) != "time":
            return f"{value:g}" if isinstance(value, float) else str(value)
        arrow = require_arrow()
        narrow = arrow.types.is_time32(self.arrow_type) or arrow.types.is_date32(self.arrow_type)
        stored = arrow.array([int(value)], arrow.int32() if narrow else arrow.int64())
        return str(stored.cast(self.arrow_type)[0])


Column = Numbers | Texts | Keys
