"""Scripts of the four kinds of tasks on observations made by hand."""

import numpy as np
import pytest

from instinct.benchmarks.safety.drivers import ROBOTS, Things, sense
from instinct.benchmarks.safety.scripts import FAMILIES, circle, leave, script
from instinct.benchmarks.safety.task import SETUPS
from instinct.data import Array
from tests.benchmarks.test_safety_drivers import lidar

POINT = ROBOTS["Point"]


def facing_east(*lidars: Array) -> Array:
    """A Point at rest that faces along x; the magnetic field points along -y, to its right."""
    sensors = np.zeros(12)
    sensors[10] = -0.5
    return np.concatenate([sensors, *lidars])[None]


def on_circle(x: float, y: float, level: int, caution: float) -> complex:
    """Return the wanted velocity at a position; this lidar has twice the range."""
    senses = sense(facing_east(lidar(-(x + 1j * y) / 2)), POINT, ("circle",))
    (wanted,) = circle(senses, POINT, level, np.array([caution]))
    return complex(wanted)


def test_the_circle_is_driven_counterclockwise_within_the_walls() -> None:
    assert on_circle(0, 1.5, level=1, caution=0) == pytest.approx(-1.5)
    assert on_circle(0, -1.5, level=1, caution=1) == pytest.approx(1.4), "0.7 from the wall"
    assert on_circle(0.9, 0, level=1, caution=0).real > 0, "outwards to the circle"
    at_wall = on_circle(1.1, 0.2, level=1, caution=1)
    assert at_wall.real < 0 < at_wall.imag, "on along the wall, and away from it"
    assert on_circle(0, 1.4, level=2, caution=1).imag < 0
    assert on_circle(0.2, 1.1, level=1, caution=1).imag > 0, (
        "walls of level 1 are only at the sides"
    )


def test_almost_touched_things_are_left_without_turning() -> None:
    things = Things(
        np.array([[0.2 + 0.1j], [-0.2 + 0j], [0.2 + 0j], [0.4 + 0j]]), *np.ones((2, 4, 1))
    )
    things = things._replace(radii=0.25 * things.radii)
    things.heed[2] = 0.3
    wanted = leave(things, 1.5, np.full(4, 1j))
    assert wanted.tolist() == [-1.5, 1.5, 1j, 1j], "the third does not matter, the fourth is far"


def test_the_goal_button_is_no_obstacle_but_the_others_are() -> None:
    nothing = np.zeros(16)
    act = script("PointButton1")
    ahead, reckless = 0.6 + 0.01j, np.zeros(1)
    alone = act(facing_east(lidar(ahead), lidar(ahead), nothing, nothing), reckless)
    assert alone[0, 0] == 1
    assert abs(alone[0, 1]) < 0.1
    between = act(
        facing_east(lidar(2 * ahead, ahead), lidar(2 * ahead), nothing, nothing), reckless
    )
    assert abs(between[0, 1]) > 0.3, "even the reckless go around"


def test_the_box_is_pushed_from_behind() -> None:
    nothing, none = np.zeros(16), np.zeros(1)
    act = script("PointPush1")
    behind = act(facing_east(lidar(1.5 + 0.01j), nothing, nothing, lidar(0.6 + 0.01j)), none)
    assert behind[0, 0] == 1
    assert abs(behind[0, 1]) < 0.1
    before = act(facing_east(lidar(-1.5 + 0.01j), nothing, nothing, lidar(0.6 + 0.01j)), none)
    assert abs(before[0, 1]) > 0.3, "the goal is behind the robot: first around the box"


@pytest.mark.parametrize("task", SETUPS)
def test_every_script_takes_the_observations_of_its_task(task: str) -> None:
    kinds, _ = FAMILIES[task.removeprefix("Point").removeprefix("Car")[:-1]]
    sensors = 12 if task.startswith("Point") else 24
    assert SETUPS[task].observed == sensors + 16 * len(kinds)
    random = np.random.default_rng(0)
    actions = script(task)(random.uniform(0, 1, (5, SETUPS[task].observed)), np.linspace(0, 1, 5))
    assert actions.shape == (5, 2)
    assert (np.abs(actions) <= 1).all()
