"""The public API: what `dir(instinct)` lists, how fast it is imported, and its docstrings."""

import doctest
import importlib
import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest

import instinct

CODE = "import instinct, sys; print(*dir(instinct)); print('jax' in sys.modules)"
NEEDED = [
    *("Audit", "Dataset", "Label", "audit", "describe", "evaluate", "inspect", "load", "relabel"),
    "train",
]


def test_dir_lists_the_public_names_and_importing_loads_no_jax() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    names, jax = done.stdout.splitlines()
    assert {*NEEDED} <= {*names.split()}
    assert jax == "False"


@pytest.mark.parametrize("name", sorted({*dir(instinct)} - {"__version__"}))
def test_every_public_name_exists_and_says_what_it_is(name: str) -> None:
    value = getattr(instinct, name)
    assert (inspect.getdoc(value) or "").strip()


def test_unknown_names_are_refused() -> None:
    with pytest.raises(AttributeError):
        _ = instinct.nothing


MODULES = (
    "instinct",
    "instinct.api",
    "instinct.audits.audit",
    "instinct.audits.options",
    "instinct.benchmarks.gymnasium.environment_task",
    "instinct.benchmarks.recipe",
    "instinct.data.dataset",
    "instinct.data.files",
    "instinct.data.filters",
    "instinct.data.labels",
    "instinct.data.spaces",
    "instinct.data.summary",
    "instinct.data.tables.choices",
    "instinct.data.tables.describe",
    "instinct.data.tables.roles",
    "instinct.deep.algorithms.algorithm",
    "instinct.deep.algorithms.fields",
    "instinct.deep.training.policy",
    "instinct.report.kit.page",
    "instinct.report.kit.tables",
    "instinct.study.extensions",
    "instinct.study.findings",
    "instinct.study.own",
    "instinct.tasks.evaluation",
)


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_run(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert result.failed == 0
    assert result.attempted or name == "instinct"


def test_the_examples_of_the_documentation_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = Path(__file__).parents[1] / "docs" / "extending.md"
    monkeypatch.chdir(tmp_path)
    result = doctest.testfile(
        os.fspath(page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert result.failed == 0
    assert result.attempted > 15
