"""What every test has: a cache of its own, and nothing left over from other tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from instinct.benchmarks.registry import BENCHMARKS
from instinct.deep import ALGORITHMS
from instinct.deep.training.compilation_cache import release_programs

settings.register_profile(
    "default",
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.load_profile("default")


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("INSTINCT_CACHE", str(folder))
    return folder


@pytest.fixture(autouse=True, scope="module")
def few_programs() -> Iterator[None]:
    """Keep a process that runs hundreds of modules below the system's limit of memory maps."""
    yield
    release_programs()


@pytest.fixture(autouse=True)
def same_registries() -> Iterator[None]:
    """Forget the benchmarks and algorithms that a test registers."""
    before = [(registry, dict(registry)) for registry in (BENCHMARKS, ALGORITHMS)]
    yield
    for registry, content in before:
        registry.clear()
        registry.update(content)  # type: ignore[arg-type]


@pytest.fixture
def own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Use an empty folder for datasets made by name."""
    folder = tmp_path / "data"
    monkeypatch.setenv("INSTINCT_DATA", str(folder))
    return folder
