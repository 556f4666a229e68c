"""Sections can be added to the page of a study."""

import doctest
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from instinct.errors import BadInput
from instinct.report.kit import page, tables
from instinct.report.kit.page import Section
from instinct.report.sections.registry import SECTIONS, register_section
from instinct.report.study_page import compose, judged
from instinct.study.findings import Findings
from tests.report.test_verdicts import audited

SAME = dict.fromkeys(("original", "zero", "random", "negative"), 50.0)


def seed_section(findings: Findings) -> Iterator[Section]:
    yield Section("Seeds", text=(f"{findings.plan.seeds} seeds were trained.",))


@pytest.fixture(autouse=True)
def restore_registry() -> Iterator[None]:
    before = dict(SECTIONS)
    yield
    SECTIONS.clear()
    SECTIONS.update(before)


def titles(findings: Findings) -> list[str]:
    return [section.title for section in compose(findings).sections]


def test_compose_adds_the_given_sections_at_the_end(tmp_path: Path) -> None:
    findings = audited(tmp_path, SAME)
    composed = compose(findings, [seed_section])
    assert [section.title for section in composed.sections] == [*titles(findings), "Seeds"]
    assert composed.sections[-1].text == ("3 seeds were trained.",)


@pytest.mark.parametrize(("place", "expected"), [({"before": "settings"}, -2), ({}, -1)])
def test_registered_section_is_on_every_page(
    tmp_path: Path, place: dict[str, str], expected: int
) -> None:
    findings = audited(tmp_path, SAME)
    register_section(seed_section, **place)
    assert titles(findings).index("Seeds") == len(titles(findings)) + expected
    assert "Seeds" not in [section.title for section in judged(findings)]


def test_section_after_another_and_in_place_of_another(tmp_path: Path) -> None:
    findings = audited(tmp_path, SAME)
    before = titles(findings)
    register_section(seed_section, after="bias")
    assert titles(findings)[before.index("Positive bias") + 1] == "Seeds"
    register_section(seed_section, name="bias")
    assert titles(findings).index("Seeds") == before.index("Positive bias")


def test_unknown_neighbor_is_refused() -> None:
    with pytest.raises(BadInput, match=r"'nothing'.*quantities"):
        register_section(seed_section, before="nothing")
    with pytest.raises(BadInput, match="not both"):
        register_section(seed_section, before="bias", after="data")


@pytest.mark.parametrize("module", [page, tables])
def test_examples_in_docstrings(module: ModuleType) -> None:
    results = doctest.testmod(module)
    assert results.attempted
    assert not results.failed
