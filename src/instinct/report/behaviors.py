"""Tables of the shipped behaviors, and their training curves."""

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure

from instinct.behaviors.choice import Choice
from instinct.behaviors.shipped import Shipped
from instinct.benchmarks.registry import find_task
from instinct.data import Array
from instinct.report.kit.figures import figure, styled
from instinct.report.kit.tables import Missing, Number, Table, TableCell

COLORS = ("#222222", "#1f5fa8", "#d9822b", "#3a8f5c", "#8e4a9e")
FACTS = {
    "score": ("score", ".1f"),
    "mode_score": ("score*", ".1f"),
    "length": ("length", ".0f"),
    "length_spread": ("spread of lengths", ".0f"),
    "end_height": ("height at the end", ".2f"),
    "end_pitch_5": ("pitch at the end, 5 %", ".2f"),
    "end_pitch": ("median", ".2f"),
    "end_pitch_95": ("95 %", ".2f"),
}
"""Names and formats of the columns; a star is without noise."""


def snapshot_table(one: Shipped) -> Table:
    """Tabulate returns, scores and lengths with action noise, and without it (*)."""
    steps = {share.snapshot: f"{share.weight:,}" for share in one.replay}
    return Table(
        "behaviors",
        f"{one.task}, {one.name}: means over test episodes; * is without action noise.",
        (
            *("snapshot", "step", *(["stands for"] if steps else [])),
            *("return", "score", "length", "return*", "score*", "length*"),
        ),
        tuple(
            (
                *(s.name, f"{s.step:,}", *([steps.get(s.name, "–")] if steps else [])),
                f"{s.mean_return:.0f}",
                "–" if s.score is None else f"{s.score:.1f}",
                f"{s.length:.0f}",
                f"{s.mode_return:.0f}",
                "–" if s.mode_score is None else f"{s.mode_score:.1f}",
                f"{s.mode_length:.0f}",
            )
            for s in one.snapshots
        ),
    )


def choice_table(task: str, choice: Choice) -> Table:
    """Tabulate the measured facts of all behaviors beside D4RL's, with the distance."""
    names = [fact.name for fact in choice.wanted]

    def row(facts: Mapping[str, float]) -> list[TableCell]:
        return [
            Number(facts[name], FACTS[name][1]) if name in facts else Missing("not measured")
            for name in names
        ]

    rows = [("D4RL", *row({fact.name: fact.value for fact in choice.wanted}), "–")]
    for each in choice.candidates:
        mark = " (default)" if each.behavior == choice.default else ""
        rows.append((each.behavior + mark, *row(each.measured), Number(each.distance, ".2f")))
    return Table(
        f"{task}-{choice.quality}-behaviors",
        f"{task}-{choice.quality}: {choice.transitions:,} transitions of every behavior beside "
        "D4RL's data; * is without action noise.",
        ("behavior", *(FACTS[name][0] for name in names), "distance"),
        tuple(rows),
    )


Training = tuple[Shipped, Mapping[str, Array]]
"""A shipped behavior and its training curve."""


def draw_curves(trainings: Mapping[str, Sequence[Training]]) -> Figure:
    """Draw normalized score without noise against steps, one panel per task; dots are medium."""
    drawing = figure(3.6 * len(trainings), 3.0)
    with styled():
        panels = drawing.subplots(1, len(trainings), squeeze=False)[0]
        for axes, (task, each) in zip(panels, trainings.items(), strict=True):
            for color, (shipped, curve) in zip(COLORS, each, strict=False):
                scores = find_task(task).scores(curve["mean_return"])
                assert scores is not None
                steps = curve["step"] / 1000
                axes.plot(steps, scores, color=color, linewidth=1.0, label=shipped.name)
                medium = shipped.snapshot("medium")
                axes.plot([medium.step / 1000], [medium.mode_score or 0.0], "o", color=color)
            axes.set_title(task)
            axes.set_xlabel("thousand steps")
            axes.legend(loc="upper left", fontsize=8)
        panels[0].set_ylabel("normalized score")
    return drawing
