"""The base class of the deep algorithms: hyperparameters, metadata, pure functions of a state."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal, NamedTuple, TypeVar, dataclass_transform

import jax
import jax.numpy as jnp
import numpy as np

from instinct.data import ActionSpace, Array, Box, Dataset, Discrete
from instinct.deep.algorithms.fields import Settings, setting
from instinct.deep.nn.networks import MLP, Heads, PerAction, value

State = Any
"""The training state of an algorithm: one pytree, as its class defines it."""
Weights = dict[str, Any]
"""The arrays that acting needs, as a tree of dictionaries and tuples."""
Metrics = dict[str, jax.Array]
Carry = Any
A = TypeVar("A", bound="Algorithm")


class Data(NamedTuple):
    """A dataset as arrays to sample from: `rewards` depends on the label, `rows` does not."""

    rows: dict[str, Any]
    rewards: dict[str, Any]


class Batch(NamedTuple):
    """Transitions (s, a, r, s′); `goes_on` is 0 after a terminal and 1 elsewhere.

    Actions are vectors in [-1, 1], or one-hot rows if they are discrete.
    """

    observations: jax.Array
    actions: jax.Array
    rewards: jax.Array
    next_observations: jax.Array
    goes_on: jax.Array


class CriticView(NamedTuple):
    """Pairs of twin critics, the factor of their values, and how they standardize observations."""

    heads: Heads
    scale: float = 1.0
    mean: Array | float = 0.0
    std: Array | float = 1.0

    def values(self, observations: Array, actions: Array | jax.Array) -> Array:
        """Return f₁, f₂, … at pairs (s, a), in the units of the rewards."""
        s, a = self.states(observations), jnp.asarray(actions)
        return np.stack([np.asarray(value(f, s, a)) for f in self.heads]) / self.scale

    def networks(
        self, observations: Array, actions: Array | jax.Array
    ) -> Iterator[tuple[MLP, jax.Array]]:
        """Yield the layers of every critic with their inputs for pairs (s, a)."""
        s = self.states(observations)
        for f in self.heads:
            if isinstance(f, PerAction):
                yield f.layers, s
            else:
                yield f, jnp.concatenate([s, jnp.asarray(actions)], axis=-1)

    def states(self, observations: Array) -> jax.Array:
        """Return the observations as the critics take them."""
        return jnp.asarray((observations - self.mean) / self.std, jnp.float32)


def is_off(weight: Any) -> bool:
    """Tell whether a weight is 0 in the whole program, so that its term can be left out."""
    return isinstance(weight, float | int) and weight == 0


@dataclass_transform(frozen_default=True, kw_only_default=True)
def hyperparameters(cls: type[A]) -> type[A]:
    """Make the class a frozen dataclass that JAX can trace.

    >>> @hyperparameters
    ... class Mine(Algorithm):
    ...     rate: float = setting(1e-3, above=0)
    >>> Mine(rate=0.1).steps
    1000000

    Real numbers and counts of steps are traced: changing them does not compile the program again,
    and many values can be trained in one program. The other fields shape the program, and so does a
    weight of `OPTIONAL` that is 0: the term that it weighs is left out of the program.

    The class is not registered by JAX's `register_dataclass`: structures of two dataclasses with
    the same fields compare as equal there, so that one algorithm may get the program of another.
    """
    if "NAME" not in cls.__dict__:
        cls.NAME = cls.__name__
    cls = dataclasses.dataclass(frozen=True, kw_only=True)(cls)
    names = [field.name for field in dataclasses.fields(cls)]
    shaping = [name for name in names if not cls.is_traced(name)]

    def flatten(algorithm: A) -> tuple[tuple[Any, ...], tuple[tuple[str, Any], ...]]:
        fixed = shaping + [name for name in cls.OPTIONAL if is_off(getattr(algorithm, name))]
        values = (getattr(algorithm, name) for name in names if name not in fixed)
        return tuple(values), tuple((name, getattr(algorithm, name)) for name in fixed)

    def unflatten(fixed: tuple[tuple[str, Any], ...], values: Sequence[Any]) -> A:
        shape = dict(fixed)
        free = [name for name in names if name not in shape]
        return cls(**shape, **dict(zip(free, values, strict=True)))

    jax.tree_util.register_pytree_node(cls, flatten, unflatten)
    return cls


@hyperparameters
class Algorithm:
    """An algorithm: the fields are its hyperparameters, with the paper's values as defaults.

    A subclass defines `init`, `update`, `weights` and `mode`; docs/extending.md has an example.

    >>> from instinct.deep import configure
    >>> configure("PSPI", {"beta": 10}).steps
    1000000
    """

    steps: int = setting(1_000_000, above=0)
    batch_size: int = setting(256, above=0)

    NAME: ClassVar[str] = "Algorithm"
    """The name as it is written in tables, and part of every identity; by default the class's."""
    CITATION: ClassVar[str] = ""
    """The paper that introduced the algorithm."""
    READS_REWARDS: ClassVar[bool] = True
    ACTS_ON_REWARDS: ClassVar[bool] = False
    """Whether `act` reads the rewards of the last step."""
    PESSIMISTIC: ClassVar[bool] = True
    CONTROL: ClassVar[str] = ""
    """The name of the same algorithm without its pessimism, if there is one."""
    ACTIONS: ClassVar[Literal["continuous", "discrete"]] = "continuous"
    """The kind of actions that it learns from and acts with."""
    GRID: ClassVar[Mapping[str, tuple[float, ...]]] = {}
    """The values that the paper tunes over."""
    QUICK: ClassVar[Settings | None] = None
    """The settings of the preset `quick`; None if there are none."""
    OPTIONAL: ClassVar[tuple[str, ...]] = ()
    """Weights of terms that are left out of the program where the weight is 0."""

    FORMER: ClassVar[Settings] = {}
    """Settings of earlier versions, with the values that mean what the algorithm does today."""
    BRIEF: ClassVar[Settings] = {}
    """The same for settings that were added after the first version: they count in no identity."""

    @classmethod
    def is_traced(cls, name: str) -> bool:
        """Tell whether a hyperparameter enters the compiled program as data."""
        return isinstance(getattr(cls, name), float) or name.endswith("steps")

    def warm_start(self) -> "Algorithm | None":
        """Return the stage to train before this one; `init` gets its final state."""
        return None

    def prepare(self, dataset: Dataset) -> Data:
        """Convert the dataset to arrays to sample from."""
        return transitions(dataset)

    def init(self, key: jax.Array, data: Data, warm: State | None = None) -> State:
        """Return the state before the first step; `warm` is the final state of the warm start."""
        raise NotImplementedError

    def sample(self, state: State, data: Data, key: jax.Array) -> Any:
        """Draw a batch of transitions uniformly with replacement."""
        del state
        index = jax.random.randint(key, (self.batch_size,), 0, len(data.rows["observations"]))
        return batch_of(data, index)

    def update(self, state: State, batch: Any, key: jax.Array) -> tuple[State, Metrics]:
        """Make one training step; return the new state and metrics."""
        raise NotImplementedError

    def weights(self, state: State) -> Weights:
        """Return the arrays that acting needs."""
        raise NotImplementedError

    def critics_of(self, state: State) -> "CriticView | None":
        """Return the critics of the state for diagnostics; None if the algorithm has none."""
        del state
        return None

    def start(self, weights: Weights, n: int, key: jax.Array) -> Carry:
        """Return the memory of the policy at the start of n episodes; by default it has none."""
        del weights, n, key
        return ()

    def act(
        self, weights: Weights, carry: Carry, observations: jax.Array, rewards: jax.Array
    ) -> tuple[jax.Array, Carry]:
        """Return actions for n episodes in lockstep; `rewards` are of the last step.

        Continuous actions are in [-1, 1], [n, m]; discrete ones are numbers, [n].
        """
        del rewards
        actions = self.mode(weights, observations)
        return (actions if self.ACTIONS == "discrete" else jnp.clip(actions, -1, 1)), carry

    def mode(self, weights: Weights, observations: jax.Array) -> jax.Array:
        """Return the actions of a policy without memory, without noise."""
        raise NotImplementedError


def transitions(dataset: Dataset) -> Data:
    """Return the transitions, with actions as networks take them."""
    return Data(
        {
            "observations": np.asarray(dataset.observations, np.float32),
            "actions": encode(dataset.actions, dataset.action_space),
            "next_observations": np.asarray(dataset.next_observations, np.float32),
            "goes_on": np.asarray(~dataset.terminals, np.float32),
        },
        {"rewards": np.asarray(dataset.rewards, np.float32)},
    )


def batch_of(data: Data, index: Any) -> Batch:
    """Return the transitions with these row numbers."""
    rows = data.rows
    return Batch(
        rows["observations"][index],
        rows["actions"][index],
        data.rewards["rewards"][index],
        rows["next_observations"][index],
        rows["goes_on"][index],
    )


def sizes(data: Data) -> tuple[int, int]:
    """Return the dimensions of observations and of actions, or the number of discrete actions."""
    return data.rows["observations"].shape[-1], data.rows["actions"].shape[-1]


def encode(actions: Array, space: ActionSpace) -> Array:
    """Return actions as networks take them: in [-1, 1], or one-hot rows if they are discrete.

    >>> encode(np.array([2, 0]), Discrete(3)).tolist()
    [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    """
    if isinstance(space, Discrete):
        return np.eye(space.n, dtype=np.float32)[actions]
    return to_unit(actions, space)


def decode(actions: Array, space: ActionSpace) -> Array:
    """Return the actions of `Algorithm.act` in the units of the space."""
    return actions.astype(np.int64) if isinstance(space, Discrete) else from_unit(actions, space)


def to_unit(actions: Array, box: Box) -> Array:
    """Scale actions of the box to [-1, 1] in every dimension."""
    low, high = np.array(box.low, np.float32), np.array(box.high, np.float32)
    if (low == -1).all() and (high == 1).all():
        return actions
    scaled = 2 * (actions - low) / (high - low) - 1
    return np.asarray(np.clip(scaled, -1, 1), np.float32)


def from_unit(actions: Array, box: Box) -> Array:
    """Scale actions in [-1, 1] to the box."""
    low, high = np.array(box.low, np.float32), np.array(box.high, np.float32)
    return box.clip(low + (actions + 1) / 2 * (high - low))


def combine(x: jax.Array, y: jax.Array, w: jax.Array | float) -> jax.Array:
    """Return x + w·y, divided by w if w > 1: never larger than its terms, however large w is."""
    return x / jnp.maximum(w, 1) + jnp.minimum(w, 1) * y
