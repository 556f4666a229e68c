"""Drive a Point or a Car by its sensors, around obstacles or straight over them.

Positions and velocities relative to a robot are complex numbers in meters: ahead is the real axis,
left the imaginary one. All functions work on n episodes at once.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from instinct.data import Array

BINS, REACH = 16, 3.0
"""The directions of a lidar, and its range in all tasks but the circle tasks, in meters."""

HEADINGS = np.exp(2j * np.pi * np.arange(32) / 32)
"""The headings that a driver chooses from, relative to the direction of its aim."""

LOOKAHEAD = 1.0
MARGIN = 0.14
"""How many meters a fully cautious driver adds to the radius of a thing."""


class Robot(NamedTuple):
    """A robot: its forward direction, and how a wanted velocity becomes actions."""

    ahead: complex
    sensors: int
    """The number of observed values before the first lidar."""
    radius: float
    speed: float
    drive: Callable[[Array, Array, Array], Array]


class Senses(NamedTuple):
    """Observed quantities: velocity, turning speed, the direction of north, one lidar per kind."""

    velocity: Array
    turning: Array
    north: Array
    lidars: dict[str, Array]


class Things(NamedTuple):
    """Things to avoid: positions, radii, and how much each matters, all [n, m]."""

    places: Array
    radii: Array
    heed: Array


def point(wanted: Array, velocity: Array, turning: Array) -> Array:
    """Return force and turning speed of a Point; it slides, so it turns against unwanted motion."""
    del turning
    missing = wanted - velocity
    return np.stack([2 * missing.real, 1.2 * np.angle(wanted + 1.5 * missing)], axis=1)


def car(wanted: Array, velocity: Array, turning: Array) -> Array:
    """Return the torques of a Car's two wheels; it reaches what is behind it backwards."""
    way = np.where(wanted.real < 0, -1.0, 1.0)
    off = np.angle(wanted * way)
    forward = 4 * (way * np.abs(wanted) * np.cos(off) ** 2 - velocity.real)
    turn = 3 * off - turning
    return np.stack([forward + turn, forward - turn], axis=1)


ROBOTS = {
    "Point": Robot(ahead=1, sensors=12, radius=0.12, speed=1.5, drive=point),
    "Car": Robot(ahead=-1j, sensors=24, radius=0.2, speed=1.0, drive=car),
}


def sense(observations: Array, robot: Robot, kinds: tuple[str, ...]) -> Senses:
    """Split flat observations into quantities; the lidars are of these kinds."""
    turned = np.conj(robot.ahead)
    lidars = observations[:, robot.sensors :].reshape(len(observations), len(kinds), BINS)
    return Senses(
        velocity=(observations[:, 3] + 1j * observations[:, 4]) * turned,
        turning=observations[:, 8],
        north=unit(-(observations[:, 9] + 1j * observations[:, 10])) * turned,
        lidars={kind: lidars[:, number] for number, kind in enumerate(kinds)},
    )


def places(lidar: Array, robot: Robot, reach: float = REACH) -> Array:
    """Return the position of one thing per bin, [n, 16]; in an empty bin it is at the range.

    A thing in a bin also shows in the neighboring bins, more in the nearer one.
    """
    after, before = np.roll(lidar, -1, axis=1), np.roll(lidar, 1, axis=1)
    within = after / np.maximum(after + before, 1e-9)
    directions = np.exp(2j * np.pi * (np.arange(BINS) + within) / BINS)
    return np.asarray(reach * (1 - lidar) * directions * np.conj(robot.ahead))


def nearest(lidar: Array, robot: Robot, reach: float = REACH) -> Array:
    """Return the position of the nearest thing in a lidar."""
    return np.asarray(places(lidar, robot, reach)[np.arange(len(lidar)), lidar.argmax(axis=1)])


def find(kind: str, senses: Senses, robot: Robot) -> Array:
    """Return the position of the only thing of a kind; if unseen, the middle of all others."""
    lidar = senses.lidars[kind]
    bins = np.exp(2j * np.pi * (np.arange(BINS) + 0.5) / BINS) * np.conj(robot.ahead)
    middle = unit(sum(senses.lidars.values()) @ bins) * REACH
    return np.where(lidar.any(axis=1), nearest(lidar, robot), middle)


def steer(aim: Array, things: Things, caution: Array, speed: Array | float) -> Array:
    """Return the wanted velocity: towards the aim, but around things.

    The heading u minimizes 1 − cos(u, aim) + 4·max over things of heed·risk(u). The risk of a thing
    of radius ρ (with the margin) is (1.5 − gap/ρ)⁺·(1 − way/1.3): `gap` is its distance from the
    straight line along u, `way` how far along the line it is. Near things the driver slows down by
    up to ¾.
    """
    radii = things.radii + MARGIN * caution[:, None]
    headings = unit(aim)[:, None] * HEADINGS
    towards = (things.places[:, None] * np.conj(headings)[..., None]).real
    way = np.clip(towards, 0, np.minimum(np.abs(aim), LOOKAHEAD)[:, None, None])
    gap = np.abs(things.places[:, None] - way * headings[..., None])
    risk = np.maximum(1.5 - gap / radii[:, None], 0) * (1 - way / (LOOKAHEAD + 0.3))
    worst = (things.heed[:, None] * risk).max(axis=2)
    best = (1 - HEADINGS.real + 4 * worst).argmin(axis=1)
    closeness = np.clip(1 - (np.abs(things.places) - radii) / 0.4, 0, 1)
    pace = speed * (1 - 0.75 * (things.heed * closeness).max(axis=1))
    return np.asarray(pace * headings[np.arange(len(aim)), best])


def unit(numbers: Array) -> Array:
    """Return the directions of complex numbers."""
    return np.asarray(numbers / np.maximum(np.abs(numbers), 1e-9))
