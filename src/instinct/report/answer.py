"""The answer that a page opens with: one sentence from the verdicts, and one picture of the gap."""

from collections.abc import Mapping, Sequence

from instinct.report.gap_plots import (
    COST,
    action_plot,
    datasets_plot,
    estimates_plot,
    results_plot,
    rewards_plot,
)
from instinct.report.kit.page import Answer, Sureness, Verdict
from instinct.report.reward_verdicts import ENOUGH, LITTLE, find_agents, read_share
from instinct.report.sections.numbers import form_of
from instinct.study.findings import Findings
from instinct.study.measurement import QUANTITIES

SHARE, INCONCLUSIVE, ACTIONS = "reward-use", "true-reward-inconclusive", "action-distance"
DECISION = "decision"
FILTERS = ("filter-cost", "filter-change")
QUESTION = "What does this data teach regardless of the reward, and how sure are we?"
DECISION_QUESTION = "What may be deployed, without a task to test it in, and how sure are we?"
FILTER_QUESTION = "What does leaving out data change, and how sure are we?"
HEDGED = {
    "this dataset does not test reward use": "this dataset seems not to test reward use",
    "this dataset needs the reward": "this dataset seems to need the reward",
    "this dataset tests reward use only in part": "this dataset seems to test reward use only in "
    "part",
}

ByDataset = Mapping[str, Sequence[Verdict]]


def answer(findings: Findings, found: ByDataset) -> Answer:
    """Answer the page's question from the verdicts on every dataset."""
    if len(found) > 1:
        return answer_for_datasets(findings, found)
    [(dataset, verdicts)] = found.items()
    by_code = {verdict.code: verdict for verdict in reversed(verdicts)}
    if SHARE in by_code:
        sentence, sure = share_sentence(findings, dataset, by_code[SHARE])
        return Answer(
            QUESTION, sentence, sure, rewards_plot(findings, dataset), by_code[SHARE].text
        )
    if INCONCLUSIVE in by_code:
        sentence = inconclusive_sentence(findings, by_code[INCONCLUSIVE])
        return Answer(QUESTION, sentence, "inconclusive", rewards_plot(findings, dataset))
    if filters := [each for each in verdicts if each.code in FILTERS]:
        sentence, sure = filter_sentence(findings, filters)
        shown = COST if filters[0].code == FILTERS[0] else ""
        return Answer(FILTER_QUESTION, sentence, sure, results_plot(findings, dataset, shown))
    if DECISION in by_code:
        plot = estimates_plot(findings, dataset) or action_plot(findings, dataset)
        said = by_code[DECISION].text
        return Answer(DECISION_QUESTION, decision_sentence(said), "estimated", plot, said)
    if ACTIONS in by_code:
        plot = estimates_plot(findings, dataset) or action_plot(findings, dataset)
        said = by_code[ACTIONS].text
        return Answer(QUESTION, said, "not measured", plot, said)
    return Answer(
        QUESTION,
        cannot_say(findings),
        "unknown",
        estimates_plot(findings, dataset) or results_plot(findings, dataset),
    )


def share_sentence(findings: Findings, dataset: str, verdict: Verdict) -> tuple[str, Sureness]:
    """Say which share of the best true-reward result is reached under any reward."""
    agents, numbers = find_agents(findings, dataset), verdict.numbers
    assert agents is not None
    seeds = min(agents.true.runs, *(mean.runs for mean in agents.by_label.values()))
    over = "one seed, so no interval" if seeds == 1 else f"{seeds} seeds"
    if "share" not in numbers:
        form, what = form_of(findings.plan, str(findings.main)), QUANTITIES[str(findings.main)]
        sentence = (
            f"Whatever reward it is told, {agents.without} gets a {what} of at least "
            f"{numbers['wrong']:{form}}, where the best agent with the true reward gets "
            f"{numbers['true']:{form}} ({over})."
        )
        return sentence, "one seed" if seeds == 1 else "not certain"
    if "share_low" in numbers:
        over = (
            f"95% interval {numbers['share_low']:.0%} to {numbers['share_high']:.0%}, {seeds} seeds"
        )
    reached = (
        f"Whatever reward it is told, {agents.without} reaches {numbers['share']:.0%} of the best "
        f"result with the true reward ({over})"
    )
    meaning, _ = read_share(numbers["share"])
    if numbers["certain"]:
        return f"{reached}: {meaning}.", "certain"
    few = "one seed is" if seeds == 1 else "these seeds are"
    return (
        f"{reached}: {HEDGED[meaning]}, but {few} too few to be certain.",
        "one seed" if seeds == 1 else "not certain",
    )


def inconclusive_sentence(findings: Findings, verdict: Verdict) -> str:
    """Say why the audit cannot tell: more than the true-reward agents got is possible."""
    form, numbers = form_of(findings.plan, str(findings.main)), verdict.numbers
    what = QUANTITIES[str(findings.main)]
    if "reached" in numbers:
        other = f"another agent here reached {numbers['reached']:{form}}"
    else:
        other = f"the paper's agent has {numbers['paper']:{form}} on its data"
    return (
        f"This audit cannot tell: the best {what} with the true reward is "
        f"{numbers['true']:{form}}, but {other}, so that these agents did not get out of the true "
        "reward what is there."
    )


def filter_sentence(findings: Findings, filters: Sequence[Verdict]) -> tuple[str, Sureness]:
    """Repeat the verdict on the filter, the first one whose change is certain."""
    chosen = next((each for each in filters if each.numbers["certain"]), filters[0])
    sentence = chosen.text.partition(". ")[0].removesuffix(".")
    if chosen.numbers["certain"]:
        return f"{sentence}, which is more than seeds differ.", "certain"
    if findings.plan.seeds == 1:
        return f"{sentence} (one seed, so no interval).", "one seed"
    return f"{sentence}, which is no more than seeds differ.", "not certain"


def decision_sentence(text: str) -> str:
    """Repeat the recommendation and its reason; the picture and the table have the estimates."""
    return text.partition(" Estimated returns:")[0].partition(" Recorded:")[0]


def cannot_say(findings: Findings) -> str:
    """Say why there is no answer."""
    begin = "This audit cannot say what the data teach regardless of the reward"
    if findings.ended < findings.trials:
        return f"{begin} yet: {findings.ended:,} of {findings.trials:,} runs have ended."
    if findings.main is None and findings.plan.seeds == 1:
        why = "there is no task to measure in, and one seed does not show how far seeds differ"
    elif findings.main is None:
        why = "there is no task to measure returns in"
    else:
        why = "not every wrong reward has results"
    return f"{begin}: {why}."


def answer_for_datasets(findings: Findings, found: ByDataset) -> Answer:
    """Count the datasets by what their verdicts say about the use of the reward."""
    plot = datasets_plot(findings, [*found])
    counted = count_shares([*found.values()], "datasets", one_seed=findings.plan.seeds == 1)
    if counted is None:
        sentence = cannot_say(findings).replace("This audit", "This study")
        return Answer(QUESTION, sentence, "unknown", plot)
    return Answer(QUESTION, *counted, plot)


def count_shares(
    found: Sequence[Sequence[Verdict]], what: str, *, one_seed: bool
) -> tuple[str, Sureness] | None:
    """Count verdicts on several datasets or audits in one sentence; None if there are none."""
    told = [each for verdicts in found for each in verdicts if each.code == SHARE]
    shares = [each.numbers["share"] for each in told if "share" in each.numbers]
    if not shares:
        return None
    unclear = sum(each.code == INCONCLUSIVE for verdicts in found for each in verdicts)
    certain = sum(bool(each.numbers.get("certain")) for each in told)
    enough = sum(share >= ENOUGH for share in shares)
    rest = f"on {sum(share < LITTLE for share in shares)} less than {LITTLE:.0%}"
    if unclear:
        rest += f", and {unclear} could not be told"
    how = "one seed, so no intervals" if one_seed else f"certain on {certain}"
    sure: Sureness = "one seed" if one_seed else "not certain"
    sentence = (
        f"On {enough} of {len(found)} {what} agents reach at least {ENOUGH:.0%} of the best "
        f"true-reward result whatever reward they are told, {rest} ({how})."
    )
    return sentence, "certain" if certain == len(found) else sure
