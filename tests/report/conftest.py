"""A browser that all tests of a file share."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.report.browsers import CHROMIUM, FLAGS, PATIENCE


@pytest.fixture(name="browser", scope="module")
def started_browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS, timeout=PATIENCE)
        yield browser
        browser.close()
