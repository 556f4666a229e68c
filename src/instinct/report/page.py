"""The page: one self-contained HTML file, made from a study's results."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup
from matplotlib.figure import Figure

import instinct
from instinct.atomic import replacing
from instinct.report.figures import save, svg
from instinct.report.tables import Table, write_csv


@dataclass(frozen=True)
class Drawing:
    """A figure with its caption; the name is that of its files."""

    name: str
    figure: Figure
    caption: str


@dataclass(frozen=True)
class Section:
    """A part of the page: a heading, sentences, tables and figures."""

    title: str
    text: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    drawings: tuple[Drawing, ...] = ()


@dataclass(frozen=True)
class Page:
    title: str
    summary: str
    sections: tuple[Section, ...]
    provenance: dict[str, str] = field(default_factory=dict)
    """What the numbers are: seeds, episodes, dataset hash, versions."""

    @property
    def tables(self) -> Iterator[Table]:
        for section in self.sections:
            yield from section.tables

    @property
    def drawings(self) -> Iterator[Drawing]:
        for section in self.sections:
            yield from section.drawings


def write_page(page: Page, folder: Path) -> Path:
    """Write the page, every figure as SVG and PDF and every table as CSV; the page's path."""
    for drawing in page.drawings:
        save(drawing.figure, folder / f"{drawing.name}.svg")
        save(drawing.figure, folder / f"{drawing.name}.pdf")
    for table in page.tables:
        write_csv(table, folder / f"{table.name}.csv")
    path = folder / "index.html"
    with replacing(path) as scratch:
        scratch.write_text(html(page), encoding="utf-8")
    return path


def html(page: Page) -> str:
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    environment.filters["svg"] = lambda figure: Markup(svg(figure))  # noqa: S704 - our own
    template = files(__package__).joinpath("templates/page.html").read_text(encoding="utf-8")
    return environment.from_string(template).render(page=page, version=instinct.__version__)
