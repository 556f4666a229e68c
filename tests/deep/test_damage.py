"""A damaged file of a run is made again from what is sound, said, and changes no number."""

import json
from pathlib import Path

import pytest
from safetensors import safe_open
from safetensors.numpy import load_file, save

from instinct.deep import Outcome, Run, StageProgress, load_run, train
from instinct.errors import BadInput
from tests.deep.problems import noise_dataset
from tests.deep.test_resume import OFTEN, Stopped, assert_equal, small


@pytest.fixture(scope="module")
def whole() -> Outcome:
    return train(Run(noise_dataset(), small("ATAC")), pace=OFTEN)


def stopped_run(folder: Path, warm_starts: Path | None = None) -> Run:
    """A run that was stopped in its last stage, after a checkpoint."""
    run = Run(noise_dataset(), small("ATAC"), folder=folder)

    def stop(progress: StageProgress) -> None:
        if (progress.stage, progress.step) == ("ATAC", 20):
            raise Stopped

    with pytest.raises(Stopped):
        train(run, pace=OFTEN, warm_starts=warm_starts, on_progress=stop)
    return run


def flip(path: Path, place: int) -> None:
    """Flip one bit of a file; a negative place counts from its end."""
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize("damage", ["garbage", "empty", "cut", "flipped"])
@pytest.mark.parametrize("name", ["checkpoint", "warm start"])
def test_a_damaged_checkpoint_is_trained_again(
    tmp_path: Path, whole: Outcome, name: str, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    run = stopped_run(tmp_path / "run", tmp_path / "warm")
    path = tmp_path / "run" / "checkpoint.safetensors"
    if name == "warm start":
        path.unlink()
        path = max((tmp_path / "warm").iterdir(), key=lambda file: file.stat().st_mtime_ns)
    content = path.read_bytes()
    match damage:
        case "garbage":
            path.write_bytes(bytes(range(256)))
        case "empty":
            path.write_bytes(b"")
        case "cut":
            path.write_bytes(content[: len(content) // 2])
        case "flipped":
            flip(path, -9)
    assert_equal(train(run, pace=OFTEN, warm_starts=tmp_path / "warm"), whole)
    (record,) = caplog.records
    assert str(path) in record.getMessage()
    assert "trained from its beginning" in record.getMessage()
    assert_equal(load_run(tmp_path / "run").outcome, whole)


@pytest.mark.parametrize(
    "name", ["weights.safetensors", "snapshots.safetensors", "metrics.csv", "result.json"]
)
@pytest.mark.parametrize("damage", ["empty", "flipped", "gone"])
def test_damaged_results_are_refused_and_made_again(
    tmp_path: Path, whole: Outcome, name: str, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    run = Run(noise_dataset(), small("ATAC"), folder=tmp_path)
    train(run, pace=OFTEN)
    path = tmp_path / name
    match damage:
        case "empty":
            path.write_bytes(b"")
        case "flipped":
            flip(path, -9)
        case "gone":
            path.unlink()
    unfinished = not (tmp_path / "result.json").exists()
    with pytest.raises(BadInput, match="has not finished" if unfinished else name) as fault:
        load_run(tmp_path)
    assert "\n" not in str(fault.value)
    assert_equal(train(run, pace=OFTEN), whole)
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == (0 if unfinished else 1)
    assert_equal(load_run(tmp_path).outcome, whole)


@pytest.mark.parametrize("content", ["", '{"algorithm": "AT', "[]", "[" * 100_000])
def test_a_damaged_config_is_written_again(
    tmp_path: Path, whole: Outcome, content: str, caplog: pytest.LogCaptureFixture
) -> None:
    run = stopped_run(tmp_path)
    before = (tmp_path / "config.json").read_bytes()
    (tmp_path / "config.json").write_text(content)
    assert_equal(train(run, pace=OFTEN), whole)
    assert (tmp_path / "config.json").read_bytes() == before
    assert "config.json: is damaged" in caplog.text


def test_a_digit_in_the_config_cannot_change(tmp_path: Path) -> None:
    """A damaged config is told from that of another run by its checksum."""
    run = stopped_run(tmp_path)
    text = (tmp_path / "config.json").read_text()
    (tmp_path / "config.json").write_text(text.replace('"seed": 0', '"seed": 1'))
    train(run, pace=OFTEN)
    assert load_run(tmp_path).seed == 0
    other = json.loads(text) | {"seed": 1}
    del other["checksum"]
    (tmp_path / "config.json").write_text(json.dumps(other))
    with pytest.raises(BadInput, match="holds another run"):
        train(run, pace=OFTEN)


def test_weights_of_another_run_are_noticed(tmp_path: Path) -> None:
    for seed in (0, 1):
        train(Run(noise_dataset(), small("IQL"), seed, folder=tmp_path / str(seed)), pace=OFTEN)
    (tmp_path / "0" / "weights.safetensors").replace(tmp_path / "1" / "weights.safetensors")
    with pytest.raises(BadInput, match=r"1/weights.safetensors: is damaged"):
        load_run(tmp_path / "1")


def test_files_without_checksums_are_read(tmp_path: Path, whole: Outcome) -> None:
    """Earlier versions wrote none."""
    run = stopped_run(tmp_path)
    path = tmp_path / "checkpoint.safetensors"
    with safe_open(path, framework="numpy") as file:
        notes = {name: text for name, text in file.metadata().items() if name != "checksum"}
    path.write_bytes(save(load_file(path), notes))
    assert_equal(train(run, pace=OFTEN), whole)
    (tmp_path / "weights.safetensors").write_bytes(
        save(load_file(tmp_path / "weights.safetensors"))
    )
    (tmp_path / "result.json").write_text('{"status": "finished", "failure": ""}')
    found = load_run(tmp_path).outcome
    assert found.metrics["step"].tolist() == [10, 20, 30]


def change(path: Path, **fields: object) -> None:
    """Change fields of a document as an editor would, which knows no checksum; None removes."""
    content = {**json.loads(path.read_text()), **fields}
    del content["checksum"]
    kept = {name: value for name, value in content.items() if value is not None}
    path.write_text(json.dumps(kept))


@pytest.mark.parametrize(
    ("name", "fields", "problem"),
    [
        ("config", {"seed": "x"}, "seed: must be a whole number, not text"),
        ("config", {"settings": []}, "settings: must be a table, not a list"),
        ("config", {"settings": {"steps": []}}, "settings"),
        ("config", {"label": 1}, "label: must be text, not a whole number"),
        ("config", {"observation_size": None}, "observation_size: is missing"),
        ("config", {"action_low": None}, "action_low: is missing"),
        ("config", {"action_high": ["x"]}, r"action_high\[0\]: must be a number, not text"),
        ("config", {"discrete_actions": "many"}, "discrete_actions: must be"),
        ("config", {"algorithm": "ABC"}, "no algorithm is called 'ABC'"),
        ("config", {"other": 1}, "other: is unknown"),
        ("result", {"status": "perhaps"}, "status: "),
        ("result", {"failure": 3}, "failure: must be text, not a whole number"),
        ("result", {"diagnostics": {"a": "b"}}, "diagnostics.*must be a number, not text"),
        ("result", {"files": ["a"]}, "files: must be a table, not a list"),
    ],
)
def test_fields_of_run_files_are_checked(
    tmp_path: Path, name: str, fields: dict[str, object], problem: str
) -> None:
    train(Run(noise_dataset(), small("BC"), folder=tmp_path), pace=OFTEN)
    change(tmp_path / f"{name}.json", **fields)
    with pytest.raises(BadInput, match=rf"{name}\.json: {problem}"):
        load_run(tmp_path)
    if name == "result":
        train(Run(noise_dataset(), small("BC"), folder=tmp_path), pace=OFTEN)
        assert load_run(tmp_path).outcome.failure == ""
