"""The quick settings that MOPO, MOReL and COMBO share."""

from instinct.deep.algorithms.fields import Setting

QUICK_MODEL: dict[str, Setting] = {
    "layers": 2,
    "units": 64,
    "batch_size": 64,
    "steps": 20_000,
    "rate": 3e-4,
    "policy_rate": 1e-5,
    "policy_average": 1.5e-4,
    "start_from_clone": True,
    "rise": 0.3,
    "horizon": 100.0,
    "rollouts": 16,
    "buffer": 64_000,
    "reward_steps": 10_000,
    "model_steps": 12_000,
    "model_batch": 128,
    "model_layers": 3,
    "model_units": 200,
    "members": 4,
    "elites": 4,
}
