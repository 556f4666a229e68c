"""Presets: the paper's settings, or smaller ones that train within a minute.

`quick` keeps the algorithms and changes sizes: 3 × 64 networks, small batches, some ten thousand
steps. Every algorithm has its quick settings in its class (`QUICK`), the same under all labels, and
every benchmark has what differs there (`paper_settings`, `quick_settings`). docs/presets.md says
how all of them were found.
"""

from instinct.benchmarks.registry import find_benchmark
from instinct.deep import find_algorithm
from instinct.deep.algorithms.settings import Settings, quick_settings
from instinct.errors import BadInput

PRESETS = ("paper", "quick")


def preset(name: str, algorithm: str, task: str = "") -> Settings:
    """Return the settings that a preset changes for an algorithm and a task."""
    if name not in PRESETS:
        raise BadInput(f"no preset is called {name!r}; there are {', '.join(PRESETS)}")
    benchmark = find_benchmark(task)
    paper = benchmark.paper_settings.get(algorithm, {})
    if name == "paper":
        return paper
    own = benchmark.quick_settings.get(algorithm)
    return {**paper, **(own or quick_settings(find_algorithm(algorithm)))}
