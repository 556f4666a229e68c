"""What drivers read from an observation, and where they steer."""

import numpy as np
import pytest

from instinct.benchmarks.safety.drivers import (
    ROBOTS,
    Things,
    car,
    find,
    nearest,
    point,
    sense,
    steer,
)
from instinct.data import Array

POINT, CAR = ROBOTS["Point"], ROBOTS["Car"]


def lidar(*positions: complex) -> Array:
    """Return the sixteen bins that Safety-Gymnasium documents for things around the robot."""
    bins = np.zeros(16)
    for position in positions:
        angle = np.angle(position) % (2 * np.pi) / (2 * np.pi) * 16
        place, share, closeness = int(angle), angle % 1, max(0.0, 1 - abs(position) / 3)
        for number, value in ((place, 1.0), (place + 1, share), (place - 1, 1 - share)):
            bins[number % 16] = max(bins[number % 16], value * closeness)
    return bins


@pytest.mark.parametrize("position", [1 + 0.3j, -0.7 + 1.1j, 0.2 - 2j, -1 - 0.01j])
def test_a_lidar_gives_the_position_of_one_thing(position: complex) -> None:
    assert nearest(lidar(position)[None], POINT) == pytest.approx(position)
    assert nearest(lidar(position)[None], CAR) == pytest.approx(position * 1j), "ahead is -y"


def test_an_observation_is_split() -> None:
    observation = np.concatenate([np.arange(24.0), lidar(2 + 0j), lidar(1j)])
    senses = sense(observation[None], CAR, ("goal", "hazards"))
    assert senses.velocity == (3 + 4j) * 1j
    assert senses.turning == 8
    assert senses.north == pytest.approx(-(9 + 10j) / abs(9 + 10j) * 1j)
    assert find("goal", senses, CAR) == pytest.approx(2j)
    assert find("hazards", senses, CAR) == pytest.approx(-1)


def test_an_unseen_goal_is_searched_among_the_things() -> None:
    observation = np.concatenate([np.zeros(12), np.zeros(16), lidar(1 + 1j, 1.2 + 0.8j)])
    senses = sense(observation[None], POINT, ("goal", "hazards"))
    (aim,) = find("goal", senses, POINT)
    assert abs(aim) == pytest.approx(3)
    assert 0.3 < np.angle(aim) < 1.1


def way(thing: complex, caution: float, aim: complex = 2) -> complex:
    things = Things(np.array([[thing]]), np.array([[0.2]]), np.array([[caution]]))
    (wanted,) = steer(np.array([aim]), things, np.array([caution]), 1.0)
    return complex(wanted)


def test_the_reckless_go_straight_and_the_cautious_around() -> None:
    assert way(0.5 + 0.02j, caution=0) == pytest.approx(1)
    around = way(0.5 + 0.02j, caution=1)
    assert around.imag < 0, "on the side with more room"
    assert 0.5 * abs(np.sin(np.angle(around) - 0.04)) > 0.3, "with a gap of more than the radius"
    assert way(2j, caution=1) == pytest.approx(1), "things far from the path do not matter"
    assert way(0.5, caution=1, aim=0.1).real > 0, "nor things beyond the aim"


def test_the_cautious_slow_down_near_things() -> None:
    assert abs(way(0.3j, caution=1)) < abs(way(0.3j, caution=0.5)) < 1
    assert way(0.3, caution=1).real <= 0.1, "no deeper into the thing"


def test_robots_turn_a_wanted_velocity_into_actions() -> None:
    still, ahead, left = np.zeros(1), np.ones(1, complex), np.array([1j])
    assert point(ahead, still, still)[0] == pytest.approx([2, 0])
    assert point(left, still, still)[0, 1] > 0
    forward = car(ahead, still, still)[0]
    assert forward[0] == forward[1] > 0
    backward = car(-ahead, still, still)[0]
    assert backward[0] == backward[1] < 0
    turn = car(left, still, still)[0]
    assert turn[0] > 0 > turn[1]
