"""The sections of a study's page, in order; more can be registered."""

from collections.abc import Callable, Iterable, Iterator

from instinct.errors import BadInput
from instinct.report.kit.page import Section
from instinct.report.sections.bias import bias_section, goal_terminal_section
from instinct.report.sections.common import (
    action_section,
    curves_section,
    data_section,
    overview_section,
    settings_section,
)
from instinct.report.sections.diagnostics import diagnostics_section
from instinct.report.sections.estimates import decision_sections, estimates_section
from instinct.report.sections.filters import filter_section
from instinct.report.sections.quantities import quantity_sections
from instinct.report.sections.safety import safety_section
from instinct.report.sections.tuning import tuning_section
from instinct.study.findings import Findings

SectionMaker = Callable[[Findings], Iterable[Section]]
"""Makes the sections of one subject from a study's findings; none where there is nothing to show.

Example::

    def seed_section(findings):
        yield Section("Seeds", text=(f"{findings.plan.seeds} seeds were trained.",))
"""

SECTIONS: dict[str, SectionMaker] = {
    "safety": safety_section,
    "quantities": quantity_sections,
    "filters": filter_section,
    "bias": bias_section,
    "goal-terminal": goal_terminal_section,
    "tuning": tuning_section,
    "overview": overview_section,
    "decision": decision_sections,
    "estimates": estimates_section,
    "diagnostics": diagnostics_section,
    "actions": action_section,
    "data": data_section,
    "curves": curves_section,
    "settings": settings_section,
}
"""All makers by name, in the order of the page."""

JUDGED = ("safety", "quantities", "filters", "bias", "goal-terminal", "tuning")
"""The names of the main results; the results page has these alone."""


def register_section(
    maker: SectionMaker,
    *,
    name: str | None = None,
    before: str | None = None,
    after: str | None = None,
) -> None:
    """Add a maker to every page: before or after a named one, by default at the end.

    `name` is the function's name unless it is given. A maker of a name that exists replaces it.

    Example::

        register_section(seed_section, before="settings")
    """
    if before is not None and after is not None:
        raise BadInput("a section is registered before or after another one, not both")
    name = name or str(getattr(maker, "__name__", type(maker).__name__))
    others = [(key, value) for key, value in SECTIONS.items() if key != name]
    names = [key for key, _ in others]
    place = list(SECTIONS).index(name) if name in SECTIONS else len(others)
    neighbor = before or after
    if neighbor is not None:
        if neighbor not in names:
            raise BadInput(f"no section is called {neighbor!r}; there are {', '.join(names)}")
        place = names.index(neighbor) + (after is not None)
    others.insert(place, (name, maker))
    SECTIONS.clear()
    SECTIONS.update(others)


def make_sections(
    findings: Findings, makers: Iterable[SectionMaker] | None = None
) -> Iterator[Section]:
    """Make the sections of the given makers, by default of all that are registered."""
    for maker in SECTIONS.values() if makers is None else makers:
        yield from maker(findings)
