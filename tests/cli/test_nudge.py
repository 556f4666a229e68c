"""`instinct nudge` from beginning to end, on a grid world whose right filter is known."""

from pathlib import Path

import pytest

from instinct.data import apply_filters, read, write
from instinct.nudge import prediction
from tests.cli.conftest import Run
from tests.nudge.problems import choices, write_idle_grid
from tests.study.problems import PENDULUM, write_dataset

SIZE = ("--seeds", 2, "--report-seeds", 2, "--episodes", 2, "--workers", 1)
TINY = ("layers=1", "units=8", "batch_size=16", "steps=20", "warm_start_steps=20")


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Save time: the tests look at predictions, and at intervals over seeds."""
    monkeypatch.setattr(prediction, "RESAMPLES", 3)


@pytest.fixture
def grid(tmp_path: Path) -> Path:
    return write_idle_grid(tmp_path / "idle.npz")


def test_the_filter_is_found_confirmed_and_usable_by_its_name(
    run: Run, grid: Path, tmp_path: Path
) -> None:
    """On all data PEVI pushes against the border for 20 steps of -0.01; then it reaches the key."""
    where = tmp_path / "out"
    command = ("nudge", grid, "--env", "gridworld", "--goal", "return", *SIZE, "--out", where)
    outcome = run(*command, "--json")
    assert outcome.code == 0, outcome.err
    found = outcome.json
    assert (found["filter"], found["confirmed"]) == ("good-episodes:0.92", True)
    assert found["verdicts"][0]["code"] == "nudge-found"
    assert (found["change"]["before"], found["change"]["after"]) == pytest.approx((-0.2, 0.92))
    assert not {*found["search_seeds"]} & {*found["report_seeds"]}
    left = apply_filters(read(grid), [found["filter"]])
    assert found["removes"]["transitions"] == len(read(grid)) - len(left)
    page = (where / "index.html").read_text("utf-8")
    for text in ("search seeds", "report seeds", "good-episodes:0.92", "had no part in the search"):
        assert text in page
    assert {"report.csv", "search.csv", "ranking.csv", "nudge-figure.svg"} <= {
        path.name for path in where.iterdir()
    }
    stores = [where / name / "study.sqlite" for name in ("search", "report")]
    written = [store.stat().st_mtime_ns for store in stores]
    assert run(*command, "--json").json == found
    assert [store.stat().st_mtime_ns for store in stores] == written
    other = run(*command, "--best", 1)
    assert other.code == 2
    assert "holds a study with another plan" in other.err
    used = run(
        *("audit", grid, "--env", "gridworld", "--filter", found["filter"], "--labels", "zero"),
        *("--seeds", 1, "--episodes", 2, "--workers", 1, "--out", tmp_path / "audit", "--json"),
    )
    assert used.code == 0, used.err
    returns = {(row["algorithm"], row["filter"]): row["return"] for row in used.json["results"]}
    assert returns["PEVI", found["filter"]] == pytest.approx(0.92)
    assert returns["PEVI", "all"] == pytest.approx(-0.2)
    plan = tmp_path / "plan.toml"
    plan.write_text(
        f'name = "x"\ndatasets = ["{grid}"]\nalgorithms = ["PEVI"]\ntask = "gridworld"\n'
        f'filters = ["{found["filter"]}"]\n',
        "utf-8",
    )
    assert run("study", "plan", plan).code == 0


def test_the_score_alone_trains_nothing_and_needs_no_task(run: Run, tmp_path: Path) -> None:
    write(choices(), tmp_path / "data.npz")
    where = tmp_path / "out"
    command = ("nudge", tmp_path / "data.npz", "--goal", "cost", "--score-only", "--out", where)
    found = run(*command, "--json").json
    assert (found["filter"], found["trained"], found["confirmed"]) == ("cost-free", False, False)
    assert found["verdicts"][0]["code"] == "nudge-predicted"
    assert found["verdicts"][0]["after"] == pytest.approx(0)
    assert found["tolerance"] == 0.1
    assert not (where / "search").exists()
    shown = run(*command)
    assert (shown.code, shown.err) == (0, "")
    assert "Nothing was trained" in " ".join(shown.out.split())
    assert "cost-free:1" in shown.out


def test_deep_agents_and_a_filter_of_ones_own(run: Run, tmp_path: Path) -> None:
    data = write_dataset(tmp_path / "data.npz")
    settings = [part for each in TINY for part in ("--set", each)]
    outcome = run(
        *("nudge", data, "--task", PENDULUM, "--goal", "survival", "--best", 1, "--seeds", 1),
        *("--report-seeds", 1, "--episodes", 1, "--workers", 1, "--out", tmp_path / "out"),
        *("--filter", "tests.own_pendulums:is_strong", "--json", *settings),
    )
    assert outcome.code == 0, outcome.err
    candidates = [each["name"] for each in outcome.json["ranking"]["candidates"]]
    assert any("is_strong" in name for name in candidates)
    assert outcome.json["verdicts"][0]["code"] in ("nudge-none", "nudge-uncertain", "nudge-refuted")


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--goal", "fame"), "there are return, cost, success, survival"),
        (("--goal", "cost", "--score-only"), "costs: missing"),
        (("--goal", "return", "--filter", "none"), "no filter is called 'none'"),
        (("--goal", "return", "--tolerance", 0.2), "tolerance: is for the goal cost"),
        ((), "--goal"),
    ],
)
def test_mistakes_are_refused(
    run: Run, grid: Path, tmp_path: Path, options: tuple[object, ...], complaint: str
) -> None:
    outcome = run("nudge", grid, "--env", "gridworld", *options, "--out", tmp_path / "out")
    assert outcome.code == 2
    assert complaint in " ".join(outcome.err.split())
    assert not (tmp_path / "out" / "search").exists()
