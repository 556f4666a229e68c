"""Labels: the rewards that an agent is trained on, the true ones or others.

This is the only table of labels. Everything else asks a `Label` for what it needs.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from instinct.data.arrays import Array
from instinct.data.dataset import Dataset
from instinct.data.label_parser import DEVIATION, FACTOR, FRACTION, Parameter, format_number
from instinct.errors import BadInput

Uniform = Callable[[tuple[int, ...]], Array]
"""Draws numbers uniformly from [0, 1) in a given shape. Every call draws new ones."""
Rewards = Callable[[Dataset, np.random.Generator], Array]
Elementwise = Callable[[Array, Uniform], Array]
Range = Callable[[float, float], tuple[float, float]]
Expected = Callable[[Array], Array]

NAME = re.compile(r"[^\s/\\,]+")


@dataclass(frozen=True, repr=False)
class Label:
    """A name and the rewards that an agent trained under it learns from.

    Only `name` and `rewards` are required:

    >>> import numpy as np
    >>> from instinct.data import Box, Dataset, Label, relabel
    >>> dataset = Dataset(
    ...     observations=np.array([[0.0], [1.0]]),
    ...     actions=np.array([[0.5], [-1.0]]),
    ...     rewards=np.array([1.0, 2.0]),
    ...     next_observations=np.array([[1.0], [2.0]]),
    ...     terminals=np.array([False, False]),
    ...     timeouts=np.array([False, True]),
    ...     action_space=Box.of(1),
    ... )
    >>> speed = Label("speed", lambda dataset, random: np.abs(dataset.actions[:, 0]))
    >>> relabel(dataset, speed).rewards.tolist()
    [0.5, 1.0]
    >>> relabel(dataset, "scale:-2").rewards.tolist()
    [-2.0, -4.0]

    Attributes:
        name: Without spaces, commas and slashes.
        rewards: Maps a dataset and a random generator to rewards of shape [N]. The generator
            depends only on the seed given to `relabel`.
        acting: Maps true rewards to those that the agent reads while it acts. Only algorithms
            that read rewards while acting (DT) need it. It works element by element on arrays of
            any shape; `Uniform` is its only source of randomness.
        wrong: Whether the rewards are more than the true ones up to a positive scale and
            zero-mean noise.
        range: Maps the range of the true rewards to the range of these.
        expected: Maps a table of true rewards to the mean of `acting`.
        remove_terminals: Whether terminal transitions are removed. None: as the benchmark does
            under wrong rewards.
        base: The label whose rewards these are, by default the label itself. `no-terminal` has
            the rewards of `original`.
        reads_rewards: Whether the data need rewards. Functions of their own are not asked.
        color: The color in all figures. Labels without one get it from a list.
    """

    name: str
    rewards: Rewards
    acting: Elementwise | None = None
    wrong: bool = True
    range: Range | None = None
    expected: Expected | None = None
    remove_terminals: bool | None = None
    base: str = ""
    color: str = ""
    reads_rewards: bool = False

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.name):
            problem = f"{self.name!r} is no name: a name has no space, comma or slash"
            raise BadInput(problem, field="label")
        object.__setattr__(self, "base", self.base or self.name)

    @classmethod
    def elementwise(
        cls,
        name: str,
        function: Elementwise,
        *,
        wrong: bool = True,
        range: Range | None = None,  # noqa: A002 - the name of the field
        expected: Expected | None = None,
        remove_terminals: bool | None = None,
        base: str = "",
        color: str = "",
        reads_rewards: bool = True,
    ) -> "Label":
        """Make a label whose rewards depend only on the true rewards and on chance.

        `function` maps true rewards and `Uniform` to the rewards of the label, for training and
        for acting. The other arguments are those of `Label`.
        """

        def rewards(dataset: Dataset, random: np.random.Generator) -> Array:
            return function(dataset.rewards, lambda shape: random.uniform(size=shape))

        return cls(
            name,
            rewards,
            function,
            wrong,
            range,
            expected,
            remove_terminals,
            base,
            color,
            reads_rewards,
        )

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"Label({self.name!r})"


ORIGINAL = Label.elementwise(
    "original",
    lambda r, _: r,
    wrong=False,
    range=lambda low, high: (low, high),
    expected=lambda r: r,
    remove_terminals=False,
    color="#2b6cb8",
)
ZERO = Label.elementwise(
    "zero",
    lambda r, _: np.zeros_like(r),
    range=lambda *_: (0.0, 0.0),
    expected=np.zeros_like,
    color="#fdd9b0",
    reads_rewards=False,
)
RANDOM = Label.elementwise(
    "random",
    lambda r, uniform: uniform(r.shape),
    range=lambda *_: (0.0, 1.0),
    expected=lambda r: np.full_like(r, 0.5),
    color="#f28e36",
    reads_rewards=False,
)
NEGATIVE = Label.elementwise(
    "negative",
    lambda r, _: -r,
    range=lambda low, high: (-high, -low),
    expected=lambda r: -r,
    color="#7f2a04",
)
NO_TERMINAL = Label.elementwise(
    "no-terminal",
    lambda r, _: r,
    wrong=False,
    range=lambda low, high: (low, high),
    expected=lambda r: r,
    remove_terminals=True,
    base="original",
    color="#2a9d8f",
)
"""The true rewards, with the terminal transitions removed."""

PAPER_LABELS = ("original", "zero", "random", "negative")
"""The labels of all defaults. Registering another one does not change them."""
WRONG_LABELS = ("zero", "random", "negative")
"""The paper's wrong labels, over which the positive bias is the worst case."""


def corrupt(p: float) -> Label:
    """Replace each reward with probability `p` by a uniform draw from [0, 1)."""

    def draw(r: Array, uniform: Uniform) -> Array:
        noise = uniform(r.shape)
        return np.where(uniform(r.shape) < p, noise, r)

    def bounds(low: float, high: float) -> tuple[float, float]:
        return hull((low, high), (0.0, 1.0), p)

    return Label.elementwise(
        f"corrupt:{format_number(p)}",
        draw,
        wrong=p > 0,
        range=bounds,
        expected=lambda r: (1 - p) * r + p / 2,
    )


def negate(p: float) -> Label:
    """Change the sign of each reward with probability `p`."""
    return Label.elementwise(
        f"negate:{format_number(p)}",
        lambda r, uniform: np.where(uniform(r.shape) < p, -r, r),
        wrong=p > 0,
        range=lambda low, high: hull((low, high), (-high, -low), p),
        expected=lambda r: (1 - 2 * p) * r,
    )


def noise(sigma: float) -> Label:
    """Add Gaussian noise with standard deviation `sigma`."""

    def acting(r: Array, uniform: Uniform) -> Array:
        radius = np.sqrt(-2 * np.log1p(-uniform(r.shape)))  # Box-Muller
        return np.asarray(r + sigma * radius * np.cos(2 * np.pi * uniform(r.shape)))

    return Label(
        f"noise:{format_number(sigma)}",
        lambda dataset, random: dataset.rewards + random.normal(0, sigma, len(dataset)),
        acting,
        wrong=False,
        range=lambda low, high: (-np.inf, np.inf) if sigma else (low, high),
        expected=lambda r: r,
        reads_rewards=True,
    )


def sparse(p: float) -> Label:
    """Keep each reward with probability `p`; the others are 0."""
    return Label.elementwise(
        f"sparse:{format_number(p)}",
        lambda r, uniform: np.where(uniform(r.shape) < p, r, np.zeros_like(r)),
        wrong=p == 0,
        range=lambda low, high: hull((0.0, 0.0), (low, high), p),
        expected=lambda r: p * r,
    )


def scale(c: float) -> Label:
    """Multiply the rewards by `c`."""
    return Label.elementwise(
        f"scale:{format_number(c)}",
        lambda r, _: np.multiply(r, c, dtype=np.float64),
        wrong=c <= 0,
        range=lambda low, high: (min(c * low, c * high), max(c * low, c * high)),
        expected=lambda r: c * r,
    )


def constant(c: float) -> Label:
    """Replace every reward by `c`."""
    return Label.elementwise(
        f"constant:{format_number(c)}",
        lambda r, _: np.full_like(r, c),
        range=lambda *_: (c, c),
        expected=lambda r: np.full_like(r, c),
        reads_rewards=False,
    )


def hull(first: tuple[float, float], second: tuple[float, float], p: float) -> tuple[float, float]:
    """Return the range of a value that is in `second` with probability `p`, else in `first`."""
    if p in (0, 1):
        return second if p else first
    return min(first[0], second[0]), max(first[1], second[1])


PARAMETRIZED: dict[str, tuple[Parameter, Callable[[float], Label]]] = {
    "corrupt": (FRACTION, corrupt),
    "negate": (FRACTION, negate),
    "noise": (DEVIATION, noise),
    "sparse": (FRACTION, sparse),
    "scale": (FACTOR, scale),
    "constant": (FACTOR, constant),
}
"""Labels with a number after a colon: what the number means, and the label for it."""
BUILT_IN = {label.name: label for label in (ORIGINAL, ZERO, RANDOM, NEGATIVE, NO_TERMINAL)}
_registered: dict[str, Label] = {}


def find_label(name: str) -> Label:
    """Return the label of that name.

    There are the paper's `original`, `zero`, `random`, `negative` and `no-terminal`, parametrized
    ones such as `corrupt:0.3`, `negate:0.3`, `noise:0.5`, `sparse:0.1`, `scale:-2` and
    `constant:1`, and those that were registered.

    >>> find_label("corrupt:0.30")
    Label('corrupt:0.3')
    >>> find_label("scale:-2").wrong, find_label("scale:2").wrong
    (True, False)
    """
    known = BUILT_IN | _registered
    if name in known:
        return known[name]
    kind, _, text = name.partition(":")
    if kind not in PARAMETRIZED:
        names = ", ".join([*known, *(f"{key}:{p.symbol}" for key, (p, _) in PARAMETRIZED.items())])
        raise BadInput(f"no label is called {name!r}; there are {names}", field="label")
    return parametrized_label(kind, PARAMETRIZED[kind][0].read(kind, text))


@cache
def parametrized_label(kind: str, number: float) -> Label:
    return PARAMETRIZED[kind][1](number)


def register_label(label: Label) -> None:
    """Make a label of your own known by its name. A label of the same name is replaced."""
    if label.name in BUILT_IN or label.name.partition(":")[0] in PARAMETRIZED:
        raise BadInput(f"{label.name!r} is the name of a built-in label", field="label")
    _registered[label.name] = label


def relabel(dataset: Dataset, label: Label | str, seed: int = 0) -> Dataset:
    """Return the dataset with the rewards of the label. `seed` decides all random draws.

    >>> import instinct
    >>> instinct.relabel(instinct.load("gridworld"), "constant:1").returns[0].tolist()
    9.0
    """
    label = find_label(label) if isinstance(label, str) else label
    check_label(dataset, label)
    rewards = np.asarray(label.rewards(dataset, np.random.default_rng(seed)))
    if rewards.shape != (len(dataset),):
        problem = f"the label {label.name!r} gives rewards of shape {list(rewards.shape)}"
        raise BadInput(f"{problem}, not [{len(dataset)}]", field="rewards")
    return replace(dataset, rewards=rewards, has_rewards=True)


def check_label(dataset: Dataset, label: Label) -> None:
    """Refuse a label that needs rewards for data that have none."""
    if label.reads_rewards and not dataset.has_rewards:
        raise BadInput(f"missing, but the label {label.name!r} needs them", field="rewards")
