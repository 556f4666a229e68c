"""Say how a study treats terminal transitions under wrong rewards, and why."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from instinct.data import find_label
from instinct.study.ends import CLEAR, MOST, SOME, guess_end
from instinct.study.findings import Findings
from instinct.study.plan import Plan

FILTER = "no-terminals"
Treatment = Literal["removed", "kept", "both"]
Reason = Literal["asked", "task", "data", "unclear", "true-reward"]
OTHER_CHOICE = {
    "removed": "Use --keep-terminals if they are goals, --both-ends to see both.",
    "kept": "Use --remove-terminals if they are falls, --both-ends to see both.",
}


@dataclass(frozen=True)
class Terminals:
    """The treatment of a dataset's terminals under wrong rewards, and its reason.

    `asked`: the plan says so. `task`: the task says what a terminal means. `data`: assumed from
    the data. `unclear`: neither does, and they are kept. `true-reward`: no reward is wrong.
    """

    treatment: Treatment
    reason: Reason
    end: str
    text: str


def describe_terminals(findings: Findings, dataset: str) -> Terminals | None:
    """Describe the treatment of a dataset's terminals; None if it has none or was not opened."""
    plan, facts = findings.plan, findings.data.get(dataset, {})
    if not facts.get("terminals"):
        return None
    treatment, reason = treatment_of(plan, dataset), reason_of(plan, dataset)
    begin = f"{facts['terminals']:,} of {facts['episodes']:,} episodes end in a terminal"
    text = {
        "removed": f"{begin}; these transitions are removed under wrong rewards",
        "kept": f"{begin}; these transitions are kept",
        "both": f"{begin}; 'all' keeps these transitions, '{FILTER}' removes them",
    }[treatment]
    return Terminals(
        treatment, reason, plan.end_of(dataset), text + why(plan, dataset, reason, treatment, facts)
    )


def treatment_of(plan: Plan, dataset: str) -> Treatment:
    """Return whether wrong labels remove terminals; both if a filter does it beside them."""
    cells = [cell for cell in plan.cells() if cell.dataset == dataset]
    removed = any(find_label(cell.label).wrong and plan.without_terminals(cell) for cell in cells)
    if not removed and any(cell.filter == FILTER for cell in cells):
        return "both"
    return "removed" if removed else "kept"


def reason_of(plan: Plan, dataset: str) -> Reason:
    if treatment_of(plan, dataset) == "both":
        return "asked"
    if not any(find_label(label).wrong for label in plan.labels):
        return "true-reward"
    if plan.remove_terminals is not None:
        return "asked"
    if plan.task_end(dataset) != "unknown":
        return "task"
    return "unclear" if plan.end_of(dataset) == "unknown" else "data"


def why(
    plan: Plan, dataset: str, reason: Reason, treatment: Treatment, facts: Mapping[str, Any]
) -> str:
    """Return the rest of the sentence: the reason, and how to ask for the other choice."""
    end = plan.end_of(dataset)
    task = plan.task_of(dataset)
    match reason:
        case "asked":
            return ", as asked."
        case "true-reward":
            return ", because no reward is wrong."
        case "task":
            meaning = f"a terminal in {task} is a {end}"
            if end == "timeout":
                meaning = f"{task} has no early end"
            return f", because {meaning}."
        case "data":
            signs = " and ".join(evidence(facts))
            return f". They look like {end}s: {signs}. {OTHER_CHOICE[treatment]}"
    signs = " and ".join(evidence(facts)) or "neither lengths nor rewards tell"
    return (
        f". Whether they are falls or goals is not clear: {signs}. The answer can depend on it. "
        f"{OTHER_CHOICE[treatment]}"
    )


def evidence(facts: Mapping[str, Any]) -> list[str]:
    """Return what the data say about their terminals, in words."""
    found = []
    along, rewards = facts.get("correlation"), facts.get("terminal_rewards")
    if along is not None and abs(along) >= CLEAR:
        better = "higher" if along > 0 else "lower"
        found.append(f"longer episodes have {better} returns (correlation {along:.2f})")
    if rewards is not None and (
        max(rewards["above"], rewards["below"]) >= MOST
        or min(rewards["above"], rewards["below"]) >= SOME
    ):
        share = f"{rewards['above']:.0%} unusually high, {rewards['below']:.0%} unusually low"
        found.append(
            f"the mean reward is {rewards['at_terminals']:.3g} at terminals ({share}) and "
            f"{rewards['elsewhere']:.3g} elsewhere"
        )
    return found


def terminals_document(findings: Findings, dataset: str) -> dict[str, Any] | None:
    """Return the treatment of terminals as plain data, with the guess from the data."""
    described = describe_terminals(findings, dataset)
    if described is None:
        return None
    facts = findings.data[dataset]
    return {
        "count": facts["terminals"],
        "treatment": described.treatment,
        "reason": described.reason,
        "end": described.end,
        "guess": guess_end(facts),
        "text": described.text,
    }
