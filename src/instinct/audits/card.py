"""The dataset card of an audit: Markdown with the metadata that Hugging Face reads."""

import json
from collections.abc import Iterator

from instinct.audits.plan import command
from instinct.report.kit.markdown import harmless, markdown
from instinct.report.kit.page import Page
from instinct.report.kit.tables import Table
from instinct.report.sections.bias import bias_section
from instinct.report.sections.tables import grid
from instinct.study.findings import Findings
from instinct.study.measurement import QUANTITIES

CARD = "card.md"
SIZES = (
    *((10**3, "n<1K"), (10**4, "1K<n<10K"), (10**5, "10K<n<100K"), (10**6, "100K<n<1M")),
    *((10**7, "1M<n<10M"), (10**8, "10M<n<100M"), (10**9, "100M<n<1B")),
)
"""Numbers of rows below which a size category of Hugging Face ends."""
TAGS = ("reinforcement-learning", "offline-rl", "positive-bias", "survival-instinct")
ABOUT = """
This card says what agents learn from the dataset whatever reward they are told. Offline RL
algorithms were trained under the true and under wrong rewards, and judged with the true one. A
dataset on which wrong rewards reach as much as the true one does not test whether an algorithm
uses the reward.
"""


def dataset_card(findings: Findings, page: Page) -> str:
    """Write the card of an audit's dataset, to be put beside the data."""
    [dataset] = findings.plan.datasets
    return "\n\n".join([front_matter(findings, dataset), *body(findings, dataset, page)]) + "\n"


def front_matter(findings: Findings, dataset: str) -> str:
    """Write the metadata as YAML; every text is quoted, so that none can be anything else."""
    rows = findings.data.get(dataset, {}).get("transitions", 0)
    lines = [
        f"pretty_name: {json.dumps(dataset, ensure_ascii=False)}",
        "task_categories:",
        "- reinforcement-learning",
        "tags:",
        *(f"- {tag}" for tag in TAGS),
        "size_categories:",
        f"- {size_category(rows)}",
    ]
    return "\n".join(["---", *lines, "---"])


def size_category(rows: int) -> str:
    """Return the size category of a number of rows.

    >>> size_category(200_000), size_category(1_000_000)
    ('100K<n<1M', '1M<n<10M')
    """
    return next((name for end, name in SIZES if rows < end), "n>1B")


def body(findings: Findings, dataset: str, page: Page) -> Iterator[str]:
    """Yield the parts of the card after its metadata."""
    facts = findings.data.get(dataset, {})
    yield f"# {harmless(dataset)}"
    if page.answer is not None:
        yield f"**{harmless(page.answer.sentence)}** ({page.answer.in_words})"
    yield " ".join(ABOUT.split())
    yield "## The data"
    if facts:
        yield (
            f"{facts['transitions']:,} transitions in {facts['episodes']:,} episodes, "
            f"{facts['terminals']:,} of which end in a terminal. SHA-256 of the contents: "
            f"`{facts['hash']}`."
        )
    yield from (harmless(premise) for premise in page.premises)
    if findings.main is not None:
        what = QUANTITIES[findings.main]
        yield "## What agents learn"
        caption = f"{what.capitalize()} by the reward that agents were told; mean over seeds."
        yield markdown(Table(findings.main, caption, *grid(findings, findings.main)))
        for section in bias_section(findings):
            yield from map(markdown, section.tables)
    if page.found:
        yield "## What was found"
        yield "\n".join(f"- {harmless(verdict.text)}" for verdict in page.found)
    if page.cautions or page.missing:
        yield "## Before you rely on it"
        texts = (*(verdict.text for verdict in page.cautions), *page.missing)
        yield "\n".join(f"- {harmless(text)}" for text in texts)
    yield "## How this was made"
    version = findings.versions.get("instinct", "unknown")
    yield f"`{harmless(command(findings.plan))}` with instinct {version}."
