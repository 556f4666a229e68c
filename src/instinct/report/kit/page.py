"""A page: one self-contained HTML file with tables, figures and verdicts."""

import base64
import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import Literal

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup
from matplotlib.figure import Figure

import instinct
from instinct.report.kit.dots import DotPlot
from instinct.report.kit.figures import save, svg
from instinct.report.kit.glossary import Explainer, explained, terms_in
from instinct.report.kit.latex import write_latex
from instinct.report.kit.live import Live
from instinct.report.kit.tables import Missing, Number, Table, TableCell, note_of, write_csv
from instinct.util.atomic import write_atomically

MANY_ROWS = 8
"""Tables with more rows have a field to filter them."""
MANY_SECTIONS = 4
"""Pages with at least this many sections have a table of contents."""
FACETS = ("dataset", "algorithm", "label")
"""The columns by which the rows of all tables can be filtered together."""
PAIRED = 6
"""A table with at most this many columns can have a figure beside it."""
NAMES = (*FACETS, "filter")
"""Columns whose cells need no label where every cell has a line of its own."""
LONG = 40
"""Cells with more characters get a minimum width."""
NARROW = 38
"""Rows with more characters do not fit a phone: there, every cell gets a line of its own."""
WIDE = 6.0
"""Figures of at least this many inches fill the width of the page."""

Level = Literal["holds", "warning", "fails", "note"]
SIGNS: dict[Level, str] = {"holds": "✓", "warning": "!", "fails": "✗", "note": "i"}
ANSWERING = ("reward-use", "true-reward-inconclusive", "action-distance", "decision")
"""Codes of the verdicts that a page's answer is made from; what they say is no warning."""
ANSWER_SIGN = "◆"
Sureness = Literal[
    "certain", "not certain", "one seed", "inconclusive", "estimated", "not measured", "unknown"
]
SURENESS: dict[Sureness, str] = {
    "certain": "certain at 95%",
    "not certain": "not certain yet",
    "one seed": "one seed: not certain",
    "inconclusive": "inconclusive",
    "estimated": "estimated, not measured",
    "not measured": "compared, not measured",
    "unknown": "no answer",
}
"""How sure an answer is, in words."""


@dataclass(frozen=True)
class Drawing:
    """A figure with its caption; `name` is the name of its files.

    Example::

        >>> from matplotlib.figure import Figure
        >>> figure = Figure(figsize=(4, 3))
        >>> _ = figure.add_subplot().plot([0, 1], [0, 1])
        >>> Drawing("line", figure, "A straight line.").name
        'line'
    """

    name: str
    figure: Figure
    caption: str
    narrow: Figure | None = None
    """The same for a phone, if the figure is too wide for one."""
    is_photo: bool = False
    """True: its colors stay as they are in dark mode."""

    @property
    def wide(self) -> bool:
        return bool(self.figure.get_figwidth() >= WIDE)

    @cached_property
    def svg(self) -> str:
        return svg(self.figure)

    @property
    def image(self) -> str:
        """The figure as a data URL; as an image its names cannot clash with the page's."""
        return data_url(self.svg)

    @property
    def narrow_image(self) -> str:
        return "" if self.narrow is None else data_url(svg(self.narrow))


def data_url(text: str) -> str:
    """Return an SVG as a data URL."""
    return f"data:image/svg+xml;base64,{base64.b64encode(text.encode()).decode()}"


@dataclass(frozen=True, repr=False)
class Section:
    """A part of a page: a title, paragraphs of text, tables and figures.

    Example::

        >>> Section("Seeds", text=("Three seeds were trained.",))
        Section('Seeds', 0 tables, 0 figures)
    """

    title: str
    text: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    drawings: tuple[Drawing, ...] = ()
    detail: bool = False
    """True: on the page only, not in the terminal and not on the results page."""
    folded: bool = False
    """True: the page shows the title, and the rest when it is opened."""

    def __repr__(self) -> str:
        counts = f"{len(self.tables)} tables, {len(self.drawings)} figures"
        return f"Section({self.title!r}, {counts})"


@dataclass(frozen=True)
class Verdict:
    """A sentence made from the numbers, with its level and a stable code.

    The level says how the finding is marked: it holds, warns, fails, or is a note.

    Example::

        >>> Verdict("One seed per cell: no intervals.", "warning", "one-seed").sign
        '!'
    """

    text: str
    level: Level = "note"
    code: str = ""
    """What the sentence is about, in a name that stays the same, such as `reward-use`."""
    numbers: Mapping[str, float] = field(default_factory=dict)
    """The main numbers of the sentence by name."""

    @property
    def sign(self) -> str:
        return SIGNS[self.level]

    @property
    def answers(self) -> bool:
        """Whether the answer of the page is made from this verdict."""
        return self.code in ANSWERING

    @property
    def is_caution(self) -> bool:
        """Whether this warns of relying on the numbers, rather than saying what they mean."""
        return self.level == "warning" and not self.answers

    @property
    def mark(self) -> str:
        """The sign on the page: what answers the question never looks like a warning."""
        return ANSWER_SIGN if self.answers else self.sign


@dataclass(frozen=True, repr=False)
class Answer:
    """What a page opens with: the question, one sentence, how sure it is, and a picture.

    Example::

        >>> Answer("Is it so?", "It is so.", "certain").in_words
        'certain at 95%'
    """

    question: str
    sentence: str
    sure: Sureness
    plot: DotPlot | None = None
    verdict: str = ""
    """The text of the verdict that the sentence says all of."""
    scene: Drawing | None = None
    """What can be seen of the agents, such as a map with their paths."""

    @property
    def in_words(self) -> str:
        return SURENESS[self.sure]

    @property
    def line(self) -> str:
        """The sentence as a terminal shows it."""
        return f"{ANSWER_SIGN} {self.sentence}"


@dataclass(frozen=True, repr=False)
class Page:
    """All that one HTML file shows.

    Example::

        >>> page = Page("Seeds", "Three seeds.", (Section("Seeds", text=("0, 1, 2",)),))
        >>> page
        Page('Seeds', 1 sections, 0 verdicts)
        >>> [section.title for section in page.sections]
        ['Seeds']
    """

    title: str
    summary: str
    """The main finding in one or two sentences."""
    sections: tuple[Section, ...]
    provenance: Mapping[str, str] = field(default_factory=dict)
    """Where the numbers come from: seeds, episodes, dataset hash, versions."""
    verdicts: tuple[Verdict, ...] = ()
    missing: tuple[str, ...] = ()
    """Runs that failed or are missing, with the reason."""
    premises: tuple[str, ...] = ()
    """What was assumed about the data, or done to them, that the results depend on."""
    answer: Answer | None = None
    """What the page opens with; without it, the page opens with its summary."""
    live: Live | None = None
    """How far the study is while it runs: the page then loads itself again."""

    def __post_init__(self) -> None:
        for kind in (self.tables, self.drawings):
            names = Counter(one.name for one in kind)
            if twice := [name for name, count in names.items() if count > 1]:
                raise ValueError(f"two tables or two figures of a page have the name {twice[0]}")

    def __repr__(self) -> str:
        counts = f"{len(self.sections)} sections, {len(self.verdicts)} verdicts"
        return f"Page({self.title!r}, {counts})"

    @property
    def tables(self) -> Iterator[Table]:
        for section in self.sections:
            yield from section.tables

    @property
    def drawings(self) -> Iterator[Drawing]:
        if self.answer is not None and self.answer.scene is not None:
            yield self.answer.scene
        for section in self.sections:
            yield from section.drawings

    @property
    def shown(self) -> tuple[Section, ...]:
        """The sections in the order of the page: the evidence, then what is folded away."""
        return tuple(sorted(self.sections, key=lambda section: section.folded))

    @property
    def found(self) -> tuple[Verdict, ...]:
        """The verdicts that say what was found, those of the answer first."""
        said = "" if self.answer is None else self.answer.verdict
        found = (each for each in self.verdicts if not each.is_caution and each.text != said)
        return tuple(sorted(found, key=lambda verdict: not verdict.answers))

    @property
    def cautions(self) -> tuple[Verdict, ...]:
        return tuple(verdict for verdict in self.verdicts if verdict.is_caution)

    @property
    def glossary(self) -> dict[str, str]:
        """The terms that the page uses, and what they mean."""
        return terms_in(self.texts())

    def texts(self) -> Iterator[str]:
        """Yield the texts in which terms are explained."""
        yield self.summary
        if self.answer is not None:
            yield self.answer.sentence
            if self.answer.plot is not None:
                yield self.answer.plot.caption
                for line in self.answer.plot.lines:
                    yield from (line.name, line.detail)
        yield from self.premises
        yield from (verdict.text for verdict in self.verdicts)
        for section in self.sections:
            yield from (section.title, *section.text)
            for table in section.tables:
                yield from (table.caption, *table.columns)
                yield from (cell for row in table.texts for cell in row)
            yield from (drawing.caption for drawing in section.drawings)


def write_page(page: Page, folder: Path) -> Path:
    """Write the page, its figures (SVG, PDF) and tables (CSV, LaTeX); return the page's path."""
    for drawing in page.drawings:
        write_atomically(folder / f"{drawing.name}.svg", drawing.svg.encode())
        save(drawing.figure, folder / f"{drawing.name}.pdf")
    for table in page.tables:
        write_csv(table, folder / f"{table.name}.csv")
        write_latex(table, folder / f"{table.name}.tex")
    path = folder / "index.html"
    write_atomically(path, html(page).encode())
    return path


def html(page: Page) -> str:
    explain = Explainer()
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    environment.filters["note"] = note_of
    environment.filters["key"] = sort_key
    environment.filters["classes"] = classes
    environment.filters["explain"] = explain
    environment.filters["explained"] = explained
    environment.filters["columns"] = shown_columns
    environment.filters["stacks"] = stacks
    environment.filters["pairs"] = pairs
    script = template("page.js")
    return environment.from_string(template("page.html")).render(
        page=page,
        style=Markup(template("page.css")),  # noqa: S704 - our own
        script=Markup(script),  # noqa: S704 - our own
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        many_rows=MANY_ROWS,
        many_sections=MANY_SECTIONS,
        facets=FACETS,
        names=NAMES,
        glossary=page.glossary,
        restart=explain.restart,
        version=instinct.__version__,
    )


@cache
def template(name: str) -> str:
    """Read one of the page's template files."""
    return files(__package__).joinpath("templates", name).read_text(encoding="utf-8")


def sort_key(cell: TableCell) -> str | None:
    """Return the sort key of a cell: a JavaScript number, or None to sort by its text."""
    if isinstance(cell, str):
        return None
    if isinstance(cell, Number):
        return repr(float(cell.value)).replace("inf", "Infinity")
    return ""


def classes(cell: TableCell, numeric: bool) -> str:
    """Return the CSS classes of a cell."""
    found = ["" if numeric else "text", "long" if len(str(cell)) > LONG else ""]
    if isinstance(cell, Number):
        found.append(cell.mark or "")
    elif isinstance(cell, Missing):
        found.append("missing")
    return " ".join(filter(None, found))


def shown_columns(table: Table) -> list[int]:
    """Return the columns to show: without `dataset` where it is the same everywhere.

    >>> row = ("hopper", "BC", "1")
    >>> shown_columns(Table("t", "", ("dataset", "algorithm", "x"), (row, row)))
    [1, 2]
    """
    same = {
        i
        for i, name in enumerate(table.columns[:-2])
        if name == "dataset" and len(table.rows) > 1 and len({row[i] for row in table.texts}) == 1
    }
    return [i for i in range(len(table.columns)) if i not in same]


def stacks(table: Table) -> bool:
    """Tell whether the rows of a table are too long for a phone."""
    columns = shown_columns(table)
    widths = [
        max([longest_word(table.columns[i]), *(len(row[i]) for row in table.texts)])
        for i in columns
    ]
    return sum(widths) + 2 * len(widths) > NARROW


def pairs(section: Section) -> bool:
    """Tell whether a section has one table and one figure that fit beside each other."""
    if len(section.tables) != 1 or len(section.drawings) != 1 or section.drawings[0].wide:
        return False
    return len(shown_columns(section.tables[0])) <= PAIRED


def longest_word(text: str) -> int:
    return max(map(len, text.split()), default=0)
