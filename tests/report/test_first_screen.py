"""The page at 1280 and 390 pixels and on paper: the answer comes first, and nothing collides."""

import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser
from playwright.sync_api import Page as Tab

from instinct.audits.options import AuditOptions
from instinct.audits.plan import audit_plan
from instinct.report.kit.page import write_page
from instinct.report.study_page import compose
from instinct.study.findings import read_findings
from instinct.study.measurement import Measurement
from instinct.study.trials import Trial
from tests.report.browsers import PATIENCE, needs_chromium
from tests.study.stores import store_with

pytestmark = needs_chromium

SCREENS = {"desk": (1280, 900), "phone": (390, 844)}
BOXES = """(elements) => elements.filter((x) => x.textContent.trim()).map((x) => {
  const { left, top, right, bottom } = x.getBoundingClientRect();
  return [left, top, right, bottom, x.textContent.trim()];
})"""


def measure(trial: Trial) -> Measurement:
    """Scores and returns close to each other, with long numbers, as in long episodes."""
    level = 40.0 if trial.algorithm == "BC" else 85.0 + len(trial.label)
    score = level + 2.3 * (trial.seed % 3)
    steps = tuple(10_000.0 * n for n in range(1, 11))
    return Measurement(
        {
            "score": (score - 1, score + 1),
            "return": (32.2 * score, 32.2 * score + 3.97),
            "length": (900.0, 1000.0),
        },
        curves={
            "step": steps,
            **{f"metric_{n}": tuple(score / (n + s / 1e4) for s in steps) for n in range(5)},
        },
        progress={"step": steps[:4], "score": (20.0, 40.0, 60.0, score)},
        diagnostics={"action_distance": 0.2, "value_at_starts": -1143.1, "live_units": 0.5},
        actions=((0.1, 0.2, 0.3), (0.2, 0.3, 0.1 * (trial.seed % 3))),
        seconds=1.0,
    )


@pytest.fixture(name="folder", scope="module")
def written_audit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("audit")
    plan = audit_plan("hopper-medium", AuditOptions(algorithms=["ATAC", "PSPI"], seeds=3))
    store_with(folder, plan, measure)
    write_page(compose(read_findings(folder)), folder)
    return folder


@pytest.fixture(name="tab", params=[*SCREENS.values()], ids=[*SCREENS])
def opened_page(request: Any, browser: Browser, folder: Path) -> Iterator[Tab]:
    width, height = request.param
    tab = browser.new_page(viewport={"width": width, "height": height})
    tab.set_default_timeout(PATIENCE)
    tab.goto((folder / "index.html").as_uri())
    yield tab
    tab.close()


def collisions(boxes: list[list[Any]]) -> list[tuple[str, str]]:
    """Return the texts of boxes that overlap by more than a pixel."""
    return [
        (a[4], b[4])
        for a, b in itertools.combinations(boxes, 2)
        if min(a[2], b[2]) - max(a[0], b[0]) > 1 and min(a[3], b[3]) - max(a[1], b[1]) > 1
    ]


def unfold(tab: Tab) -> None:
    tab.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")


def test_sentence_and_picture_are_on_the_first_screen(tab: Tab) -> None:
    assert tab.viewport_size is not None
    height = tab.viewport_size["height"]
    assert tab.evaluate("scrollY") == 0
    for selector in (".sentence", ".sure", ".dots .axis"):
        box = tab.locator(selector).bounding_box()
        assert box is not None
        assert 0 <= box["y"] < box["y"] + box["height"] <= height, selector
    assert "Whatever reward it is told" in tab.locator("#answer").inner_text()


def test_nothing_is_wider_than_the_screen(tab: Tab) -> None:
    assert tab.viewport_size is not None
    unfold(tab)
    assert tab.evaluate("document.documentElement.scrollWidth") <= tab.viewport_size["width"]
    hidden = tab.locator(".scroll, .card").evaluate_all(
        "all => all.filter((x) => x.scrollWidth > x.clientWidth + 1).map((x) => x.innerText)"
    )
    assert hidden == []


def test_labels_of_the_picture_do_not_overlap(tab: Tab) -> None:
    boxes = tab.locator(".dots .name, .dots .number, .dots .tick, .dots .quantity").evaluate_all(
        BOXES
    )
    assert len(boxes) > 15
    assert collisions(boxes) == []


def test_dots_are_where_the_axis_says(tab: Tab) -> None:
    """Read the ticks back: the middle of every dot has the value that its number says."""
    ticks = tab.locator(".tick").evaluate_all(
        "all => all.map((x) => { const b = x.getBoundingClientRect(); "
        "return [(b.left + b.right) / 2, Number(x.textContent)]; })"
    )
    (x0, v0), (x1, v1) = ticks[0], ticks[-1]
    lines = tab.locator(".dots .line:not(.axis)").evaluate_all(
        "all => all.map((x) => { const b = x.querySelector('.dot').getBoundingClientRect(); "
        "return [(b.left + b.right) / 2, "
        "Number(x.querySelector('.number').textContent.replace('−', '-'))]; })"
    )
    assert len(lines) == 6
    for x, value in lines:
        assert v0 + (x - x0) * (v1 - v0) / (x1 - x0) == pytest.approx(value, abs=(v1 - v0) / 50)


def test_page_says_nothing_in_the_console(browser: Browser, folder: Path) -> None:
    for width, height in SCREENS.values():
        tab = browser.new_page(viewport={"width": width, "height": height})
        said = list[str]()
        tab.on("console", lambda message: said.append(message.text))  # noqa: B023 - closed below
        tab.on("pageerror", lambda error: said.append(str(error)))  # noqa: B023 - closed below
        tab.goto((folder / "index.html").as_uri(), timeout=PATIENCE)
        unfold(tab)
        assert said == []
        tab.close()


def test_labels_of_all_charts_do_not_overlap(browser: Browser, folder: Path) -> None:
    tab = browser.new_page()
    drawn = sorted(folder.glob("*.svg"))
    assert len(drawn) >= 7
    for path in drawn:
        tab.goto(path.as_uri(), timeout=PATIENCE)
        boxes = tab.locator("text").evaluate_all(BOXES)
        assert boxes
        assert collisions(boxes) == [], path.name
    tab.close()


def test_phone_has_its_own_curves(browser: Browser, folder: Path) -> None:
    tab = browser.new_page(viewport={"width": 390, "height": 844})
    tab.goto((folder / "index.html").as_uri(), timeout=PATIENCE)
    unfold(tab)
    image = tab.locator("#figure-curves-1 img")
    image.scroll_into_view_if_needed()
    wide = image.evaluate("x => x.decode().then(() => x.naturalWidth)")
    assert wide < 500
    assert image.evaluate("x => x.currentSrc !== x.src")
    tab.close()


def test_diagnostics_are_folded_and_links_open_them(browser: Browser, folder: Path) -> None:
    tab = browser.new_page(viewport={"width": 1280, "height": 900})
    tab.goto((folder / "index.html").as_uri(), timeout=PATIENCE)
    curves = tab.locator("#figure-curves-1")
    assert not curves.is_visible()
    tab.get_by_role("link", name="Learning curves").click()
    assert curves.is_visible()
    tab.reload()
    assert curves.is_visible()
    tab.close()


def test_figures_are_dark_in_dark_mode_and_not_on_paper(browser: Browser, folder: Path) -> None:
    tab = browser.new_page(viewport={"width": 1280, "height": 900}, color_scheme="dark")
    tab.goto((folder / "index.html").as_uri(), timeout=PATIENCE)
    image = tab.locator("#figure-score-figure img")
    style = "x => getComputedStyle(x).filter"
    assert image.evaluate(style).startswith("invert(1)")
    tab.emulate_media(media="print", color_scheme="dark")
    assert image.evaluate(style) == "none"
    tab.close()


def test_print_has_at_most_three_pages(browser: Browser, folder: Path) -> None:
    tab = browser.new_page()
    tab.goto((folder / "index.html").as_uri(), timeout=PATIENCE)
    paper = tab.pdf(format="A4")
    assert 1 <= len(re.findall(rb"/Type /Page\b", paper)) <= 3
    tab.emulate_media(media="print")
    assert tab.locator(".sentence").is_visible()
    assert not tab.locator("#figure-curves-1").is_visible()
    tab.close()
