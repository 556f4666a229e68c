"""Make the plan of an audit: one dataset, BC and other algorithms, the true and wrong rewards."""

from collections.abc import Mapping
from typing import Any

from instinct.audits.options import AuditOptions
from instinct.benchmarks.benchmark import Benchmark
from instinct.benchmarks.registry import find_benchmark, task_name
from instinct.data import ALL, PAPER_LABELS, Label, canonical_name, find_label
from instinct.deep import find_algorithm
from instinct.deep.algorithms.settings import Setting
from instinct.errors import BadInput
from instinct.study.algorithm_settings import control_of
from instinct.study.extensions import find_own, own_objects, own_task_name, register
from instinct.study.own import Own
from instinct.study.plan import Plan, recorded_task
from instinct.tabular.registry import find_algorithm as find_tabular

IMITATION = "BC"
"""The algorithm that every audit has: it imitates the data and reads no rewards."""
AUDIT_OF = "audit of "
"""How the names of the plans of audits begin."""
NO_TERMINALS = "no-terminals"
"""The filter that removes terminal transitions."""


def audit_plan(dataset: str, options: AuditOptions | None = None) -> Plan:
    """Plan BC and the chosen algorithms on the dataset, under every label.

    With filters, every algorithm learns from all data and from the data after each filter, under
    the true reward unless the options name labels. `both_ends` is the filter `no-terminals` under
    all labels, beside data that keep their terminals.
    """
    options = options or AuditOptions()
    task = recorded_task(dataset) if options.env is None else judged_in(options.env)
    benchmark = find_benchmark(task or dataset)
    algorithms = algorithm_names(options, benchmark)
    labels = tuple(map(label_name, options.labels))
    filters = tuple(canonical_name(name) for name in options.filters if isinstance(name, str))
    if not labels:
        labels = ("original",) if filters and not options.both_ends else PAPER_LABELS
    remove_terminals = options.remove_terminals
    if options.both_ends:
        if remove_terminals is not None:
            raise BadInput("terminals are removed, kept, or both: choose one")
        filters, remove_terminals = tuple(dict.fromkeys((*filters, NO_TERMINALS))), False
    subject = "after filters" if filters else "regardless of the reward"
    keys = (
        *(f"algorithm:{name}" for name in algorithms),
        *(f"label:{name}" for name in labels),
        *(f"task:{task}", f"benchmark:{benchmark.name}"),
    )
    return Plan(
        name=AUDIT_OF + dataset,
        description=f"What {dataset} teaches {subject}",
        datasets=(dataset,),
        algorithms=algorithms,
        labels=labels,
        filters=(ALL, *filters) if filters else (),
        preset=options.preset,
        seeds=options.seeds,
        first_seed=options.first_seed,
        episodes=options.episodes or benchmark.test_episodes,
        settings=settings_by_algorithm(options.settings, algorithms),
        remove_terminals=remove_terminals,
        task=task,
        action_range=options.action_range,
        cost_target=options.cost_target,
        own=own_objects(keys),
    )


def algorithm_names(options: AuditOptions, benchmark: Benchmark) -> tuple[str, ...]:
    """Return the names of the algorithms, BC first, and register those given as objects."""
    chosen = options.algorithms or benchmark.default_algorithms
    names = [algorithm_name(each, benchmark) for each in chosen]
    if options.control:
        names += controls(names, benchmark)
    return tuple(dict.fromkeys((IMITATION, *names)))


def controls(names: list[str], benchmark: Benchmark) -> list[str]:
    """Return the names of the controls without pessimism that the algorithms have."""
    found = [] if benchmark.algorithms == "tabular" else [*filter(None, map(control_of, names))]
    if not found:
        raise BadInput("no algorithm of the audit has a control; ATAC and PSPI have one")
    return found


def algorithm_name(algorithm: Any, benchmark: Benchmark) -> str:
    """Return the name of an algorithm as it is written, and register one given as an object."""
    if isinstance(algorithm, str):
        if find_own(algorithm) is not None:
            return algorithm
        if benchmark.algorithms == "tabular":
            return find_tabular(algorithm).name
        return find_algorithm(algorithm).NAME
    register(algorithm)
    return str(algorithm.name if isinstance(algorithm, Own) else algorithm.NAME)


def label_name(label: str | Label) -> str:
    """Return the name of a label, and register one given as an object."""
    if isinstance(label, str):
        return find_label(label).name
    register(label)
    return label.name


def judged_in(env: Any) -> str:
    """Return the name of the task of that name, or of the Gymnasium environment with that id."""
    return task_name(env) if isinstance(env, str) else own_task_name(env)


def require_task(dataset: str, env: Any = None) -> str:
    """Return the task in which policies are judged, or raise if there is none."""
    task = recorded_task(dataset) if env is None else judged_in(env)
    if not task:
        raise BadInput(
            "has no task in which policies are judged; name one with `task=`",
            file=dataset,
            option="task",
        )
    return task


def settings_by_algorithm(
    settings: Mapping[str, Any], algorithms: tuple[str, ...]
) -> dict[str, dict[str, Setting]]:
    """Give settings to all algorithms but BC and own ones, or to those that they name."""
    named = {key: value for key, value in settings.items() if isinstance(value, Mapping)}
    if unknown := [name for name in named if name not in algorithms]:
        raise BadInput(f"{unknown[0]} is not among the algorithms", field="settings")
    common = {key: value for key, value in settings.items() if key not in named}
    learners = [name for name in algorithms if name != IMITATION and find_own(name) is None]
    chosen = {name: dict(common) for name in learners if common}
    for name, given in named.items():
        chosen[name] = chosen.get(name, {}) | dict(given)
    return chosen


def command(plan: Plan) -> str:
    """Return the command that runs the plan."""
    if not plan.name.startswith(AUDIT_OF):
        return f"instinct study run {plan.name}"
    dataset = plan.datasets[0]
    task = plan.task_of(dataset)
    usual = audit_plan(dataset, AuditOptions(filters=plan.filters[1:], env=task or None))
    options = [f"--env {task}"] if task != recorded_task(dataset) else []
    options += [f"--preset {plan.preset}", f"--seeds {plan.seeds}"]
    if plan.remove_terminals is not None:
        options.append("--remove-terminals" if plan.remove_terminals else "--keep-terminals")
    if plan.first_seed:
        options.append(f"--first-seed {plan.first_seed}")
    options += [f"--filter {name}" for name in plan.filters if name != ALL]
    for name in ("algorithms", "labels"):
        if getattr(plan, name) != getattr(usual, name):
            options.append(f"--{name} {','.join(getattr(plan, name))}")
    if plan.episodes != usual.episodes:
        options.append(f"--episodes {plan.episodes}")
    changed = {name: value for values in plan.settings.values() for name, value in values.items()}
    options += [f"--set {name}={value}" for name, value in changed.items()]
    return " ".join(["instinct audit", dataset, *options])
