"""The leaderboard: the positive bias of every dataset that archived studies have results on."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from instinct.report.kit.figures import svg
from instinct.report.kit.markdown import markdown
from instinct.report.kit.ranking import Ranked, draw_ranking
from instinct.report.kit.tables import Number, Table, TableCell
from instinct.report.sections.bias import number
from instinct.report.verdict_values import format_bias, reward_readers
from instinct.study.bias import PositiveBias
from instinct.study.findings import Findings
from instinct.util.atomic import write_atomically

LEADERBOARD = "leaderboard.md"
FIGURE = "leaderboard.svg"
SHORT = 12
"""Digits of a hash that are shown."""
OPENING = """
# Leaderboard of positive bias

How much of the best possible result a dataset teaches under any reward. A dataset is known by its
SHA-256, whatever its name. Its positive bias is J\\*/(J\\* − J), where J is the result under the
worst wrong reward (zero, random or negative): 1 means that this policy reaches nothing, 10 that it
lacks a tenth of J\\*, and ∞ that it lacks nothing. Every algorithm shows its own; the largest one
is what the data are known to teach. Benchmarks should have a low bias: on datasets at the top, an
algorithm can look good without using the reward. `instinct results write docs` writes this page.
"""


class Entry(NamedTuple):
    """The positive bias of a dataset as one algorithm of one study shows it."""

    hash: str
    dataset: str
    algorithm: str
    bias: PositiveBias
    seeds: int
    study: str
    preset: str


def entries(studies: Iterable[Findings]) -> Iterator[Entry]:
    """Yield what archived studies know."""
    for findings in studies:
        plan = findings.plan
        for dataset in plan.datasets:
            for algorithm in reward_readers(findings):
                bias = findings.bias(dataset, algorithm)
                if bias is None or "hash" not in findings.data.get(dataset, {}):
                    continue
                by_label = findings.by_label(dataset, algorithm, str(findings.main))
                yield Entry(
                    findings.data[dataset]["hash"],
                    dataset,
                    algorithm,
                    bias,
                    min(map(len, by_label.values())),
                    plan.name,
                    plan.preset,
                )


def ranked(found: Iterable[Entry]) -> list[list[Entry]]:
    """Group entries by dataset, the largest bias first; of one algorithm, those of most seeds."""
    best: dict[tuple[str, str], Entry] = {}
    for entry in found:
        key = entry.hash, entry.algorithm
        if key not in best or entry.seeds > best[key].seeds:
            best[key] = entry
    groups: dict[str, list[Entry]] = {}
    for entry in sorted(best.values(), key=order):
        groups.setdefault(entry.hash, []).append(entry)
    return [*groups.values()]


def order(entry: Entry) -> tuple[float, float, str, str]:
    low = entry.bias.estimate if entry.bias.low is None else entry.bias.low
    return -entry.bias.estimate, -low, entry.dataset, entry.algorithm


def leaderboard_table(groups: Sequence[Sequence[Entry]]) -> Table:
    """Make the table with a row per dataset."""
    rows: list[tuple[TableCell, ...]] = []
    for place, (first, *others) in enumerate(groups, 1):
        rest = ", ".join(f"{each.algorithm} {format_bias(each.bias.estimate)}" for each in others)
        rows.append(
            (
                *(Number(place, ".0f"), first.dataset, number(first.bias), first.algorithm),
                *(rest, Number(first.seeds, ".0f"), first.preset, first.study),
                f"`{first.hash[:SHORT]}`",
            )
        )
    return Table(
        "leaderboard",
        "The largest positive bias that an algorithm shows, with its 95% interval where there are "
        "several seeds.",
        (
            "place",
            "dataset",
            "positive bias",
            "by",
            "others",
            "seeds",
            "preset",
            "study",
            "SHA-256",
        ),
        tuple(rows),
    )


def write_leaderboard(studies: Iterable[Findings], folder: Path, page: Path) -> None:
    """Write the page, and its figure into the folder of the results."""
    groups = ranked(entries(studies))
    parts = [OPENING.strip()]
    if groups:
        rows = [Ranked(group[0].dataset, *group[0].bias) for group in groups]
        write_atomically(folder / FIGURE, svg(draw_ranking(rows)).encode())
        seen = "The largest positive bias of every dataset. Pale bars and arrows have no end."
        parts += [f"![{seen}]({folder.name}/{FIGURE})", markdown(leaderboard_table(groups))]
    write_atomically(page, ("\n\n".join(parts) + "\n").encode())
