"""What saves the tests of searches time."""

import pytest

from instinct.nudge import prediction


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw few bootstrap samples: the tests look at predictions, and at intervals over seeds."""
    monkeypatch.setattr(prediction, "RESAMPLES", 5)
