"""The page of a search for a filter, and the same as a JSON document."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from matplotlib.figure import Figure

from instinct.data import ALL, Array
from instinct.nudge.changes import cell_of, read_change
from instinct.nudge.goals import find_goal
from instinct.nudge.ranking import Ranked, Ranking
from instinct.nudge.run import Nudge
from instinct.nudge.verdicts import describe_seeds, proposed, sureness, verdicts
from instinct.report.kit.figures import FALLBACK_COLORS, figure, styled
from instinct.report.kit.page import Answer, Drawing, Page, Section
from instinct.report.kit.tables import Mark, Number, Table, TableCell
from instinct.report.sections.filters import filter_section
from instinct.report.sections.numbers import form_of, mean_cell, rows, seed_interval
from instinct.report.study_page import premises, provenance
from instinct.study.findings import Findings
from instinct.study.measurement import QUANTITIES

QUESTION = "Which filter makes zero-reward agents {}?"
RANKED = """
Filters are compared without training in the model of the score: an agent stays as long as it can in
the transitions that are left, and is judged in the episodes of which something is left. If whole
episodes are removed, this is too good, because the episodes that are left show what went well.
"""


def compose_nudge(nudge: Nudge) -> Page:
    """Make the page of a search."""
    ranking, said = nudge.ranking, verdicts(nudge)
    question = QUESTION.format(find_goal(ranking.goal).wish)
    return Page(
        title=f"Nudge of {ranking.dataset}: {ranking.goal}",
        summary=summary(nudge),
        sections=tuple(sections(nudge)),
        provenance=origin(nudge),
        verdicts=said,
        premises=() if nudge.search is None else premises(nudge.search),
        missing=tuple(text for study in nudge.studies for text in study.missing),
        answer=Answer(question, said[0].text, sureness(nudge, said[0]), verdict=said[0].text),
    )


def summary(nudge: Nudge) -> str:
    ranking = nudge.ranking
    text = (
        f"{len(ranking.candidates)} filters of {ranking.dataset} were ranked for the goal "
        f"{ranking.goal} without training"
    )
    if nudge.search is None:
        return f"{text}; none was trained."
    ended, trials = (
        sum(getattr(each, name) for each in nudge.studies) for name in ("ended", "trials")
    )
    return f"{text}, and the best {len(ranking.best)} trained: {ended} of {trials} runs ended."


def sections(nudge: Nudge) -> Iterator[Section]:
    """Make the sections: what is bought, what is removed, what was tried."""
    ranking, chosen = nudge.ranking, nudge.chosen
    if nudge.report is not None and chosen is not None:
        caption = f"Before and after {chosen}, on report seeds {describe_seeds(nudge.report)}"
        table = result_table("report", caption, nudge.report)
        yield Section("What it buys", (use(chosen),), (table,))
    if nudge.search is not None:
        caption = f"The trained filters, on search seeds {describe_seeds(nudge.search)}"
        drawn = draw_changes(nudge)
        yield Section(
            "What was trained",
            tables=(result_table("search", caption, nudge.search),),
            drawings=() if drawn is None else (drawn,),
        )
        yield from filter_section(nudge.search)
    yield Section(
        "What was compared without training",
        (RANKED,),
        (ranking_table(ranking),),
        detail=nudge.search is not None,
    )


def use(chosen: str) -> str:
    """Say where the filter can be used."""
    return (
        f"Elsewhere its name is enough: --filter '{chosen}' of instinct audit, train and inspect, "
        f'filters = ["{chosen}"] in a plan, instinct.find_filter("{chosen}") in Python.'
    )


def result_table(name: str, caption: str, findings: Findings) -> Table:
    """Make the table with a row per filter and a column per measured quantity."""
    measured = findings.quantities()
    found = {each: cell_of(findings, each) for each in findings.plan.filters}
    return Table(
        name,
        f"{caption}: means and 95% intervals over seeds of zero-reward agents.",
        ("filter", *(QUANTITIES[each] for each in measured)),
        tuple(
            (
                filter_name,
                *(
                    mean_cell(None if cell is None else cell.means.get(each), form)
                    for each in measured
                    for form in [form_of(findings.plan, each)]
                ),
            )
            for filter_name, cell in found.items()
        ),
    )


def ranking_table(ranking: Ranking) -> Table:
    """Make the table of all candidates, the best first."""
    known = [each for each in QUANTITIES if each in ranking.before]
    zeros: tuple[TableCell, ...] = (Number(0, ".1%"), Number(0, ",.0f"), Number(0, ",.0f"))
    named = (QUANTITIES[each] for each in known)
    before = (
        ALL,
        *zeros,
        "",
        *(Number(ranking.before[each], ranking.form(each)) for each in known),
    )
    return Table(
        "ranking",
        f"Predictions for zero-reward agents by the score's model, ranked by "
        f"{QUANTITIES[ranking.quantity]}; the 95% intervals over episodes are those of the best.",
        ("filter", "removed", "episodes cut", "gone", "better by", *named),
        (before, *(ranked_row(each, ranking, known) for each in ranking.candidates)),
    )


def ranked_row(each: Ranked, ranking: Ranking, known: list[str]) -> tuple[TableCell, ...]:
    note = "" if each.allowed else "loses more reward than is tolerated"
    interval = None if each.low is None or each.high is None else (each.low, each.high)
    mark: Mark | None = "best" if each.chosen else None if each.allowed else "gray"
    form = ranking.form(ranking.quantity)
    return (
        each.name,
        Number(each.removed / ranking.transitions, ".1%"),
        Number(each.cut, ",.0f"),
        Number(each.gone, ",.0f"),
        Number(each.gain, form, interval=interval, mark=mark, note=note),
        *(Number(each.predicted[name], ranking.form(name)) for name in known),
    )


def draw_changes(nudge: Nudge) -> Drawing | None:
    """Draw the goal's quantity of every trained filter, on the seeds of search and report."""
    goal = find_goal(nudge.ranking.goal)
    quantity = goal.quantity({name for each in nudge.studies for name in each.quantities()})
    if quantity is None or nudge.search is None:
        return None
    names = [*nudge.search.plan.filters]
    with styled():
        drawing = figure(5.4, 1.2 + 0.4 * len(names))
        axes = drawing.add_subplot()
        for number, study in enumerate(nudge.studies):
            color, kind = FALLBACK_COLORS[number], ("search", "report")[number]
            for name in study.plan.filters:
                cell, at = cell_of(study, name), names.index(name) + 0.2 * number
                if cell is not None and quantity in cell.means:
                    mark_mean(drawing, cell.means[quantity], at, color)
            axes.plot([], [], "o", color=color, label=f"{kind} seeds {describe_seeds(study)}")
        axes.set_yticks(range(len(names)), names)
        axes.invert_yaxis()
        axes.set_xlabel(QUANTITIES[quantity])
        axes.legend()
    caption = f"{QUANTITIES[quantity].capitalize()} of zero-reward agents; bars are 95% intervals."
    return Drawing("nudge-figure", drawing, caption)


def mark_mean(drawing: Figure, values: Array, at: float, color: str) -> None:
    """Draw the mean over seeds and its interval."""
    axes, around = drawing.axes[0], seed_interval(values)
    axes.plot([float(values.mean())], [at], "o", color=color)
    if around is not None:
        axes.hlines(at, around.low, around.high, color=color, linewidth=1)


def origin(nudge: Nudge) -> dict[str, str]:
    """Describe where the numbers come from; search seeds and report seeds are separate."""
    ranking = nudge.ranking
    if nudge.search is None:
        return {
            "model": f"{ranking.used:,} of {ranking.transitions:,} transitions",
            ranking.dataset: f"SHA-256 {ranking.hash}",
        }
    found = provenance(nudge.report or nudge.search)
    seeds = {"search seeds": describe_seeds(nudge.search)}
    if nudge.report is not None:
        seeds["report seeds"] = f"{describe_seeds(nudge.report)}, which had no part in the search"
    return {**{name: text for name, text in found.items() if name != "seeds"}, **seeds}


def nudge_document(nudge: Nudge, page: Page) -> dict[str, Any]:
    """Return all numbers of a search as plain data."""
    ranking, best, goal = nudge.ranking, proposed(nudge), find_goal(nudge.ranking.goal)
    document: dict[str, Any] = {
        "dataset": ranking.dataset,
        "task": ranking.task or None,
        "goal": ranking.goal,
        "tolerance": ranking.tolerance,
        "filter": None if best is None else best.name,
        "trained": nudge.search is not None,
        "confirmed": page.verdicts[0].code == "nudge-found",
        "removes": None
        if best is None
        else {
            "transitions": best.removed,
            "share": best.removed / ranking.transitions,
            "episodes_cut": best.cut,
            "episodes_gone": best.gone,
        },
        "ranking": {
            "quantity": ranking.quantity,
            "before": dict(ranking.before),
            "seconds": ranking.seconds,
            "candidates": [asdict(each) for each in ranking.candidates],
        },
    }
    for name, study in (("search", nudge.search), ("report", nudge.report)):
        document[f"{name}_seeds"] = [] if study is None else [*study.plan.final_seeds]
        document[name] = [] if study is None else rows(study)
    if nudge.report is not None and nudge.chosen is not None:
        change = read_change(nudge.report, nudge.chosen, goal.quantities)
        if change is not None:
            document["change"] = {
                "quantity": change.quantity,
                "before": float(change.before.mean()),
                "after": float(change.after.mean()),
                "difference": change.difference,
                "interval": None if change.interval is None else [*change.interval[1:]],
            }
    document["verdicts"] = [
        {"code": each.code, "level": each.level, "text": each.text, **each.numbers}
        for each in page.verdicts
    ]
    return {**document, "missing": [*page.missing]}
