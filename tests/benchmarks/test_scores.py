import numpy as np
import pytest

from instinct.benchmarks.locomotion.scores import D4RL_RETURNS, normalize
from instinct.errors import BadInput


@pytest.mark.parametrize("task", D4RL_RETURNS)
def test_random_scores_0_and_expert_100(task: str) -> None:
    assert normalize(np.array(D4RL_RETURNS[task]), task) == pytest.approx([0, 100])


def test_a_published_score() -> None:
    """D4RL's hopper-medium has a mean return of 1422 and a score of 44.3."""
    assert normalize(np.array([1422.06]), "hopper")[0] == pytest.approx(44.32, abs=0.01)


def test_an_unknown_task_is_named() -> None:
    with pytest.raises(BadInput, match="no scores are known for 'ant'"):
        normalize(np.zeros(1), "ant")
