"""Hyperparameters: the paper's values, ranges, metadata, and clear errors."""

import math
import re
from typing import Any

import pytest

from instinct.data import Box, Discrete
from instinct.deep import (
    ALGORITHMS,
    Algorithm,
    Run,
    configure,
    find_algorithm,
    hyperparameters,
    register_algorithm,
    settings_of,
    train,
)
from instinct.deep.algorithms import registry
from instinct.deep.algorithms.bc import BC
from instinct.deep.algorithms.fields import Range
from instinct.deep.algorithms.settings import identity_settings, quick_settings
from instinct.deep.training.run_training import stages
from instinct.errors import BadInput
from tests.deep.problems import discrete_noise_dataset, noise_dataset


@pytest.mark.parametrize(
    ("name", "settings", "words"),
    [
        ("SAC", {}, "no algorithm is called 'SAC'; there are ATAC, PSPI, IQL, CQL, CQL3, DT, BC, "),
        ("ATAC", {"betta": 1}, "ATAC has no hyperparameter 'betta'; it has steps, batch_size"),
        ("ATAC", {"beta": "much"}, "ATAC needs a number for beta, not 'much'"),
        ("ATAC", {"units": 2.5}, "ATAC needs a whole number for units, not 2.5"),
        ("ATAC", {"units": True}, "ATAC needs a whole number for units, not True"),
        ("IQL", {"scale_rewards": "perhaps"}, "IQL needs true or false for scale_rewards"),
        ("ATAC", {"beta": 0}, "ATAC needs beta above 0, not 0"),
        ("PSPI", {"beta": "-1"}, "PSPI needs beta above 0, not -1"),
        ("PSPI", {"beta": "nan"}, "PSPI needs a finite beta, not nan"),
        ("IQL", {"tau": 1}, "IQL needs tau between 0 and 1, not 1"),
        ("IQL", {"tau": 0}, "IQL needs tau between 0 and 1, not 0"),
        ("ATAC", {"target_rate": 1.5}, "ATAC needs target_rate between 0 and 1, not 1.5"),
        ("ATAC", {"residual_weight": -0.1}, "ATAC needs residual_weight from 0 to 1, not -0.1"),
        ("BC", {"steps": 0}, "BC needs steps above 0, not 0"),
        ("DT", {"steps": "1e400"}, "DT needs a whole number for steps, not '1e400'"),
    ],
)
def test_wrong_settings(name: str, settings: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=re.escape(words)) as caught:
        configure(name, settings)
    assert "\n" not in str(caught.value)


def test_batch_larger_than_data() -> None:
    run = Run(noise_dataset(), configure("BC", {"batch_size": 61}))
    with pytest.raises(BadInput, match="a batch of 61 is larger than the dataset of 60"):
        train(run)


@pytest.mark.parametrize("name", registry.DISCRETE)
def test_the_action_space_decides_the_version(name: str) -> None:
    """Both versions have one name and the same settings, so that plans need not know the space."""
    continuous, discrete = find_algorithm(name, Box.of(2)), find_algorithm(name, Discrete(2))
    assert continuous is ALGORITHMS[name]
    assert discrete is not continuous
    assert (name, name) == (continuous.NAME, discrete.NAME)
    assert (continuous.ACTIONS, discrete.ACTIONS) == ("continuous", "discrete")
    assert settings_of(configure(name, {}, Discrete(2))) == settings_of(configure(name))
    assert (discrete.GRID, discrete.QUICK) == (continuous.GRID, continuous.QUICK)
    assert (discrete.CITATION, discrete.PESSIMISTIC) == (
        continuous.CITATION,
        continuous.PESSIMISTIC,
    )


def test_an_algorithm_for_other_actions_is_refused() -> None:
    @register_algorithm
    @hyperparameters
    class Ours(Algorithm):
        pass

    with pytest.raises(BadInput, match="Ours is for continuous actions"):
        configure("Ours", {}, Discrete(2))
    for name in ("TD3+BC", "ReBRAC", "EDAC", "MOPO", "MOReL", "COMBO", "ARMOR"):
        with pytest.raises(BadInput, match="is for continuous actions"):
            configure(name, {}, Discrete(2))
    with pytest.raises(BadInput, match="BC is for continuous actions"):
        train(Run(discrete_noise_dataset(), configure("BC", {"batch_size": 8})))
    with pytest.raises(BadInput, match="BC is for discrete actions"):
        train(Run(noise_dataset(), configure("BC", {"batch_size": 8}, Discrete(2))))


def test_text_as_on_a_command_line() -> None:
    algorithm = configure("iql", {"beta": "0.3", "steps": "1e4", "scale_rewards": "False"})
    settings = settings_of(algorithm)
    assert (settings["beta"], settings["steps"], settings["scale_rewards"]) == (0.3, 10_000, False)


def test_the_papers_values() -> None:
    """The defaults and the grid are those of the paper's appendix."""
    shared = {"steps": 1_000_000, "batch_size": 256, "units": 256, "discount": 0.99}
    atac = shared | {"layers": 3, "action_scale": 1.0, "fast_rate": 5e-4, "slow_rate": 5e-7}
    atac |= {"warm_start_steps": 100_000, "residual_weight": 0.5, "target_rate": 0.005}
    iql = shared | {"layers": 3, "rate": 3e-4, "target_rate": 0.005}
    cql = shared | {"layers": 2, "rate": 3e-4, "target_rate": 0.005, "actions": 10}
    dt: dict[str, float] = {
        "steps": 70_000,
        "batch_size": 256,
        "layers": 3,
        "units": 128,
        "context": 20,
    }
    dt |= {"dropout": 0.1, "rate": 5e-4, "warm_up_steps": 200, "gradient_norm": 0.25}
    tables = {"ATAC": atac, "PSPI": atac, "IQL": iql, "CQL": cql, "DT": dt | {"weight_decay": 1e-4}}
    tables["CQL3"] = cql | {"layers": 3}
    td3 = {"discount": 0.99, "target_rate": 0.005, "noise": 0.2, "noise_limit": 0.5}
    td3 |= {"policy_delay": 2, "units": 256, "steps": 1_000_000}
    tables["TD3+BC"] = td3 | {"layers": 2, "rate": 3e-4, "batch_size": 256, "alpha": 2.5}
    tables["ReBRAC"] = td3 | {"layers": 3, "rate": 1e-3, "batch_size": 1024}
    tables["EDAC"] = iql | {"steps": 3_000_000, "critics": 10, "eta": 1.0}
    model = {"members": 7, "elites": 5, "model_layers": 4, "model_units": 200, "model_rate": 1e-3}
    soft = shared | {"rate": 3e-4, "policy_rate": 1e-4, "target_rate": 0.005}
    tables["MOPO"] = soft | model | {"layers": 2, "real_share": 0.05, "horizon": 5}
    tables["COMBO"] = soft | model | {"layers": 3, "real_share": 0.5, "horizon": 5}
    morel = {"members": 4, "model_layers": 2, "model_units": 512, "horizon": 500}
    tables["MOReL"] = soft | morel | {"start_from_clone": True, "real_share": 0}
    tables["ARMOR"] = atac | {"real_share": 0.5, "model_weight": 1.0}
    tables["AWR"] = {"td_lambda": 0.95, "beta": 1.0, "weight_limit": 20.0, "discount": 0.99}
    for name, table in tables.items():
        assert table.items() <= settings_of(configure(name)).items()
    four = (0.1, 1.0, 10.0, 100.0)
    assert ALGORITHMS["ATAC"].GRID == ALGORITHMS["PSPI"].GRID == {"beta": four}
    assert ALGORITHMS["CQL"].GRID == ALGORITHMS["CQL3"].GRID == {"alpha": four}
    assert ALGORITHMS["IQL"].GRID == {"beta": (0.3, 3.0), "tau": (0.7, 0.9)}
    assert ALGORITHMS["DT"].GRID == ALGORITHMS["BC"].GRID == {}


def test_names_are_found_in_any_case(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "ALGORITHMS", dict(ALGORITHMS))

    @register_algorithm
    @hyperparameters
    class Ours(BC):
        NAME = "ReTRO"

    assert {find_algorithm(name) for name in ("retro", "RETRO", "ReTRO")} == {Ours}
    assert configure("retro").NAME == "ReTRO"
    register_algorithm(Ours)
    assert [*registry.ALGORITHMS] == [*ALGORITHMS, "ReTRO"]


def test_names_that_are_taken_are_refused() -> None:
    @hyperparameters
    class Ours(BC):
        NAME = "bc"

    class Plain(BC):
        pass

    with pytest.raises(BadInput, match="an algorithm called 'BC' exists already"):
        register_algorithm(Ours)
    with pytest.raises(BadInput, match="Plain needs the decorator @hyperparameters"):
        register_algorithm(Plain)
    assert ALGORITHMS["BC"] is BC


@pytest.mark.parametrize("name", ALGORITHMS)
def test_metadata(name: str) -> None:
    algorithm = ALGORITHMS[name]
    assert name == algorithm.NAME
    assert re.search(
        r"'.+', ((NeurIPS|ICML|ICLR) )?(19|20)\d\d(, arXiv:\d{4}\.\d{5})?$", algorithm.CITATION
    )
    assert (name != "BC", "continuous") == (algorithm.READS_REWARDS, algorithm.ACTIONS)
    assert (not algorithm.PESSIMISTIC) == (name in ("BC", "DT", "NoPessimism", "AWR"))
    assert {*algorithm.GRID} | {*quick_settings(algorithm)} <= {*settings_of(configure(name))}


def test_stages_keep_the_names_that_identities_hold() -> None:
    names = [stage.NAME for stage in stages(configure("PSPI"))]
    assert names == ["Cloning", "Evaluation", "PSPI"]


def test_settings_that_came_later_do_not_count_in_identities() -> None:
    second = {"standardize", "epsilon", "entropy_weight"}
    third = {"scale_values", "fit_returns", "soft", "softness", "wait", "settle"}
    third |= {"cloning_steps", "cloning_rate", "decay_cloning"}
    third |= {"pairs", "tuned_beta", "distance", "doubt"}
    former = {"value_scale", "unit_rewards"}
    for name, later in {"ATAC": second | third, "BC": {"standardize"}, "IQL": set()}.items():
        algorithm, settings = ALGORITHMS[name], settings_of(configure(name))
        counted = {*identity_settings(algorithm, settings, since=2)}
        assert counted - former == {*settings} - later
        assert {*identity_settings(algorithm, settings, since=3)} - former == {*settings} - third


def test_former_settings_keep_their_places_in_identities() -> None:
    today, changed = settings_of(configure("PSPI")), {"value_scale": 0.01, "unit_rewards": True}
    former = {"value_scale": 1.0, "unit_rewards": False}
    assert configure("PSPI", former) == configure("PSPI")
    with pytest.raises(BadInput, match="no longer has value_scale"):
        configure("PSPI", changed)
    same, other = (
        identity_settings(ALGORITHMS["PSPI"], today | given, since=3) for given in (former, changed)
    )
    assert same == identity_settings(ALGORITHMS["PSPI"], today, since=3) != other


@pytest.mark.parametrize(
    ("accepted", "text", "inside", "outside"),
    [
        (Range(above=0), "above 0", [1e-9, 7], [0, -1, math.inf]),
        (Range(above=0, below=1), "between 0 and 1", [0.5], [0, 1]),
        (Range(at_least=0, at_most=1), "from 0 to 1", [0, 1], [-0.1, 1.1]),
        (Range(above=0, at_most=1), "above 0 and at most 1", [1], [0, 2]),
        (Range(at_least=2), "at least 2", [2], [1.9]),
        (Range(), "finite", [-1e9], [math.nan]),
    ],
)
def test_ranges(accepted: Range, text: str, inside: list[float], outside: list[float]) -> None:
    assert str(accepted) == text
    assert all(value in accepted for value in inside)
    assert not any(value in accepted for value in outside)


def test_a_setting_that_came_and_went_counts_in_no_identity() -> None:
    """Its neutral value is as if it had never been there; another one is refused, and counts."""
    today = settings_of(configure("PSPI"))
    assert configure("PSPI", {"relative_beta": False}) == configure("PSPI")
    with pytest.raises(BadInput, match="no longer has relative_beta"):
        configure("PSPI", {"relative_beta": True})
    plain, neutral, other = (
        identity_settings(ALGORITHMS["PSPI"], today | given, since=3)
        for given in ({}, {"relative_beta": False}, {"relative_beta": True})
    )
    assert plain == neutral != other
