"""Marks for tests that need an optional package."""

import importlib.util

import pytest

needs_metaworld = pytest.mark.skipif(
    importlib.util.find_spec("metaworld") is None, reason="the extra metaworld is not installed"
)
needs_safety = pytest.mark.skipif(
    importlib.util.find_spec("safety_gymnasium") is None, reason="Safety-Gymnasium is not installed"
)
