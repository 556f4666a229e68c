"""Scripted policies for Safety-Gymnasium's four kinds of tasks, from reckless to cautious.

A script sees the observation and a degree of caution. With caution 0 it goes straight for the
reward, with caution 1 it stays well away from everything that costs.
"""

from collections.abc import Callable, Mapping

import numpy as np

from instinct.benchmarks.safety.drivers import (
    BINS,
    REACH,
    ROBOTS,
    Robot,
    Senses,
    Things,
    find,
    nearest,
    places,
    sense,
    steer,
    unit,
)
from instinct.data import Array

CIRCLE, CIRCLE_REACH = 1.5, 6.0
"""The radius of the rewarded circle, and the range of the lidar in circle tasks, in meters."""

Script = Callable[[Array, Array], Array]
"""Returns actions [n, 2], given observations and degrees of caution."""


def script(task: str) -> Script:
    """Return the script of a task such as PointGoal1."""
    name = "Point" if task.startswith("Point") else "Car"
    robot, family, level = ROBOTS[name], task[len(name) : -1], int(task[-1])
    kinds, wanted = FAMILIES[family]

    def act(observations: Array, caution: Array) -> Array:
        senses = sense(observations, robot, kinds)
        velocity = wanted(senses, robot, level, caution)
        return np.clip(robot.drive(velocity, senses.velocity, senses.turning), -1, 1)

    return act


def goal(senses: Senses, robot: Robot, level: int, caution: Array) -> Array:
    """Drive to the goal; in level 1 vases cost nothing."""
    radii = {"hazards": 0.2} if level == 1 else {"hazards": 0.2, "vases": 0.13 + robot.radius}
    things = around(senses, robot, radii, caution)
    return steer(find("goal", senses, robot), things, caution, robot.speed)


def button(senses: Senses, robot: Robot, level: int, caution: Array) -> Array:
    """Drive to the goal button; even reckless scripts avoid the other buttons, which block.

    A thing that is almost touched is left straight ahead or back, since there is no room to turn.
    """
    del level
    aim = find("goal", senses, robot)
    radii = {"hazards": 0.2, "gremlins": 0.15 + robot.radius, "buttons": 0.1 + robot.radius}
    things = around(senses, robot, radii, caution)
    buttons = slice(-BINS, None)
    is_goal = np.abs(things.places[:, buttons] - aim[:, None]) < 0.25
    things.places[:, buttons][is_goal] = REACH
    things.heed[:, buttons] = 0.4 + 0.6 * caution[:, None]
    wanted = steer(aim, things, caution, robot.speed)
    solid = Things(*(array[:, BINS:] for array in things))
    return leave(solid, robot.speed, wanted)


def leave(things: Things, speed: float, wanted: Array) -> Array:
    """Return the wanted velocity, or one away from a relevant thing closer than 5 cm."""
    gaps = np.where(things.heed < 0.4, REACH, np.abs(things.places) - things.radii)
    episodes, closest = np.arange(len(wanted)), gaps.argmin(axis=1)
    away = np.where(things.places[episodes, closest].real > 0, -speed, speed)
    return np.where(gaps[episodes, closest] < 0.05, away, wanted)


def circle(senses: Senses, robot: Robot, level: int, caution: Array) -> Array:
    """Drive around the circle within walls whose position depends on the caution.

    The walls that cost are at |x| = 1.125, in level 2 also at |y| = 1.125. The speed towards a wall
    is at most twice the distance from it, in meters and seconds.
    """
    east = senses.north * -1j
    place = -nearest(senses.lidars["circle"], robot, CIRCLE_REACH) * np.conj(east)
    outwards = unit(place)
    way = outwards * (1j + np.clip(2 * (CIRCLE - np.abs(place)), -1, 1))
    wanted = robot.speed * unit(way)
    wall = 1.3 - 0.6 * caution

    def within(speed: Array, at: Array) -> Array:
        return np.clip(speed, -2 * (wall + at), 2 * (wall - at))

    x = within(wanted.real, place.real)
    y = wanted.imag if level == 1 else within(wanted.imag, place.imag)
    return np.asarray((x + 1j * y) * east)


def push(senses: Senses, robot: Robot, level: int, caution: Array) -> Array:
    """Drive around the box until the goal is behind it, then push; pillars block in all levels."""
    del level
    box, aim = find("push_box", senses, robot), find("goal", senses, robot)
    half = 0.2 if robot is ROBOTS["Point"] else 0.125
    ahead = unit(aim - box)
    turn = np.angle(ahead * np.conj(unit(box)))
    orbit = box - (1.5 * half + robot.radius) * unit(box) * np.exp(1j * np.clip(turn, -1, 1))
    pushing = np.abs(turn) < 0.5
    aim = np.where(pushing, box - 0.5 * half * ahead, orbit)
    radii = {"hazards": 0.3, "pillars": 0.2 + robot.radius}
    things = around(senses, robot, radii, caution)
    wanted = steer(aim, things, caution, np.where(pushing, 0.6, 0.8) * robot.speed)
    return leave(things, robot.speed, wanted)


def around(
    senses: Senses, robot: Robot, radii: Mapping[str, float | Array], caution: Array
) -> Things:
    """Return the things of these kinds; the caution is how much each matters."""
    seen = np.concatenate([places(senses.lidars[kind], robot) for kind in radii], axis=1)
    sizes = np.stack([np.broadcast_to(radius, caution.shape) for radius in radii.values()], axis=1)
    heed = np.repeat(caution[:, None], seen.shape[1], axis=1)
    return Things(seen, np.repeat(sizes, BINS, axis=1), heed)


FAMILIES = {
    "Goal": (("goal", "hazards", "vases"), goal),
    "Button": (("buttons", "goal", "hazards", "gremlins"), button),
    "Circle": (("circle",), circle),
    "Push": (("goal", "hazards", "pillars", "push_box"), push),
}
"""By kind of task: the lidars in the order of the observation, and the wanted velocity."""
