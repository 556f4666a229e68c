"""Score a dataset before training: what it teaches regardless of the reward."""

from instinct.score.scoring import Score, score_dataset

__all__ = ["Score", "score_dataset"]
