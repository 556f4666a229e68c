"""The published numbers of the paper."""

from instinct.paper.tables import PaperSafetyScore, PaperScore, gridworld, safety, table

__all__ = ["PaperSafetyScore", "PaperScore", "gridworld", "safety", "table"]
