"""Scripts for Safety-Gymnasium's four families of tasks, from reckless to cautious.

A script sees what a learner sees, the observation, and how cautious it is to be: 0 goes straight
for the reward, 1 keeps well away from whatever costs.
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
"""The radius that the circle tasks reward, and how far their lidar sees."""

Script = Callable[[Array, Array], Array]
"""Actions [n, 2] from observations and cautions."""


def script(task: str) -> Script:
    """The script of a task such as PointGoal1."""
    name = "Point" if task.startswith("Point") else "Car"
    robot, family, level = ROBOTS[name], task[len(name) : -1], int(task[-1])
    kinds, wanted = FAMILIES[family]

    def act(observations: Array, caution: Array) -> Array:
        senses = sense(observations, robot, kinds)
        velocity = wanted(senses, robot, level, caution)
        return np.clip(robot.drive(velocity, senses.velocity, senses.turning), -1, 1)

    return act


def goal(senses: Senses, robot: Robot, level: int, caution: Array) -> Array:
    """To the goal; the vases of the first level cost nothing."""
    radii = {"hazards": 0.2} if level == 1 else {"hazards": 0.2, "vases": 0.13 + robot.radius}
    things = around(senses, robot, radii, caution)
    return steer(find("goal", senses, robot), things, caution, robot.speed)


def button(senses: Senses, robot: Robot, level: int, caution: Array) -> Array:
    """To the button that is the goal; not even the reckless run into others, which stand fast.

    What is almost touched is left straight ahead or straight back: there is no room to turn.
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
    """The wanted velocity, or away from a thing that matters if it is less than 5 cm off."""
    gaps = np.where(things.heed < 0.4, REACH, np.abs(things.places) - things.radii)
    episodes, closest = np.arange(len(wanted)), gaps.argmin(axis=1)
    away = np.where(things.places[episodes, closest].real > 0, -speed, speed)
    return np.where(gaps[episodes, closest] < 0.05, away, wanted)


def circle(senses: Senses, robot: Robot, level: int, caution: Array) -> Array:
    """Round the circle, within walls that are where caution puts them.

    The walls that cost are at 1.125: at |x| in level 1, at |x| and |y| in level 2. Towards a wall
    the speed is at most twice the distance from it, as x is measured in metres and time in seconds.
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
    """Around the box until the goal lies behind it, then against it; pillars block from level 1."""
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
    """The things of these kinds, all of which matter as much as the caution says."""
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
"""The lidars of a family in the order of the observation, and the velocity that it wants."""
