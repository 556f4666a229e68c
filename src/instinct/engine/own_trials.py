"""Run the trial of an algorithm of the user's own."""

import time

import numpy as np

from instinct.data import Box, Dataset
from instinct.deep.algorithms.algorithm import to_unit
from instinct.study.measurement import Measurement, action_rows, per_episode
from instinct.study.own import FunctionPolicy, Own
from instinct.study.trials import Trial
from instinct.tasks.evaluation import Policy, episode_seed, evaluate
from instinct.tasks.simulation import Task
from instinct.util.spacing import evenly_spaced

STATES = 64
"""At how many recorded states the actions of the final policy are stored."""


def run_own(trial: Trial, own: Own, dataset: Dataset, task: Task | None) -> Measurement:
    """Train with the user's function and judge the policy like any other."""
    started = time.perf_counter()
    policy = own.policy(dataset, trial.seed)
    trained = time.perf_counter()
    episodes = {}
    if task is not None:
        episodes = per_episode(evaluate(policy, task, trial.episodes, episode_seed(trial.seed)))
    return Measurement(
        episodes,
        actions=actions_at_recorded_states(policy, dataset),
        training_seconds=trained - started,
        evaluation_seconds=time.perf_counter() - trained,
    )


def actions_at_recorded_states(policy: Policy, dataset: Dataset) -> tuple[tuple[float, ...], ...]:
    """Return the actions at some recorded states; empty if the policy has a memory.

    Continuous actions are scaled to [-1, 1].
    """
    if not isinstance(policy, FunctionPolicy):
        return ()
    states = np.asarray(dataset.observations[evenly_spaced(len(dataset), STATES)], np.float32)
    actions, _ = policy.act(None, states, np.zeros(len(states)))
    space = dataset.action_space
    return action_rows(to_unit(actions, space) if isinstance(space, Box) else actions)
