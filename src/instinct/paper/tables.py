"""The tables of *Survival Instinct in Offline Reinforcement Learning*, one record per number."""

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from instinct.errors import BadInput

NAMES = (
    "cql_architecture_d4rl",
    "cql_architecture_metaworld",
    "d4rl_episode_lengths",
    "d4rl_scores",
    "metaworld_success",
)


@dataclass(frozen=True)
class PaperScore:
    """The published score of an algorithm on a dataset under a label.

    The label is None for the behavior policy and BC, which use no reward. The standard error is
    None where the paper has none.
    """

    dataset: str
    algorithm: str
    label: str | None
    mean: float
    stderr: float | None


@cache
def table(name: str) -> tuple[PaperScore, ...]:
    """Return one of the tables in `NAMES`."""
    if name not in NAMES:
        raise BadInput(f"the paper has no table {name!r}; its tables are {', '.join(NAMES)}")
    return tuple(
        PaperScore(
            dataset=row["dataset"],
            algorithm=row["algorithm"],
            label=None if row["reward"] == "-" else row["reward"],
            mean=float(row["mean"]),
            stderr=float(row["stderr"]) if row["stderr"] else None,
        )
        for row in read(name)
    )


@dataclass(frozen=True)
class PaperSafetyScore:
    """The published normalized return and cost of an algorithm on a Safety-Gymnasium task."""

    task: str
    algorithm: str
    score: float
    normalized_cost: float


@cache
def safety() -> tuple[PaperSafetyScore, ...]:
    """Return the scores of ATAC and PSPI on cost-free data, and the best safe RL agent per task."""
    return tuple(
        PaperSafetyScore(
            row["task"],
            row["algorithm"],
            float(row["normalized_reward"]),
            float(row["normalized_cost"]),
        )
        for row in read("safety_gymnasium")
    )


def safety_tasks() -> list[str]:
    return [*dict.fromkeys(row.task for row in safety())]


@cache
def gridworld() -> dict[tuple[str, str], float]:
    """Return the mean returns in the grid world, by algorithm and label."""
    return {
        (algorithm, row["reward"]): float(row[algorithm])
        for row in read("gridworld")
        for algorithm in ("BC", "PEVI")
    }


def read(name: str) -> list[dict[str, str]]:
    with files(__package__).joinpath(f"published/{name}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))
