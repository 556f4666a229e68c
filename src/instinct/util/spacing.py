"""Evenly spaced choices from a longer list."""

import numpy as np
from numpy.typing import NDArray


def evenly_spaced(length: int, most: int) -> NDArray[np.int64]:
    """Choose at most `most` of the indices 0, …, length − 1, evenly spaced, first and last too."""
    return np.unique(np.linspace(0, length - 1, min(length, most)).round().astype(np.int64))
