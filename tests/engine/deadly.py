"""Environments that kill the worker or raise an exception until they are repaired."""

import os
import signal

import gymnasium


def die(**_: object) -> gymnasium.Env[object, object]:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def fail(**_: object) -> gymnasium.Env[object, object]:
    if "INSTINCT_TEST_REPAIRED" in os.environ:
        return gymnasium.make("InvertedPendulum-v5")
    raise RuntimeError("the simulator is broken")


gymnasium.register("Deadly-v0", die)
gymnasium.register("Broken-v0", fail)
