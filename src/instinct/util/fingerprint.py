"""Fingerprints of a user's own code, so that results of changed code are never reused."""

import inspect
from typing import Any

from instinct.util.hashing import hash_bytes

LENGTH = 16


def fingerprint(*things: Any) -> str:
    """Hash the source code of functions, classes and objects, or their byte code without it.

    Values that a function closes over do not count: give such a function another name when they
    change.
    """
    return hash_bytes("\n".join(map(_source, things)).encode())[:LENGTH]


def _source(thing: Any) -> str:
    if thing is None:
        return ""
    target = thing if inspect.isroutine(thing) or inspect.isclass(thing) else type(thing)
    try:
        return inspect.getsource(target)
    except (OSError, TypeError):
        code = getattr(target, "__code__", None)
        if code is None:
            return f"{target.__module__}.{target.__qualname__}"
        return f"{code.co_code.hex()} {code.co_consts!r} {code.co_names!r}"
