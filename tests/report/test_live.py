"""The page while a study runs: it is there, it loads itself again, and it ends."""

import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from instinct.audits.audit import run_audit
from instinct.audits.live import LivePage, live_page
from instinct.audits.options import AuditOptions
from instinct.audits.plan import audit_plan
from instinct.audits.progress import Silent
from instinct.deep import StageProgress
from instinct.engine.inline_executor import InlineExecutor
from instinct.engine.scheduler import StudyProgress
from instinct.errors import BadInput
from instinct.report.serve import page_file, page_server
from tests.report.browsers import PATIENCE, needs_chromium
from tests.study.stores import scores, store_with

REFRESH = 'http-equiv="refresh"'
PLAN = audit_plan("hopper-medium", AuditOptions(algorithms=["PSPI"], seeds=2))


@pytest.fixture(name="eager")
def always_write(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("instinct.audits.live.SHARE", 0)


def started(folder: Path) -> LivePage:
    """A study whose BC runs have ended."""
    store_with(folder, PLAN, lambda t: scores(t, 50.0 + t.seed) if t.algorithm == "BC" else None)
    return LivePage(folder, Silent(), every=0)


def progress(step: int, **metrics: float) -> StudyProgress:
    trial = next(trial for trial in PLAN.final({}) if trial.label == "zero")
    return StudyProgress(2, 10, {0: (trial, StageProgress("game", step, 400, metrics))})


@pytest.mark.usefixtures("eager")
def test_page_shows_progress_running_cells_and_curves(tmp_path: Path) -> None:
    live = started(tmp_path)
    for step in (100, 200, 300):
        live.trials(progress(step, loss=8.0 / step))
    page = (tmp_path / "index.html").read_text("utf-8")
    assert REFRESH in page
    assert "2 of 10 runs have ended" in page
    assert "<strong>PSPI, zero, seed 0</strong>" in page
    assert "game, step 300 of 400" in page
    assert '<polyline points="0.0,0.0 50.0,75.0 100.0,100.0"/>' in page
    assert "loss <b>0.0267</b>" in page
    assert "50.5 ± 0.5" in page


def test_curves_of_ended_runs_are_forgotten_and_long_ones_are_thinned(tmp_path: Path) -> None:
    live = started(tmp_path)
    live.every = 1000
    for step in range(1, 300):
        live.trials(progress(step, loss=1.0))
    [points] = live.curves.points.values()
    assert 2 < len(points) <= 60
    assert (points[0][0], points[-1][0]) == (1, 299)
    live.trials(StudyProgress(3, 10, {}))
    assert live.curves.points == {}


def test_a_stopped_study_leaves_a_page_that_stands_still(tmp_path: Path) -> None:
    def stopped() -> None:
        with live_page(tmp_path, Silent(), every=0) as live:
            live.trials(progress(100))
            assert REFRESH in (tmp_path / "index.html").read_text("utf-8")
            raise KeyboardInterrupt

    started(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        stopped()
    page = (tmp_path / "index.html").read_text("utf-8")
    assert REFRESH not in page
    assert "2 of 10 runs have ended" in page


def test_nothing_is_written_before_there_is_a_study(tmp_path: Path) -> None:
    live = LivePage(tmp_path, Silent(), every=0)
    live.trials(progress(100))
    live.stop()
    assert [*tmp_path.iterdir()] == []


@needs_chromium
@pytest.mark.usefixtures("eager")
def test_an_open_page_follows_the_study_to_its_end(browser: Browser, tmp_path: Path) -> None:
    seen, go_on = threading.Event(), threading.Event()

    class Paused(Silent):
        """Waits in the middle of the study until the browser has seen it."""

        def trials(self, progress: StudyProgress) -> None:
            if progress.ended == 4:
                seen.set()
                assert go_on.wait(PATIENCE / 1000)

    def study() -> None:
        with live_page(tmp_path, Paused(), every=0) as live:
            found = run_audit(
                "gridworld",
                AuditOptions(seeds=2, episodes=5),
                tmp_path,
                display=live,
                executor=lambda folder, _: InlineExecutor(folder),
            )
        found.write()

    thread = threading.Thread(target=study)
    thread.start()
    try:
        assert seen.wait(PATIENCE / 1000)
        tab = browser.new_page()
        said = list[str]()
        tab.on("console", lambda message: said.append(message.text))
        tab.goto((tmp_path / "index.html").as_uri(), timeout=PATIENCE)
        expect(tab.locator("#live")).to_contain_text("3 of 10 runs have ended", timeout=PATIENCE)
    finally:
        go_on.set()
        thread.join()
    expect(tab.locator("#live")).to_have_count(0, timeout=PATIENCE)
    expect(tab.locator("#answer")).to_contain_text("PEVI reaches 100%", timeout=PATIENCE)
    assert tab.locator("meta[http-equiv=refresh]").count() == 0
    assert said == []
    tab.close()


@contextmanager
def served(folder: Path) -> Iterator[str]:
    with page_server(folder) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def fetch(address: str, **headers: str) -> tuple[int, bytes]:
    try:
        with urllib.request.urlopen(urllib.request.Request(address, headers=headers)) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, b""


def test_only_files_of_the_page_are_served_and_only_here(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    (folder / "runs").mkdir(parents=True)
    for name in ("index.html", "score.csv", "study.sqlite", "runs/index.html", ".hidden.html"):
        (folder / name).write_text(name)
    (tmp_path / "outside.html").write_text("secret")
    (folder / "link.html").symlink_to(tmp_path / "outside.html")
    with served(folder) as address:
        assert fetch(f"{address}/") == (200, b"index.html")
        assert fetch(f"{address}/score.csv?x=1") == (200, b"score.csv")
        for path in (
            *("/study.sqlite", "/runs/index.html", "/.hidden.html", "/link.html", "/none.html"),
            *("/../outside.html", "/%2e%2e/outside.html", "/..%2foutside.html", "//outside.html"),
        ):
            assert fetch(address + path) == (404, b""), path
        assert fetch(f"{address}/", Host="evil.example")[0] == 403
        assert address.startswith("http://127.0.0.1:")


def test_a_folder_without_a_page_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="has no page"):
        page_server(tmp_path)
    (tmp_path / "index.html").write_text("page")
    assert page_file(tmp_path, "/") == tmp_path / "index.html"
    assert page_file(tmp_path, "/absent.svg") is None


def test_writing_takes_a_small_part_of_the_time(tmp_path: Path, monkeypatch: Any) -> None:
    live = started(tmp_path)
    clock = [0.0]
    monkeypatch.setattr("instinct.audits.live.time.monotonic", lambda: clock[0])
    writes = list[float]()

    def slow(*_: object) -> None:
        writes.append(clock[0])
        clock[0] += 2.0

    monkeypatch.setattr(live, "write", slow)
    live.every = 5
    while clock[0] < 130:
        live.trials(progress(1))
        clock[0] += 1
    assert writes == [0, 42, 84, 126]
