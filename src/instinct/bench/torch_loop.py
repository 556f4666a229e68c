"""Train an agent as codes in PyTorch do: one process, one Python iteration per step.

Replay rows are drawn with NumPy, gradients come from autograd, steps from `torch.optim.Adam`. The
stages and settings are those of the quick preset. Every agent is trained from its first step.
"""

import math
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch  # type: ignore[import-not-found]

from instinct.bench.torch_game import Game, Values, limit_norms, set_rate, step
from instinct.bench.torch_networks import Critics, Gaussian, TanhGaussian, Tensor
from instinct.data import Array, Dataset
from instinct.deep.algorithms.actor_critic import SUMMARY_ROWS, ActorCritic
from instinct.deep.algorithms.algorithm import Algorithm, Data, sizes
from instinct.deep.algorithms.bc import BC
from instinct.deep.algorithms.warm_start import Cloning, ReturnFitting
from instinct.deep.training.run_training import stages
from instinct.deep.training.synthetic import hopper_like
from instinct.errors import BadInput
from instinct.util.spacing import evenly_spaced

KNOWN = {"fit_returns": True, "soft": True, "tuned_beta": True, "residual_weight": 0.0}
"""The settings of the game for which it is written here."""
ROWS = ("observations", "actions", "next_observations", "goes_on")


@dataclass(frozen=True)
class TorchPolicy:
    """A trained policy, which acts on one observation as the task gives it."""

    network: Any
    mean: Array | float
    std: Array | float

    def act(self, observation: Array) -> Array:
        """Return the action without noise, in [-1, 1]."""
        scaled = np.asarray((observation - self.mean) / self.std, np.float32)
        with torch.no_grad():
            actions = self.network.mode(torch.from_numpy(scaled[None]))
        found: Array = actions.clamp(-1, 1).numpy()[0]
        return found


def train(algorithm: Algorithm, dataset: Dataset, seed: int) -> TorchPolicy:
    """Train BC, ATAC or PSPI with all stages."""
    torch.manual_seed(seed)
    random = np.random.default_rng(seed)
    data = algorithm.prepare(dataset)
    if isinstance(algorithm, BC):
        network = Gaussian(*sizes(data), algorithm.layers, algorithm.units)
        fit_policy(network, algorithm, data, random, algorithm.rate, decay=True)
    else:
        network = train_game(algorithm, data, random)
    return TorchPolicy(network, data.rows.get("mean", 0.0), data.rows.get("std", 1.0))


def train_game(algorithm: Algorithm, data: Data, random: np.random.Generator) -> TanhGaussian:
    """Clone the data, fit critics to their returns, play the game; return the average policy."""
    cloning, fitting, game = stages(check_known(algorithm))
    assert isinstance(cloning, Cloning)
    assert isinstance(fitting, ReturnFitting)
    assert isinstance(game, ActorCritic)
    policy = TanhGaussian(*sizes(data), game.layers, game.units)
    fit_policy(policy, cloning, data, random, cloning.fast_rate, decay=cloning.decay)
    critics = Critics(2 * game.pairs, sum(sizes(data)), game.layers, game.units)
    values = values_of(game, data)
    fit_returns(critics, fitting, data, random, values.scale)
    reward = max(1.0, float(np.abs(data.rewards["rewards"]).mean()))
    error = error_of(critics, data, values.scale)
    playing = Game(game, policy, critics, values, reward, error)
    for _ in range(int(game.steps)):
        batch = draw_batch(data, random, game.batch_size)
        noise, next_noise = torch.randn(2, *batch["actions"].shape)
        playing.update(batch, noise, next_noise)
    return playing.average


def check_known(algorithm: Algorithm) -> ActorCritic:
    """Refuse settings that this loop is not written for."""
    if not isinstance(algorithm, ActorCritic):
        raise BadInput(f"the loop in PyTorch has no {algorithm.NAME}")
    for name, value in KNOWN.items():
        if getattr(algorithm, name) != value:
            raise BadInput(f"the loop in PyTorch is written for {name}={value}", field=name)
    return algorithm


def fit_policy(
    policy: Any,
    stage: Algorithm,
    data: Data,
    random: np.random.Generator,
    rate: float,
    *,
    decay: bool,
) -> None:
    """Make the actions of the data most likely, at a rate that may fall to 0 along a cosine."""
    optimizer = torch.optim.Adam(policy.parameters(), rate)
    for i in range(int(stage.steps)):
        if decay:
            set_rate(optimizer, 0.5 * rate * (1 + math.cos(math.pi * i / stage.steps)))
        batch = draw_batch(data, random, stage.batch_size, ("observations", "actions"), "")
        fit_policy_step(policy, optimizer, batch)


def fit_policy_step(policy: Any, optimizer: Any, batch: Mapping[str, Tensor]) -> float:
    """Make one step of imitation."""
    loss = -policy.log_likelihood(batch["observations"], batch["actions"]).mean()
    step(optimizer, loss)
    return float(loss.item())


def fit_returns(
    critics: Critics,
    stage: ReturnFitting,
    data: Data,
    random: np.random.Generator,
    scale: float,
) -> None:
    """Fit all critics to the discounted returns of the data."""
    optimizer = torch.optim.Adam(critics.parameters(), stage.fast_rate, eps=stage.epsilon)
    for _ in range(int(stage.steps)):
        batch = draw_batch(data, random, stage.batch_size, ("observations", "actions"), "returns")
        fit_returns_step(critics, optimizer, batch, scale)


def fit_returns_step(
    critics: Critics, optimizer: Any, batch: Mapping[str, Tensor], scale: float
) -> float:
    """Make one step of regression to the returns."""
    f = critics(batch["observations"], batch["actions"])
    loss = ((f - scale * batch["returns"]) ** 2).mean(dim=-1).sum()
    step(optimizer, loss)
    with torch.no_grad():
        limit_norms(critics)
    return float(loss.item())


def draw_batch(
    data: Data,
    random: np.random.Generator,
    size: int,
    rows: tuple[str, ...] = ROWS,
    reward: str = "rewards",
) -> dict[str, Tensor]:
    """Draw rows uniformly with replacement."""
    index = random.integers(len(data.rows["observations"]), size=size)
    batch = {name: torch.from_numpy(data.rows[name][index]) for name in rows}
    if reward:
        batch[reward] = torch.from_numpy(data.rewards[reward][index])
    return batch


def values_of(game: ActorCritic, data: Data) -> Values:
    """Return the scale and the bounds of the values."""
    scale = game.scale(data)
    return Values(float(scale), *map(float, game.bounds(data, scale)))


def error_of(critics: Critics, data: Data, scale: float) -> float:
    """Return σ, the critics' error in explaining the returns of the data."""
    index = evenly_spaced(len(data.rows["observations"]), SUMMARY_ROWS)
    s, a = (torch.from_numpy(data.rows[name][index]) for name in ("observations", "actions"))
    with torch.no_grad():
        f = critics(s, a) / scale
    returns = torch.from_numpy(data.rewards["returns"][index])
    return math.sqrt(((f - returns) ** 2).mean().item())


def play(policy: TorchPolicy, environment: Any, episodes: int) -> Iterator[tuple[float, int]]:
    """Play one episode after the other and yield their returns and lengths."""
    for episode in range(episodes):
        observation, _ = environment.reset(seed=episode)
        total, length, over = 0.0, 0, False
        while not over:
            observation, reward, terminal, timeout, _ = environment.step(policy.act(observation))
            total, length, over = total + float(reward), length + 1, bool(terminal or timeout)
        yield total, length


def fastest_threads(algorithm: Algorithm, most: int, steps: int = 100) -> int:
    """Return how many threads PyTorch is fastest with; it is left with that number."""
    brief = dict.fromkeys(("steps", "cloning_steps", "warm_start_steps"), steps)
    fields = {name: value for name, value in brief.items() if hasattr(algorithm, name)}
    tried = type(algorithm)(**vars(algorithm) | fields)
    dataset, seconds = hopper_like(1000, 100), {}
    for threads in range(1, most + 1):
        torch.set_num_threads(threads)
        train(tried, dataset, 0)
        began = time.perf_counter()
        train(tried, dataset, 0)
        seconds[threads] = time.perf_counter() - began
    found = min(seconds, key=lambda threads: seconds[threads])
    torch.set_num_threads(found)
    return found


def name() -> str:
    """Return what this loop is called in results."""
    return f"PyTorch {torch.__version__}, eager"
