"""Read checkpoints of the earlier layout, in which the state was one flat dictionary.

In that layout `policy` held the parameters and `policy_optimizer` the optimizer; now both are parts
of one learner. Only the names of the leaves differ.
"""

from collections.abc import Iterable, Mapping

from instinct.data import Array

RENAMED = {
    "policy/params": "policy",
    "policy/optimizer": "policy_optimizer",
    "critics/learner/params": "critics",
    "critics/learner/optimizer": "critic_optimizer",
    "critics/targets": "targets",
    "critics/scale": "scale",
    "critics/v_min": "v_min",
    "critics/v_max": "v_max",
    "critics/params": "critics",
    "critics/optimizer": "critic_optimizer",
    "value/params": "value",
    "value/optimizer": "value_optimizer",
    "temperature/params": "log_alpha",
    "temperature/optimizer": "alpha_optimizer",
    "scaling/mean": "mean",
    "scaling/std": "std",
    "best/policy": "best",
    "best/error": "best_error",
    "best/mean_error": "mean_error",
}
"""The earlier names of parts of a state, by their present names."""


def rename_leaves(arrays: Mapping[str, Array], names: Iterable[str]) -> dict[str, Array]:
    """Give the leaves of a state their present names; `names` are those that the state needs.

    Leaves that have their present names already are returned as they are.
    """
    present = {earlier_name(name): name for name in names if name not in arrays}
    return {present.get(name, name): array for name, array in arrays.items()}


def earlier_name(name: str) -> str:
    """Return the name that a leaf had in the earlier layout."""
    for present, earlier in RENAMED.items():
        if name == present or name.startswith(f"{present}/"):
            return earlier + name.removeprefix(present)
    return name
