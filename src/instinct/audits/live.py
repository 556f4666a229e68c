"""Write the page of a study every few seconds while it runs."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from instinct.audits.progress import Display
from instinct.deep import StageProgress
from instinct.engine.scheduler import StudyProgress
from instinct.errors import InstinctError
from instinct.report.kit.live import REFRESH
from instinct.report.kit.page import write_page
from instinct.report.live_page import Curves, compose_live
from instinct.study.findings import read_findings

log = logging.getLogger(__name__)

SHARE = 20
"""Writing pages takes at most one part in so many of the time."""


class LivePage:
    """A display that also writes the study's page, and shows all progress on another display."""

    def __init__(self, folder: Path, display: Display, every: float = REFRESH) -> None:
        self.folder, self.display, self.every = folder, display, every
        self.curves = Curves()
        self.progress: StudyProgress | None = None
        self.due = 0.0
        self.written = False

    def announce(self, text: str) -> None:
        """Pass on a sentence."""
        self.display.announce(text)

    def dataset(self, done: int, total: int, what: str) -> None:
        """Pass on the progress of a dataset: there is no study to show yet."""
        self.display.dataset(done, total, what)

    def stage(self, progress: StageProgress) -> None:
        """Pass on the progress of a training that is not part of a study."""
        self.display.stage(progress)

    def trials(self, progress: StudyProgress) -> None:
        """Pass on the progress of the trials, and write the page if it is time."""
        self.display.trials(progress)
        self.progress = progress
        running = [*progress.running.values()]
        for trial, stage in running:
            if stage is not None:
                self.curves.add(trial, stage)
        self.curves.keep_only([trial for trial, _ in running])
        self.write_if_due()

    def estimates(self, done: int, total: int, what: str) -> None:
        """Pass on the progress of the estimates, and write the page if it is time."""
        self.display.estimates(done, total, what)
        self.write_if_due(f"{what} ({done} of {total})")

    def write_if_due(self, doing: str = "") -> None:
        """Write the page unless it was written a moment ago."""
        began = time.monotonic()
        if self.progress is None or not self.progress.trials or began < self.due:
            return
        self.write(self.progress, doing)
        took = time.monotonic() - began
        self.due = time.monotonic() + max(self.every, SHARE * took)

    def write(self, progress: StudyProgress | None, doing: str = "") -> None:
        """Write the page; a page that cannot be written never stops a study."""
        try:
            findings, refresh = read_findings(self.folder), max(1, round(self.every))
            page = compose_live(findings, progress, self.curves, doing, refresh)
            write_page(page, self.folder)
            self.written = True
        except InstinctError as fault:
            log.debug("the page is not written: %s", fault)

    def stop(self) -> None:
        """Write the page of a stopped study, which no longer loads itself again."""
        if self.written:
            self.write(None)


@contextmanager
def live_page(folder: Path, display: Display, every: float = REFRESH) -> Iterator[LivePage]:
    """Keep the page in `folder` up to date; who ends the study writes the final page."""
    live = LivePage(folder, display, every)
    try:
        yield live
    except BaseException:
        live.stop()
        raise
