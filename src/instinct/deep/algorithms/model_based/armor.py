"""ARMOR: ATAC in a model that is an adversary of the policy, as far as the data allow.

Bhardwaj, Xie, Boots, Jiang and Cheng, "Adversarial Model for Offline Reinforcement Learning",
NeurIPS 2023, arXiv:2302.11048.

The game is max over π, min over the critics f and the model M = (P, R) of

    E[f(s, π) − f(s, π_ref)] + β·(E_M[Bellman error of f] + λ·V_max²·E(M)),
    E(M) = E[−log P(s′|s, a)] + E[(R(s, a) − r)²]/V_max².

The first two expectations are over recorded pairs (s, a) and pairs from rollouts of π in M. There
the Bellman error is ATAC's, with the reward and the next state that M predicts, so that the model
moves to where its predictions suit pessimistic critics. E(M), over the recorded pairs of the batch,
holds it to the data (likelihood and ends as in `dynamics`). π_ref is the clone that the policy
starts from. R is between min(−1, r_min) and max(1, r_max), the rewards that the bounds of the
values assume.

There is one network, the best of the members: the paper needs no ensemble. V_max² makes λ the same
for all sizes of rewards.
"""

from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp

from instinct.data import Dataset
from instinct.deep.algorithms.actor_critic import QUICK_GAME, GameState
from instinct.deep.algorithms.algorithm import (
    Algorithm,
    CriticView,
    Data,
    Metrics,
    State,
    Weights,
    combine,
    hyperparameters,
)
from instinct.deep.algorithms.atac import ATAC
from instinct.deep.algorithms.fields import Settings, setting
from instinct.deep.algorithms.model_based.agent import QUICK_MODEL
from instinct.deep.algorithms.model_based.dynamics import (
    ModelSettings,
    Networks,
    Prediction,
    best_members,
    closeness,
    row_losses,
)
from instinct.deep.algorithms.model_based.imagination import Imagination, MixedBatch, mean_where
from instinct.deep.algorithms.model_based.rewards import Rewards, RewardsState
from instinct.deep.algorithms.model_based.rollouts import (
    Model,
    Rollouts,
    imagine,
    make_model,
    new_rollouts,
)
from instinct.deep.algorithms.standardize import Scaling, scaling_of
from instinct.deep.algorithms.warm_start import (
    CriticFitting,
    Critics,
    EvaluationState,
    PolicyEvaluation,
    ReturnFitting,
    at,
    shared_settings,
)
from instinct.deep.nn.networks import MLP, Heads
from instinct.deep.nn.optimizer import Adam, Learner, adam_init

UNUSED = {
    "rate",
    "policy_rate",
    "rise",
    "start_from_clone",
    "elites",
    "cloning_steps",
    "decay_cloning",
}
"""Quick settings of other agents that are not ARMOR's, or mean nothing to it."""


class Fitted(NamedTuple):
    """The training state of the critics' fit; only the critics change."""

    policy: MLP
    critics: Critics
    scaling: Scaling | None
    dynamics: Networks
    rewards: MLP


class Adversary(NamedTuple):
    """All that is against the policy."""

    critics: Heads
    dynamics: Networks
    rewards: MLP


class ArmorState(NamedTuple):
    """The training state of ARMOR."""

    game: GameState
    reference: MLP
    """π_ref."""
    model: Model
    optimizer: Adam
    """Of the model."""
    rollouts: Rollouts

    @property
    def policy(self) -> Learner[MLP]:
        return self.game.policy


@hyperparameters
class CriticsBesideModel(CriticFitting, ModelSettings):
    """Critics that are fitted after the model, the rewards and the clone were learned."""

    standardize: bool = setting(True, at_least=1)
    reward_steps: int = setting(100_000, above=0)

    def warm_start(self) -> Algorithm:
        own = {"steps": self.reward_steps, "rate": self.cloning_rate or self.fast_rate}
        same = {name: getattr(self, name) for name in ("layers", "units", "action_scale")}
        return Rewards(**shared_settings(self, ModelSettings) | same | own)

    def init(self, key: jax.Array, data: Data, warm: State | None = None) -> State:
        assert isinstance(warm, RewardsState)
        critics = self.init_critics(key, data)
        clone, rewards = warm.clone.params, warm.rewards.params
        return Fitted(clone, critics, scaling_of(data), warm.dynamics, rewards)


@hyperparameters
class EvaluationBesideModel(CriticsBesideModel, PolicyEvaluation):
    """They are fitted by the Bellman error."""


@hyperparameters
class ReturnsBesideModel(CriticsBesideModel, ReturnFitting):
    """They are fitted to the returns of the data."""


@hyperparameters
class ARMOR(ATAC, Imagination):
    """The model and the critics are pessimistic about the policy, relative to a clone.

    `model_weight` is λ: how close the model stays to the data. The clone is learned beside the
    rewards, in `reward_steps`; `cloning_steps` and `decay_cloning` have no effect.
    """

    standardize: bool = setting(True, at_least=1)
    real_share: float = setting(0.5, above=0, at_most=1)
    reward_steps: int = setting(100_000, above=0)
    model_weight: float = setting(1.0, above=0)

    CITATION: ClassVar[str] = (
        "Bhardwaj, Xie, Boots, Jiang and Cheng, 'Adversarial Model for Offline Reinforcement "
        "Learning', NeurIPS 2023, arXiv:2302.11048"
    )
    CONTROL: ClassVar[str] = ""
    STAGES: ClassVar[tuple[type[Algorithm], type[Algorithm]]] = (
        EvaluationBesideModel,
        ReturnsBesideModel,
    )
    QUICK: ClassVar[Settings | None] = {
        name: value for name, value in (QUICK_MODEL | QUICK_GAME).items() if name not in UNUSED
    } | {"steps": 24_000, "reward_steps": 40_000}

    def prepare(self, dataset: Dataset) -> Data:
        """Return the rows of all model-based agents, so that they share the dynamics."""
        data = Imagination.prepare(self, dataset)
        found = self.with_returns(data, dataset)
        return Data(data.rows, found.rewards | {"cuts": found.rows["cuts"]})

    def init(self, key: jax.Array, data: Data, warm: State | None = None) -> State:
        assert isinstance(warm, Fitted)
        fitted = EvaluationState(warm.policy, warm.critics, warm.scaling)
        game = super().init(key, data, fitted)
        model = make_model(best_members(warm.dynamics, data, 1), warm.rewards, data)
        model = model._replace(
            least_reward=jnp.minimum(-1.0, model.least_reward),
            most_reward=jnp.maximum(1.0, model.most_reward),
        )
        start_key, play_key = jax.random.split(key)
        rollouts = new_rollouts(data, start_key, self.rollouts, self.buffer)
        optimizer = adam_init((model.networks, model.rewards))
        reference = jax.tree.map(jnp.copy, warm.policy)
        state = ArmorState(game, reference, model, optimizer, rollouts)
        return state._replace(rollouts=self.play(state, data, play_key))

    def update(self, state: State, batch: Any, key: jax.Array) -> tuple[State, Metrics]:
        play_key, draw_key, learn_key = jax.random.split(key, 3)
        state = state._replace(rollouts=self.play(state, batch.data, play_key))
        return self.learn(state, self.mix(state, batch, draw_key), learn_key)

    def learn(
        self, state: ArmorState, batch: MixedBatch, key: jax.Array
    ) -> tuple[ArmorState, Metrics]:
        """Step critics and model, then the policy."""
        game, s, a = state.game, batch.transitions.observations, batch.transitions.actions
        scale, beta = game.critics.scale, self.bellman_weight(game)
        noise_key, model_key = jax.random.split(key)
        noise, next_noise, reference_noise = jax.random.normal(noise_key, (3, *a.shape))
        drawn = self.draw_with_gradient(game, s, noise)
        reference, _ = self.draw(state.reference, s, reference_noise)

        def loss(adversary: Adversary) -> tuple[jax.Array, Metrics]:
            model = state.model._replace(networks=adversary.dynamics, rewards=adversary.rewards)
            found, prediction = imagine(model, s, a, self.ends, model_key)
            next_actions, _ = self.draw(game.policy.params, found.next_observations, next_noise)
            y = self.target(game.critics, found, next_actions)
            misfit, metrics = self.misfit(game.critics, model, batch, found.rewards, prediction)
            total = jnp.zeros(())
            for head, y_head in zip(adversary.critics, y, strict=True):
                f, f_policy, f_reference, *f_next = at(
                    head,
                    (s, a),
                    (s, drawn.actions),
                    (s, reference),
                    *self.residual_pairs(found.next_observations, next_actions),
                )
                pessimism = self.pessimism(f_reference, f_policy)
                bellman = self.bellman_loss(game.critics, found, f, y_head, *f_next)
                held = bellman + self.model_weight * misfit
                total = total + combine(pessimism, held, beta / scale)
                metrics |= {
                    "pessimism": pessimism / scale,
                    "bellman_loss": bellman / scale**2,
                    "value": f.mean() / scale,
                }
            return total, metrics

        before = Adversary(game.critics.learner.params, state.model.networks, state.model.rewards)
        (total, metrics), gradient = jax.value_and_grad(loss, has_aux=True)(before)
        slower = self.settled(game)
        learner = Learner((before.dynamics, before.rewards), state.optimizer).step(
            slower * self.fast_rate, (gradient.dynamics, gradient.rewards), epsilon=self.epsilon
        )
        dynamics, rewards = learner.params
        critics = self.step_critics(game.critics, gradient.critics, slower)
        game, more = self.step_policy(game._replace(critics=critics), s, drawn)
        after = state._replace(
            game=game,
            model=state.model._replace(networks=dynamics, rewards=rewards),
            optimizer=learner.optimizer,
        )
        return after, metrics | {"critic_loss": total} | more

    def misfit(
        self,
        critics: Critics,
        model: Model,
        batch: MixedBatch,
        rewards: jax.Array,
        prediction: Prediction,
    ) -> tuple[jax.Array, Metrics]:
        """Return V_max²·E(M) at the recorded rows, in the units of the critics."""
        b, real = batch
        change = (b.next_observations - b.observations - model.change_mean) / model.change_std
        losses, squares = row_losses(prediction, change, 1 - b.goes_on)
        likelihood = mean_where(losses[0], real) + closeness(model.networks)
        reward_error = mean_where((rewards - b.rewards) ** 2, real)
        total = critics.v_max**2 * likelihood + critics.scale**2 * reward_error
        change_error = mean_where(squares[0].mean(axis=-1), real)
        return total, {"change_error": change_error, "reward_error": reward_error}

    def critics_of(self, state: State) -> CriticView:
        return super().critics_of(state.game)

    def weights(self, state: State) -> Weights:
        return super().weights(state.game)
