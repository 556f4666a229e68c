"""The examples of docs/reports.md work."""

import re
import runpy
from pathlib import Path

import pandas as pd
import pytest

DOCUMENT = Path(__file__).parents[2] / "docs" / "reports.md"


def test_the_example_page_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text("utf-8"), re.DOTALL)
    example = next(block for block in blocks if "write_page" in block)
    (tmp_path / "page.py").write_text(example, "utf-8")
    runpy.run_path("page.py")
    folder = tmp_path / "results" / "mine"
    assert {path.name for path in folder.iterdir()} == {
        "index.html", "scores.csv", "scores.tex", "bars.svg", "bars.pdf",
    }  # fmt: skip
    scores = pd.read_csv(folder / "scores.csv", index_col="dataset")
    assert [*scores] == [
        *("original", "original stderr", "zero", "zero stderr"),
        *("positive bias", "positive bias low", "positive bias high"),
    ]
    assert scores.loc["hopper-medium", "original"] == 61.27
    assert scores.loc["walker2d-medium"].isna().sum() == 5
