"""Dose-response: how wrong the rewards, and how bad the data may be."""
