"""The page: one self-contained HTML file, made from a study's results."""

from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup
from matplotlib.figure import Figure

import instinct
from instinct.atomic import replacing
from instinct.report.figures import svg
from instinct.report.tables import Table


@dataclass(frozen=True)
class Section:
    """A part of the page: a heading, sentences, and a table or figures."""

    title: str
    text: tuple[str, ...] = ()
    table: Table | None = None
    figures: tuple[tuple[Figure, str], ...] = ()
    """Each with its caption."""


@dataclass(frozen=True)
class Page:
    title: str
    summary: str
    sections: tuple[Section, ...]
    provenance: dict[str, str] = field(default_factory=dict)
    """What the numbers are: seeds, episodes, dataset hash, versions."""


def write_page(page: Page, path: Path) -> None:
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    template = files(__package__).joinpath("templates/page.html").read_text(encoding="utf-8")
    environment.filters["svg"] = lambda drawing: Markup(svg(drawing))  # noqa: S704 - our own
    html = environment.from_string(template).render(page=page, version=instinct.__version__)
    with replacing(path) as scratch:
        scratch.write_text(html, encoding="utf-8")
