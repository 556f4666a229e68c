"""Labels: what the agent is told the reward is."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from instinct.data.arrays import Array
from instinct.data.dataset import Dataset
from instinct.errors import BadInput

Rewards = Callable[[Dataset, np.random.Generator], Array]


@dataclass(frozen=True)
class Label:
    """A name, and the rewards it gives to the transitions of a dataset.

    A label of your own is `Label("mine", lambda dataset, random: …)`; `random` is a generator that
    depends only on the seed given to `relabel`.
    """

    name: str
    rewards: Rewards

    def __str__(self) -> str:
        return self.name


ORIGINAL = Label("original", lambda dataset, _: dataset.rewards)
ZERO = Label("zero", lambda dataset, _: np.zeros(len(dataset), np.float32))
RANDOM = Label("random", lambda dataset, random: random.uniform(size=len(dataset)))
NEGATIVE = Label("negative", lambda dataset, _: -dataset.rewards)

LABELS = {label.name: label for label in (ORIGINAL, ZERO, RANDOM, NEGATIVE)}
WRONG = (ZERO, RANDOM, NEGATIVE)


def label(name: str) -> Label:
    """One of the paper's four labels by its name."""
    if name not in LABELS:
        raise BadInput(f"no label is called {name!r}; there are {', '.join(LABELS)}")
    return LABELS[name]


def relabel(dataset: Dataset, label: Label, seed: int = 0) -> Dataset:
    """The dataset as the label shows it: random rewards are drawn once per transition."""
    rewards = np.asarray(label.rewards(dataset, np.random.default_rng(seed)))
    if rewards.shape != (len(dataset),):
        raise BadInput(
            f"the label {label.name!r} gives rewards of shape {list(rewards.shape)}, "
            f"not [{len(dataset)}]"
        )
    return dataset.change(rewards=rewards)
