"""Show the examples of docstrings as code in the API reference."""

import re
from typing import Any

import griffe

EXAMPLE = re.compile(
    r"(?:^Examples?::?\n+)?((?:^[ ]*>>> .*\n?(?:^[ ]*\S.*\n?)*\n*)+)", re.MULTILINE
)
"""Lines from `>>>` to the next empty line; several such blocks in a row are one example."""


def fenced(text: str) -> str:
    """Put fences around the examples of a docstring."""
    return EXAMPLE.sub(lambda found: f"```pycon\n{found[1].rstrip()}\n```\n\n", text)


class Doctests(griffe.Extension):
    """Puts fences around the examples of every docstring."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)
