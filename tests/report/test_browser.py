"""The page in a real browser: no messages, sorting, filtering, phones, and the right numbers."""

import math
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect
from playwright.sync_api import Page as Tab

from instinct.audits.options import AuditOptions
from instinct.audits.plan import audit_plan
from instinct.experiments.gridworld import GRIDWORLD
from instinct.report.kit.figures import figure, styled
from instinct.report.kit.page import Drawing, Page, Section, write_page
from instinct.report.kit.tables import Missing, Number, Table
from instinct.report.study_page import compose
from instinct.study.findings import read_findings
from instinct.study.measurement import Measurement
from instinct.study.store import read_store
from instinct.study.trials import Trial
from tests.report.browsers import PATIENCE, needs_chromium
from tests.study.stores import scores, store_with

pytestmark = needs_chromium

DATASETS = ("hopper-medium", "hopper-expert", "walker2d-medium")
ALGORITHMS = ("ATAC", "PSPI", "CQL")
VALUES = (9.5, 10.0, -3.0, math.inf, None, 100.0, 2.25, -math.inf, None)


def sample() -> Page:
    """Long tables with infinite and missing numbers, and more columns than fit a phone."""
    pairs = [(dataset, algorithm) for dataset in DATASETS for algorithm in ALGORITHMS]
    numbers = [Missing("out of memory") if v is None else Number(v, ".1f") for v in VALUES]
    scores = Table(
        "scores",
        "Scores, with much to say about what they are and how they came to be what they are.",
        ("dataset", "algorithm", "bias", *(f"column {n}" for n in range(8))),
        tuple(
            (*pair, number, *["unbreakable"] * 8)
            for pair, number in zip(pairs, numbers, strict=True)
        ),
    )
    short = Table("runs", "Runs.", ("algorithm", "runs"), tuple((a, "1") for a in ALGORITHMS))
    drawing = figure(9, 3)
    with styled():
        drawing.add_subplot().plot([1, 2, 4])
    return Page(
        "A sample",
        "What was found.",
        (Section("Tables", tables=(scores, short)), Section("Figures", drawings=(
            Drawing("curve", drawing, "A curve."),
        ))),
        missing=("one run failed",),
    )  # fmt: skip


@pytest.fixture(name="address", scope="module")
def written_sample(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_page(sample(), tmp_path_factory.mktemp("page")).as_uri()


@pytest.fixture(name="tab")
def opened_tab(browser: Browser, address: str) -> Iterator[Tab]:
    tab = browser.new_page(viewport={"width": 1280, "height": 900})
    tab.set_default_timeout(PATIENCE)
    tab.goto(address)
    yield tab
    tab.close()


def texts(tab: Tab, table: str, column: int) -> list[str]:
    """Return the visible cells of a column, without the numbers of their notes."""
    cells = tab.locator(f"#table-{table} tbody tr:visible > :nth-child({column})")
    return [text.removesuffix("1") if text.startswith("–") else text for text in all_texts(cells)]


def all_texts(cells: Locator) -> list[str]:
    return [text.strip() for text in cells.all_text_contents()]


def test_page_loads_without_messages_or_requests(browser: Browser, address: str) -> None:
    tab = browser.new_page()
    said, asked = list[str](), list[str]()
    tab.on("console", lambda message: said.append(message.text))
    tab.on("pageerror", lambda error: said.append(str(error)))
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto(address, timeout=PATIENCE)
    assert said == []
    assert [url for url in asked if not url.startswith("data:")] == [address]
    tab.close()


def test_figure_is_visible(tab: Tab) -> None:
    image = tab.locator("#figure-curve img")
    image.scroll_into_view_if_needed()
    expect(image).to_be_visible()
    assert image.evaluate("image => image.decode().then(() => image.naturalWidth)") > 600


def test_nothing_on_the_page_can_fetch(tab: Tab) -> None:
    refused = tab.evaluate(
        """() => new Promise((resolve) => {
          document.addEventListener("securitypolicyviolation", (e) => resolve(e.blockedURI));
          fetch("http://127.0.0.1:9/").catch(() => {});
        })"""
    )
    assert refused == "http://127.0.0.1:9/"


def test_numbers_are_sorted_by_value_and_missing_ones_stay_last(tab: Tab) -> None:
    head = tab.locator("#table-scores thead th").nth(2)
    before = texts(tab, "scores", 3)
    ascending = ["-∞", "-3.0", "2.2", "9.5", "10.0", "100.0", "∞"]
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "ascending"
    assert texts(tab, "scores", 3) == [*ascending, "–", "–"]
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    assert texts(tab, "scores", 3) == [*reversed(ascending), "–", "–"]
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") is None
    assert texts(tab, "scores", 3) == before


def test_rows_move_as_a_whole_by_keyboard_too(tab: Tab) -> None:
    rows = {*zip(*(texts(tab, "scores", column) for column in (1, 2, 3)), strict=True)}
    head = tab.locator("#table-scores thead th").nth(1)
    head.get_by_role("button").focus()
    tab.keyboard.press("Enter")
    assert texts(tab, "scores", 2) == ["ATAC"] * 3 + ["CQL"] * 3 + ["PSPI"] * 3
    assert {*zip(*(texts(tab, "scores", column) for column in (1, 2, 3)), strict=True)} == rows


def test_a_field_filters_the_rows_of_its_table(tab: Tab) -> None:
    field = tab.locator("#table-scores").get_by_role("searchbox")
    field.fill("HOPPER atac")
    assert texts(tab, "scores", 1) == ["hopper-medium", "hopper-expert"]
    assert tab.locator("#table-scores .count").inner_text() == "2 of 9 rows"
    assert texts(tab, "runs", 1) == [*ALGORITHMS]
    field.fill("")
    assert len(texts(tab, "scores", 1)) == 9
    assert tab.locator("#table-runs").get_by_role("searchbox").count() == 0


def test_a_choice_filters_all_tables_and_adds_to_the_fields(tab: Tab) -> None:
    tab.get_by_role("combobox", name="algorithm").select_option("PSPI")
    assert texts(tab, "runs", 1) == ["PSPI"]
    assert {*texts(tab, "scores", 2)} == {"PSPI"}
    tab.locator("#table-scores").get_by_role("searchbox").fill("expert")
    assert texts(tab, "scores", 1) == ["hopper-expert"]
    tab.get_by_role("combobox", name="algorithm").select_option("all")
    assert len(texts(tab, "scores", 1)) == 3


def test_a_phone_shows_all_columns_without_sideways_scrolling(tab: Tab) -> None:
    tab.set_viewport_size({"width": 390, "height": 844})
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
    table = tab.locator("#table-scores")
    assert table.locator(".scroll").evaluate("box => box.scrollWidth <= box.clientWidth")
    cells = table.locator("tbody tr").first.locator("> *")
    places = [cell.bounding_box() for cell in cells.all()]
    assert len(places) == 11
    assert all(place and place["x"] >= 0 and place["x"] + place["width"] <= 390 for place in places)
    labels = cells.evaluate_all("all => all.map((x) => getComputedStyle(x, '::before').content)")
    assert labels == ["none", "none", '"bias"', *(f'"column {n}"' for n in range(8))]
    heads = tab.locator("#table-runs thead th")
    assert all(head.bounding_box() for head in heads.all())


def test_page_is_readable_without_scripts(browser: Browser, address: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto(address, timeout=PATIENCE)
    assert len(texts(tab, "scores", 1)) == 9
    expect(tab.get_by_text("one run failed")).to_be_visible()
    assert tab.locator("input, select, button").count() == 0
    context.close()


def test_print_is_white_in_dark_mode(tab: Tab) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    tab.emulate_media(color_scheme="dark")
    assert tab.evaluate(ground) == "rgb(19, 22, 26)"
    tab.emulate_media(color_scheme="dark", media="print")
    assert tab.evaluate(ground) == "rgb(255, 255, 255)"
    expect(tab.get_by_role("searchbox")).to_be_hidden()


def test_the_numbers_shown_are_those_of_the_results(browser: Browser, tmp_path: Path) -> None:
    results = GRIDWORLD.run(GRIDWORLD.configure(episodes=10))
    tab = browser.new_page(viewport={"width": 390, "height": 844})
    tab.goto(write_page(GRIDWORLD.compose(results), tmp_path).as_uri(), timeout=PATIENCE)
    labels = texts(tab, "returns", 1)
    for column, algorithm in ((2, "BC"), (4, "PEVI")):
        mine = {row["label"]: row for row in results.results if row["algorithm"] == algorithm}
        shown = [f"{mine[label]['mean']:.2f} ± {mine[label]['stderr']:.2f}" for label in labels]
        assert texts(tab, "returns", column) == shown
        cells = tab.locator(f"#table-returns tbody td:nth-child({column})")
        keys = cells.evaluate_all("cells => cells.map((cell) => Number(cell.dataset.key))")
        assert keys == [mine[label]["mean"] for label in labels]
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
    tab.close()


def test_an_audit_shows_the_numbers_of_its_store(browser: Browser, tmp_path: Path) -> None:
    def measure(trial: Trial) -> Measurement | None:
        if (trial.label, trial.seed) == ("random", 1):
            return Measurement({}, failure="PSPI diverged at step 7")
        return scores(trial, 10.0 * len(trial.label) + trial.seed)

    store_with(
        tmp_path, audit_plan("hopper-medium", AuditOptions(algorithms=["PSPI"], seeds=3)), measure
    )
    with read_store(tmp_path) as store:
        ended = [*store.ended().values()]
    tab = browser.new_page()
    said = list[str]()
    tab.on("console", lambda message: said.append(message.text))
    tab.goto(write_page(compose(read_findings(tmp_path)), tmp_path).as_uri(), timeout=PATIENCE)
    heads = all_texts(tab.locator("#table-score thead th"))
    row = all_texts(tab.locator("#table-score tbody tr", has_text="PSPI").locator("> *"))
    for label in ("zero", "random", "negative"):
        means = [
            each.measurement.mean("score")
            for each in ended
            if (each.trial.algorithm, each.trial.label) == ("PSPI", label)
            and not each.measurement.failure
        ]
        shown = row[[head.split()[0] for head in heads].index(label)]
        assert shown.startswith(f"{sum(means) / len(means):.1f} ±"), shown
    assert "diverged at step 7" in (tab.text_content("body") or "")
    assert said == []
    tab.close()
