"""Nudge: find the filter of the data that makes zero-reward agents do what is wanted."""
