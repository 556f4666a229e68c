"""Facts about D4RL's locomotion data, which our behaviors are chosen by.

- Mean score and length of the episodes: the *behavior* column of the paper's tables of D4RL scores
  and episode lengths (`paper/published/d4rl_scores.csv`, `d4rl_episode_lengths.csv`). Episodes of
  halfcheetah always have 1,000 steps, so that their length is no fact to choose by.
- Spread of lengths, ends of episodes and score without noise of hopper-medium: D4RL's own policy,
  whose weights are in the file hopper_medium-v2.hdf5, played on Gymnasium's Hopper-v4. With noise
  its episodes have 251 (5 %), 406 (median) and 552 (95 %) steps, and end by height, at 0.68, with a
  pitch of −0.09, +0.05 and +0.10; without noise its score is 44.5.
- We do not have D4RL's policies of walker2d and halfcheetah. We want the same score without noise
  as with it.

A deviation of 10 points, 100 steps, 0.1 rad of pitch or 0.02 of height counts as 1.
"""

from instinct.behaviors.choice import Fact

POINTS, STEPS, PITCH, HEIGHT = 10.0, 100.0, 0.1, 0.02

D4RL_FACTS: dict[tuple[str, str], tuple[Fact, ...]] = {
    ("hopper", "medium"): (
        Fact("score", 44.3, POINTS),
        Fact("mode_score", 44.5, POINTS),
        Fact("length", 457.2, STEPS),
        Fact("length_spread", 301.0, STEPS),
        Fact("end_height", 0.68, HEIGHT),
        Fact("end_pitch_5", -0.09, PITCH),
        Fact("end_pitch", 0.05, PITCH),
        Fact("end_pitch_95", 0.10, PITCH),
    ),
    ("hopper", "medium-replay"): (
        Fact("score", 15.0, POINTS),
        Fact("length", 197.0, STEPS),
    ),
    ("walker2d", "medium"): (
        Fact("score", 62.0, POINTS),
        Fact("mode_score", 62.0, POINTS),
        Fact("length", 839.6, STEPS),
    ),
    ("walker2d", "medium-replay"): (
        Fact("score", 14.8, POINTS),
        Fact("length", 276.3, STEPS),
    ),
    ("halfcheetah", "medium"): (
        Fact("score", 40.7, POINTS),
        Fact("mode_score", 40.7, POINTS),
    ),
    ("halfcheetah", "medium-replay"): (Fact("score", 27.2, POINTS),),
}
"""By task and quality."""
