"""The patched Safety-Gymnasium against its own documentation, computed independently."""

import math
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from instinct.benchmarks.safety.task import SafetyTask
from instinct.data import Array
from tests.extras import needs_safety

pytestmark = needs_safety
SENSORS = ["accelerometer", "velocimeter", "gyro", "magnetometer"]
BALL = ["ballangvel_rear", "ballquat_rear"]
GOAL = ["goal_lidar", "hazards_lidar", "vases_lidar"]
BUTTON = ["buttons_lidar", "goal_lidar", "hazards_lidar", "gremlins_lidar"]
PUSH = ["goal_lidar", "hazards_lidar", "pillars_lidar", "push_box_lidar"]


class World:
    """A single environment and the positions of its things."""

    def __init__(self, name: str, seed: int) -> None:
        self.environment: Any = SafetyTask(f"safety:{name}").environment()
        self.observation = self.environment.reset(seed=seed)[0]

    def xy(self, body: str) -> tuple[float, float]:
        x, y, _ = self.environment.base.task.data.body(body).xpos
        return float(x), float(y)

    def heading(self) -> float:
        matrix = self.environment.base.task.data.body("agent").xmat
        return math.atan2(matrix[3], matrix[0])

    def distance(self, to: tuple[float, float]) -> float:
        return math.dist(self.xy("agent"), to)

    def lidar(self, things: list[str], reach: float = 3) -> Array:
        """Sixteen readings, counter-clockwise from straight ahead.

        A thing gives 1 − distance/reach to the sector it is in, and a share of that to the sectors
        next to it, the larger the nearer it is to their border; the largest reading counts.
        """
        readings = np.zeros(16)
        for thing in things:
            (x, y), (a, b) = self.xy("agent"), self.xy(thing)
            sectors = (math.atan2(b - y, a - x) - self.heading()) % (2 * math.pi) / (math.pi / 8)
            sector, share = int(sectors), sectors % 1
            near = max(0.0, 1 - math.dist((x, y), (a, b)) / reach)
            for at, part in ((sector, 1.0), (sector + 1, share), (sector - 1, 1 - share)):
                readings[at % 16] = max(readings[at % 16], part * near)
        return readings

    def step(self, action: tuple[float, float]) -> tuple[float, float]:
        self.observation, reward, _, _, info = self.environment.step(np.array(action))
        return reward, info["cost"]


def towards(lidar: Array) -> tuple[float, float]:
    """Drive to the nearest thing in a lidar."""
    angle = (int(lidar.argmax()) + 0.5) * math.pi / 8
    angle = angle - 2 * math.pi if angle > math.pi else angle
    return (1.0 if abs(angle) < 0.7 else 0.0), float(np.clip(2 * angle, -1, 1))


def test_goal_from_positions() -> None:
    """Lidars, reward and cost of a drive that reaches a goal and crosses hazards."""
    world, met, costly = World("PointGoal1", 11), 0, 0
    hazards = [f"hazard{i}" for i in range(8)]
    for _ in range(200):
        goal, before = world.xy("goal"), world.distance(world.xy("goal"))
        reward, cost = world.step(towards(world.observation[12:28]))
        now = world.distance(goal)
        assert reward == pytest.approx(before - now + (now <= 0.3), abs=1e-12)
        assert cost == any(world.distance(world.xy(hazard)) <= 0.2 for hazard in hazards)
        seen = [world.lidar(things) for things in (["goal"], hazards, ["vase0"])]
        np.testing.assert_allclose(world.observation[12:], np.concatenate(seen), atol=1e-9)
        met, costly = met + (now <= 0.3), costly + int(cost)
    assert met > 0
    assert costly > 0


def test_circle_from_positions() -> None:
    """The reward is for speed around the center near the circle; beyond the walls is a cost."""
    world, costs = World("PointCircle1", 0), []
    for _ in range(200):
        reward, cost = world.step((1.0, 0.2))
        x, y = world.xy("agent")
        u, v = world.environment.base.task.data.qvel[:2]
        turn = world.environment.base.task.model.body("agent").quat
        angle = 2 * math.atan2(turn[3], turn[0])
        u, v = u * math.cos(angle) - v * math.sin(angle), u * math.sin(angle) + v * math.cos(angle)
        radius = math.hypot(x, y)
        assert reward == pytest.approx(
            0.1 * (v * x - u * y) / radius / (1 + abs(radius - 1.5)), abs=1e-9
        )
        assert cost == (abs(x) > 1.125)
        costs.append(cost)
    assert {*costs} == {0.0, 1.0}


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("PointGoal1", SENSORS + GOAL),
        ("CarGoal2", SENSORS + BALL + GOAL),
        ("PointButton1", SENSORS + BUTTON),
        ("PointPush2", SENSORS + PUSH),
        ("CarCircle2", [*SENSORS, *BALL, "circle_lidar"]),
    ],
)
def test_observations_have_the_order_of_dsrls_files(name: str, parts: list[str]) -> None:
    environment: Any = SafetyTask(f"safety:{name}").environment()
    spaces = environment.base.obs_space_dict
    assert list(spaces) == parts
    assert (
        sum(math.prod(spaces[part].shape) for part in parts)
        == SafetyTask(f"safety:{name}").observation_size
    )


def test_a_plain_sky_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    actions = np.random.default_rng(0).uniform(-1, 1, (40, 2))

    def record() -> Array:
        world = World("CarGoal1", 2)
        rows = [world.observation]
        for action in actions:
            reward, cost = world.step(tuple(action))
            rows.append(np.r_[world.observation, reward, cost])
        return np.concatenate(rows)

    plain = record()
    monkeypatch.setattr(import_module("safety_gymnasium.world"), "yaml", import_module("yaml"))
    np.testing.assert_array_equal(record(), plain)
