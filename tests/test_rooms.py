"""The rooms of the package: nothing imports from a room to its right."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import instinct

ROOT = Path(instinct.__file__).parent
ORDER = (
    *("util", "data", "theory", "tabular", "deep", "tasks", "estimate", "behaviors"),
    *(
        "benchmarks",
        "paper",
        "study",
        "engine",
        "report",
        "score",
        "experiments",
        "audits",
        "dose",
        "nudge",
        "results",
        "bench",
        "cli",
    ),
)


def imports(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative import"
            yield node.module or ""


def room(module: str) -> str | None:
    parts = module.split(".")
    return parts[1] if parts[0] == "instinct" and len(parts) > 1 else None


@pytest.mark.parametrize("name", ORDER)
def test_nothing_imports_from_a_room_to_its_right(name: str) -> None:
    right = ORDER[ORDER.index(name) + 1 :]
    for file in (ROOT / name).rglob("*.py"):
        assert not {room(module) for module in imports(file)} & {*right}, file


def test_every_room_is_listed() -> None:
    assert {path.parent.name for path in ROOT.glob("*/__init__.py")} == {*ORDER}


def test_nothing_can_run_a_strangers_code() -> None:
    for file in ROOT.rglob("*.py"):
        assert not {"pickle", "cloudpickle", "dill", "marshal", "shelve"} & {*imports(file)}, file
