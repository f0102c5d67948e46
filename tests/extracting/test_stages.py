from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from extractors.registry import plan_extractors
from tests.support.audio import tone, write
from tests.support.fakes import Placed, extracted
from trace_eval.extracting.clip import Extracted
from trace_eval.extracting.plan import Plan
from trace_eval.extracting.source import ClipSource


def _placed(log: Path) -> tuple[Placed, ...]:
    """CPU, then two models, then a measure over what a model found."""
    return (
        Placed(log, "first"),
        Placed(log, "heard", uses=("first",), device="gpu", batch=4),
        Placed(log, "felt", device="gpu", batch=2),
        Placed(log, "counted", uses=("first", "heard")),
    )


def _extract(
    plan: Plan, folder: Path, workers: int, gpus: Sequence[str | None] = ()
) -> list[Extracted]:
    paths = [
        write(folder / f"{n}.wav", tone(peak=p))
        for n, p in enumerate((0.5, 0.6, 0.7, 0.8, 0.9))
    ]
    return extracted(plan, [*paths, folder / "none.wav"], workers, gpus)


def _log(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_what_runs_on_a_gpu_is_a_stage_between_what_it_needs_and_what_needs_it(
    tmp_path: Path,
) -> None:
    stages = Plan(_placed(tmp_path)).stages(split=True)
    assert [(sorted(s.groups), s.on_gpu, s.batch_size) for s in stages] == [
        (["first"], False, 1),
        (["felt", "heard"], True, 4),
        (["counted"], False, 1),
    ]


def test_an_extractor_of_others_may_list_what_it_reads(tmp_path: Path) -> None:
    listed = Placed(tmp_path, "heard", uses=["first"])  # type: ignore[arg-type]
    stages = Plan((Placed(tmp_path, "first"), listed)).stages(split=True)
    assert [sorted(stage.groups) for stage in stages] == [["first", "heard"]]


def test_the_papers_profile_has_three_stages() -> None:
    stages = Plan(tuple(plan_extractors("paper"))).stages(split=True)
    assert [sorted(stage.groups) for stage in stages if stage.on_gpu] == [
        ["accent", "emotion", "transcript"]
    ]
    assert [sorted(stage.groups) for stage in stages if not stage.on_gpu] == [
        ["loudness", "pitch", "quality", "signal"],
        ["rate"],
    ]


def test_one_stage_where_nothing_is_split(tmp_path: Path) -> None:
    (stage,) = Plan(_placed(tmp_path)).stages(split=False)
    assert stage.groups == {"first", "heard", "felt", "counted"}
    (stage,) = Plan(_placed(tmp_path), one_model_at_a_time=True).stages(split=False)
    assert stage.batch_size == 32


def test_each_gpu_has_a_process_that_does_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "2")  # which its workers must not inherit
    log = tmp_path / "log"
    plan = Plan(_placed(log), tmp_path / "cache")
    result = _extract(plan, tmp_path, workers=1, gpus=["5", "7"])
    *good, missing = result
    assert all(f.blueprint and set(f.blueprint.extensions) == _GROUPS for f in good)
    assert "no such file" in str(missing.error)

    rows = _log(log)
    where = {row["pid"]: row["gpu"] for row in rows if row["gpu"]}
    assert sorted(where.values()) == ["5", "7"]
    for row in rows:
        assert (row["group"] in ("heard", "felt")) == (row["pid"] in where)
        assert row["threads"] == "1"
    assert sum(row["clips"] for row in rows) == 5 * len(_GROUPS)
    assert max(row["clips"] for row in rows if row["group"] == "felt") <= 2


_GROUPS = {"first", "heard", "felt", "counted"}


@pytest.mark.parametrize("gpus", [["0"], [None]])
def test_stages_find_what_one_process_finds(
    tmp_path: Path, gpus: list[str | None]
) -> None:
    split = _extract(
        Plan(_placed(tmp_path / "log1"), tmp_path / "1"), tmp_path, 1, gpus
    )
    whole = _extract(Plan(_placed(tmp_path / "log2"), tmp_path / "2"), tmp_path, 0)
    assert [f.blueprint for f in split] == [f.blueprint for f in whole]
    assert [set(f.work) for f in split] == [set(f.work) for f in whole]

    again = _extract(Plan(_placed(tmp_path / "log1"), tmp_path / "1"), tmp_path, 0)
    assert [f.blueprint for f in again] == [f.blueprint for f in whole]
    assert all(not f.work for f in again)  # the stages' keys are those of one process


def test_equal_clips_in_a_batch_are_measured_once(tmp_path: Path) -> None:
    log = tmp_path / "log"
    extractor = Plan((Placed(log, batch=8),), tmp_path / "cache").build()
    paths = [write(tmp_path / name, tone(peak=0.5)) for name in ("a.wav", "b.wav")]
    result = extractor.run([ClipSource(path.name, path=path) for path in paths])
    extractor.close()
    assert result[0].blueprint == result[1].blueprint
    assert [row["clips"] for row in _log(log)] == [1]


def test_a_recording_that_changes_between_stages_is_an_error_not_a_mixture(
    tmp_path: Path,
) -> None:
    plan = (Placed(tmp_path / "log", "first"), Placed(tmp_path / "log", "second"))
    extractor = Plan(plan, tmp_path / "cache").build()
    path = write(tmp_path / "a.wav", tone(peak=0.5))
    source = ClipSource("a.wav", path=path)
    (before,) = extractor.run([source], groups={"first"})
    write(path, tone(peak=0.75))
    (mixed,) = extractor.run([source], [before.blueprint], {"second"})
    (anew,) = extractor.run([source])
    extractor.close()
    assert mixed.blueprint is None
    assert mixed.error == "a.wav: has changed while it was worked on; run again"
    assert anew.blueprint
    assert before.blueprint
    assert anew.blueprint.clip != before.blueprint.clip
    result = [
        anew.blueprint.extensions[group].values["peak"] for group in ("first", "second")
    ]  # type: ignore[union-attr]
    assert result == pytest.approx([0.75, 0.75], abs=1e-4)


def test_no_more_is_decoded_at_once_than_may_be_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "log"
    monkeypatch.setattr("trace_eval.extracting.clip.HELD_S", 2.5)
    paths = [
        write(tmp_path / f"{n}.wav", tone(seconds=1.0, peak=0.1 * n))
        for n in range(1, 6)
    ]
    sources = [ClipSource(path.name, path=path) for path in paths]
    plan = (Placed(log, batch=8),)
    for one_model, clips in (
        (False, [3, 2]),
        (True, [5]),
    ):  # to load a model again costs more
        cache = tmp_path / f"cache{one_model}"
        extractor = Plan(plan, cache, one_model_at_a_time=one_model).build()
        log.unlink(missing_ok=True)
        outcomes = extractor.run(sources)
        extractor.close()
        assert [outcome.source for outcome in outcomes] == [
            source.id for source in sources
        ]
        assert [row["clips"] for row in _log(log)] == clips


def test_a_batch_leaves_work_for_the_other_workers(tmp_path: Path) -> None:
    log = tmp_path / "log"
    paths = [write(tmp_path / f"{n}.wav", tone(peak=0.1 * n)) for n in range(1, 9)]
    extracted(Plan((Placed(log, batch=8),), tmp_path / "cache"), paths, 2, [])
    rows = _log(log)
    assert max(row["clips"] for row in rows) == 4
    assert sum(row["clips"] for row in rows) == 8
