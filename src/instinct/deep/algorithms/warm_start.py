"""The warm start of ATAC and PSPI, in two stages.

1. `Cloning` fits a scaled tanh-Gaussian policy to the data's actions: min E[−log π(a|s)].
2. `PolicyEvaluation`, the paper's, fits twin critics to the cloned policy by the Bellman error:
   min Σ over heads f of (1−w)·E[(f − y)²] + w·E[(f − (r + γ·f(s′, π)))²],
   y = clip(r + γ·min over the pair's target critics at (s′, π), V_min, V_max).
   Or `ReturnFitting` fits them to the discounted returns G of the data: min Σ E[(f − G)²].

None depends on β, and the first does not depend on rewards: runs share them.

Why fit returns: with a target rate of 0.005 and γ = 0.99 a value needs tens of thousands of steps
to travel a hundred backups. A short Bellman fit leaves the game with critics that still move.

Units: networks hold c·f. With `scale_values`, c makes values of order one; otherwise c = 1. All
settings (β, α), bounds and metrics are in the units of the rewards, as in the paper.
"""

from dataclasses import fields
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp

from instinct.data import Dataset
from instinct.deep.algorithms.algorithm import (
    Algorithm,
    Batch,
    Data,
    Metrics,
    State,
    Weights,
    hyperparameters,
    is_off,
    sizes,
)
from instinct.deep.algorithms.fields import Settings, setting
from instinct.deep.algorithms.returns import cuts_of, mean_value, monte_carlo_returns
from instinct.deep.algorithms.standardize import Scaling, scaling_of, standardized, unscaled
from instinct.deep.nn.networks import (
    MLP,
    Critic,
    Heads,
    PerAction,
    expected,
    gaussian_divergence,
    heads_init,
    mlp,
    moving_average,
    pair_minima,
    scaled_tanh_gaussian,
    scaled_tanh_gaussian_init,
    squashed_log_prob,
    squashed_sample,
    value,
)
from instinct.deep.nn.optimizer import EPSILON, Learner, cosine, new_learner

Pair = tuple[jax.Array, jax.Array]
TINY = 1e-12
"""The smallest number to divide by."""
WEIGHT_NORM = 100.0
"""The largest Frobenius norm of a weight matrix of a critic."""


class CloningState(NamedTuple):
    """The training state of `Cloning`."""

    policy: Learner[MLP]
    scaling: Scaling | None


class Critics(NamedTuple):
    """Twin critics, their target critics, and the scale and range of their values."""

    learner: Learner[Heads]
    targets: Heads
    scale: jax.Array
    v_min: jax.Array
    v_max: jax.Array


class EvaluationState(NamedTuple):
    """The training state of `PolicyEvaluation`; the policy does not change."""

    policy: MLP
    critics: Critics
    scaling: Scaling | None


@hyperparameters
class TanhGaussianPolicy(Algorithm):
    """The settings that all stages of the warm start and the game after it have in common.

    With `standardize`, all learning is from observations of mean 0 and deviation 1. `epsilon` is
    Adam's.
    """

    steps: int = setting(100_000, above=0)
    layers: int = setting(3, above=0)
    units: int = setting(256, above=0)
    standardize: bool = setting(False, since=2)
    action_scale: float = setting(1.0, above=0)
    fast_rate: float = setting(5e-4, above=0)
    epsilon: float = setting(EPSILON, above=0, since=2)

    def prepare(self, dataset: Dataset) -> Data:
        data = super().prepare(dataset)
        return standardized(data) if self.standardize else data

    def init_policy(self, key: jax.Array, observations: int, actions: int) -> MLP:
        """Draw the network of the policy."""
        return scaled_tanh_gaussian_init(key, observations, actions, self.layers, self.units)

    def log_likelihood(self, policy: MLP, s: jax.Array, a: jax.Array) -> jax.Array:
        """Return log π(a|s), per dimension of the action."""
        return squashed_log_prob(scaled_tanh_gaussian(policy, s), a, self.action_scale)

    def draw(self, policy: MLP, s: jax.Array, noise: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Return actions of π as critics take them, and log π, per dimension of the action."""
        return squashed_sample(scaled_tanh_gaussian(policy, s), noise, self.action_scale)

    def noiseless(self, policy: MLP, s: jax.Array) -> jax.Array:
        """Return the actions of π without noise, as critics take them."""
        return self.action_scale * jnp.tanh(scaled_tanh_gaussian(policy, s).mean)

    def divergence(self, policy: MLP, other: MLP, s: jax.Array) -> jax.Array:
        """Return KL(π, π′) in every state; scaling and tanh are the same and do not change it."""
        return gaussian_divergence(
            scaled_tanh_gaussian(policy, s), scaled_tanh_gaussian(other, s)
        ).sum(axis=-1)

    def entropy_target(self, actions: int) -> float:
        """Return the entropy that the temperature steers to, for so many dimensions."""
        return -actions

    def mode(self, weights: Weights, observations: jax.Array) -> jax.Array:
        return self.noiseless(weights["policy"], observations)


@hyperparameters
class Cloning(TanhGaussianPolicy):
    """The policy that makes the data's actions most likely.

    With `decay` the rate falls to 0 along a cosine, as that of BC does.
    """

    decay: bool = setting(False, since=4)

    READS_REWARDS: ClassVar[bool] = False

    def init(self, key: jax.Array, data: Data, warm: State | None = None) -> CloningState:
        del warm
        return CloningState(new_learner(self.init_policy(key, *sizes(data))), scaling_of(data))

    def update(
        self, state: CloningState, batch: Batch, key: jax.Array
    ) -> tuple[CloningState, Metrics]:
        del key

        def loss(policy: MLP) -> jax.Array:
            return -self.log_likelihood(policy, batch.observations, batch.actions).mean()

        cloning_loss, gradient = jax.value_and_grad(loss)(state.policy.params)
        rate: jax.Array | float = self.fast_rate
        if self.decay:
            rate = cosine(rate, state.policy.optimizer, self.steps)
        policy = state.policy.step(rate, gradient, epsilon=self.epsilon)
        return state._replace(policy=policy), {"cloning_loss": cloning_loss}

    def weights(self, state: CloningState) -> Weights:
        return {"policy": unscaled(state.policy.params, state.scaling)}


@hyperparameters
class BellmanCritics(TanhGaussianPolicy):
    """Twin critics and their Bellman error.

    With `scale_values`, the networks hold c·f with c = (1 − γ)/max(1, max |r|). The policy that
    they begin with is cloned in `cloning_steps` steps at `cloning_rate` (0: as the critics are
    fitted), with `decay_cloning` at a rate that falls to 0.
    """

    discount: float = setting(0.99, above=0, below=1)
    residual_weight: float = setting(0.5, at_least=0, at_most=1)
    target_rate: float = setting(0.005, above=0, below=1)
    scale_values: bool = setting(False, since=3)
    cloning_steps: int = setting(0, at_least=0, since=4)
    cloning_rate: float = setting(0.0, at_least=0, since=4)
    decay_cloning: bool = setting(False, since=4)
    pairs: int = setting(1, above=0, since=7)

    OPTIONAL: ClassVar[tuple[str, ...]] = ("residual_weight",)
    FEARS_CUTS: ClassVar[bool] = True
    """Whether what a cut has removed is worth V_min; if not, the world goes on as before."""
    FORMER: ClassVar[Settings] = {"value_scale": 1.0, "unit_rewards": False}
    BRIEF: ClassVar[Settings] = {
        "relative_beta": False,
        "rise": 0.0,
        "most_preference": 0.0,
        "fitted_beta": False,
    }

    def init_critics(self, key: jax.Array, data: Data) -> Critics:
        """Return new critics, with target critics equal to them."""
        discrete = self.ACTIONS == "discrete"
        critics = heads_init(
            key, *sizes(data), self.layers, self.units, pairs=self.pairs, per_action=discrete
        )
        targets = jax.tree.map(jnp.copy, critics)
        scale = self.scale(data)
        return Critics(new_learner(critics), targets, scale, *self.bounds(data, scale))

    def scale(self, data: Data) -> jax.Array:
        """Return c, the factor of rewards and values in the networks."""
        if not self.scale_values:
            return jnp.ones(())
        return (1 - self.discount) / jnp.maximum(1, jnp.abs(data.rewards["rewards"]).max())

    def bounds(self, data: Data, scale: jax.Array) -> Pair:
        """Return V_min = 2/(1−γ)·min(−1, r_min) and V_max = 2/(1−γ)·max(1, r_max), scaled."""
        horizon = 2 * scale / (1 - self.discount)
        r = data.rewards["rewards"]
        return horizon * jnp.minimum(-1, r.min()), horizon * jnp.maximum(1, r.max())

    def with_returns(self, data: Data, dataset: Dataset) -> Data:
        """Add where the dataset was cut, and its discounted returns."""
        discount = float(self.discount)
        v_min = 2 / (1 - discount) * min(-1.0, float(dataset.rewards.min()))
        after_cut = v_min if self.FEARS_CUTS else mean_value(dataset, discount)
        returns = monte_carlo_returns(dataset, discount, after_cut)
        return Data(data.rows | {"cuts": cuts_of(dataset)}, data.rewards | {"returns": returns})

    def backup(self, critics: Critics, batch: Batch, f_next: jax.Array) -> jax.Array:
        """Return clip(r + γ·f(s′, a′), V_min, V_max), without f after a terminal."""
        r = critics.scale * batch.rewards
        return jnp.clip(r + self.discount * batch.goes_on * f_next, critics.v_min, critics.v_max)

    def target(self, critics: Critics, batch: Batch, next_actions: jax.Array) -> jax.Array:
        """Return y of every head, the backup of the smaller of its pair of target critics."""
        f_next = pair_minima(critics.targets, batch.next_observations, next_actions)
        return self.backup(critics, batch, f_next)

    def residual_pairs(self, s_next: jax.Array, next_actions: jax.Array) -> list[Pair]:
        """Return where the residual error needs f: at (s′, π), or nowhere if its weight is 0."""
        return [] if is_off(self.residual_weight) else [(s_next, next_actions)]

    def bellman_loss(
        self, critics: Critics, batch: Batch, f: jax.Array, y: jax.Array, *f_next: jax.Array
    ) -> jax.Array:
        """Return (1−w)·(f − y)² + w·(f − backup of f)², with the gradient through both sides.

        `f_next` are the values at `residual_pairs`.
        """
        loss = (1 - self.residual_weight) * jnp.mean((f - y) ** 2)
        for each in f_next:
            residual_error = jnp.mean((f - self.backup(critics, batch, each)) ** 2)
            loss = loss + self.residual_weight * residual_error
        return loss

    def step_critics(
        self, critics: Critics, gradient: Heads, slower: jax.Array | float = 1.0
    ) -> Critics:
        """Make a step of Adam, limit the norms of the weights, then move the target critics."""
        rate = slower * self.fast_rate
        learner = critics.learner.step(rate, gradient, epsilon=self.epsilon)
        learner = learner._replace(params=jax.tree.map(limit_norm, learner.params))
        targets = moving_average(critics.targets, learner.params, self.target_rate)
        return critics._replace(learner=learner, targets=targets)


@hyperparameters
class CriticFitting(BellmanCritics):
    """The second stage of the warm start: new critics beside the cloned policy."""

    CLONING: ClassVar[type[Cloning]] = Cloning

    def warm_start(self) -> Algorithm | None:
        own = {
            "steps": self.cloning_steps or self.steps,
            "fast_rate": self.cloning_rate or self.fast_rate,
            "decay": self.decay_cloning,
        }
        return self.CLONING(**shared_settings(self, TanhGaussianPolicy) | own)

    def init(self, key: jax.Array, data: Data, warm: State | None = None) -> EvaluationState:
        assert isinstance(warm, CloningState)
        critics = self.init_critics(key, data)
        return EvaluationState(warm.policy.params, critics, scaling_of(data))

    def weights(self, state: EvaluationState) -> Weights:
        return {"policy": unscaled(state.policy, state.scaling)}


@hyperparameters
class PolicyEvaluation(CriticFitting):
    """Twin critics fitted to the cloned policy by the Bellman error."""

    NAME: ClassVar[str] = "Evaluation"

    def update(
        self, state: EvaluationState, batch: Batch, key: jax.Array
    ) -> tuple[EvaluationState, Metrics]:
        noise = jax.random.normal(key, batch.actions.shape)
        next_actions, _ = self.draw(state.policy, batch.next_observations, noise)
        y = self.target(state.critics, batch, next_actions)
        recorded = batch.observations, batch.actions
        following = self.residual_pairs(batch.next_observations, next_actions)

        def loss(critics: Heads) -> jax.Array:
            total = jnp.zeros(())
            for head, y_head in zip(critics, y, strict=True):
                f, *f_next = at(head, recorded, *following)
                total = total + self.bellman_loss(state.critics, batch, f, y_head, *f_next)
            return total

        bellman_loss, gradient = jax.value_and_grad(loss)(state.critics.learner.params)
        critics = self.step_critics(state.critics, gradient)
        return state._replace(critics=critics), {"bellman_loss": bellman_loss}


class ReturnBatch(NamedTuple):
    """Pairs (s, a) with their Monte-Carlo returns."""

    observations: jax.Array
    actions: jax.Array
    returns: jax.Array


@hyperparameters
class ReturnFitting(CriticFitting):
    """Twin critics fitted to the discounted returns of the data; the targets end equal to them."""

    NAME: ClassVar[str] = "Returns"

    def prepare(self, dataset: Dataset) -> Data:
        return self.with_returns(super().prepare(dataset), dataset)

    def sample(self, state: State, data: Data, key: jax.Array) -> ReturnBatch:
        del state
        returns = data.rewards["returns"]
        index = jax.random.randint(key, (self.batch_size,), 0, len(returns))
        rows = data.rows
        return ReturnBatch(rows["observations"][index], rows["actions"][index], returns[index])

    def update(
        self, state: EvaluationState, batch: ReturnBatch, key: jax.Array
    ) -> tuple[EvaluationState, Metrics]:
        del key
        critics = state.critics
        returns = critics.scale * batch.returns

        def loss(heads: Heads) -> jax.Array:
            return sum(
                (
                    jnp.mean((value(f, batch.observations, batch.actions) - returns) ** 2)
                    for f in heads
                ),
                jnp.zeros(()),
            )

        error, gradient = jax.value_and_grad(loss)(critics.learner.params)
        critics = self.step_critics(critics, gradient)
        critics = critics._replace(targets=critics.learner.params)
        return state._replace(critics=critics), {"return_error": error / critics.scale**2}


@hyperparameters
class NeutralReturnFitting(ReturnFitting):
    """`ReturnFitting` without pessimism: after a cut the world goes on as before."""

    NAME: ClassVar[str] = "NeutralReturns"
    FEARS_CUTS: ClassVar[bool] = False


def shared_settings(algorithm: Algorithm, stage: type[Algorithm]) -> dict[str, Any]:
    """Return the settings of the algorithm that the stage has as well."""
    return {field.name: getattr(algorithm, field.name) for field in fields(stage)}


def at(head: Critic, *pairs: Pair) -> list[jax.Array]:
    """Return f at several batches of (s, a), computed in one pass.

    A critic of discrete actions needs one pass for every batch of states.
    """
    if isinstance(head, PerAction):
        states = {id(s): s for s, _ in pairs}
        values = {key: mlp(head.layers, s) for key, s in states.items()}
        return [expected(probabilities, values[id(s)]) for s, probabilities in pairs]
    inputs = jnp.concatenate([jnp.concatenate(pair, axis=-1) for pair in pairs])
    return jnp.split(mlp(head, inputs)[:, 0], len(pairs))


def limit_norm(array: jax.Array) -> jax.Array:
    """Scale a weight matrix down to Frobenius norm 100 where it exceeds it; keep biases."""
    if array.ndim < 2:
        return array
    return array * jnp.minimum(1, WEIGHT_NORM / jnp.sqrt(jnp.sum(array**2)))
