"""What the numbers of a study are, as every page says it."""

from instinct.experiments.results import Results


def provenance(results: Results) -> dict[str, str]:
    shown = {
        "policy": "the final policy of each algorithm, judged by the true reward",
        "seed": str(results.settings["seed"]),
        "versions": ", ".join(f"{name} {version}" for name, version in results.versions.items()),
    }
    if "episodes" in results.settings:
        shown["test episodes"] = f"{results.settings['episodes']:,} per cell"
    if results.dataset:
        shown["dataset"] = f"SHA-256 {results.dataset}"
    return shown
