"""Find the fields of a dataset under D4RL's names, or under those of Gymnasium and RLDS."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from instinct.data.arrays import as_flags
from instinct.data.assemble import REQUIRED
from instinct.errors import BadInput

DONE = ("dones", "done")
"""Names of flags that mark the end of an episode, whatever ended it."""
NAMES: Mapping[str, tuple[str, ...]] = {
    "observations": ("obs", "observation"),
    "actions": ("action",),
    "rewards": ("reward",),
    "next_observations": ("next_obs", "next_observation"),
    "terminals": ("terminated", "terminal", "is_terminal", *DONE),
    "timeouts": ("truncated", "timeout", "is_last", *DONE),
    "costs": ("cost",),
}
"""D4RL's name of every field, and the other names under which it is found, best first."""
IN_BLOCKS = ("observations", "actions", "next_observations")
"""The fields that are read in blocks, because they have several numbers per row."""
LISTED = 12
"""An error lists at most so many names of a file."""


@dataclass(frozen=True)
class FieldNames:
    """The name in the file for every field that was found, and what to say about the choice."""

    names: Mapping[str, str]
    repairs: tuple[str, ...]

    @property
    def in_blocks(self) -> set[str]:
        """The names in the file of the fields that are read in blocks."""
        return {self.names[field] for field in IN_BLOCKS if field in self.names}

    def rename(self, arrays: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arrays of the file under D4RL's names."""
        fields = {field: arrays[name] for field, name in self.names.items()}
        if self.names["terminals"] in DONE and "timeouts" in fields:
            done = as_flags(self.names["terminals"], fields["terminals"])
            timeouts = as_flags(self.names["timeouts"], fields["timeouts"])
            if done.shape == timeouts.shape:
                fields["terminals"] = done & ~timeouts
        return fields


def find_fields(found: Collection[str]) -> FieldNames:
    """Choose the name for every field among those in a file; raise if one is missing.

    A field's own name is chosen before all others. Two fields never share one name. `dones` marks
    terminals if nothing else does, without the rows that are timeouts; otherwise it marks
    timeouts, if nothing else does.
    """
    names: dict[str, str] = {}
    repairs = []
    for field, others in NAMES.items():
        known = [name for name in (field, *others) if name in found and name not in names.values()]
        if field in ("terminals", "timeouts"):
            exact = [name for name in known if name not in DONE]
            known = exact or known
        if not known:
            if field in REQUIRED:
                raise missing(field, found)
            continue
        names[field] = known[0]
        if known[0] != field:
            repairs.append(f"{field}: read from {known[0]}{meaning_of(field, known[0], found)}")
        if known[1:]:
            repairs.append(f"{field}: {known[0]} was used, not {' or '.join(known[1:])}")
    return FieldNames(names, tuple(repairs))


def meaning_of(field: str, name: str, found: Collection[str]) -> str:
    """Say what flags that mark any end of an episode were taken for."""
    if name not in DONE:
        return ""
    if field == "timeouts":
        return ", where they are no terminals"
    if {"timeouts", *NAMES["timeouts"]} & {*found} - {*DONE}:
        return ", where they are no timeouts"
    return ": every end is taken for a terminal, none for a timeout"


def missing(field: str, found: Collection[str]) -> BadInput:
    """Return the error that a field is missing, with the names that were found."""
    parts = [name for name in sorted(found) if name.partition("/")[0] in (field, *NAMES[field])]
    if parts:
        return BadInput(
            f"has several parts ({', '.join(parts[:LISTED])}), as of a Dict space; one array is "
            "needed: join the parts into one vector per row",
            field=field,
        )
    listed = sorted(found)
    more = f" and {len(listed) - LISTED} more" if len(listed) > LISTED else ""
    names = ", ".join(listed[:LISTED]) + more if listed else "nothing"
    also = ", ".join(NAMES[field])
    return BadInput(f"is missing, also as {also}; the file has {names}", field=field)
