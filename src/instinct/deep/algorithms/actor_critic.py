"""The game that ATAC and PSPI share: a slow policy against fast, pessimistic twin critics.

Every step, in this order:

1. Critics: min Σ over heads f of pessimism(f, π) + β·(Bellman error of f), by Adam at the fast
   rate; then the norms of the weights are limited and the target critics follow (`warm_start`).
2. Temperature: log α moves so that the entropy of π approaches its target, −dim(A).
3. Policy: max E[f₂(s, π)] + α·(entropy of π), by Adam at the slow rate.

The algorithms differ in `pessimism` only. The game starts from a cloned policy π₁ and from critics
that were fitted to it.

In theory the policy makes steps of soft policy iteration, π ← π·exp(η·f)/Z, so that it is
π₁·exp(η·Σf)/Z in every state: it moves only where critics prefer actions. The public code, and the
paper's preset, take a very small rate instead. A network that is moved so also changes in states
where the critics prefer nothing. With `soft`, the policy maximizes

    E[f₂(s, π)] − λ·E[KL(π(s), π₁(s))] + α·(entropy of π),

whose solution is π₁·exp(f/λ)/Z. λ falls along the game, as 1/(η·t) does (`nearness`).

How pessimistic critics have to be depends on the data, the label and the size of the rewards. The
paper tunes β by the true return. With `tuned_beta` it follows from the policy instead: β falls
where the policy is farther from the clone than it should be, and rises where it is nearer.
"""

from collections.abc import Callable, Mapping
from typing import ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from instinct.data import Dataset
from instinct.deep.algorithms.algorithm import (
    Algorithm,
    Batch,
    CriticView,
    Data,
    Metrics,
    State,
    Weights,
    batch_of,
    combine,
    hyperparameters,
)
from instinct.deep.algorithms.fields import Setting, setting
from instinct.deep.algorithms.standardize import Scaling, unscaled
from instinct.deep.algorithms.warm_start import (
    TINY,
    BellmanCritics,
    Critics,
    EvaluationState,
    PolicyEvaluation,
    ReturnFitting,
    at,
    shared_settings,
)
from instinct.deep.nn.networks import MLP, Heads, value
from instinct.deep.nn.optimizer import Learner, new_learner
from instinct.deep.nn.temperature import update_temperature
from instinct.util.spacing import evenly_spaced

QUICK_GAME: dict[str, Setting] = {
    "layers": 3,
    "units": 64,
    "batch_size": 64,
    "standardize": True,
    "steps": 24_000,
    "cloning_steps": 40_000,
    "cloning_rate": 1e-3,
    "decay_cloning": True,
    "warm_start_steps": 20_000,
    "scale_values": True,
    "fit_returns": True,
    "beta": 10.0,
    "tuned_beta": True,
    "distance": 0.4,
    "residual_weight": 0.0,
    "pairs": 4,
    "doubt": 1.0,
    "fast_rate": 5e-4,
    "slow_rate": 3e-5,
    "soft": True,
    "softness": 0.002,
    "wait": 0.1,
    "settle": 0.5,
    "policy_average": 5e-4,
}
"""The quick settings that ATAC and PSPI share."""
SUMMARY_ROWS = 10_000
"""At most so many recorded transitions say how good the critics are before the game."""
CLOSEST = 1000.0
"""While the policy waits, λ is so many times what it is at the end."""
TUNING_RATE = 1e-3
"""The largest change of log β in a step."""


class GameState(NamedTuple):
    """The training state of ATAC and PSPI; `average` is the policy that acts in the end."""

    policy: Learner[MLP]
    average: MLP
    critics: Critics
    temperature: Learner[jax.Array]
    scaling: Scaling | None
    beta: jax.Array | None = None
    """β in the units of the rewards; None where it is the setting itself."""
    reward: jax.Array | None = None
    """r, the size of the rewards: the mean of |reward|, at least 1 as in V_min."""
    clone: MLP | None = None
    """π₁, which the policy is compared with."""
    softest: jax.Array | None = None
    """λ at the end of its fall, in the units of the networks."""


class Drawn(NamedTuple):
    """Actions of π at the states of a batch, log π, and the mean KL(π, π₁) if there is a clone.

    `before` are actions of π₁ from the same noise. `into_policy` takes gradients of the other three
    to that of the policy.
    """

    actions: jax.Array
    log_pi: jax.Array
    distance: jax.Array
    into_policy: Callable[[tuple[jax.Array, jax.Array, jax.Array]], tuple[MLP]]
    before: jax.Array | None


@hyperparameters
class ActorCritic(BellmanCritics):
    """max over π, min over f of pessimism(f, π) + β·(Bellman error of f).

    The final policy is an exponential average of the policy's weights with the rate
    `policy_average`; 1, the paper's value, is the last policy itself. The weight α of the entropy
    starts at `entropy_weight`. With `fit_returns` the critics start from the returns of the data
    (`ReturnFitting`) instead of the paper's Bellman fit.

    With `soft`, the policy also pays λ·KL(π, π₁) for its distance from the clone. It stays there in
    the first part of the game, `wait`, while critics learn. Then 1/λ rises until the last part,
    `settle`, to λ = `softness`·σ: preferences count as far as they exceed σ, the critics' error in
    explaining the returns. In the last part λ stays, and the rates of critics and policy fall to 0.

    With `tuned_beta`, β begins at `beta`/r, r = max(1, E|reward|), and then moves so that
    KL(π, π₁) grows to `distance` nats from the end of `wait` to the beginning of `settle`. It stays
    within the paper's grid divided by r.

    With more `pairs` of critics than one, the policy maximizes what all of them agree on: the mean
    over the critics of f(s, π) − f(s, π₁), less `doubt` standard deviations.

    With values scaled by c, β·(Bellman error) becomes β/c times that of c·f, and α becomes c·α:
    nothing else changes, so the scale is a choice of units.
    """

    steps: int = setting(1_000_000, above=0)
    warm_start_steps: int = setting(100_000, above=0)
    beta: float = setting(1.0, above=0)
    slow_rate: float = setting(5e-7, above=0)
    policy_average: float = setting(1.0, above=0, at_most=1)
    entropy_weight: float = setting(1.0, above=0, since=2)
    fit_returns: bool = setting(False, since=3)
    soft: bool = setting(False, since=6)
    softness: float = setting(0.002, above=0, since=6)
    wait: float = setting(0.0, at_least=0, below=1, since=6)
    settle: float = setting(0.0, at_least=0, below=1, since=6)
    tuned_beta: bool = setting(False, since=7)
    distance: float = setting(0.4, above=0, since=7)
    doubt: float = setting(1.0, at_least=0, since=7)

    GRID: ClassVar[Mapping[str, tuple[float, ...]]] = {"beta": (0.1, 1.0, 10.0, 100.0)}
    CONTROL: ClassVar[str] = "NoPessimism"
    STAGES: ClassVar[tuple[type[Algorithm], type[Algorithm]]] = (PolicyEvaluation, ReturnFitting)
    """The stage before the game: the first, or with `fit_returns` the second."""

    def warm_start(self) -> Algorithm | None:
        stage = self.STAGES[self.fit_returns]
        return stage(**shared_settings(self, stage) | {"steps": self.warm_start_steps})

    def prepare(self, dataset: Dataset) -> Data:
        data = super().prepare(dataset)
        return self.with_returns(data, dataset) if self.fit_returns or self.soft else data

    @property
    def compares(self) -> bool:
        """Whether the policy is compared with the clone along the game."""
        return self.soft or self.tuned_beta or self.pairs > 1

    def init(self, key: jax.Array, data: Data, warm: State | None = None) -> GameState:
        """Continue policy, critics and target critics of the warm start, with fresh optimizers."""
        del key
        assert isinstance(warm, EvaluationState)
        scale = warm.critics.scale
        log_alpha = jnp.log(jnp.asarray(scale * self.entropy_weight, jnp.float32))
        reward = jnp.maximum(jnp.abs(data.rewards["rewards"]).mean(), 1)
        return GameState(
            policy=new_learner(warm.policy),
            average=jax.tree.map(jnp.copy, warm.policy),
            critics=warm.critics._replace(learner=new_learner(warm.critics.learner.params)),
            temperature=new_learner(log_alpha),
            scaling=warm.scaling,
            beta=self.first_beta(reward),
            reward=reward if self.tuned_beta else None,
            clone=jax.tree.map(jnp.copy, warm.policy) if self.compares else None,
            softest=scale * self.softness * self.error(warm, data) if self.soft else None,
        )

    def first_beta(self, reward: jax.Array) -> jax.Array | None:
        """Return the β that tuning begins with, in the units of the rewards."""
        return self.beta / reward if self.tuned_beta else None

    def error(self, warm: EvaluationState, data: Data) -> jax.Array:
        """Return σ, the critics' error in explaining the returns of the data before the game."""
        index = evenly_spaced(len(data.rows["observations"]), SUMMARY_ROWS)
        batch, returns = batch_of(data, index), data.rewards["returns"][index]
        heads, scale = warm.critics.learner.params, warm.critics.scale
        f = jnp.stack([value(head, batch.observations, batch.actions) for head in heads])
        return jnp.sqrt(jnp.maximum(jnp.mean((f / scale - returns) ** 2), TINY))

    def passed(self, state: GameState) -> jax.Array:
        """Return the share of the way from `wait` to `settle`: below 0 before, 1 and more after."""
        share = (state.policy.optimizer.count + 1) / self.steps
        return (share - self.wait) / jnp.maximum(1 - self.wait - self.settle, TINY)

    def nearness(self, state: GameState) -> jax.Array:
        """Return λ: it falls as 1/t from the end of `wait` to the beginning of `settle`."""
        assert state.softest is not None
        return state.softest / jnp.clip(self.passed(state), 1 / CLOSEST, 1)

    def settled(self, state: GameState) -> jax.Array:
        """Return the factor of the rates: it is 1, then falls linearly to 0 in the last part."""
        left = 1 - state.policy.optimizer.count / self.steps
        falling = jnp.clip(left / jnp.maximum(self.settle, TINY), 0, 1)
        return jnp.where(self.settle > 0, falling, 1.0)

    def bellman_weight(self, state: GameState) -> jax.Array | float:
        """Return β: the tuned one, or the setting itself."""
        return self.beta if state.beta is None else state.beta

    def tune(self, state: GameState, distance: jax.Array) -> jax.Array | None:
        """Return the next β: smaller if the policy is farther from the clone than it may be."""
        if state.beta is None or state.reward is None:
            return None
        passed = self.passed(state)
        allowed = self.distance * jnp.clip(passed, 1 / CLOSEST, 1)
        change = TUNING_RATE * self.settled(state) * jnp.clip(1 - distance / allowed, -1, 1)
        beta = state.beta * jnp.exp(jnp.where(passed > 0, change, 0))
        least, most = min(self.GRID["beta"]), max(self.GRID["beta"])
        return jnp.clip(beta, least / state.reward, most / state.reward)

    def weights(self, state: GameState) -> Weights:
        return {"policy": unscaled(state.average, state.scaling)}

    def critics_of(self, state: GameState) -> CriticView:
        heads, scale = state.critics.learner.params, float(state.critics.scale)
        if state.scaling is None:
            return CriticView(heads, scale)
        return CriticView(heads, scale, *map(np.asarray, state.scaling))

    def pessimism(self, f: jax.Array, f_policy: jax.Array) -> jax.Array:
        """Return what the critics minimize besides the Bellman error, from f(s, a) and f(s, π)."""
        raise NotImplementedError

    def update(self, state: GameState, batch: Batch, key: jax.Array) -> tuple[GameState, Metrics]:
        s, s_next = batch.observations, batch.next_observations
        scale = state.critics.scale
        beta = self.bellman_weight(state)
        noise, next_noise = jax.random.normal(key, (2, *batch.actions.shape))

        drawn = self.draw_with_gradient(state, s, noise)
        next_actions, _ = self.draw(state.policy.params, s_next, next_noise)

        y = self.target(state.critics, batch, next_actions)
        pairs = (s, batch.actions), (s, drawn.actions), *self.residual_pairs(s_next, next_actions)

        def critic_loss(critics: Heads) -> tuple[jax.Array, Metrics]:
            total, metrics = jnp.zeros(()), {}
            for head, y_head in zip(critics, y, strict=True):
                f, f_policy, *f_next = at(head, *pairs)
                pessimism = self.pessimism(f, f_policy)
                bellman = self.bellman_loss(state.critics, batch, f, y_head, *f_next)
                total = total + combine(pessimism, bellman, beta / scale)
                metrics = {
                    "pessimism": pessimism / scale,
                    "bellman_loss": bellman / scale**2,
                    "value": f.mean() / scale,
                }
            return total, metrics

        (loss, metrics), gradient = jax.value_and_grad(critic_loss, has_aux=True)(
            state.critics.learner.params
        )
        critics = self.step_critics(state.critics, gradient, self.settled(state))
        after, more = self.step_policy(state._replace(critics=critics), s, drawn)
        return after, metrics | {"critic_loss": loss} | more

    def draw_with_gradient(self, state: GameState, s: jax.Array, noise: jax.Array) -> Drawn:
        """Draw actions of π, to be learned from."""

        def draw(policy: MLP) -> tuple[jax.Array, jax.Array, jax.Array]:
            if state.clone is None:
                return *self.draw(policy, s, noise), jnp.zeros(())
            distance = self.divergence(policy, state.clone, s).mean()
            return *self.draw(policy, s, noise), distance

        drawn, into_policy = jax.vjp(draw, state.policy.params)
        before = None if state.clone is None else self.draw(state.clone, s, noise)[0]
        return Drawn(*drawn, into_policy, before)

    def gain(
        self, critics: Heads, s: jax.Array, actions: jax.Array, before: jax.Array | None
    ) -> jax.Array:
        """Return what the policy maximizes: f₂, or what several pairs of critics agree on."""
        if self.pairs == 1 or before is None:
            return value(critics[1], s, actions).mean()
        gains = [value(f, s, actions) - value(f, s, before) for f in critics]
        return self.agreed(jnp.stack(gains)).mean()

    def agreed(self, gains: jax.Array) -> jax.Array:
        """Return the gain that the critics agree on in every state, from the gain of each."""
        return gains.mean(axis=0) - self.doubt * jnp.sqrt(gains.var(axis=0) + TINY)

    def step_policy(
        self, state: GameState, s: jax.Array, drawn: Drawn
    ) -> tuple[GameState, Metrics]:
        """Move the temperature, then the policy, by the critics of the state."""
        critics, scale = state.critics.learner.params, state.critics.scale
        actions, log_pi, distance, into_policy, before = drawn
        entropy = -log_pi.mean()
        target = self.entropy_target(actions.shape[-1])
        temperature = update_temperature(
            state.temperature, entropy, target, self.fast_rate, self.epsilon
        )
        log_alpha = temperature.params
        alpha = jnp.exp(log_alpha)

        def policy_loss(actions: jax.Array, log_pi: jax.Array, distance: jax.Array) -> jax.Array:
            gain = self.gain(critics, s, actions, before)
            if self.soft:
                gain = gain - self.nearness(state) * distance
            return combine(-gain, log_pi.mean(), alpha)

        loss, into_drawn = jax.value_and_grad(policy_loss, argnums=(0, 1, 2))(
            actions, log_pi, distance
        )
        (gradient,) = into_policy(into_drawn)
        rate = self.slow_rate * self.settled(state)
        policy = state.policy.step(rate, gradient, epsilon=self.epsilon)
        average = jax.tree.map(
            lambda old, new: (1 - self.policy_average) * old + self.policy_average * new,
            state.average,
            policy.params,
        )
        metrics = {
            "policy_loss": loss,
            "entropy": entropy,
            "log_alpha": log_alpha - jnp.log(scale),
        }
        if state.beta is not None:
            metrics |= {"beta": state.beta}
        if state.clone is not None:
            metrics |= {"distance": distance}
        if self.soft:
            metrics |= {"nearness": self.nearness(state) / scale}
        beta = self.tune(state, distance)
        after = state._replace(policy=policy, average=average, temperature=temperature, beta=beta)
        return after, metrics
