"""Plans: their trials, counted by hand, and the plans that are refused."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from instinct.errors import BadInput
from instinct.study import plan_files
from instinct.study.extensions import fingerprints
from instinct.study.measurement import Measurement
from instinct.study.paper_counts import runs_of
from instinct.study.plan import Cell, Plan
from instinct.study.plan_files import from_content, read_plan, shipped_plans
from instinct.study.store import open_store
from instinct.study.trials import Trial
from instinct.study.tuning import choose_settings
from tests.study.problems import deep_plan, grid_plan

LABELS = ("original", "zero", "random", "negative")
TUNED = Plan(
    name="tuned",
    datasets=("hopper-medium", "halfcheetah-medium"),
    algorithms=("BC", "PSPI"),
    tuning_seeds=2,
    seeds=3,
    grid={"PSPI": {"beta": (1.0, 4.0), "fast_rate": (1e-4, 5e-4, 1e-3)}},
)


def test_cells() -> None:
    """Two datasets; BC reads no rewards, PSPI has four labels."""
    cells = [*TUNED.cells()]
    assert len(cells) == len({*cells}) == 2 * (1 + 4)
    assert cells[0] == Cell("hopper-medium", "BC", "original")


def test_tuning_and_results() -> None:
    """Six combinations for eight cells with two seeds; then three other seeds for ten cells."""
    tuning = TUNED.tuning()
    assert len(tuning) == 6 * 8 * 2
    assert {trial.algorithm for trial in tuning} == {"PSPI"}
    assert {trial.seed for trial in tuning} == {0, 1}
    chosen = {cell: {"beta": 4.0} for cell in TUNED.cells() if cell.algorithm == "PSPI"}
    final = TUNED.final(chosen)
    assert len(final) == 10 * 3
    assert {trial.seed for trial in final} == {2, 3, 4}
    assert {trial.settings["beta"] for trial in final if trial.algorithm == "PSPI"} == {4.0}
    assert len({trial.identity for trial in [*tuning, *final]}) == len(tuning) + len(final)
    del chosen[Cell("hopper-medium", "PSPI", "zero")]
    assert len(TUNED.final(chosen)) == 9 * 3


def test_terminals_are_removed_under_wrong_rewards_where_they_are_falls() -> None:
    filters = {
        (trial.dataset, trial.label): trial.filters
        for trial in replace(TUNED, tuning_seeds=0).final({})
    }
    for label in LABELS:
        falls = ("no-terminals",) if label != "original" else ()
        assert filters["hopper-medium", label] == falls
        assert filters["halfcheetah-medium", label] == ()
    (trial,) = Plan(
        name="x",
        datasets=("hopper-medium",),
        algorithms=("PSPI",),
        labels=("no-terminal",),
        seeds=1,
    ).final({})
    assert (trial.reward_label, trial.filters) == ("original", ("no-terminals",))


def test_parametrized_labels_remove_terminals_only_if_they_are_wrong() -> None:
    labels = {"corrupt:0.5": True, "constant:1": True, "scale:2": False, "noise:1": False}
    plan = Plan(
        name="x",
        datasets=("hopper-medium",),
        algorithms=("PSPI",),
        labels=tuple(labels),
        seeds=1,
    )
    trials = plan.final({})
    assert {trial.label: trial.filters == ("no-terminals",) for trial in trials} == labels
    assert all(trial.reward_label == trial.label for trial in trials)


def test_settings_come_from_preset_plan_and_grid() -> None:
    plan = replace(TUNED, preset="quick", settings={"PSPI": {"units": 32}})
    trial = plan.tuning()[0]
    assert trial.settings["units"] == 32
    assert trial.settings["batch_size"] == 64
    assert (trial.settings["beta"], trial.settings["fast_rate"]) == (1.0, 1e-4)


def changed(trial: Trial) -> list[Trial]:
    return [
        replace(trial, dataset="other"),
        replace(trial, algorithm="IQL"),
        replace(trial, label="zero"),
        replace(trial, settings={**trial.settings, "beta": 9.0}),
        replace(trial, seed=99),
        replace(trial, task="gym:Other"),
        replace(trial, episodes=7),
        replace(trial, filters=("cost-free",)),
        replace(trial, action_range=(0.0, 1.0)),
    ]


def test_identity_is_what_defines_a_trial() -> None:
    trial = deep_plan("file", "PSPI").final({})[0]
    others = changed(trial)
    assert len({each.identity for each in [trial, *others]}) == 1 + len(others)
    backwards = dict(reversed([*trial.settings.items()]))
    assert replace(trial, settings=backwards).identity == trial.identity


def test_warm_starts_that_are_shared() -> None:
    """The policy's depends on neither the label nor β, the critics' on the label alone."""
    trial = deep_plan("file", "PSPI").final({})[0]
    policy, critics = trial.warm_starts.values()
    assert [*trial.warm_starts] == ["Cloning", "Evaluation"]

    def warm(**changes: Any) -> tuple[bool, bool]:
        first, second = replace(trial, **changes).warm_starts.values()
        return first == policy, second == critics

    def setting(**values: float) -> dict[str, float]:
        return {**trial.settings, **values}  # type: ignore[dict-item]

    assert warm(settings=setting(beta=9.0)) == (True, True)
    assert warm(settings=setting(steps=9)) == (True, True)
    assert warm(algorithm="ATAC") == (True, True)
    assert warm(label="zero") == (True, False)
    assert warm(label="no-terminal") == (True, True)
    assert warm(seed=99) == (False, False)
    assert warm(dataset="other") == (False, False)
    assert warm(filters=("no-terminals",)) == (False, False)
    assert warm(settings=setting(units=9)) == (False, False)
    assert deep_plan("file", "BC").final({})[0].warm_starts == {}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"seeds": 0}, "seeds: must be at least 1"),
        ({"episodes": 0}, "episodes: must be at least 1"),
        ({"tuning_seeds": -1}, "tuning_seeds: must be at least 0"),
        ({"first_seed": -1}, "first_seed: must be at least 0"),
        ({"cost_target": 0.0}, "cost_target: must be a positive number"),
        ({"datasets": ()}, "datasets: must name at least one"),
        ({"datasets": ("hopper-medium", "hopper-medium")}, "none twice"),
        ({"labels": ("false",)}, "no label is called 'false'"),
        ({"preset": "slow"}, "preset: must be one of"),
        ({"rule": "luck"}, "rule: must be one of"),
        ({"filters": ("some",)}, "no filter is called 'some'"),
        ({"filters": ("all", "all")}, "filters: must not name a filter twice"),
        ({"filters_of": {"BC": ("some",)}}, "no filter is called 'some'"),
        ({"filters_of": {"ATAC": ("all",)}}, "ATAC is not among the algorithms"),
        ({"algorithms": ("BC", "PSPI", "SAC")}, "SAC"),
        ({"settings": {"IQL": {}}}, "IQL is not among the algorithms"),
        ({"settings": {"PSPI": {"gamma": 1}}}, "PSPI has no hyperparameter 'gamma'"),
        ({"settings": {"BC": {"units": "many"}}}, "BC needs a whole number for units"),
        ({"grid": {"PSPI": {"beta": (1.0, -1.0)}}}, "beta"),
    ],
)
def test_what_is_refused(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput) as caught:
        replace(TUNED, **changes)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_name_in_both_registries_is_tabular_in_the_grid_world() -> None:
    plan = grid_plan(algorithms=("ATAC", "PSPI"), tuning_seeds=1, labels=("original",))
    assert plan.tuning() == []
    for cell in plan.cells():
        assert plan.combinations(cell) == [{}]
        assert [*plan.changes(cell, {})] == ["R"]
        trial = plan.trial(cell, {}, seed=0)
        assert trial.is_tabular
        assert trial.warm_starts == {}
    assert plan.scale_down((), None, steps=5).settings == {}
    tuned = replace(plan, grid={"ATAC": {"R": (1.0, 2.0)}})
    assert [trial.settings["R"] for trial in tuned.tuning()] == [1.0, 2.0]


def test_only_safety_data_have_a_cost_target_unless_the_plan_sets_one() -> None:
    datasets = ("safety:PointGoal1", "dsrl:CarPush2", "hopper-medium", "mine.npz")
    plan = Plan("costs", datasets, ("BC",))
    kappa = pytest.approx(34.2857, abs=1e-4)
    assert [plan.cost_target_of(name) for name in datasets] == [kappa, kappa, None, None]
    own = replace(plan, cost_target=25.0)
    assert [own.cost_target_of(name) for name in datasets] == [25.0] * 4
    assert from_content(own.content) == own


def test_tabular_algorithms_have_their_own_settings() -> None:
    assert [*grid_plan(algorithms=("PEVI",)).final({})[0].settings] == ["R"]
    with pytest.raises(BadInput, match="PEVI has no setting 'units'"):
        grid_plan(settings={"PEVI": {"units": 1}})
    with pytest.raises(BadInput, match="no tabular algorithm"):
        grid_plan(algorithms=("DT",))


def test_a_smaller_study_says_so() -> None:
    small = TUNED.scale_down(("PSPI", "hopper-medium", "zero"), seeds=1, steps=50)
    assert [*small.cells()] == [Cell("hopper-medium", "PSPI", "zero")]
    assert (len(small.tuning()), {trial.seed for trial in small.tuning()}) == (6, {0})
    assert {trial.settings["steps"] for trial in small.tuning()} == {50}
    scaled = "; ".join(small.scaled)
    assert all(word in scaled for word in ("hopper-medium", "1 seeds instead of 3", "50"))
    assert TUNED.scale_down((), None, None) == TUNED
    with pytest.raises(BadInput, match="tuned has no walker"):
        TUNED.scale_down(("walker",), None, None)


def test_the_example_file(tmp_path: Path) -> None:
    """The plan in the docstring that describes the format."""
    assert plan_files.__doc__ is not None
    path = tmp_path / "plan.toml"
    path.write_text(plan_files.__doc__.partition("\n")[2])
    plan = read_plan(path)
    assert plan.settings == {"ATAC": {"steps": 100_000}}
    assert len([*plan.cells()]) == 2 * (2 + 2 * 4)
    assert {trial.settings["beta"] for trial in plan.tuning() if trial.algorithm == "PSPI"} == {
        10.0,
        100.0,
    }


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name =", "is not a readable TOML file"),
        ('name = "x"\nalgorithms = ["BC"]', "datasets: is missing"),
        ('name = "x"\ndatasets = "d"\nalgorithms = ["BC"]', "datasets: must be a list, not text"),
        (
            'name = "x"\ndatasets = ["d"]\nalgorithms = ["BC"]\nseed = 1',
            "seed: is unknown; there are name",
        ),
        (
            'name = "x"\ndatasets = ["d"]\nalgorithms = ["BC"]\nseeds = 1.5',
            "seeds: must be a whole number",
        ),
        (
            'name = "x"\ndatasets = ["d"]\nalgorithms = ["BC"]\nsettings = 1',
            "settings: must be a table",
        ),
        (
            'name = "x"\ndatasets = ["d"]\nalgorithms = ["BC"]\n[filters_of]\nBC = "all"',
            "filters_of[...]: must be a list, not text",
        ),
        (
            'name = "x"\ndatasets = ["d"]\nalgorithms = ["BC"]\nnew_seeds = 1',
            "new_seeds: must be true or false",
        ),
    ],
)
def test_files_with_faults(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(text)
    with pytest.raises(BadInput) as caught:
        read_plan(path)
    assert str(caught.value).startswith(str(path))
    assert words in str(caught.value)


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read"):
        read_plan(tmp_path / "nowhere.toml")


FILTERED = replace(
    TUNED,
    labels=("original",),
    filters=("cost-free",),
    filters_of={"BC": ("all", "cost-free")},
    tuning_seeds=3,
    new_seeds=False,
)


def test_filters_make_cells_of_their_own() -> None:
    """On both datasets BC with and without the filter, PSPI with it."""
    assert [tuple(cell) for cell in FILTERED.cells()] == [
        (dataset, *rest)
        for dataset in FILTERED.datasets
        for rest in (
            ("BC", "original", "all"),
            ("BC", "original", "cost-free"),
            ("PSPI", "original", "cost-free"),
        )
    ]
    first, second, third, *_ = (trial.filters for trial in FILTERED.final(chosen(FILTERED)))
    assert (first, second, third) == ((), ("cost-free",), ("cost-free",))
    assert FILTERED.is_filtered
    assert not TUNED.is_filtered


def test_a_filter_stands_before_the_removal_of_falls() -> None:
    plan = replace(TUNED, labels=("zero",), filters=("all", "rewards<0"), tuning_seeds=0)
    hopper = {t.filters for t in plan.final({}) if t.dataset == "hopper-medium"}
    assert hopper == {("no-terminals",), ("rewards<0", "no-terminals")}


def chosen(plan: Plan) -> dict[Cell, Any]:
    return {cell: {"beta": 4.0, "fast_rate": 1e-4} for cell in plan.cells() if cell[1] == "PSPI"}


def test_all_seeds_count_from_the_first() -> None:
    later = replace(TUNED, first_seed=7)
    assert {trial.seed for trial in later.tuning()} == {7, 8}
    assert {trial.seed for trial in later.final(chosen(later))} == {9, 10, 11}
    again = replace(later, new_seeds=False)
    assert {trial.seed for trial in again.final(chosen(again))} == {7, 8, 9}


def test_results_may_be_those_of_the_seeds_of_tuning() -> None:
    """Nothing is run again: six combinations on two datasets with three seeds, and BC."""
    tuning, final = FILTERED.tuning(), FILTERED.final(chosen(FILTERED))
    assert {trial.seed for trial in final} == {0, 1, 2}
    again = {t.identity for t in tuning} & {t.identity for t in final}
    assert (len(tuning), len(final), len(again)) == (6 * 2 * 3, 3 * 2 * 3, 2 * 3)
    assert sum(tuned + results for tuned, results in runs_of(FILTERED).values()) == 36 + 12


def test_a_grid_with_one_value_is_no_choice_but_a_setting() -> None:
    plan = replace(TUNED, grid={"PSPI": {"beta": (7.0,)}})
    assert plan.tuning() == []
    assert {t.settings["beta"] for t in plan.final({}) if t.algorithm == "PSPI"} == {7.0}


def test_a_subset_keeps_the_filters_of_what_is_left() -> None:
    smaller = FILTERED.scale_down(("BC",), None, None)
    assert {cell.filter for cell in smaller.cells()} == {"all", "cost-free"}
    smaller = FILTERED.scale_down(("PSPI",), None, None)
    assert (smaller.filters_of, {cell.filter for cell in smaller.cells()}) == ({}, {"cost-free"})


@pytest.mark.parametrize("plan", [TUNED, FILTERED, grid_plan()])
def test_a_plan_survives_being_written_down(plan: Plan) -> None:
    again = from_content(json.loads(json.dumps(plan.content)))
    assert [t.identity for t in again.tuning()] == [t.identity for t in plan.tuning()]
    assert [t.identity for t in again.final({})] == [t.identity for t in plan.final({})]


@pytest.mark.parametrize("name", shipped_plans())
def test_the_papers_plans_are_written_down_as_they_are(name: str) -> None:
    content = shipped_plans()[name].content
    assert from_content(content).content == content


@settings(max_examples=20)
@given(st.lists(st.floats(0, 1), min_size=8, max_size=8), st.integers(0, 8))
def test_the_best_mean_is_chosen_of_what_is_whole(
    tmp_path_factory: pytest.TempPathFactory, scores: list[float], failed: int
) -> None:
    """Four combinations with two seeds each; one with a failed trial cannot be chosen."""
    grid = {"PSPI": {"beta": (1.0, 2.0, 3.0, 4.0)}}
    plan = deep_plan("file", "PSPI", tuning_seeds=2, grid=grid, task="hopper")
    means = {}
    with open_store(tmp_path_factory.mktemp("study"), plan, {}) as store:
        for number, (trial, score) in enumerate(zip(plan.tuning(), scores, strict=True)):
            failure = "killed" if number == failed else ""
            store.add(trial, Measurement({} if failure else {"score": (score,)}, failure=failure))
        for i in range(4):
            if failed // 2 != i:
                means[float(i + 1)] = (scores[2 * i] + scores[2 * i + 1]) / 2
        chosen = choose_settings(plan, store)
    (settled,) = chosen.values()
    best = max(means.values())
    assert settled["beta"] == min(beta for beta, mean in means.items() if mean == best)


def test_tuning_needs_a_task_and_a_task_must_exist() -> None:
    with pytest.raises(BadInput, match="needs a task"):
        deep_plan("file", "PSPI", tuning_seeds=2)
    with pytest.raises(BadInput, match="no task is called"):
        deep_plan("file", "PSPI", task="nowhere")


@pytest.mark.parametrize(
    ("name", "later", "value"),
    [
        ("BC", "standardize", True),
        ("PSPI", "standardize", True),
        ("PSPI", "epsilon", 1e-5),
        ("ATAC", "entropy_weight", 0.01),
        ("ATAC", "scale_values", True),
        ("PSPI", "fit_returns", True),
    ],
)
def test_a_setting_that_came_later_leaves_old_trials_known(
    name: str, later: str, value: bool | float
) -> None:
    (trial, *_) = deep_plan("file", name).final({})
    old = {key: value for key, value in trial.settings.items() if key != later}
    assert replace(trial, settings=old).identity == trial.identity
    assert replace(trial, settings=old | {later: value}).identity != trial.identity


def test_the_code_of_an_own_benchmark_is_part_of_the_identity() -> None:
    own = {"benchmark:pendulums": {"fingerprint": "one"}, "label:mine": {"fingerprint": "two"}}
    found = fingerprints(own, "BC", "zero", "pendulum:single")
    assert found == (("benchmark:pendulums", "one"),)
    assert fingerprints({}, "BC", "zero", "gridworld") == ()
