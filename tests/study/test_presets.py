"""Presets against the paper's tables of hyperparameters."""

import json
from pathlib import Path

import pytest

from instinct.deep import ALGORITHMS, configure, settings_of
from instinct.deep.algorithms.settings import Setting
from instinct.errors import BadInput
from instinct.study.plan_files import shipped_plans
from instinct.study.presets import PRESETS, preset

REACH, POINT = "metaworld:reach", "safety:PointGoal1"


def settings(name: str, algorithm: str, task: str) -> dict[str, Setting]:
    return settings_of(configure(algorithm, preset(name, algorithm, task)))


@pytest.mark.parametrize("name", PRESETS)
def test_metaworlds_own_settings_hold_under_every_preset(name: str) -> None:
    for algorithm in ("ATAC", "PSPI", "IQL", "CQL", "CQL3"):
        assert settings(name, algorithm, REACH)["discount"] == 0.998
        assert settings(name, algorithm, "hopper")["discount"] == 0.99
    for algorithm in ("ATAC", "PSPI", "NoPessimism", "CQL3"):
        assert settings(name, algorithm, REACH)["action_scale"] == 1.2
    assert settings(name, "CQL", REACH)["action_scale"] == 1
    assert settings(name, "IQL", REACH)["scale_rewards"] is False


def test_the_papers_preset_changes_nothing_else() -> None:
    """A million steps; three of EDAC, and 5,000 or 70,000 of the transformer."""
    assert settings("paper", "DT", REACH)["steps"] == 5_000
    assert settings("paper", "DT", "hopper")["steps"] == 70_000
    for algorithm in ALGORITHMS:
        for task in (REACH, "hopper"):
            found, default = settings("paper", algorithm, task), settings_of(configure(algorithm))
            own = {"discount", "action_scale", "scale_rewards", "steps"}
            assert {name for name in found if found[name] != default[name]} <= own
            longer_or_shorter = {"DT": found["steps"], "EDAC": 3_000_000}
            assert found["steps"] == longer_or_shorter.get(algorithm, 1_000_000)


def test_quick_is_smaller_everywhere() -> None:
    for task in (REACH, "hopper", "gym:InvertedPendulum-v5", ""):
        for algorithm in ALGORITHMS:
            quick, paper = (settings(name, algorithm, task) for name in ("quick", "paper"))
            assert float(quick["steps"]) < float(paper["steps"])
            assert float(quick["batch_size"]) < float(paper["batch_size"])


def test_atac_pspi_and_their_control_have_the_same_quick_settings() -> None:
    """The algorithms differ in their pessimism, and in nothing that was tuned."""
    for task in ("hopper", REACH, POINT, "cartpole", ""):
        quick = settings("quick", "ATAC", task)
        assert quick == settings("quick", "PSPI", task) == settings("quick", "NoPessimism", task)


def test_quick_bc_holds_episodes_out_of_goal_data() -> None:
    assert float(settings("quick", "BC", REACH)["held_out"]) > 0
    assert settings("paper", "BC", REACH)["held_out"] == 0


def test_a_study_takes_the_settings_of_its_tasks() -> None:
    trials = shipped_plans()["metaworld"].tuning()
    discounts = {trial.settings["discount"] for trial in trials}
    assert discounts == {0.998}
    assert {trial.settings["discount"] for trial in shipped_plans()["d4rl"].tuning()} == {0.99}
    assert {trial.filters for trial in trials} == {()}, "goals are no falls"


def test_unknown() -> None:
    with pytest.raises(BadInput, match="no preset is called 'slow'; there are paper, quick"):
        preset("slow", "BC")


def test_the_papers_settings_are_frozen() -> None:
    """Identities derive from settings: a change would make earlier results unknown."""
    frozen = json.loads(Path(__file__).with_name("paper_settings.json").read_text())
    assert {name: settings_of(configure(name)) for name in frozen} == frozen


def test_an_algorithm_without_quick_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ALGORITHMS["BC"], "QUICK", None)
    assert preset("paper", "BC") == {}
    with pytest.raises(BadInput, match="BC has no quick settings; choose the preset 'paper'"):
        preset("quick", "BC")
