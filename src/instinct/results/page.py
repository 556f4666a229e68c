"""Write the results page of a repository: the paper's claims, then every archived study."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from instinct.audits.plan import command
from instinct.benchmarks.registry import find_benchmark
from instinct.experiments.registry import find_experiment
from instinct.experiments.results import FILE, ExperimentResults, load
from instinct.report.kit.markdown import harmless, markdown
from instinct.report.kit.page import Section
from instinct.report.kit.tables import Table
from instinct.report.study_page import judged
from instinct.results.agreement import agreement_table, agreements
from instinct.results.archive import STUDY, read_archive
from instinct.results.claims import Case, CheckedClaim, check_claims, count
from instinct.results.coverage import RunTimes, cover_tables, coverage_table
from instinct.results.leaderboard import LEADERBOARD, write_leaderboard
from instinct.results.our_evidence import OurEvidence
from instinct.results.paper_pages import write_paper_pages
from instinct.study.findings import Findings
from instinct.util.atomic import replacing

REMARKS = "remarks.md"
"""A file with remarks about the results in its folder."""


class KeptResults(NamedTuple):
    """The results in a folder: experiments, and archived studies with their machines."""

    computed: Mapping[Path, ExperimentResults]
    studies: Mapping[Path, tuple[Findings, str]]

    def evidence(self, *, earlier: bool = False) -> OurEvidence:
        """Return the evidence for claims, with or without cells of earlier settings."""
        findings = [findings for findings, _ in self.studies.values()]
        return OurEvidence(findings, [*self.computed.values()], earlier=earlier)


def read_results(folder: Path) -> KeptResults:
    """Read everything that is archived in the folder."""
    return KeptResults(
        {path.parent: load(path.parent) for path in sorted(folder.glob(f"*/{FILE}"))},
        {path.parent: read_archive(path.parent) for path in sorted(folder.glob(f"*/{STUDY}"))},
    )


def write_results(folder: Path, page: Path) -> None:
    """Write the page about all studies in the folder, and their figures beside their numbers."""
    kept = read_results(folder)
    pages = [
        path.relative_to(page.parent).as_posix()
        for path in write_paper_pages(kept.evidence(), kept.evidence(earlier=True), folder)
    ]
    parts = [
        *opening(folder.name, page.name),
        *claims_part(check_claims(kept.evidence())),
        *paper_part(kept, pages),
        *remarks(folder),
    ]
    for where, results in kept.computed.items():
        parts += [*computed_part(results), *remarks(where)]
        parts += content(find_experiment(results.study).compose(results).sections, where)
    for where, (findings, machine) in kept.studies.items():
        parts += [*study_part(findings, machine), *remarks(where)]
        parts += content(judged(findings), where)
        if findings.missing:
            parts.append(folded("Missing", findings.missing))
    with replacing(page) as scratch:
        scratch.write_text("\n\n".join(parts) + "\n", "utf-8")
    studies = (each for each, _ in kept.studies.values())
    write_leaderboard(studies, folder, page.with_name(LEADERBOARD))


def opening(folder: str, page: str) -> Iterator[str]:
    yield "# Results"
    yield (
        f"Every number is computed from the files in [`{folder}/`]({folder}/), which have one row "
        "per run, and from the paper's tables in the package. `instinct results write docs` writes "
        f"`{page}` and its figures again; `instinct results add STUDY` archives the results of a "
        "study. Numbers are means over seeds ± one standard error, of the final policy in the true "
        "task. Our data are not D4RL's ([datasets](datasets.md)), and the quick preset is not the "
        "paper's ([presets](presets.md)). Three seeds show only large differences. Agents in "
        "italics are not safe. The [leaderboard](leaderboard.md) orders all datasets by their "
        "positive bias."
    )


def remarks(folder: Path) -> Iterator[str]:
    if (folder / REMARKS).exists():
        yield (folder / REMARKS).read_text("utf-8").strip()


def claims_part(checked: Sequence[CheckedClaim]) -> Iterator[str]:
    """Write the table of the paper's claims, then every case with its numbers."""
    yield "## The paper's claims"
    tested = [each for each in checked if each.ours]
    number = sum(each.outcome == "holds" for each in tested)
    yield (
        f"{number} of {len(tested)} claims hold, {len(checked) - len(tested)} are not tested. The "
        "paper's own tables go through the same checks. A claim holds if our share of cases is at "
        "least the paper's, less one case ([statistics](statistics.md) has the exact rule)."
    )
    yield markdown(
        Table(
            "claims",
            "The paper's qualitative findings, checked on the results below and on its tables.",
            (
                *("claim", "in our results", "our cases that hold", "the paper's"),
                *("what makes a case hold", "in the paper", "code"),
            ),
            tuple(
                (
                    *(each.claim.text, each.outcome, held(each.ours), held(each.paper)),
                    *(each.claim.means, each.claim.where, f"`{each.claim.code}`"),
                )
                for each in checked
            ),
        )
    )
    for each in checked:
        if each.ours:
            theirs = {case.name: case for case in each.paper}
            lines = [line(case, theirs.get(paper_case(case.name))) for case in each.ours]
            yield folded(each.claim.text, lines)


def paper_part(kept: KeptResults, pages: Sequence[str]) -> Iterator[str]:
    """Write how much of the paper's tables is covered, and whether the positive biases agree."""
    now, earlier = kept.evidence(), kept.evidence(earlier=True)
    yield "## The paper's tables"
    yield markdown(coverage_table(cover_tables(now, earlier), RunTimes(now.studies)))
    links = ", ".join(f"[{Path(page).stem.replace('-', ' ')}]({page})" for page in pages)
    yield f"Our numbers beside the paper's: {links}."
    yield "`instinct results --json` lists the missing cells, each with its core hours."
    yield "## Our positive bias and the paper's"
    yield markdown(agreement_table(agreements(now), agreements(earlier)))


def paper_case(name: str) -> str:
    """Return the name of a case with the paper's name of its dataset.

    >>> paper_case("hopper-medium:sac-0, PSPI, zero")
    'hopper-medium, PSPI, zero'
    """
    dataset, comma, rest = name.partition(", ")
    benchmark = find_benchmark(dataset)
    return benchmark.prefix + benchmark.paper_name(dataset) + comma + rest


def line(case: Case, paper: Case | None) -> str:
    """Write a case of ours, and beside it the same case in the paper."""
    text = f"{mark(case)}: {case.name}: {case.text}"
    return text if paper is None else f"{text} (paper {mark(paper)}: {paper.text})"


def mark(case: Case) -> str:
    return "holds" if case.holds else "**fails**"


def held(cases: Sequence[Case]) -> str:
    """Count the cases that hold: `47 of 48`."""
    return "{} of {}".format(*count(cases)) if cases else "–"


def folded(title: str, lines: Sequence[str]) -> str:
    """Write a list that opens when its title is clicked."""
    items = "\n".join(f"- {harmless(line)}" for line in lines)
    return f"<details><summary>{title}</summary>\n\n{items}\n\n</details>"


def computed_part(results: ExperimentResults) -> Iterator[str]:
    settings = " ".join(f"--set {name}={value}" for name, value in results.settings.items())
    yield f"## {results.study}"
    yield (
        f"`instinct study run {results.study}` ({settings.replace('--set seed=', '--seed ')}; "
        f"{listed(results.versions)})."
    )


def study_part(findings: Findings, machine: str) -> Iterator[str]:
    """Describe the study: command, runs, seeds, time, machine."""
    plan, outdated = findings.plan, ", ".join(findings.outdated())
    yield f"## {plan.name}"
    yield (
        f"{plan.description}. `{command(plan)}`: {findings.ended} of "
        f"{findings.trials} runs, {plan.seeds} seeds, {plan.episodes} test episodes each, "
        f"{findings.seconds / 3600:.1f} core hours ({machine}; {listed(findings.versions)})."
        + (f" Scaled down: {'; '.join(plan.scaled)}." if plan.scaled else "")
        + (f" Run with settings that have changed since: {outdated}." if outdated else "")
    )


def listed(versions: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in versions.items())


def content(parts: Iterator[Section] | Sequence[Section], folder: Path) -> Iterator[str]:
    """Write the tables, and the figures into the folder."""
    for section in (each for each in parts if not each.detail):
        yield from map(markdown, section.tables)
        for drawing in section.drawings:
            path = folder / f"{drawing.name}.svg"
            with replacing(path) as scratch:
                scratch.write_text(drawing.svg, "utf-8")
            yield f"![{drawing.caption}]({folder.parent.name}/{folder.name}/{path.name})"
