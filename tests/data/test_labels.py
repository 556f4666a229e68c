"""Labels: the paper's four, parametrized ones, and labels of one's own."""

import doctest
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from instinct.audits.options import AuditOptions
from instinct.audits.plan import audit_plan
from instinct.data import (
    NO_TERMINAL,
    PAPER_LABELS,
    WRONG_LABELS,
    Array,
    Box,
    Dataset,
    Label,
    find_label,
    labels,
    register_label,
    relabel,
)
from instinct.errors import BadInput
from instinct.study.plan import Plan
from tests.data.datasets import datasets, small

N = 20_000
NOT_WRONG = ("original", "no-terminal", "noise:0.5", "sparse:0.1", "scale:2", "corrupt:0")
WRONG = (
    "zero",
    "random",
    "negative",
    "constant:1",
    "corrupt:0.3",
    "negate:0.3",
    "scale:-2",
    "scale:0",
    "sparse:0",
)
EVERY = (*NOT_WRONG, *WRONG, "corrupt:1", "negate:1", "noise:0", "sparse:1")


def long_dataset(rewards: Array) -> Dataset:
    """One episode with these rewards."""
    points = np.arange(len(rewards) + 1, dtype=np.float32)[:, None]
    last = np.arange(len(rewards)) == len(rewards) - 1
    return Dataset(
        observations=points[:-1],
        actions=np.zeros((len(rewards), 1)),
        rewards=rewards,
        next_observations=points[1:],
        terminals=last,
        timeouts=np.zeros(len(rewards), bool),
        action_space=Box.of(1),
    )


def rewards_of(name: str, true: Array, seed: int = 0) -> Array:
    return relabel(long_dataset(true), name, seed).rewards


def acting_of(name: str, true: Array, seed: int = 0) -> Array:
    acting = find_label(name).acting
    assert acting is not None
    random = np.random.default_rng(seed)
    return acting(true, lambda shape: random.uniform(size=shape).astype(np.float32))


def test_the_papers_labels() -> None:
    dataset = small()
    rewards = {name: relabel(dataset, name, seed=3).rewards.tolist() for name in PAPER_LABELS}
    assert rewards == {
        "original": [1, 2, 3, -1, 0.5, 7],
        "zero": [0] * 6,
        "random": np.random.default_rng(3).uniform(size=6).astype(np.float32).tolist(),
        "negative": [-1, -2, -3, 1, -0.5, -7],
    }
    assert tuple(name for name in PAPER_LABELS if find_label(name).wrong) == WRONG_LABELS


def test_draws_depend_only_on_the_seed() -> None:
    for name in ("random", "corrupt:0.5", "noise:1", "sparse:0.5"):
        first, again, other = (rewards_of(name, np.ones(50), seed) for seed in (1, 1, 2))
        assert (first == again).all()
        assert (first != other).any()


@given(datasets())
def test_a_label_changes_only_the_rewards(dataset: Dataset) -> None:
    for label in ("zero", "random", "constant:2"):
        relabeled = relabel(dataset, label)
        for (name, before), (_, after) in zip(dataset.fields(), relabeled.fields(), strict=True):
            assert name == "rewards" or (before == after).all()


def test_equal_labels() -> None:
    """Parameters at their ends are labels without a parameter, number by number."""
    true = np.random.default_rng(0).normal(size=100)
    for one, other in {
        "negate:1": "negative",
        "negate:0": "original",
        "corrupt:1": "random",
        "corrupt:0": "original",
        "noise:0": "original",
        "sparse:1": "original",
        "sparse:0": "zero",
        "scale:1": "original",
        "scale:-1": "negative",
        "constant:0": "zero",
        "no-terminal": "original",
    }.items():
        assert (rewards_of(one, true) == rewards_of(other, true)).all(), one


@given(st.floats(0, 1), st.integers(0, 5))
def test_corrupt_replaces_a_fraction_by_uniform_draws(p: float, seed: int) -> None:
    true = np.full(N, -3.0)
    for rewards in (
        rewards_of(f"corrupt:{p!r}", true, seed),
        acting_of(f"corrupt:{p!r}", true, seed),
    ):
        replaced = rewards != -3
        assert abs(replaced.mean() - p) < 5 * np.sqrt(p * (1 - p) / N) + 5 / N
        assert ((rewards[replaced] >= 0) & (rewards[replaced] <= 1)).all()
        if replaced.sum() > 1000:
            assert abs(rewards[replaced].mean() - 0.5) < 5 * np.sqrt(1 / 12 / replaced.sum())


@given(st.floats(0, 1), st.integers(0, 5))
def test_sparse_keeps_a_fraction(p: float, seed: int) -> None:
    true = np.full(N, 2.0)
    for rewards in (
        rewards_of(f"sparse:{p!r}", true, seed),
        acting_of(f"sparse:{p!r}", true, seed),
    ):
        assert set(rewards.tolist()) <= {0, 2}
        assert abs((rewards == 2).mean() - p) < 5 * np.sqrt(p * (1 - p) / N) + 5 / N


@given(st.floats(0.01, 100), st.integers(0, 5))
def test_noise_is_gaussian(sigma: float, seed: int) -> None:
    true = np.full(N, 1.0)
    for rewards in (
        rewards_of(f"noise:{sigma!r}", true, seed),
        acting_of(f"noise:{sigma!r}", true, seed),
    ):
        z = (np.asarray(rewards, float) - 1) / sigma
        assert abs(z.mean()) < 5 / np.sqrt(N)
        assert abs(z.std() - 1) < 5 / np.sqrt(2 * N)
        assert abs((np.abs(z) < 1).mean() - 0.6827) < 0.02
        assert abs((np.abs(z) < 2).mean() - 0.9545) < 0.01


@pytest.mark.parametrize("name", EVERY)
def test_acting_range_and_expected_agree(name: str) -> None:
    """`expected` is the mean of many draws, for training and for acting; all are in the range."""
    label = find_label(name)
    assert label.range is not None
    assert label.expected is not None
    for true in (-2.0, 0.0, 0.7, 5.0):
        trained, acted = rewards_of(name, np.full(N, true)), acting_of(name, np.full(N, true))
        mean = float(label.expected(np.array([true]))[0])
        for rewards in (trained, acted):
            deviation = rewards.std() / np.sqrt(N)
            assert abs(rewards.mean(dtype=float) - mean) < 5 * deviation + 1e-6
        low, high = label.range(-2.0, 5.0)
        assert low - 1e-6 <= min(trained.min(), acted.min())
        assert max(trained.max(), acted.max()) <= high + 1e-6


@given(
    st.sampled_from(["corrupt", "sparse", "scale", "constant"]),
    st.floats(0, 1),
    st.lists(st.floats(-100, 100, width=32), min_size=1, max_size=20),
)
def test_the_range_holds(kind: str, number: float, true: list[float]) -> None:
    name = f"{kind}:{number!r}" if kind in ("corrupt", "sparse") else f"{kind}:{6 * number - 3!r}"
    label = find_label(name)
    assert label.range is not None
    low, high = label.range(min(true), max(true))
    rewards = rewards_of(name, np.array(true))
    assert low - 1e-4 <= rewards.min()
    assert rewards.max() <= high + 1e-4


def test_which_labels_are_wrong() -> None:
    assert not any(find_label(name).wrong for name in NOT_WRONG)
    assert all(find_label(name).wrong for name in WRONG)


def test_acting_keeps_the_shape() -> None:
    for name in EVERY:
        assert acting_of(name, np.ones((3, 4), np.float32)).shape == (3, 4)


def test_no_terminal_has_the_rewards_of_original() -> None:
    label = find_label("no-terminal")
    assert label is NO_TERMINAL
    assert (label.base, label.wrong, label.remove_terminals) == ("original", False, True)
    assert find_label("original").remove_terminals is False
    assert {find_label(name).remove_terminals for name in WRONG_LABELS} == {None}
    assert {find_label(name).base for name in ("zero", "scale:2")} == {"zero", "scale:2"}
    assert "no-terminal" not in PAPER_LABELS


def test_equal_numbers_have_equal_names() -> None:
    for name in ("scale:2", "scale:2.0", "scale:+2", "scale:02", "scale:.2e1"):
        assert find_label(name) is find_label("scale:2")
    assert find_label("scale:-0").name == "scale:0"
    assert find_label("noise:0.10").name == "noise:0.1"
    plan = Plan(name="p", datasets=("hopper-medium",), algorithms=("BC",), labels=("corrupt:0.50",))
    assert plan.labels == ("corrupt:0.5",)


def test_short_texts() -> None:
    assert repr(find_label("zero")) == "Label('zero')"
    assert str(find_label("corrupt:0.3")) == "corrupt:0.3"


@pytest.mark.parametrize(
    "name",
    [
        *("positive", "", "corrupt", "corrupt:", "corrupt:1.1", "corrupt:-0.1", "corrupt:nan"),
        *("sparse:2", "sparse:x", "noise:-1", "noise:inf", "noise:", "scale:inf", "scale:1e39"),
        *("scale:1_0", "scale: 1", "constant:", "constant:1:2", "zero:1", "constant:٣"),
    ],
)
def test_names_of_no_label(name: str) -> None:
    with pytest.raises(BadInput) as fault:
        find_label(name)
    assert (fault.value.field, fault.value.exit_code) == ("label", 2)
    assert repr(name) in fault.value.problem or repr(name.partition(":")[2]) in fault.value.problem
    with pytest.raises(BadInput) as fault:
        Plan(name="p", datasets=("hopper-medium",), algorithms=("BC",), labels=(name,))
    assert fault.value.field == "labels"


def test_the_message_lists_the_labels() -> None:
    with pytest.raises(BadInput, match=r"there are original, zero, random, negative, .*corrupt:P"):
        find_label("positive")


def test_rewards_that_do_not_fit() -> None:
    with pytest.raises(BadInput, match=r"'short' gives rewards of shape \[2\], not \[6\]"):
        relabel(small(), Label("short", lambda *_: np.zeros(2)))
    with pytest.raises(BadInput) as fault:
        relabel(small(), Label("nan", lambda dataset, _: np.full(len(dataset), np.nan)))
    assert (fault.value.field, fault.value.row) == ("rewards", 0)
    with pytest.raises(BadInput) as fault:
        rewards_of("scale:1e38", np.array([1.0, 10.0, 1.0]))
    assert (fault.value.field, fault.value.row) == ("rewards", 1)


def test_a_label_of_ones_own() -> None:
    mine = Label("speed", lambda dataset, _: np.abs(dataset.actions[:, 0]))
    assert relabel(small(), mine).rewards.tolist() == [0.5, 0.5, 1, 1, 0, 0.25]
    assert (mine.acting, mine.wrong, mine.base) == (None, True, "speed")
    square = Label.elementwise("square", lambda r, _: r**2, wrong=False)
    assert relabel(small(), square).rewards.tolist() == [1, 4, 9, 1, 0.25, 49]
    assert square.acting is not None
    assert square.acting(np.array([3.0]), lambda shape: np.zeros(shape)).tolist() == [9]


@pytest.mark.parametrize("name", ["", "a b", "../a", "a,b", "a\n"])
def test_names_that_no_label_can_have(name: str) -> None:
    with pytest.raises(BadInput) as fault:
        Label(name, lambda dataset, _: dataset.rewards)
    assert fault.value.field == "label"


@pytest.fixture
def fifth() -> Iterator[Label]:
    label = Label.elementwise("fifth", lambda r, _: r + 1)
    register_label(label)
    yield label
    labels._registered.clear()


def test_a_fifth_label_changes_no_default(fifth: Label) -> None:
    assert find_label("fifth") is fifth
    assert relabel(small(), "fifth").rewards.tolist() == [2, 3, 4, 0, 1.5, 8]
    assert PAPER_LABELS == ("original", "zero", "random", "negative")
    assert WRONG_LABELS == ("zero", "random", "negative")
    plan = Plan(name="p", datasets=("hopper-medium",), algorithms=("BC",))
    assert plan.labels == audit_plan("hopper-medium").labels == PAPER_LABELS
    assert audit_plan("hopper-medium", AuditOptions(labels=("original", "fifth"))).labels == (
        "original",
        "fifth",
    )


@pytest.mark.parametrize("name", [*PAPER_LABELS, "no-terminal", "corrupt:0.3", "scale:x", "noise"])
def test_names_that_cannot_be_registered(name: str) -> None:
    with pytest.raises(BadInput) as fault:
        register_label(Label(name, lambda dataset, _: dataset.rewards))
    assert (fault.value.field, fault.value.exit_code) == ("label", 2)


def test_the_example_in_the_docstring() -> None:
    assert doctest.testmod(labels).attempted > 0
    assert doctest.testmod(labels).failed == 0


def test_negate_changes_the_sign_of_a_fraction() -> None:
    true = np.arange(1.0, 2001.0)
    rewards = rewards_of("negate:0.3", true, 0)
    assert np.abs(rewards).tolist() == true.tolist()
    assert (rewards < 0).mean() == pytest.approx(0.3, abs=0.03)
