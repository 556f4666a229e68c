"""A user's own labels, algorithms, tasks and benchmarks, by name.

Plans and trials name things, so that any worker can run them. What a user brings as an object is
registered here under its name. A plan notes which of these objects it uses, with a fingerprint of
their code; it never holds the code itself.
"""

from collections.abc import Iterable, Mapping
from typing import Any, TypeGuard

from instinct.benchmarks.benchmark import Benchmark
from instinct.benchmarks.gymnasium.environment_task import own_task
from instinct.benchmarks.registry import register_benchmark, register_task
from instinct.data import Label
from instinct.data.labels import register_label
from instinct.deep.algorithms.algorithm import Algorithm
from instinct.deep.algorithms.registry import ALGORITHMS, register_algorithm
from instinct.errors import BadInput
from instinct.study.own import Own
from instinct.tabular.registry import ALGORITHMS as TABULAR
from instinct.tasks.simulation import Task
from instinct.util.fingerprint import fingerprint

Description = Mapping[str, Any]
"""What a plan notes of an own object: the fingerprint of its code, and its metadata."""

_REGISTERED: dict[str, Any] = {}
"""The own objects by key, such as `label:mine`."""
_NOT_AT_HAND: set[str] = set()
"""The keys of own objects that are known only from a plan that names them."""


def register(*extensions: Any) -> None:
    """Make own labels, algorithms, tasks and benchmarks known by their names.

    An object that is given directly to `audit` need not be registered.

    >>> import instinct
    >>> instinct.register(instinct.Label("speed", lambda dataset, random: dataset.actions[:, 0]))
    >>> instinct.find_label("speed")
    Label('speed')
    """
    for extension in extensions:
        if isinstance(extension, Label):
            register_label(extension)
        elif isinstance(extension, Own):
            _check_name(extension)
        elif _is_algorithm(extension):
            register_algorithm(extension)
        elif isinstance(extension, Benchmark):
            register_benchmark(extension)
        elif _is_task(extension):
            register_task(extension)
        else:
            raise BadInput(
                f"{extension!r} is not a Label, an Own algorithm, an Algorithm class, a Task or a "
                "Benchmark"
            )
        key = key_of(extension)
        _REGISTERED[key] = extension
        _NOT_AT_HAND.discard(key)


def key_of(extension: Any) -> str:
    """Return the key of an own object in a plan, such as `label:mine`."""
    if isinstance(extension, Label):
        return f"label:{extension.name}"
    if isinstance(extension, Own):
        return f"algorithm:{extension.name}"
    if _is_algorithm(extension):
        return f"algorithm:{extension.NAME}"
    return f"{'benchmark' if isinstance(extension, Benchmark) else 'task'}:{extension.name}"


def find_own(name: str) -> Own | None:
    """Return the own algorithm of that name, if there is one."""
    found = _REGISTERED.get(f"algorithm:{name}")
    return found if isinstance(found, Own) else None


def describe(extension: Any) -> dict[str, Any]:
    """Describe an own object for a plan."""
    if isinstance(extension, Label):
        code = fingerprint(extension.rewards, extension.acting)
        return {"fingerprint": code, "wrong": extension.wrong}
    if isinstance(extension, Own):
        return {"fingerprint": extension.fingerprint, "reads_rewards": extension.reads_rewards}
    return {"fingerprint": fingerprint(getattr(extension, "make", extension))}


def declare(own: Mapping[str, Description]) -> None:
    """Make the names of own objects known when a plan is read in which they are not at hand.

    Reports can then be made. Running the plan needs the objects themselves.
    """
    for key, description in own.items():
        kind, _, name = key.partition(":")
        if key in _REGISTERED or kind not in ("label", "algorithm"):
            continue
        if kind == "label":
            register(Label(name, _not_at_hand, wrong=bool(description.get("wrong", True))))
        elif name.casefold() not in _taken_names():
            register(Own(name, _not_at_hand, bool(description.get("reads_rewards", True))))
        _NOT_AT_HAND.add(key)


def _not_at_hand(*_: Any) -> Any:
    raise BadInput("is an own object of another process; give it to `audit` again")


def fingerprints(
    own: Mapping[str, Description], algorithm: str, label: str, task: str
) -> tuple[tuple[str, str], ...]:
    """Return the keys and fingerprints of the own objects that a trial uses.

    A plan has at most one own benchmark: that of its task.
    """
    keys = [f"algorithm:{algorithm}", f"label:{label}", f"task:{task}"]
    keys += [key for key in own if key.partition(":")[0] == "benchmark"]
    return tuple((key, str(own[key]["fingerprint"])) for key in keys if key in own)


def own_objects(keys: Iterable[str]) -> dict[str, Description]:
    """Describe those of the keys that name own objects."""
    return {key: describe(_REGISTERED[key]) for key in keys if key in _REGISTERED}


def used_extensions(own: Mapping[str, Description]) -> tuple[Any, ...]:
    """Return the own objects that a plan names; all of them must have been registered."""
    if missing := [key for key in own if key not in _REGISTERED or key in _NOT_AT_HAND]:
        raise BadInput(
            f"the study uses {missing[0]}, which is not registered; give it to `audit` again or "
            "call `instinct.register`"
        )
    return tuple(_REGISTERED[key] for key in own)


def own_task_name(env: Any) -> str:
    """Register a task given as a Task, an environment or a function, and return its name."""
    task = env if _is_task(env) else own_task(env)
    register(task)
    return task.name


def _is_algorithm(extension: Any) -> TypeGuard[type[Algorithm]]:
    return isinstance(extension, type) and issubclass(extension, Algorithm)


def _is_task(extension: Any) -> TypeGuard[Task]:
    return all(hasattr(extension, name) for name in ("name", "simulation", "scores", "end"))


def _check_name(own: Own) -> None:
    if own.name.casefold() in _taken_names():
        raise BadInput(f"{own.name} is the name of an algorithm of the package; choose another")


def _taken_names() -> set[str]:
    return {name.casefold() for name in (*ALGORITHMS, *TABULAR)}
