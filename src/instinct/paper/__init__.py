"""The paper's numbers, as data."""

from instinct.paper.tables import Row, SafetyRow, gridworld, safety, table

__all__ = ["Row", "SafetyRow", "gridworld", "safety", "table"]
