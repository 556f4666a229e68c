"""Meta-World's environments as the paper has them.

Imported only where they are needed: the package `metaworld` is an extra, and takes a second.
"""

from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
from metaworld.env_dict import ALL_V3_ENVIRONMENTS
from metaworld.sawyer_xyz_env import SawyerXYZEnv

from instinct.data import Array

FIELD = 1e-4
"""The fields of the board on which goals lie, in metres."""


@dataclass(frozen=True)
class Goals:
    """Where a task puts its goal and its objects, drawn uniformly by a seed.

    The vectors lie on the fields of a board, black and white in turn: the goals of data on black
    ones, those of tests on white ones, so that no goal is ever both. `apart` is the least distance
    on the table between the object and the place where it is to go, if both are drawn.
    """

    low: Array
    high: Array
    apart: float
    unseen: bool

    def draw(self, seed: int) -> Array:
        random = np.random.default_rng((seed, self.unseen))
        while True:
            goal = random.uniform(self.low, self.high)
            near = np.linalg.norm(goal[:2] - goal[3:5]) < self.apart if self.apart else False
            if not near and white(goal) == self.unseen:
                return goal


def white(goal: Array) -> bool:
    """The colour of the field of a goal."""
    return bool(np.floor(goal / FIELD).sum() % 2)


class GoalEnvironment(gymnasium.Wrapper[Array, Array, Array, Array]):
    """The goal is seen, rewards are in [-1, 0] instead of [0, 10], and success ends the world."""

    env: SawyerXYZEnv

    def __init__(
        self, environment: SawyerXYZEnv, apart: float, *, unseen: bool, goal_terminal: bool
    ) -> None:
        super().__init__(environment)
        space = environment._random_reset_space
        assert space is not None
        self.goals = Goals(space.low, space.high, apart, unseen)
        self.goal_terminal = goal_terminal
        environment._partially_observable = False
        del environment.sawyer_observation_space
        environment._set_task_called = True
        environment._freeze_rand_vec = True

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Start the episode of the goal that the seed gives."""
        assert seed is not None
        self.env._last_rand_vec = self.goals.draw(seed)
        return self.env.reset(options=options)

    def step(self, action: Array) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        observation, reward, _, timeout, info = self.env.step(action)
        success = bool(info["success"])
        terminal = success and self.goal_terminal
        reward = float(reward) / 10 - 1
        return observation, reward, terminal, timeout and not terminal, {"success": success}


def base_class(name: str) -> type[SawyerXYZEnv]:
    """Meta-World's own class for a task."""
    found: type[SawyerXYZEnv] = ALL_V3_ENVIRONMENTS[f"{name}-v3"]
    return found
