"""Check plain data of files and stores against the dataclasses that the code uses."""

import re
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from instinct.errors import BadInput, Damaged
from instinct.util.jsonio import read_json

T = TypeVar("T")
MISSING = re.compile(r"Object missing required field `(.*)`")
EXPECTED = re.compile(r"Expected `(.*)`, got `(.*)`")
WORDS = {
    "bool": "true or false",
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "null": "nothing",
    "array": "a list",
    "object": "a table",
}


def convert(content: Any, kind: type[T]) -> T:
    """Make a dataclass from plain data; the error names the field that does not fit.

    >>> from instinct.data import Box
    >>> convert({"low": [-1.0], "high": "x"}, Box)
    Traceback (most recent call last):
    ...
    instinct.errors.BadInput: high: must be a list, not text
    """
    if isinstance(content, Mapping):
        known = [item.name for item in fields(kind)]  # type: ignore[arg-type]
        for name in content:
            if name not in known:
                raise BadInput(f"is unknown; there are {', '.join(known)}", field=str(name))
    try:
        return msgspec.convert(content, kind)
    except msgspec.ValidationError as error:
        problem, _, place = str(error).partition(" - at `$")
        field = place.rstrip("`").lstrip(".")
        if missing := MISSING.fullmatch(problem):
            raise BadInput(
                "is missing", field=".".join(filter(None, [field, missing[1]]))
            ) from None
        raise BadInput(in_words(problem), field=field or None) from None


def read_document(path: Path, kind: type[T]) -> T:
    """Read a JSON object that was written here into a dataclass; raise `Damaged` if it is none."""
    try:
        return convert(read_json(path), kind)
    except Damaged:
        raise
    except BadInput as fault:
        raise Damaged(fault.problem, file=path, field=fault.field) from None


def in_words(problem: str) -> str:
    """Say in the words of a plan's author what msgspec expected."""
    match = EXPECTED.fullmatch(problem)
    if match is None:
        return problem[:1].lower() + problem[1:]
    wanted, found = (
        " or ".join(WORDS.get(kind, kind) for kind in kinds.split(" | "))
        for kinds in match.groups()
    )
    return f"must be {wanted}, not {found}"
