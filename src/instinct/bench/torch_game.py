"""The quick game of ATAC and PSPI as codes in PyTorch write it, one update per call.

The losses and their order are those of `deep.algorithms.actor_critic`, with the quick preset's
choices only: pairs of critics fitted to returns, a tuned β, a soft policy. A test compares the
updates number by number.
"""

import copy
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch  # type: ignore[import-not-found]

from instinct.bench.torch_networks import Critics, TanhGaussian, Tensor, divergence, squash
from instinct.deep.algorithms.actor_critic import CLOSEST, TUNING_RATE, ActorCritic
from instinct.deep.algorithms.warm_start import TINY, WEIGHT_NORM

Batch = Mapping[str, Tensor]


@dataclass(frozen=True)
class Values:
    """The scale c of values in the networks, and V_min and V_max, scaled."""

    scale: float
    v_min: float
    v_max: float


class Game:
    """One agent: policy, clone, critics, temperature, β."""

    def __init__(
        self,
        algorithm: ActorCritic,
        policy: TanhGaussian,
        critics: Critics,
        values: Values,
        reward: float,
        error: float,
    ) -> None:
        """Begin with a cloned policy and fitted critics; `error` is that of the critics."""
        self.algorithm, self.policy, self.critics, self.values = algorithm, policy, critics, values
        self.average, self.clone = copy.deepcopy(policy), copy.deepcopy(policy)
        self.targets = copy.deepcopy(critics)
        self.log_alpha = torch.tensor(math.log(values.scale * algorithm.entropy_weight))
        self.log_alpha.requires_grad_()
        self.reward, self.beta = reward, algorithm.beta / reward
        self.softest = values.scale * algorithm.softness * error
        self.step = 0
        eps = algorithm.epsilon
        self.critic_optimizer = torch.optim.Adam(critics.parameters(), algorithm.fast_rate, eps=eps)
        self.alpha_optimizer = torch.optim.Adam([self.log_alpha], algorithm.fast_rate, eps=eps)
        self.policy_optimizer = torch.optim.Adam(policy.parameters(), algorithm.slow_rate, eps=eps)

    def update(self, batch: Batch, noise: Tensor, next_noise: Tensor) -> dict[str, float]:
        """Make one step of critics, temperature and policy."""
        s = batch["observations"]
        mean, log_std = self.policy(s)
        actions, log_pi = squash(mean, log_std, noise)
        critic_loss = self.critic_loss(batch, actions.detach(), next_noise)
        self.step_critics(critic_loss)
        with torch.no_grad():
            clone_mean, clone_log_std = self.clone(s)
            before, _ = squash(clone_mean, clone_log_std, noise)
        distance = divergence(mean, log_std, clone_mean, clone_log_std).mean()
        entropy = -log_pi.mean()
        self.step_temperature(entropy.item() + actions.shape[-1])
        self.critics.requires_grad_(False)
        gain = self.gain(s, actions, before) - self.nearness() * distance
        policy_loss = combine(-gain, -entropy, self.log_alpha.exp().item())
        self.step_policy(policy_loss)
        self.critics.requires_grad_(True)
        self.tune(distance.item())
        self.step += 1
        return {"critic_loss": critic_loss.item(), "policy_loss": policy_loss.item()}

    def critic_loss(self, batch: Batch, actions: Tensor, next_noise: Tensor) -> Tensor:
        """Return the sum over the critics of pessimism + β·(Bellman error)."""
        with torch.no_grad():
            next_actions, _ = self.policy.draw(batch["next_observations"], next_noise)
            y = self.target(batch, next_actions)
        f = self.critics(batch["observations"], batch["actions"])
        f_policy = self.critics(batch["observations"], actions)
        pessimism = (f_policy - f if self.algorithm.NAME == "ATAC" else f_policy).mean(dim=-1)
        bellman = ((f - y) ** 2).mean(dim=-1)
        return combine(pessimism, bellman, self.beta / self.values.scale).sum()

    def target(self, batch: Batch, next_actions: Tensor) -> Tensor:
        """Return y of every critic, the backup of the smaller of its pair of target critics."""
        values = self.values
        f = self.targets(batch["next_observations"], next_actions)
        smaller = f.unflatten(0, (-1, 2)).amin(dim=1).repeat_interleave(2, dim=0)
        y = values.scale * batch["rewards"]
        y = y + self.algorithm.discount * batch["goes_on"] * smaller
        return y.clamp(values.v_min, values.v_max)

    def step_critics(self, loss: Tensor) -> None:
        """Make a step of Adam, limit the norms of the weights, then move the target critics."""
        set_rate(self.critic_optimizer, self.algorithm.fast_rate * self.settled())
        step(self.critic_optimizer, loss)
        with torch.no_grad():
            limit_norms(self.critics)
            pairs = zip(self.targets.parameters(), self.critics.parameters(), strict=True)
            for target, online in pairs:
                target.lerp_(online, self.algorithm.target_rate)

    def step_temperature(self, excess: float) -> None:
        """Make a step of log α, down where the entropy is above its target."""
        step(self.alpha_optimizer, self.log_alpha * excess)

    def step_policy(self, loss: Tensor) -> None:
        """Make a step of Adam, then move the average policy."""
        set_rate(self.policy_optimizer, self.algorithm.slow_rate * self.settled())
        step(self.policy_optimizer, loss)
        with torch.no_grad():
            pairs = zip(self.average.parameters(), self.policy.parameters(), strict=True)
            for average, now in pairs:
                average.lerp_(now, self.algorithm.policy_average)

    def gain(self, s: Tensor, actions: Tensor, before: Tensor) -> Tensor:
        """Return what the critics agree that the policy gains over its clone."""
        gains = self.critics(s, actions) - self.critics(s, before)
        spread = (gains.var(dim=0, unbiased=False) + TINY).sqrt()
        return (gains.mean(dim=0) - self.algorithm.doubt * spread).mean()

    def passed(self) -> float:
        """Return the share of the way from `wait` to `settle`."""
        own = self.algorithm
        return ((self.step + 1) / own.steps - own.wait) / max(1 - own.wait - own.settle, TINY)

    def nearness(self) -> float:
        """Return λ, which falls as 1/t."""
        return self.softest / min(max(self.passed(), 1 / CLOSEST), 1)

    def settled(self) -> float:
        """Return the factor of the rates: 1, then linearly to 0 in the last part."""
        left = (1 - self.step / self.algorithm.steps) / max(self.algorithm.settle, TINY)
        return min(max(left, 0), 1) if self.algorithm.settle else 1.0

    def tune(self, distance: float) -> None:
        """Move β: down if the policy is farther from the clone than it may be."""
        if self.passed() > 0:
            allowed = self.algorithm.distance * min(max(self.passed(), 1 / CLOSEST), 1)
            change = TUNING_RATE * self.settled() * min(max(1 - distance / allowed, -1), 1)
            grid = self.algorithm.GRID["beta"]
            self.beta *= math.exp(change)
            self.beta = min(max(self.beta, min(grid) / self.reward), max(grid) / self.reward)


def combine(x: Tensor, y: Tensor, w: float) -> Tensor:
    """Return x + w·y, divided by w if w > 1."""
    return x / max(w, 1) + min(w, 1) * y


def step(optimizer: Any, loss: Tensor) -> None:
    """Make a step of the optimizer down the gradient of the loss."""
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def set_rate(optimizer: Any, rate: float) -> None:
    """Set the learning rate of an optimizer."""
    for group in optimizer.param_groups:
        group["lr"] = rate


def limit_norms(critics: Critics) -> None:
    """Scale weight matrices down to Frobenius norm `WEIGHT_NORM` where they exceed it."""
    for weight in critics.weights:
        norm = weight.norm(dim=(1, 2), keepdim=True)
        weight.mul_((WEIGHT_NORM / norm).clamp(max=1))
