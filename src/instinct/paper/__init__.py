"""The paper's numbers, as data."""

from instinct.paper.tables import Row, gridworld, table

__all__ = ["Row", "gridworld", "table"]
