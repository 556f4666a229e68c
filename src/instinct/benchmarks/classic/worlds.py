"""The physics of CartPole-v1, MountainCar-v0 and Acrobot-v1 for many episodes at once.

A world holds no episode: it is a function of states, [n, state size] in double precision, and
actions, [n]. All operations are Gymnasium's, in the same order, so that every number equals
Gymnasium's to the bit.
"""

import math
from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from instinct.data import Array
from instinct.tasks.simulation import End


class World(ABC):
    """One of Gymnasium's environments with discrete actions."""

    ENVIRONMENT: ClassVar[str]
    ACTIONS: ClassVar[int]
    STATE: ClassVar[int] = 4
    OBSERVED: ClassVar[int] = 4
    HORIZON: ClassVar[int]
    END: ClassVar[End]
    """What a terminal means."""

    @abstractmethod
    def advance(self, states: Array, actions: Array) -> Array:
        """Return the states after one step."""

    @abstractmethod
    def terminal(self, states: Array) -> Array:
        """Tell which states end an episode."""

    @abstractmethod
    def rewards(self, terminals: Array) -> Array:
        """Return the rewards of steps, given which of them end their episode."""

    def observe(self, states: Array) -> Array:
        return states.astype(np.float32)


class CartPole(World):
    """Balance a pole on a cart. The state is (x, ẋ, θ, θ̇); every step is worth 1.

    The episode ends when the pole leans by more than 12° or the cart is more than 2.4 away.
    """

    ENVIRONMENT = "CartPole-v1"
    ACTIONS = 2
    HORIZON = 500
    END = "fall"

    GRAVITY, CART, POLE, HALF_LENGTH = 9.8, 1.0, 0.1, 0.5
    MASS = POLE + CART
    FORCE, TIME = 10.0, 0.02
    LEAN, FAR = 12 * 2 * math.pi / 360, 2.4

    def advance(self, states: Array, actions: Array) -> Array:
        _, speed, angle, turning = states.T
        force = np.where(actions == 1, self.FORCE, -self.FORCE)
        cos, sin = np.cos(angle), np.sin(angle)
        moment = self.POLE * self.HALF_LENGTH
        push = (force + moment * np.square(turning) * sin) / self.MASS
        turn = (self.GRAVITY * sin - cos * push) / (
            self.HALF_LENGTH * (4.0 / 3.0 - self.POLE * np.square(cos) / self.MASS)
        )
        acceleration = push - moment * turn * cos / self.MASS
        changes = np.stack([speed, acceleration, turning, turn], axis=1)
        return np.asarray(states + self.TIME * changes)

    def terminal(self, states: Array) -> Array:
        return np.asarray((np.abs(states[:, 0]) > self.FAR) | (np.abs(states[:, 2]) > self.LEAN))

    def rewards(self, terminals: Array) -> Array:
        return np.ones(len(terminals))


class MountainCar(World):
    """Drive a weak car out of a valley. The state is (x, ẋ); every step costs 1.

    The episode ends at the goal, x ≥ 0.5.
    """

    ENVIRONMENT = "MountainCar-v0"
    ACTIONS = 3
    STATE = OBSERVED = 2
    HORIZON = 200
    END = "goal"

    LEFT, RIGHT, GOAL, FASTEST = -1.2, 0.6, 0.5, 0.07
    FORCE, GRAVITY = 0.001, 0.0025

    def advance(self, states: Array, actions: Array) -> Array:
        x, speed = states.T
        slope = np.array([math.cos(3 * each) for each in x])
        speed = speed + ((actions - 1) * self.FORCE + slope * (-self.GRAVITY))
        speed = np.clip(speed, -self.FASTEST, self.FASTEST)
        x = np.clip(x + speed, self.LEFT, self.RIGHT)
        speed = np.where((x == self.LEFT) & (speed < 0), 0.0, speed)
        return np.stack([x, speed], axis=1)

    def terminal(self, states: Array) -> Array:
        return np.asarray((states[:, 0] >= self.GOAL) & (states[:, 1] >= 0))

    def rewards(self, terminals: Array) -> Array:
        return np.full(len(terminals), -1.0)


class Acrobot(World):
    """Swing up two links by a torque between them. The state is (θ₁, θ₂, θ̇₁, θ̇₂).

    The links have mass and length 1, centers in the middle and moments of inertia 1. θ₁ = 0 hangs
    down, and θ₂ is relative to the first link. Every step costs 1 but the last one: the episode
    ends at the goal, when the tip is more than 1 above the axis.
    """

    ENVIRONMENT = "Acrobot-v1"
    ACTIONS = 3
    OBSERVED = 6
    HORIZON = 500
    END = "goal"

    GRAVITY, TIME, HALF = 9.8, 0.2, 0.5
    FASTEST = (4 * math.pi, 9 * math.pi)

    def advance(self, states: Array, actions: Array) -> Array:
        """Integrate by one step of the fourth-order Runge-Kutta method."""
        torques, time = actions - 1.0, self.TIME
        k1 = self.changes(states, torques)
        k2 = self.changes(states + time / 2 * k1, torques)
        k3 = self.changes(states + time / 2 * k2, torques)
        k4 = self.changes(states + time * k3, torques)
        after = states + time / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        after[:, :2] = wrap(after[:, :2])
        after[:, 2:] = np.clip(after[:, 2:], np.negative(self.FASTEST), self.FASTEST)
        return np.asarray(after)

    def changes(self, states: Array, torques: Array) -> Array:
        """Return the derivatives of states by time, with the symbols of Sutton and Barto."""
        theta1, theta2, speed1, speed2 = states.T
        cos2, sin2, half = np.cos(theta2), np.sin(theta2), self.HALF
        d1 = half**2 + (1 + half**2 + 2 * half * cos2) + 2
        d2 = half**2 + half * cos2 + 1
        phi2 = half * self.GRAVITY * np.cos(theta1 + theta2 - math.pi / 2)
        phi1 = (
            -half * square(speed2) * sin2
            - 2 * half * speed2 * speed1 * sin2
            + (half + 1) * self.GRAVITY * np.cos(theta1 - math.pi / 2)
            + phi2
        )
        turn2 = (torques + d2 / d1 * phi1 - half * square(speed1) * sin2 - phi2) / (
            half**2 + 1 - square(d2) / d1
        )
        turn1 = -(d2 * turn2 + phi1) / d1
        return np.stack([speed1, speed2, turn1, turn2], axis=1)

    def terminal(self, states: Array) -> Array:
        first, second = states[:, 0], states[:, 1]
        return np.asarray(-np.cos(first) - np.cos(second + first) > 1)

    def rewards(self, terminals: Array) -> Array:
        return np.where(terminals, 0.0, -1.0)

    def observe(self, states: Array) -> Array:
        first, second, *speeds = states.T
        seen = (np.cos(first), np.sin(first), np.cos(second), np.sin(second), *speeds)
        return np.stack(seen, axis=1).astype(np.float32)


def wrap(angles: Array) -> Array:
    """Return angles between -π and π."""
    while (np.abs(angles) > math.pi).any():
        angles = np.where(angles > math.pi, angles - 2 * math.pi, angles)
        angles = np.where(angles < -math.pi, angles + 2 * math.pi, angles)
    return angles


def square(values: Array) -> Array:
    """Return squares as `**` of single numbers rounds them; `**` of arrays rounds differently."""
    return np.asarray(np.float_power(values, 2))


WORLDS: dict[str, World] = {
    "cartpole": CartPole(),
    "mountaincar": MountainCar(),
    "acrobot": Acrobot(),
}
"""The worlds by the names of their tasks."""
