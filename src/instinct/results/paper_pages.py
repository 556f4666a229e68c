"""One page per table of the paper, with our numbers and figures beside the paper's."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from matplotlib.figure import Figure

from instinct.report.kit.figures import svg
from instinct.report.kit.markdown import markdown
from instinct.report.kit.score_figures import (
    BASELINES,
    LENGTH,
    ORDER,
    SCORE,
    SUCCESS,
    Bar,
    BiasBar,
    Scale,
    draw_bias,
    draw_scores,
)
from instinct.report.kit.tables import Mark, Missing, Number, Table, TableCell
from instinct.results.agreement import ALGORITHMS, our_biases, paper_biases
from instinct.results.coverage import TABLES, OurNumbers, PaperCell, Stated, paper_tables
from instinct.results.our_evidence import OurEvidence
from instinct.util.atomic import write_atomically

FOLDER = "paper"
NOT_RUN = "not run yet"
NOTE = (
    "Ours is the mean over seeds ± one standard error; in italics with settings that have changed "
    "since. Our data are not D4RL's ([datasets](../../datasets.md)), and our preset is the quick "
    "one. `instinct results write docs` writes this page."
)


class Kind(NamedTuple):
    """What a table shows: its title, the format of its numbers, and the paper's figure of them."""

    title: str
    form: str
    figure: str = ""
    scale: Scale | None = None


KINDS = {
    "d4rl_episode_lengths": Kind("episode lengths on locomotion", ".0f", "Figure 8", LENGTH),
    "safety_gymnasium": Kind("normalized cost on cost-free data", ".2f"),
    "cql_architecture_d4rl": Kind("CQL's networks, locomotion", ".1f"),
    "cql_architecture_metaworld": Kind("CQL's networks, Meta-World", ".2f"),
    "d4rl_scores": Kind("normalized scores on locomotion", ".1f", "Figure 3", SCORE),
    "metaworld_success": Kind("success rates on Meta-World", ".2f", "Figure 6", SUCCESS),
    "gridworld": Kind("returns in the grid world", ".2f"),
}


@dataclass(frozen=True)
class Beside:
    """A number of the paper, and ours if there is one; `earlier` if it has earlier settings."""

    paper: Stated
    ours: Stated | None
    earlier: bool = False


def write_paper_pages(now: OurEvidence, earlier: OurEvidence, folder: Path) -> list[Path]:
    """Write a page for every table, with its figures, and one for the positive bias."""
    folder = folder / FOLDER
    pages = {
        page_name(name): page_parts(name, beside, folder)
        for name, beside in all_beside(OurNumbers(now), OurNumbers(earlier)).items()
    }
    pages["positive-bias"] = bias_parts(earlier, folder)
    for name, parts in pages.items():
        write_atomically(folder / f"{name}.md", ("\n\n".join(parts) + "\n").encode())
    return [folder / f"{name}.md" for name in pages]


def page_name(name: str) -> str:
    return TABLES[name].lower().replace(" ", "-")


def all_beside(now: OurNumbers, earlier: OurNumbers) -> dict[str, dict[PaperCell, Beside]]:
    """Return the cells of every table with our numbers; today's settings come first."""

    def find(name: str, cell: PaperCell, paper: Stated) -> Beside:
        ours = now.find(name, cell)
        if ours is not None:
            return Beside(paper, ours)
        return Beside(paper, earlier.find(name, cell), earlier=True)

    return {
        name: {cell: find(name, cell, paper) for cell, paper in cells.items()}
        for name, cells in paper_tables().items()
    }


def page_parts(name: str, beside: Mapping[PaperCell, Beside], folder: Path) -> Iterator[str]:
    kind = KINDS[name]
    yield f"# {TABLES[name]}: {kind.title}"
    yield NOTE
    if kind.scale is not None and any(each.ours for each in beside.values()):
        for whose, drawing in figures(beside, kind.scale):
            yield picture(folder, f"{page_name(name)}-{whose}", kind.figure, drawing)
    yield markdown(beside_table(name, beside))


def picture(folder: Path, name: str, figure: str, drawing: Figure) -> str:
    """Write a figure, and return the line that shows it."""
    write_atomically(folder / f"{name}.svg", svg(drawing).encode())
    whose = "our numbers" if name.endswith("ours") else "the paper's numbers, on the same datasets"
    return f"![{figure}: {whose}. A question mark is a number that is missing.]({name}.svg)"


def figures(beside: Mapping[PaperCell, Beside], scale: Scale) -> Iterator[tuple[str, Figure]]:
    """Draw our numbers and the paper's, on the datasets and algorithms that have any of ours."""
    runs = [cell for cell, each in beside.items() if each.ours and cell.algorithm not in BASELINES]
    datasets, algorithms = ({cell[i] for cell in runs} for i in (1, 2))
    shown = {
        cell: each
        for cell, each in beside.items()
        if cell.dataset in datasets and cell.algorithm in algorithms | {*BASELINES}
    }
    sides: dict[str, Callable[[Beside], Stated | None]] = {
        "ours": lambda each: each.ours,
        "paper": lambda each: each.paper,
    }
    for whose, side in sides.items():
        bars = [bar(cell, side(each)) for cell, each in shown.items()]
        yield whose, draw_scores([each for each in bars if each.kind in ORDER], scale)


def bar(cell: PaperCell, number: Stated | None) -> Bar:
    label = None if cell.algorithm in BASELINES else cell.label
    return Bar(cell.dataset, cell.algorithm, label, *(number or (None, None)))


def beside_table(name: str, beside: Mapping[PaperCell, Beside]) -> Table:
    """Make the table: a row per dataset and algorithm, two columns per label."""
    labels = [*dict.fromkeys(cell.label for cell in beside)]
    rows = dict.fromkeys(cell[:3] for cell in beside)

    def pair(row: tuple[str, str, str], label: str) -> tuple[TableCell, TableCell]:
        each = beside.get(PaperCell(*row, label))
        if each is None:
            return "", ""
        mark: Mark | None = "gray" if each.earlier else None
        form = KINDS[name].form
        ours: TableCell = Missing(NOT_RUN)
        if each.ours is not None:
            ours = Number(each.ours.value, form, each.ours.stderr, mark=mark)
        return ours, Number(each.paper.value, form, each.paper.stderr)

    return Table(
        page_name(name),
        f"{KINDS[name].title.capitalize()}: ours, and the paper's in the column after it.",
        ("dataset", "algorithm", *(part for each in labels for part in (each, f"{each}, paper"))),
        tuple(
            (row[1], row[2], *(part for label in labels for part in pair(row, label)))
            for row in rows
        ),
    )


def bias_parts(evidence: OurEvidence, folder: Path) -> Iterator[str]:
    """Write the page of the positive biases on locomotion, results of earlier settings included."""
    theirs = {name: paper_biases(name) for name in ALGORITHMS}
    ours = {
        name: {key: bias for key, bias in our_biases(evidence, name) if key in theirs[name]}
        for name in ALGORITHMS
    }
    yield "# Figures 5 and 9: positive bias on locomotion"
    yield NOTE
    if any(ours.values()):
        for whose, biases in {"ours": ours, "paper": theirs}.items():
            bars = [BiasBar(key, name, biases[name][key]) for name in ours for key in ours[name]]
            yield picture(folder, f"positive-bias-{whose}", "Figures 5 and 9", draw_bias(bars))
    yield markdown(
        Table(
            "positive-bias",
            "The positive bias by algorithm, results with earlier settings included: ours, and the "
            "paper's in the column after it.",
            ("dataset", *(part for name in ALGORITHMS for part in (name, f"{name}, paper"))),
            tuple(
                (
                    dataset,
                    *(
                        Missing(NOT_RUN) if value is None else Number(value, ".3g")
                        for name in ALGORITHMS
                        for value in (ours[name].get(dataset), theirs[name][dataset])
                    ),
                )
                for dataset in theirs[ALGORITHMS[0]]
            ),
        )
    )
