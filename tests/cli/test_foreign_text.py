"""Text from files reaches terminal, Markdown, LaTeX and figures as text, never as markup."""

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from rich.progress import Progress

from instinct.data import write
from instinct.experiments.results import FILE
from instinct.report.kit.figures import figure, save, styled, svg
from instinct.report.kit.latex import latex
from instinct.report.kit.markdown import markdown
from instinct.report.kit.tables import Missing, Table
from instinct.util.bars import PlainConsole, terminal_bars
from tests.cli.conftest import Run
from tests.data.datasets import small

HOSTILE = "[/red]\x1b[31m$\\frac{$\u202e<script>[x](y)\x00"


@pytest.mark.parametrize("name", ["[/red].npz", "[bold].npz", "$\\frac{$.npz", "\x1b[31m.npz"])
def test_names_of_files_are_no_markup(run: Run, tmp_path: Path, name: str) -> None:
    write(small(), tmp_path / name)
    shown = run("inspect", tmp_path / name, "--figure", tmp_path / "figure.svg")
    assert (shown.code, shown.err) == (0, "")
    assert "\x1b" not in shown.out
    missing = run("inspect", tmp_path / f"no{name}")
    assert missing.code == 2
    assert "internal error" not in missing.err
    assert "\x1b" not in missing.err


def test_repairs_in_a_file_are_no_markup(run: Run, tmp_path: Path) -> None:
    arrays = dict(small().fields())
    repairs = np.array([HOSTILE.replace("\x00", "")])
    np.savez(tmp_path / "data.npz", **arrays, **{"metadata/repairs": repairs})  # type: ignore[arg-type]
    shown = run("inspect", tmp_path / "data.npz")
    assert (shown.code, shown.err) == (0, "")
    assert "[/red]\ufffd[31m" in shown.out


def test_tables_hold_no_markup() -> None:
    table = Table("t", HOSTILE, (HOSTILE, "b"), ((HOSTILE, Missing(HOSTILE)),))
    for text in (markdown(table), latex(table)):
        assert not {*text} & {"\x1b", "\u202e", "\x00"}
    assert "<script>" not in markdown(table)
    assert "](" not in markdown(table).replace("\\](", "")
    assert r"\textbackslash{}frac\{\$" in latex(table)


def test_figures_show_dollars_and_stay_valid(tmp_path: Path) -> None:
    with styled():
        drawing = figure(3, 2)
        axes = drawing.subplots()
        axes.set_title(HOSTILE.replace("\x00", ""))
        axes.set_xticks([0, 1], ["$\\frac{$", "$a$"])
    text = svg(drawing)
    ET.fromstring(text)
    assert "$\\frac{$" in text
    save(drawing, tmp_path / "figure.pdf")


def test_bars_show_brackets(capsys: pytest.CaptureFixture[str]) -> None:
    console = PlainConsole(stderr=True, force_terminal=True, width=80)
    bars = terminal_bars(console)
    assert isinstance(bars, Progress)
    with bars:
        bars.add_task("[/red]", total=1)
    assert "[/red]" in capsys.readouterr().err


GRID = {"study": "gridworld", "results": [], "settings": {}, "dataset": "", "details": {}}


@pytest.mark.parametrize(
    "content",
    [
        [],
        {"study": "gridworld"},
        GRID,
        GRID | {"results": [1]},
        GRID | {"results": [{"algorithm": "BC"}]},
        GRID | {"study": "[/red]"},
        GRID | {"study": {}},
        GRID | {"nonsense": 1},
    ],
)
def test_foreign_results_are_refused_in_one_sentence(
    run: Run, tmp_path: Path, content: object
) -> None:
    (tmp_path / FILE).write_text(json.dumps(content))
    refused = run("study", "report", "gridworld", "--out", tmp_path)
    assert refused.code == 2, refused
    assert refused.err.count("\n") == 1
    assert "internal error" not in refused.err
