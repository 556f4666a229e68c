"""The audit: the small study of one dataset, or of a few, under the true and the wrong rewards."""

from collections.abc import Mapping, Sequence

from instinct.benchmarks.registry import find_task
from instinct.data import ALL, PAPER_LABELS, canonical_name
from instinct.deep import ALGORITHMS, find_algorithm
from instinct.deep.algorithms.settings import Setting
from instinct.errors import BadInput
from instinct.study.plan import Plan, recorded_task
from instinct.tabular.registry import ALGORITHMS as TABULAR

DEEP, GRIDWORLD = ("BC", "ATAC", "PSPI"), ("BC", "PEVI")
"""The algorithms of an audit unless others are chosen."""
EPISODES = {"gridworld": 1000, "safety": 20}
"""Test episodes by family of tasks, where they are not 50: quick in one, slow in the other."""
ENVIRONMENT = "gym:"
AUDIT_OF = "audit of "
"""How the names of the plans of audits begin."""
REGARDLESS = "regardless of the reward"


def audit_plan(
    dataset: str,
    *,
    algorithms: Sequence[str] = (),
    preset: str = "quick",
    env: str | None = None,
    labels: Sequence[str] = (),
    filters: Sequence[str] = (),
    seeds: int = 3,
    first_seed: int = 0,
    episodes: int | None = None,
    settings: Mapping[str, Setting] | None = None,
    remove_terminals: bool | None = None,
    action_range: tuple[float, float] | None = None,
) -> Plan:
    """BC and the chosen algorithms on the dataset, under every label.

    With filters, every algorithm learns from all data and from what each filter leaves, told the
    true reward unless `labels` names others.

    `env` is the task to judge in, by default the one that a named dataset was recorded in: a name
    of `find_task`, or the id of one of Gymnasium's environments. Without a task the
    agents are trained and compared by what they do at recorded states.
    """
    task = recorded_task(dataset) if env is None else named(env)
    chosen = tuple(algorithms) or (GRIDWORLD if task == "gridworld" else DEEP)
    known = TABULAR if task == "gridworld" else ALGORITHMS
    if task != "gridworld":
        chosen = tuple(find_algorithm(name).NAME for name in chosen)
    chosen = tuple(dict.fromkeys(("BC", *chosen)))
    for name in chosen:
        if name not in known:
            raise BadInput(f"no algorithm is called {name!r}; there are {', '.join(known)}")
    return Plan(
        name=AUDIT_OF + dataset,
        description=f"What {dataset} teaches {'after filters' if filters else REGARDLESS}",
        datasets=(dataset,),
        algorithms=chosen,
        labels=tuple(labels) or (("original",) if filters else PAPER_LABELS),
        filters=(ALL, *map(canonical_name, filters)) if filters else (),
        preset=preset,
        seeds=seeds,
        first_seed=first_seed,
        episodes=episodes or EPISODES.get(task.partition(":")[0], 50),
        settings={name: dict(settings) for name in chosen if settings and name != "BC"},
        remove_terminals=remove_terminals,
        task=task,
        action_range=action_range,
    )


def command(plan: Plan) -> str:
    """What one types to have the plan run."""
    if not plan.name.startswith(AUDIT_OF):
        return f"instinct study run {plan.name}"
    options = [f"--preset {plan.preset}", f"--seeds {plan.seeds}"]
    if plan.first_seed:
        options.append(f"--first-seed {plan.first_seed}")
    options += [f"--filter {name}" for name in plan.filters if name != ALL]
    return " ".join(["instinct audit", plan.datasets[0], *options])


def named(env: str) -> str:
    """The task of that name, or the environment of Gymnasium's with that id."""
    try:
        return find_task(env).name
    except BadInput:
        return find_task(ENVIRONMENT + env).name
