"""Meta-World's environments with the goals, rewards and terminals of the paper.

Import this module only where it is needed: the package `metaworld` is optional and takes a second
to import.
"""

from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
from metaworld.env_dict import ALL_V3_ENVIRONMENTS
from metaworld.sawyer_xyz_env import SawyerXYZEnv

from instinct.data import Array

FIELD = 1e-4
"""The size of the fields of the goals' checkerboard, in meters."""


@dataclass(frozen=True)
class Goals:
    """Draws where a task puts its goal and its objects, uniformly from a seed.

    Space is divided into a checkerboard. Goals of datasets are on black fields and goals of tests
    on white ones, so that no goal is both. `apart` is the least distance on the table between the
    object and its goal, if both are drawn.
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
    """Tell whether a goal is on a white field."""
    return bool(np.floor(goal / FIELD).sum() % 2)


class GoalEnvironment(gymnasium.Wrapper[Array, Array, Array, Array]):
    """Shows the goal, maps rewards from [0, 10] to [-1, 0], and makes success a terminal."""

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
        """Start the episode whose goal the seed determines."""
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
    """Return Meta-World's own class for a task."""
    found: type[SawyerXYZEnv] = ALL_V3_ENVIRONMENTS[f"{name}-v3"]
    return found
