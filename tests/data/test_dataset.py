import numpy as np
import pytest
from hypothesis import given

from instinct.data import Box, Dataset, Discrete
from instinct.errors import BadInput
from tests.data.datasets import datasets, small


def test_episodes_of_the_small_dataset() -> None:
    dataset = small()
    assert dataset.episodes == 3
    assert dataset.starts.tolist() == [0, 2, 5]
    assert dataset.lengths.tolist() == [2, 3, 1]
    assert dataset.returns.tolist() == [3.0, 2.5, 7.0]
    assert dataset.steps.tolist() == [0, 1, 0, 1, 2, 0]


def test_types_are_fixed_and_arrays_are_read_only() -> None:
    rewards = np.arange(6.0)
    dataset = small(rewards=rewards, terminals=np.array([0, 1, 0, 0, 0, 1]))
    assert dataset.rewards.dtype == np.float32
    assert dataset.terminals.dtype == np.bool_
    with pytest.raises(ValueError, match="read-only"):
        dataset.rewards[0] = 5
    rewards[0] = 99
    assert dataset.rewards[0] == 0


@given(datasets())
def test_the_hash_depends_on_the_contents(dataset: Dataset) -> None:
    copy = dataset.change(rewards=dataset.rewards.copy())
    assert copy.hash == dataset.hash
    changed = dataset.rewards.copy()
    changed[-1] = 1.0 if changed[-1] != 1.0 else 2.0
    assert dataset.change(rewards=changed).hash != dataset.hash


def test_the_hash_does_not_depend_on_the_sign_of_zero() -> None:
    positive, negative = np.zeros(6), -np.zeros(6)
    assert small(rewards=positive).hash == small(rewards=negative).hash


def test_the_hash_depends_on_the_action_space() -> None:
    assert small().hash != small(action_space=Box.of(1, -2, 2)).hash


FAULTS: dict[str, tuple[dict[str, object], str]] = {
    "nan": ({"rewards": np.array([1, 2, np.nan, 4, 5, 6])}, "rewards, row 2: not a finite"),
    "too large": ({"rewards": np.array([1, 2, 3, 1e300, 5, 6])}, "rewards, row 3: not a finite"),
    "unequal lengths": ({"rewards": np.zeros(5)}, "rewards: has shape [5], not [6]"),
    "flat observations": ({"observations": np.zeros(6)}, "observations: has shape [6]"),
    "objects": ({"rewards": np.array([None] * 6)}, "rewards: holds object values"),
    "text": ({"actions": np.array([["a"]] * 6)}, "actions: holds <U1 values"),
    "action range": (
        {"actions": np.array([[0], [0], [0], [0], [1.5], [2]])},
        "actions, row 4: outside the action range [-1, 1] (and 1 more rows)",
    ),
    "flag": ({"terminals": np.array([0, 2, 0, 0, 0, 1])}, "terminals, row 1: neither 0 nor 1"),
    "both ends": (
        {"timeouts": np.array([0, 1, 0, 0, 1, 0], bool)},
        "timeouts, row 1: is a terminal and a timeout at once",
    ),
    "open end": (
        {"terminals": np.array([0, 1, 0, 0, 0, 0], bool)},
        "timeouts, row 5: the last row does not end an episode",
    ),
    "gap": (
        {"next_observations": np.array([[1.0], [2.0], [11.0], [99.0], [13.0], [21.0]])},
        "next_observations, row 3: is not the observation of the following row",
    ),
    "discrete": (
        {"action_space": Discrete(2), "actions": np.array([0, 1, 0, 2, 0, 1])},
        "actions, row 3: outside the action range {0, …, 1}",
    ),
    "fractions": (
        {"action_space": Discrete(2), "actions": np.zeros(6)},
        "actions: must be whole numbers",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_an_error_names_field_and_row(name: str) -> None:
    changes, message = FAULTS[name]
    with pytest.raises(BadInput) as caught:
        small(**changes)
    assert str(caught.value).startswith(message)


def test_an_empty_dataset_is_an_error() -> None:
    empty = {name: array[:0] for name, array in small().fields()}
    with pytest.raises(BadInput, match="holds no transitions"):
        small(**empty)


@pytest.mark.parametrize(
    ("low", "high"), [((0.0,), (0.0,)), ((), ()), ((0.0,), (1.0, 2.0)), ((0.0,), (np.inf,))]
)
def test_an_empty_box_is_an_error(low: tuple[float, ...], high: tuple[float, ...]) -> None:
    with pytest.raises(BadInput, match="box"):
        Box(low, high)
