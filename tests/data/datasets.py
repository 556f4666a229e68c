"""Datasets for tests: a small one, and a strategy for any valid one."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from instinct.data import Box, Dataset, Discrete


def small(**changes: object) -> Dataset:
    """Make three episodes: 2 steps to a terminal, 3 to a timeout, 1 to a terminal."""
    fields: dict[str, object] = {
        "observations": np.array([[0.0], [1.0], [10.0], [11.0], [12.0], [20.0]]),
        "actions": np.array([[0.5], [-0.5], [1.0], [-1.0], [0.0], [0.25]]),
        "rewards": np.array([1.0, 2.0, 3.0, -1.0, 0.5, 7.0]),
        "next_observations": np.array([[1.0], [2.0], [11.0], [12.0], [13.0], [21.0]]),
        "terminals": np.array([0, 1, 0, 0, 0, 1], bool),
        "timeouts": np.array([0, 0, 0, 0, 1, 0], bool),
        "action_space": Box.of(1),
    }
    return Dataset(**{**fields, **changes})  # type: ignore[arg-type]


@st.composite
def datasets(draw: st.DrawFn) -> Dataset:
    """Draw a valid dataset: any type of observations, any action space, with or without costs."""
    lengths = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    rows, dimension = sum(lengths), draw(st.integers(1, 3))
    stops = np.cumsum(lengths)
    last = np.isin(np.arange(rows), stops - 1)
    ends_by_terminal = draw(npst.arrays(bool, rows))
    floats = st.floats(width=32, allow_nan=False, allow_infinity=False)
    integers = st.integers(-(2**63), 2**63 - 1)
    kind = draw(st.sampled_from([np.float32, np.int64]))
    points = draw(
        npst.arrays(
            kind,
            (rows + len(lengths), dimension),
            elements=floats if kind is np.float32 else integers,
        )
    )
    first = np.concatenate([[0], stops[:-1]]) + np.arange(len(lengths))
    before = np.concatenate([start + np.arange(n) for start, n in zip(first, lengths, strict=True)])
    space: Box | Discrete
    if draw(st.booleans()):
        low = draw(st.floats(-1e3, 1e3, width=32))
        space = Box((low,) * 2, (low + draw(st.floats(1, 1e3, width=32)),) * 2)
        inside = st.floats(space.low[0], space.high[0], width=32)
        actions = draw(npst.arrays(np.float32, (rows, 2), elements=inside))
    else:
        space = Discrete(draw(st.integers(1, 5)))
        actions = draw(npst.arrays(np.int64, rows, elements=st.integers(0, space.n - 1)))
    return Dataset(
        observations=points[before],
        actions=actions,
        rewards=draw(npst.arrays(np.float32, rows, elements=floats)),
        next_observations=points[before + 1],
        terminals=last & ends_by_terminal,
        timeouts=last & ~ends_by_terminal,
        action_space=space,
        costs=draw(st.none() | npst.arrays(np.float32, rows, elements=floats)),
    )
