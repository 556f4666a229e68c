"""Run the command in this process as a user would."""

import json
import logging
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from instinct.cli import main, output


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Outcome]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    handlers = logging.root.handlers[:]

    def command(*arguments: object) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["instinct", *map(str, arguments)])
        monkeypatch.setattr(output.out, "_file", None)
        try:
            main()
            code = 0
        except SystemExit as end:
            code = int(end.code or 0)
        captured = capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    yield command
    logging.root.handlers[:] = handlers
