"""Every one-field mutation of a plan is a valid plan, or refused in a sentence with the field."""

import json
from pathlib import Path
from typing import Any

import pytest

from instinct.errors import BadInput
from instinct.study.plan import Plan
from instinct.study.plan_files import from_content, read_plan
from tests.study.problems import deep_plan

VALUES: list[Any] = [
    *(None, True, 0, 1, -1, 10**30, 0.5, float("nan"), float("inf"), "", "x", "zero", "../x"),
    *([], [1], ["x"], [[]], [None], {}, {"x": 1}, {"BC": 1}, {"BC": []}, {"BC": {}}),
    *({"BC": {"steps": "x"}}, {"BC": {"steps": 10**30}}, {"BC": {"x": []}}, {1: 2}, object()),
]


def content() -> dict[str, Any]:
    plan = deep_plan("hopper-medium", "BC", "PSPI", labels=("original", "zero"), task="hopper")
    return json.loads(json.dumps(plan.content))  # type: ignore[no-any-return]


FIELDS = [*content(), "assumed_end", "frozen", "nonsense"]


@pytest.mark.parametrize("field", FIELDS)
def test_one_field_is_wrong(field: str) -> None:
    accepted = []
    for value in VALUES:
        message = ""
        try:
            assert isinstance(from_content(content() | {field: value}), Plan)
            accepted.append(value)
        except BadInput as fault:
            message = str(fault)
        assert "\n" not in message
    assert len(accepted) <= 10, accepted


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", {}),
        ("name", ""),
        ("seeds", 10**30),
        ("seeds", True),
        ("first_seed", 10**30),
        ("episodes", 1.5),
        ("remove_terminals", "x"),
        ("new_seeds", 1),
        ("labels", "zero"),
        ("action_range", [1.0]),
        ("action_range", "ab"),
        ("cost_target", "1"),
        ("settings", {"BC": {"steps": []}}),
        ("grid", {"PSPI": {"beta": 1.0}}),
        ("own", {"label:x": 1}),
        ("task", 1),
        ("frozen", {}),
    ],
)
def test_the_field_is_named(tmp_path: Path, field: str, value: Any) -> None:
    with pytest.raises(BadInput) as caught:
        from_content(content() | {field: value})
    assert str(caught.value).startswith(field)


@pytest.mark.parametrize("text", ["[" * 100_000, "a = " + "[" * 100_000, "{" * 100_000])
def test_nesting_does_not_overflow(tmp_path: Path, text: str) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(text)
    with pytest.raises(BadInput, match="is not a readable TOML file"):
        read_plan(path)


def test_whole_numbers_of_a_range_stay_whole() -> None:
    """They are part of the identity of trials that ran before."""
    plan = from_content(content() | {"action_range": [-1, 1]})
    assert json.dumps(plan.final({})[0].action_range) == "[-1, 1]"


def test_a_plan_does_not_import_modules_unless_it_may(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "stranger.py").write_text("raise SystemExit('imported')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    plan = tmp_path / "plan.toml"
    plan.write_text(
        'name = "theirs"\ndatasets = ["hopper-medium"]\nalgorithms = ["BC"]\n'
        'preset = "quick"\ntask = "gym:stranger:World-v0"\n'
    )
    with pytest.raises(BadInput) as caught:
        read_plan(plan)
    assert (caught.value.field, caught.value.option) == ("task", "allow_imports")
    assert read_plan(plan, allow_imports=True).task == "gym:stranger:World-v0"
