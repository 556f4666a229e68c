"""The page of a study or an audit, made from the findings in its store."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from instinct.report.answer import answer
from instinct.report.kit.page import Page, Section
from instinct.report.kit.panels import unique
from instinct.report.scenes import scene
from instinct.report.sections.common import FEW
from instinct.report.sections.registry import JUDGED, SECTIONS, SectionMaker, make_sections
from instinct.report.terminals import describe_terminals
from instinct.report.verdicts import verdicts
from instinct.study.findings import Findings


def compose(
    findings: Findings, sections: Iterable[SectionMaker] = (), folder: Path | None = None
) -> Page:
    """Make the page of a study: verdicts, the registered sections, then those of `sections`.

    Pictures of the agents need the folder of the study, which has their policies.

    Example::

        page = compose(read_findings(Path("results/audit-gridworld")), [seed_section])
    """
    plan = findings.plan
    found = {dataset: verdicts(findings, dataset) for dataset in plan.datasets}
    few = len(plan.datasets) <= FEW
    return Page(
        title=plan.name[:1].upper() + plan.name[1:],
        summary=summary(findings),
        sections=(*make_sections(findings), *make_sections(findings, sections)),
        premises=premises(findings) if few else (),
        provenance=provenance(findings),
        verdicts=tuple(v for each in found.values() for v in each) if few else (),
        missing=findings.missing,
        answer=replace(answer(findings, found), scene=scene(findings, folder)),
    )


def premises(findings: Findings) -> tuple[str, ...]:
    """Say what was done to the data: how terminals are treated and why, and repairs of files."""
    texts = []
    for dataset in findings.plan.datasets:
        treated = describe_terminals(findings, dataset)
        if treated is not None:
            texts.append(treated.text)
        if repairs := findings.data.get(dataset, {}).get("repairs"):
            texts.append(f"Repairs of {dataset}: {'; '.join(repairs)}.")
    return tuple(dict.fromkeys(texts))


def judged(findings: Findings) -> Iterator[Section]:
    """Make the sections of the main results: quantities, costs, filters and positive bias."""
    return make_sections(findings, [SECTIONS[name] for name in JUDGED])


def summary(findings: Findings) -> str:
    plan = findings.plan
    text = (
        f"{plan.description}: {', '.join(plan.algorithms)} under {', '.join(plan.labels)} rewards, "
        f"{describe_filters(findings)}"
        f"{plan.seeds} {'seed' if plan.seeds == 1 else 'seeds'}, "
        f"{findings.ended} of {findings.trials} runs ended."
    )
    if plan.scaled:
        text += f" Scaled down from the plan: {'; '.join(plan.scaled)}."
    return text


def describe_filters(findings: Findings) -> str:
    filters = unique(cell.filter for cell in findings.plan.cells())
    return f"data: {' and '.join(filters)}, " if findings.plan.is_filtered else ""


def provenance(findings: Findings) -> dict[str, str]:
    """Describe seeds, episodes, preset, tuning, versions and datasets."""
    plan = findings.plan
    seeds = plan.final_seeds
    described = {
        "policy": "the final policy of each run, evaluated with the true reward of the task",
        "seeds": f"{seeds[0]} to {seeds[-1]}" if len(seeds) > 1 else f"{seeds[0]} only",
        "test episodes": f"{plan.episodes:,} per seed",
        "preset": plan.preset,
        "computing": f"{findings.seconds / 3600:.2f} core hours",
        "versions": ", ".join(f"{name} {version}" for name, version in findings.versions.items()),
    }
    if plan.tuning_seeds:
        kind = "other" if plan.new_seeds else "of the same"
        described["tuning"] = f"{plan.tuning_seeds} {kind} seeds, rule {plan.rule}"
    if plan.scaled:
        described["scaled down"] = "; ".join(plan.scaled)
    if findings.machines:
        described["machines"] = "; ".join(findings.machines)
        ways = unique(start.describe_settings() for start in findings.starts)
        described["started with"] = "; ".join(filter(None, ways)) or "unknown settings"
    if findings.warnings:
        described["warnings"] = "; ".join(unique(findings.warnings))
    for dataset, facts in findings.data.items():
        source = f"recorded from {facts['recorded_from']}, " if "recorded_from" in facts else ""
        described[dataset] = f"{source}SHA-256 {facts['hash']}"
    return described
