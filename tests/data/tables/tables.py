"""A small table whose numbers can be worked out by hand."""

from typing import Any

import pandas as pd

ROLES: dict[str, Any] = {
    "episode": "stay",
    "time": "hour",
    "action": ["dose"],
    "observation": ["pulse"],
    "reward": "alive",
    "terminal": "home",
}


def clinic(**changes: object) -> pd.DataFrame:
    """Make two stays: a of three hours ends at home, b of two hours is only cut off."""
    columns: dict[str, object] = {
        "stay": ["b", "a", "a", "b", "a"],
        "hour": [0, 0, 2, 1, 1],
        "dose": [0.5, 1.0, 3.0, 0.0, 2.0],
        "pulse": [90.0, 70.0, 90.0, 80.0, 70.0],
        "alive": [0.0, 0.0, 1.0, 0.0, 0.0],
        "home": [False, False, True, False, False],
    }
    return pd.DataFrame({**columns, **changes})
