"""The provenance that all experiments' pages share."""

from instinct.experiments.results import ExperimentResults


def provenance(results: ExperimentResults) -> dict[str, str]:
    """Describe policy, seed, versions, test episodes and dataset of the results."""
    facts = {
        "policy": "the final policy of each algorithm, evaluated with the true reward",
        "seed": str(results.settings["seed"]),
        "versions": ", ".join(f"{name} {version}" for name, version in results.versions.items()),
    }
    if "episodes" in results.settings:
        facts["test episodes"] = f"{results.settings['episodes']:,} per cell"
    if results.dataset:
        facts["dataset"] = f"SHA-256 {results.dataset}"
    return facts
