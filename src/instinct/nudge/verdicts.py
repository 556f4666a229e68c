"""Verdicts on a search: what the filter removes, what it buys, and on which seeds."""

from collections.abc import Iterator

import numpy as np

from instinct.data import ALL
from instinct.nudge.changes import Change, cell_of, leaves_reward, read_change
from instinct.nudge.goals import REWARD, Goal, find_goal
from instinct.nudge.ranking import Ranked, Ranking
from instinct.nudge.run import Nudge
from instinct.report.kit.page import Level, Sureness, Verdict
from instinct.report.sections.numbers import form_of
from instinct.study.findings import Findings
from instinct.study.measurement import QUANTITIES

OTHER_SEEDS = "which had no part in the search"


def verdicts(nudge: Nudge) -> tuple[Verdict, ...]:
    """Say what was found, the result first."""
    return (result(nudge), *remarks(nudge))


def remarks(nudge: Nudge) -> Iterator[Verdict]:
    """Yield what else there is to know of the result."""
    ranking, best = nudge.ranking, proposed(nudge)
    if best is not None:
        yield removal(ranking, best)
    if nudge.search is not None and nudge.report is not None:
        yield seeds_apart(nudge.search, nudge.report)
    if nudge.report is not None and nudge.chosen is not None:
        if ranking.tolerance is not None:
            yield reward_left(nudge.report, nudge.chosen, ranking.tolerance)
        if nudge.report.plan.seeds == 1:
            text = "One report seed: no intervals. Use three or more report seeds."
            yield Verdict(text, "warning", "one-seed")
    if ranking.quantity not in find_goal(ranking.goal).quantities:
        yield Verdict(
            f"The data do not mark the goal {ranking.goal}, so that filters were ranked by "
            f"{QUANTITIES[ranking.quantity]}.",
            "warning",
            "nudge-other-quantity",
        )


def proposed(nudge: Nudge) -> Ranked | None:
    """Return the filter that the page is about: the chosen one, or the best of a ranking."""
    if nudge.chosen is not None:
        return nudge.ranking.find(nudge.chosen)
    return next(iter(nudge.ranking.best), None) if nudge.search is None else None


def result(nudge: Nudge) -> Verdict:
    """Say which filter was found and what it buys, or that there is none."""
    goal, report, chosen = find_goal(nudge.ranking.goal), nudge.report, nudge.chosen
    if nudge.search is None:
        return prediction(nudge.ranking, goal)
    if report is None or chosen is None:
        return nothing(nudge.search, goal)
    change = read_change(report, chosen, goal.quantities)
    if change is None:
        text = f"{chosen} was chosen, but not all report seeds have ended."
        return Verdict(text, "warning", "nudge-unfinished")
    form, sure = form_of(report.plan, change.quantity), change.interval
    before, after = float(change.before.mean()), float(change.after.mean())
    gain = goal.sign * change.difference
    numbers = {"before": before, "after": after, "gain": gain}
    text = (
        f"{chosen} {verb(change)} the {QUANTITIES[change.quantity]} of zero-reward "
        f"{report.plan.algorithms[0]} from {before:{form}} to {after:{form}}"
    )
    if sure is not None:
        low, high = sorted((goal.sign * sure.low, goal.sign * sure.high))
        numbers |= {"low": low, "high": high}
        text += f", by {change.difference:+{form}} ({sure.low:{form}} to {sure.high:{form}})"
    text += f", on {len(change.after)} seeds {OTHER_SEEDS}."
    certain = numbers.get("low", -1.0) > 0
    left = leaves_reward(report, chosen, nudge.ranking.tolerance)
    if certain and left:
        return Verdict(text, "holds", "nudge-found", numbers)
    if gain <= 0 or not left:
        why = "The search was wrong" if gain <= 0 else "It loses too much reward"
        return Verdict(f"{text} {why}.", "fails", "nudge-refuted", numbers)
    return Verdict(f"{text} This is not certain.", "note", "nudge-uncertain", numbers)


def verb(change: Change) -> str:
    if change.difference == 0:
        return "does not change"
    return "raises" if change.difference > 0 else "lowers"


def prediction(ranking: Ranking, goal: Goal) -> Verdict:
    """Say what is predicted of the best filter, where nothing was trained."""
    best, form = ranking.best[0], ranking.form(ranking.quantity)
    before, after = ranking.before[ranking.quantity], best.predicted[ranking.quantity]
    numbers = {"before": before, "after": after, "gain": best.gain}
    what = QUANTITIES[ranking.quantity]
    if best.gain <= 0 or not best.allowed:
        text = (
            f"No filter is predicted to make zero-reward agents {goal.wish}: their {what} is "
            f"predicted to be {before:{form}} on all data."
        )
        return Verdict(text, "note", "nudge-none-predicted", numbers)
    sure = ""
    if best.low is not None and best.high is not None:
        numbers |= {"low": best.low, "high": best.high}
        sure = f" (better by {best.low:{form}} to {best.high:{form}} over resampled episodes)"
    text = (
        f"{best.name} is predicted to change the {what} of zero-reward agents from {before:{form}} "
        f"to {after:{form}}{sure}. Nothing was trained."
    )
    return Verdict(text, "note", "nudge-predicted", numbers)


def nothing(search: Findings, goal: Goal) -> Verdict:
    """Say that no trained filter is better than all data."""
    whole = cell_of(search, ALL)
    quantity = goal.quantity(whole.means if whole is not None else ())
    tried = ", ".join(name for name in search.plan.filters if name != ALL)
    if whole is None or quantity is None:
        text = f"No results to choose among {tried}: runs failed or have not ended."
        return Verdict(text, "warning", "nudge-unfinished")
    before = float(np.mean(whole.means[quantity]))
    text = (
        f"No filter makes zero-reward agents {goal.wish}: of {tried}, none is better than all data "
        f"({QUANTITIES[quantity]} {before:{form_of(search.plan, quantity)}}) on the search seeds."
    )
    return Verdict(text, "note", "nudge-none", {"before": before})


def removal(ranking: Ranking, best: Ranked) -> Verdict:
    """Say what a filter removes."""
    share = best.removed / ranking.transitions
    numbers = {"removed": best.removed, "share": share, "cut": best.cut, "gone": best.gone}
    return Verdict(
        f"{best.name} removes {best.removed:,} of {ranking.transitions:,} transitions "
        f"({share:.1%}); of {ranking.episodes:,} episodes it removes {best.gone:,} wholly and "
        f"cuts {best.cut:,}.",
        "note",
        "nudge-removal",
        numbers,
    )


def seeds_apart(search: Findings, report: Findings) -> Verdict:
    """Say which seeds chose the filter, and which judged it."""
    chose, judged = describe_seeds(search), describe_seeds(report)
    text = f"Search seeds {chose} chose the filter; report seeds {judged} judged it."
    return Verdict(text, "note", "nudge-seeds")


def describe_seeds(findings: Findings) -> str:
    seeds = findings.plan.final_seeds
    return f"{seeds[0]} to {seeds[-1]}" if len(seeds) > 1 else str(seeds[0])


def reward_left(report: Findings, chosen: str, tolerance: float) -> Verdict:
    """Say how much of the reward a filter against costs leaves."""
    change = read_change(report, chosen, REWARD)
    if change is None:
        return Verdict("The task measures no reward.", "warning", "nudge-reward")
    form = form_of(report.plan, change.quantity)
    before, after = float(change.before.mean()), float(change.after.mean())
    kept = leaves_reward(report, chosen, tolerance)
    level: Level = "holds" if kept else "fails"
    return Verdict(
        f"The {QUANTITIES[change.quantity]} changes from {before:{form}} to {after:{form}}; "
        f"{'no' if kept else 'it loses'} more than the tolerated {tolerance:.0%}"
        f"{' is lost' if kept else ''}.",
        level,
        "nudge-reward",
        {"before": before, "after": after, "tolerance": tolerance},
    )


def sureness(nudge: Nudge, verdict: Verdict) -> Sureness:
    """Return how sure the result is."""
    if nudge.search is None:
        return "estimated"
    if verdict.code == "nudge-found":
        return "certain"
    if nudge.report is not None and nudge.report.plan.seeds == 1:
        return "one seed"
    return "unknown" if verdict.code == "nudge-unfinished" else "not certain"
