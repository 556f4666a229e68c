"""Studies: plans, trials, their store, and the findings."""
