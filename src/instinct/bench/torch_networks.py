"""Networks of the PyTorch loop, with the shapes and first weights of those in `deep.nn`.

PyTorch is no dependency of this package: only benchmarks import this file.
"""

import itertools
import math
from typing import Any

import torch  # type: ignore[import-not-found]
from torch import nn

LEAST_LOG_STD, MOST_LOG_STD = math.log(1e-5), math.log(10)
HALF_LOG_2PI = 0.5 * math.log(2 * math.pi)
EDGE = 1 - 1e-6
"""Actions beyond ±`EDGE` count as actions at the edge, so that atanh is finite."""
Tensor = Any


def mlp(inputs: int, layers: int, units: int, outputs: int) -> Any:
    """Return linear layers with ReLU between them; weights are from U(±1/√fan_in)."""
    sizes = [inputs, *[units] * layers, outputs]
    linears = [nn.Linear(fan_in, fan_out) for fan_in, fan_out in itertools.pairwise(sizes)]
    for linear in linears:
        bound = 1 / math.sqrt(linear.in_features)
        nn.init.uniform_(linear.weight, -bound, bound)
    parts = [part for linear in linears for part in (linear, nn.ReLU())]
    return nn.Sequential(*parts[:-1])


class Critics(nn.Module):  # type: ignore[misc]
    """All critics as one network, with one batched product per layer."""

    def __init__(self, heads: int, inputs: int, layers: int, units: int) -> None:
        super().__init__()
        sizes = [*itertools.pairwise([inputs, *[units] * layers, 1])]
        self.weights = nn.ParameterList(uniform(m, heads, m, n) for m, n in sizes)
        self.biases = nn.ParameterList(uniform(m, heads, 1, n) for m, n in sizes)

    def forward(self, observations: Tensor, actions: Tensor) -> Tensor:
        """Return f(s, a) of every critic, [heads, rows]."""
        x = torch.cat([observations, actions], dim=-1).expand(len(self.weights[0]), -1, -1)
        last = len(self.weights) - 1
        for i, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            x = torch.baddbmm(bias, x, weight)
            x = x if i == last else torch.relu(x)
        return x[..., 0]


def uniform(fan_in: int, *shape: int) -> Tensor:
    """Draw an array from U(±1/√fan_in)."""
    return (2 * torch.rand(shape) - 1) / math.sqrt(fan_in)


class TanhGaussian(nn.Module):  # type: ignore[misc]
    """The policy tanh(u), u ~ Normal(mean(s), std(s)); log-probabilities are per dimension."""

    def __init__(self, observations: int, actions: int, layers: int, units: int) -> None:
        super().__init__()
        self.network = mlp(observations, layers, units, 2 * actions)
        with torch.no_grad():
            self.network[-1].weight[actions:] = 0
            self.network[-1].bias[actions:] = 0

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Return mean and log-std before the tanh."""
        mean, log_std = self.network(observations).chunk(2, dim=-1)
        return mean, log_std.clamp(LEAST_LOG_STD, MOST_LOG_STD)

    def draw(self, observations: Tensor, noise: Tensor) -> tuple[Tensor, Tensor]:
        """Return actions and log π."""
        mean, log_std = self(observations)
        return squash(mean, log_std, noise)

    def log_likelihood(self, observations: Tensor, actions: Tensor) -> Tensor:
        """Return log π(a|s)."""
        mean, log_std = self(observations)
        u = torch.atanh(actions.clamp(-EDGE, EDGE))
        return gaussian_log_prob(mean, log_std, u) - log_slope(u)

    def mode(self, observations: Tensor) -> Tensor:
        """Return the actions without noise."""
        return torch.tanh(self(observations)[0])


class Gaussian(nn.Module):  # type: ignore[misc]
    """A Gaussian policy whose log-std is the same in every state."""

    def __init__(self, observations: int, actions: int, layers: int, units: int) -> None:
        super().__init__()
        self.network = mlp(observations, layers, units, actions)
        self.log_std = nn.Parameter(torch.zeros(actions))

    def log_likelihood(self, observations: Tensor, actions: Tensor) -> Tensor:
        """Return log π(a|s), summed over the dimensions."""
        log_std = self.log_std.clamp(-5, 2)
        return gaussian_log_prob(self.network(observations), log_std, actions).sum(dim=-1)

    def mode(self, observations: Tensor) -> Tensor:
        """Return the actions without noise."""
        return self.network(observations)


def squash(mean: Tensor, log_std: Tensor, noise: Tensor) -> tuple[Tensor, Tensor]:
    """Return a = tanh(mean + std·noise), and log π(a)."""
    u = mean + log_std.exp() * noise
    return torch.tanh(u), -0.5 * noise**2 - log_std - HALF_LOG_2PI - log_slope(u)


def gaussian_log_prob(mean: Tensor, log_std: Tensor, x: Tensor) -> Tensor:
    """Return the log-density of a normal distribution."""
    return -0.5 * ((x - mean) * torch.exp(-log_std)) ** 2 - log_std - HALF_LOG_2PI


def log_slope(u: Tensor) -> Tensor:
    """Return the log of the derivative of tanh."""
    return 2 * (math.log(2) - u - nn.functional.softplus(-2 * u))


def divergence(mean: Tensor, log_std: Tensor, other_mean: Tensor, other_log_std: Tensor) -> Tensor:
    """Return KL(p, q) of every state, summed over the dimensions."""
    ratio = log_std - other_log_std
    shift = (mean - other_mean) * torch.exp(-other_log_std)
    return (0.5 * (torch.exp(2 * ratio) + shift**2 - 1) - ratio).sum(dim=-1)
