"""Read the number in a parametrized label such as `corrupt:0.3`."""

import re
from dataclasses import dataclass

import numpy as np

from instinct.errors import BadInput

NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)


@dataclass(frozen=True)
class Parameter:
    """The number that follows the name of a label after a colon."""

    symbol: str
    meaning: str
    low: float = -np.inf
    high: float = np.inf

    def read(self, kind: str, text: str) -> float:
        """Return the number that `text` holds, or raise if the label `kind` cannot use it."""
        number = float(text) if NUMBER.fullmatch(text) else np.nan
        with np.errstate(over="ignore"):
            finite = np.isfinite(np.float32(number))
        if not finite or not self.low <= number <= self.high:
            problem = f"{kind} needs {self.meaning} after the colon, not {text!r}"
            raise BadInput(problem, field="label")
        return number + 0.0


def format_number(number: float) -> str:
    """Write a number in its shortest form, so that equal labels have equal names."""
    return repr(number + 0.0).removesuffix(".0")


FRACTION = Parameter("P", "a fraction from 0 to 1", 0.0, 1.0)
DEVIATION = Parameter("SIGMA", "a finite standard deviation of at least 0", 0.0)
FACTOR = Parameter("C", "a finite number")
