from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest
from pydantic import JsonValue
from threadpoolctl import ThreadpoolController, threadpool_info, threadpool_limits

from blueprints import Absent, Blueprint, Extension, Present
from extractors.audio import Clip
from extractors.base import Extractor
from tests.support.audio import tone, write
from tests.support.fakes import Counting, Derived
from trace_eval.extracting import clip
from trace_eval.extracting.cache import Cache
from trace_eval.extracting.clip import ClipExtractor, Extracted
from trace_eval.extracting.source import ClipSource

Extract = Callable[..., list[Extracted]]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "calls.log"
    path.touch()
    return path


@pytest.fixture
def extract(tmp_path: Path, log: Path) -> Extract:
    def run(*paths: Path, gain: float = 1.0) -> list[Extracted]:
        plan = [Counting(log, gain=gain), Derived(log)]
        worker = ClipExtractor(plan, Cache(tmp_path / "cache"), max_seconds=5)
        try:
            return worker.run([ClipSource(str(path), path=path) for path in paths])
        finally:
            worker.close()

    return run


def _groups(found: Extracted) -> tuple[object, object]:
    blueprint = found.blueprint
    assert isinstance(blueprint, Blueprint)
    return blueprint.group("peak"), blueprint.group("twice")


def _calls(log: Path) -> int:
    return sum(not line.startswith("batch") for line in log.read_text().splitlines())


def test_a_group_is_measured_once_whatever_the_file_is_called(
    extract: Extract, tmp_path: Path, log: Path
) -> None:
    one = write(tmp_path / "x" / "audio_a.wav", tone(peak=0.5))
    same = write(tmp_path / "y" / "audio_a.wav", tone(peak=0.5))
    other = write(tmp_path / "z" / "audio_a.wav", tone(peak=0.25))
    for found in (extract(one)[0], extract(one)[0], extract(same)[0]):
        assert _groups(found) == (
            Extension(values={"peak": 0.5}),
            Extension(values={"twice": 1.0}),
        )
    assert _calls(log) == 1
    assert extract(other)[0].blueprint != extract(one)[0].blueprint
    assert _calls(log) == 2


def test_a_changed_file_is_another_clip(
    extract: Extract, tmp_path: Path, log: Path
) -> None:
    path = write(tmp_path / "a.wav", tone(peak=0.5))
    before = extract(path)[0].blueprint
    write(path, tone(peak=0.25))
    after = extract(path)[0].blueprint
    assert before.clip != after.clip
    assert _calls(log) == 2


def test_parameters_and_needed_groups_are_part_of_the_key(
    extract: Extract, tmp_path: Path, log: Path
) -> None:
    path = write(tmp_path / "a.wav", tone(peak=0.5))
    extract(path)
    # Another gain changes the peak, and with it what was derived from it.
    assert _groups(extract(path, gain=2)[0])[1] == Extension(values={"twice": 2.0})
    assert _calls(log) == 2
    assert _groups(extract(path, gain=1)[0])[1] == Extension(values={"twice": 1.0})
    assert _calls(log) == 2


def test_one_failing_clip_costs_its_own_group_only(
    extract: Extract, tmp_path: Path, log: Path
) -> None:
    paths = [write(tmp_path / f"{p}.wav", tone(peak=p)) for p in (0.5, 0.11, 0.6)]
    good, bad, also_good = extract(*paths)
    peak, twice = _groups(bad)
    assert (peak.status, peak.reason) == (
        "failed",
        "counting: RuntimeError: this clip is cursed",
    )
    assert isinstance(twice, Absent)
    assert twice.reason == "derived: TypeError: no peak"
    assert _groups(good)[1] == Extension(values={"twice": 1.0})
    assert isinstance(_groups(also_good)[1], Extension)
    assert "batch 3" in log.read_text()  # tried together, then one by one


def test_lasting_absences_are_kept_and_failures_are_tried_again(
    extract: Extract, tmp_path: Path, log: Path
) -> None:
    lasting = write(tmp_path / "short.wav", tone(peak=0.33))
    failing = write(tmp_path / "failing.wav", tone(peak=0.44))
    for _ in range(2):
        extract(lasting)
    assert _calls(log) == 1
    for _ in range(2):
        extract(failing)
    assert _calls(log) == 3


def test_undecodable_recordings_are_errors_in_their_place(
    extract: Extract, tmp_path: Path
) -> None:
    text = tmp_path / "text.wav"
    text.write_text("this is not audio")
    good = write(tmp_path / "good.wav", tone())
    long = write(tmp_path / "long.wav", tone(seconds=6))
    outcomes = extract(text, good, tmp_path / "none.wav", long)
    assert [outcome.blueprint is not None for outcome in outcomes] == [
        False,
        True,
        False,
        False,
    ]
    errors = [outcome.error for outcome in outcomes]
    for error, remedy in zip(
        (errors[0], errors[2], errors[3]),
        (
            "is not a recording but text",
            "no such file; check the path",
            "longer than 5 s",
        ),
        strict=True,
    ):
        assert error is not None
        assert remedy in error


@dataclass(frozen=True)
class _Threads(Extractor):
    """Tells how many threads a product of matrices takes at most."""

    name: ClassVar[str] = "threads"
    group: ClassVar[str] = "threads"
    version: ClassVar[str] = "1"

    def parameters(self) -> dict[str, JsonValue]:
        return {}

    def extract(self, clip: Clip, known: Blueprint) -> Present | Absent:
        return Extension(values={"most": float(_most_threads())})


def _most_threads() -> int:
    libraries = [one for one in threadpool_info() if one["user_api"] == "blas"]
    return max(one["num_threads"] for one in libraries)


def test_every_batch_has_one_thread_and_gives_the_others_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    searches = []

    def counted() -> ThreadpoolController:
        searches.append(len(sys.modules))
        return ThreadpoolController()

    monkeypatch.setattr(clip, "ThreadpoolController", counted)
    worker = ClipExtractor([_Threads()], Cache(tmp_path / "cache"))
    paths = [write(tmp_path / f"{n}.wav", tone(peak=n / 10)) for n in range(1, 6)]
    with threadpool_limits(2, user_api="blas"):
        for path in paths:
            (found,) = worker.run([ClipSource(str(path), path=path)])
            assert found.blueprint is not None
            assert found.blueprint.group("threads") == Extension(values={"most": 1.0})
            assert _most_threads() == 2
    worker.close()
    assert len(searches) < len(paths)


@dataclass(frozen=True)
class _Waiting(Extractor):
    """Finds in its own clip whether the models of a later extractor load meanwhile."""

    name: ClassVar[str] = "waiting"
    group: ClassVar[str] = "first"
    version: ClassVar[str] = "1"

    def parameters(self) -> dict[str, JsonValue]:
        return {}

    def extract(self, clip: Clip, known: Blueprint) -> Present | Absent:
        return Extension(values={"loaded": float(_LOADED.wait(5))})


@dataclass(frozen=True)
class _Loading(Extractor):
    """Loads its models beside others, or fails to."""

    problem: str | None = None

    name: ClassVar[str] = "loading"
    group: ClassVar[str] = "second"
    version: ClassVar[str] = "1"
    loads_beside: ClassVar[bool] = True

    def parameters(self) -> dict[str, JsonValue]:
        return {}

    def load(self) -> None:
        loads.append(threading.current_thread().name)
        _LOADED.set()
        if self.problem:
            raise RuntimeError(self.problem)

    def extract(self, clip: Clip, known: Blueprint) -> Present | Absent:
        return Extension(values={"loads": float(len(loads))})


_LOADED = threading.Event()
loads: list[str] = []


@pytest.mark.parametrize("problem", [None, "no memory"])
def test_models_load_while_earlier_groups_are_measured(
    tmp_path: Path, problem: str | None
) -> None:
    _LOADED.clear()
    loads.clear()
    path = write(tmp_path / "a.wav", tone(peak=0.5))
    source = ClipSource(str(path), path=path)
    cache = Cache(tmp_path / "cache")
    worker = ClipExtractor([_Waiting(), _Loading(problem)], cache)
    (found,) = worker.run([source])
    worker.close()
    assert found.blueprint is not None
    assert found.blueprint.group("first") == Extension(values={"loaded": 1.0})
    second = found.blueprint.group("second")
    if problem:
        assert isinstance(second, Absent)
        assert problem in str(second.reason)
    else:
        assert second == Extension(values={"loads": 1.0})
    assert loads == ["trace-eval-load_0"]


def test_nothing_loads_for_a_clip_that_the_cache_holds(tmp_path: Path) -> None:
    loads.clear()
    path = write(tmp_path / "a.wav", tone(peak=0.5))
    source = ClipSource(str(path), path=path)
    for _ in range(2):
        worker = ClipExtractor([_Loading()], Cache(tmp_path / "cache"))
        worker.run([source])
        worker.close()
    assert len(loads) == 1
