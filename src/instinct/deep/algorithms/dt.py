"""DT: the Decision Transformer.

Chen et al., "Decision Transformer: Reinforcement Learning via Sequence Modeling", NeurIPS 2021,
arXiv:2106.01345.

The policy minimizes E[(a_t − π(R̂_{t−K+1}, s, a, …, R̂_t, s_t))²] over windows of K steps, where R̂
is the return-to-go.
"""

from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from instinct.data import Array, Dataset
from instinct.deep.algorithms.algorithm import (
    Algorithm,
    Carry,
    Data,
    Metrics,
    State,
    Weights,
    hyperparameters,
    sizes,
    transitions,
)
from instinct.deep.algorithms.fields import Settings, setting
from instinct.deep.nn.networks import linear, mlp_init, norm, norm_init
from instinct.deep.nn.optimizer import Learner, clip_norm, mean_gradient, new_learner
from instinct.deep.nn.transformer import Dropout, transformer, transformer_init

TOP = 0.1
"""The share of the best episodes, whose returns an episode may start with."""
WINDOWS_AT_ONCE = 16
"""How many windows of a batch the gradient is computed for at a time."""


class Window(NamedTuple):
    """K steps of an episode. If the episode has fewer, `real` is False at the first places."""

    returns: jax.Array
    observations: jax.Array
    actions: jax.Array
    steps: jax.Array
    real: jax.Array


class DTState(NamedTuple):
    """The training state of DT; all but the policy comes from the data."""

    policy: Learner[dict[str, Any]]
    mean: jax.Array
    std: jax.Array
    best_returns: jax.Array


@hyperparameters
class DT(Algorithm):
    """Predicts actions from the returns-to-go, states and actions of the last K steps.

    An episode starts with the return-to-go of an episode drawn from the best tenth of the data. It
    decreases by the rewards that the policy reads while it acts.
    """

    steps: int = setting(70_000, above=0)
    layers: int = setting(3, above=0)
    units: int = setting(128, above=0)
    context: int = setting(20, above=0)
    dropout: float = setting(0.1, at_least=0, at_most=1)
    rate: float = setting(5e-4, above=0)
    warm_up_steps: int = setting(200, above=0)
    gradient_norm: float = setting(0.25, above=0)
    weight_decay: float = setting(1e-4, at_least=0, at_most=1)
    return_scale: float = setting(1000.0, above=0)
    horizon: int = setting(1000, above=0)

    CITATION: ClassVar[str] = (
        "Chen et al., 'Decision Transformer: Reinforcement Learning via Sequence Modeling', "
        "NeurIPS 2021, arXiv:2106.01345"
    )
    PESSIMISTIC: ClassVar[bool] = False
    ACTS_ON_REWARDS: ClassVar[bool] = True
    QUICK: ClassVar[Settings | None] = {
        "units": 64,
        "batch_size": 32,
        "rate": 1e-3,
        "steps": 4_000,
    }

    def prepare(self, dataset: Dataset) -> Data:
        """Return standardized states, and of every row its step, episode end and return-to-go."""
        data = transitions(dataset)
        observations = data.rows["observations"]
        mean, std = observations.mean(axis=0), observations.std(axis=0) + 1e-6
        rows = {
            "observations": (observations - mean) / std,
            "actions": data.rows["actions"],
            "steps": dataset.steps.astype(np.int32),
            "stops": np.repeat(dataset.stops, dataset.lengths).astype(np.int32),
            "mean": mean,
            "std": std,
        }
        best = np.sort(dataset.returns)[-max(1, round(TOP * dataset.episodes)) :]
        rewards = {
            "returns": (returns_to_go(dataset) / self.return_scale).astype(np.float32),
            "best_returns": (best / self.return_scale).astype(np.float32),
        }
        return Data(rows, rewards)

    def init(self, key: jax.Array, data: Data, warm: State | None = None) -> DTState:
        del warm
        n, m = sizes(data)
        keys = jax.random.split(key, 6)
        policy = {
            "step": jax.random.normal(keys[0], (self.horizon, self.units)),
            "return": mlp_init(keys[1], [1, self.units])[0],
            "observation": mlp_init(keys[2], [n, self.units])[0],
            "action": mlp_init(keys[3], [m, self.units])[0],
            "embedded": norm_init(self.units),
            "transformer": transformer_init(keys[4], self.layers, self.units),
            "answer": mlp_init(keys[5], [self.units, m])[0],
        }
        return DTState(
            policy=new_learner(policy),
            mean=jnp.asarray(data.rows["mean"]),
            std=jnp.asarray(data.rows["std"]),
            best_returns=jnp.asarray(data.rewards["best_returns"]),
        )

    def sample(self, state: State, data: Data, key: jax.Array) -> Window:
        """Draw windows that start at any row: episodes are drawn by their length."""
        del state
        first = jax.random.randint(key, (self.batch_size, 1), 0, len(data.rows["steps"]))
        left = jnp.minimum(self.context, data.rows["stops"][first] - first)
        place = jnp.arange(self.context) - (self.context - left)
        real, row = place >= 0, first + jnp.maximum(place, 0)
        return Window(
            data.rewards["returns"][row],
            data.rows["observations"][row],
            data.rows["actions"][row],
            data.rows["steps"][row],
            real,
        )

    def update(self, state: DTState, batch: Window, key: jax.Array) -> tuple[DTState, Metrics]:
        keys = jax.random.split(key, self.batch_size)
        weight = batch.real / batch.real.mean()

        def loss(policy: dict[str, Any], part: Any) -> tuple[jax.Array, None]:
            window, weight, keys = part
            predicted = self.predict(policy, window, Dropout(self.dropout, keys[0]))
            return self.action_error(predicted, window.actions, weight), None

        (error, _), gradient = mean_gradient(
            loss, state.policy.params, (batch, weight, keys), WINDOWS_AT_ONCE
        )
        rate = self.rate * jnp.minimum(1, (state.policy.optimizer.count + 1) / self.warm_up_steps)
        policy = state.policy.step(
            rate, clip_norm(gradient, self.gradient_norm), decay=self.weight_decay
        )
        return state._replace(policy=policy), {"action_error": error}

    def action_error(
        self, predicted: jax.Array, actions: jax.Array, weight: jax.Array
    ) -> jax.Array:
        """Return the mean error over all steps, each with its weight."""
        return jnp.mean(weight[..., None] * (predicted - actions) ** 2)

    def answer(self, outputs: jax.Array) -> jax.Array:
        """Return what the policy predicts, from the outputs of the last layer."""
        return jnp.tanh(outputs)

    def choose(self, predicted: jax.Array) -> jax.Array:
        """Return the actions that the policy takes, as it reads them in the next step."""
        return predicted

    def predict(
        self, policy: dict[str, Any], window: Window, dropout: Dropout | None = None
    ) -> jax.Array:
        """Predict the action at every step of the window from the tokens up to its state."""
        step = policy["step"][jnp.clip(window.steps, 0, self.horizon - 1)]
        tokens = jnp.stack(
            [
                linear(policy["return"], window.returns[..., None]) + step,
                linear(policy["observation"], window.observations) + step,
                linear(policy["action"], window.actions) + step,
            ],
            axis=2,
        )
        batch, context, kinds, width = tokens.shape
        tokens = norm(policy["embedded"], tokens.reshape(batch, context * kinds, width))
        real = jnp.repeat(window.real, kinds, axis=1)
        states = transformer(policy["transformer"], tokens, real, slice(1, None, kinds), dropout)
        return self.answer(linear(policy["answer"], states))

    def weights(self, state: DTState) -> Weights:
        return state._asdict() | {"policy": state.policy.params}

    def start(self, weights: Weights, n: int, key: jax.Array) -> Carry:
        """Return an empty window, and a return-to-go for every episode."""
        m = weights["policy"]["answer"]["bias"].shape[0]
        window = Window(
            jnp.zeros((n, self.context)),
            jnp.zeros((n, self.context, weights["mean"].shape[0])),
            jnp.zeros((n, self.context, m)),
            jnp.broadcast_to(jnp.arange(self.context) - self.context, (n, self.context)),
            jnp.zeros((n, self.context), bool),
        )
        return window, jax.random.choice(key, weights["best_returns"], (n,))

    def act(
        self, weights: Weights, carry: Carry, observations: jax.Array, rewards: jax.Array
    ) -> tuple[jax.Array, Carry]:
        window, wanted = carry
        wanted = wanted - rewards / self.return_scale
        s = (observations - weights["mean"]) / weights["std"]
        window = Window(
            append(window.returns, wanted),
            append(window.observations, s),
            append(window.actions, jnp.zeros_like(window.actions[:, 0])),
            window.steps + 1,
            append(window.real, jnp.ones(len(s), bool)),
        )
        actions = self.choose(self.predict(weights["policy"], window)[:, -1])
        done = window.actions.at[:, -1].set(actions)
        return actions, (window._replace(actions=done), wanted)


def append(history: jax.Array, latest: jax.Array) -> jax.Array:
    """Append the latest entry to the history and drop its first."""
    return jnp.concatenate([history[:, 1:], latest[:, None]], axis=1)


def returns_to_go(dataset: Dataset) -> Array:
    """Return for every row the sum of rewards from it to the end of its episode."""
    cumulative = np.cumsum(dataset.rewards.astype(np.float64))
    at_end = np.repeat(cumulative[dataset.stops - 1], dataset.lengths)
    return np.asarray(at_end - cumulative + dataset.rewards)
