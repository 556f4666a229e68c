"""Where something happens in the data: columns, units and kinds of ends worked out by hand."""

from dataclasses import replace

import numpy as np
import pytest

from instinct.data import Box, Dataset
from instinct.data.dataset import ObservationColumn
from instinct.estimate.regions import contrasts, where_episodes_end


def episodes(rewards: list[float]) -> Dataset:
    """Two steps per episode, from (0, 0) to (reward, 0), where it ends; the second column is 0."""
    n = len(rewards)
    states = np.zeros((2 * n, 2), np.float32)
    states[1::2, 0] = rewards
    told = np.zeros(2 * n, np.float32)
    told[1::2] = rewards
    return Dataset(
        observations=states,
        actions=np.zeros((2 * n, 1), np.float32),
        rewards=told,
        next_observations=np.repeat(states[1::2], 2, axis=0),
        terminals=np.arange(2 * n) % 2 == 1,
        timeouts=np.zeros(2 * n, bool),
        action_space=Box.of(1),
    )


def test_all_ends_are_described_in_the_units_of_the_table() -> None:
    named = (ObservationColumn("pulse", 80.0, 10.0), ObservationColumn("ward"))
    found = where_episodes_end(replace(episodes([2.0] * 20), columns=named))
    assert found is not None
    assert (found.share, found.steps, found.kind) == (1.0, 2.0, "all")
    (pulse,) = found.columns
    # Half of the rows are 0 and half are 2: the deviation is 1.
    assert pulse.column == "pulse"
    assert pulse.difference == pytest.approx(2.0)
    assert (pulse.low, pulse.high, pulse.mean) == (100.0, 100.0, 90.0)


def test_good_and_bad_ends_do_not_cancel_each_other() -> None:
    found = where_episodes_end(episodes([1.0, -1.0] * 20))
    assert found is not None
    assert found.kind == "low-reward"
    (column,) = found.columns
    assert (column.column, column.low, column.high) == ("observation 0", -1.0, -1.0)
    assert column.difference == pytest.approx(-1 / np.sqrt(0.5))


def test_few_rows_and_data_without_ends_say_nothing() -> None:
    data = episodes([2.0] * 9)
    found = where_episodes_end(data)
    assert found is not None
    assert found.columns == ()
    assert contrasts(data, np.zeros(18, bool), np.ones(18, bool)) == ()
    endless = replace(data, terminals=np.zeros(18, bool), timeouts=data.terminals)
    assert where_episodes_end(endless) is None
