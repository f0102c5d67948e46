from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from blueprints import RunFolderError, UserError
from tests.support.audio import tone, write
from tests.support.cli import ROOT, trace_eval
from tests.support.fakes import Counting, Derived, Placed
from tests.support.judged_on_ray import contents, nodes_of, slow_options, slow_pairs
from tests.support.louder_wins import NOTHING
from tests.support.object_store import BUCKET
from tests.support.processes import wait_for
from tests.support.ray_nodes import Nodes
from tests.support.speed import PATIENCE_S
from trace_eval.data.place import Place
from trace_eval.data.shards import Shard
from trace_eval.extracting.clip import Extracted
from trace_eval.extracting.options import ExtractOptions
from trace_eval.extracting.source import source_from
from trace_eval.extracting.start import extract, extract_each
from trace_eval.runs.events import RunEvent
from trace_eval.runs.job import judge_again, judge_manifest
from trace_eval.runs.ray.judger import files_of
from trace_eval.runs.run import Run
from trace_eval.runs.standing import Standing

pytest.importorskip("ray", reason="ray is not installed; run: pip install -e '.[ray]'")


def _options(
    nodes: Nodes | None,
    log: Path,
    delay_s: float = 0.0,
    cache: Path | None = None,
    **more: Any,
) -> ExtractOptions:
    """Plan the counting extractor and one that logs its process; no nodes: locally."""
    overrides = {
        **NOTHING,
        "peak": Counting(log, delay_s=delay_s),
        "placed": Placed(log.with_name(log.name + "-places"), uses=("peak",)),
    }
    return ExtractOptions(
        overrides=overrides,
        cache=cache or log.with_name(log.name + "-cache"),
        engine="ray" if nodes else "local",
        ray_address=nodes.address if nodes else None,
        **more,
    )


def _clips(folder: Path, count: int) -> list[Path]:
    return [write(folder / f"{n}.wav", tone(peak=0.5 + n / 100)) for n in range(count)]


def _extract(
    paths: list[Path], options: ExtractOptions, shards: Path
) -> list[Extracted]:
    extracted: dict[str, Extracted] = {}

    def keep(clip: Extracted) -> None:
        extracted[clip.source] = clip

    extract_each(
        [source_from(path) for path in paths], options, keep, shards=str(shards)
    )
    return [extracted[str(path)] for path in paths]


def _told(found: list[Extracted]) -> list[tuple[str, str | None, str | None]]:
    """Reduce outcomes to what must be equal, blueprints to the letter."""
    return [
        (f.source, f.blueprint and f.blueprint.model_dump_json(), f.error)
        for f in found
    ]


def _lines(log: Path) -> list[str]:
    return log.read_text().splitlines() if log.exists() else []


def test_a_node_dies_and_every_row_is_the_local_engines(
    nodes: Nodes, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    undecodable = tmp_path / "text.wav"
    undecodable.write_text("no audio")
    deadly = write(tmp_path / "deadly.wav", tone(peak=0.22))
    good = _clips(tmp_path, 16)
    paths = [undecodable, *good, deadly]
    log, shards = tmp_path / "log", tmp_path / "shards"
    options = _options(nodes, log, delay_s=0.3)
    places = tmp_path / "log-places"

    def kill() -> None:  # once both nodes work
        wait_for(
            lambda: len({json.loads(x)["pid"] for x in _lines(places)}) == 2,
            "two workers",
        )
        nodes.kill_second()

    killer = threading.Thread(target=kill)
    killer.start()
    extracted = _extract(paths, options, shards)
    killer.join()
    assert capfd.readouterr().out == ""  # results are printed there
    nodes.replace_second()

    local = extract(list(paths), _options(None, tmp_path / "local", workers=1))
    assert _told(extracted) == _told(local)
    assert extracted[0].error
    assert "is not a recording but text" in extracted[0].error
    assert extracted[-1].error
    assert "the worker process died on it" in extracted[-1].error
    assert all(set(f.work) <= {"counting", "placed"} for f in extracted)

    # Again: what is finished is neither computed nor written, and Ray not even started.
    before = _shards(shards)
    calls = _lines(log)
    assert set(calls) >= {f.blueprint.clip for f in extracted if f.blueprint}
    again = _extract(good, _options(_nowhere(), log), shards)
    assert _told(again) == _told(local[1:-1])
    assert not any(f.work for f in again)
    assert _lines(log) == calls
    assert _shards(shards) == before

    # One more extractor measures its own group, and nothing that is there.
    wider = _options(nodes, log, cache=tmp_path / "fresh-cache")
    wider.overrides["twice"] = Derived(tmp_path / "added")
    widened = _extract(good, wider, shards)
    assert all(f.blueprint and "twice" in f.blueprint.provenance for f in widened)
    assert _lines(log) == calls
    assert sum(int(line.split()[1]) for line in _lines(tmp_path / "added")) == len(good)

    # A failed recording is tried again, alone.
    write(undecodable, tone(peak=0.9))
    mended, *_ = _extract([undecodable, *good], options, shards)
    assert mended.blueprint
    assert _lines(log) == [*calls, mended.blueprint.clip]


def _nowhere() -> Any:
    """Nodes that cannot be reached: whoever tries fails."""

    class Nowhere:
        address = "127.0.0.1:1"

    return Nowhere()


@pytest.mark.slow
def test_stages_of_a_gpu_run_on_its_actors(nodes: Nodes, tmp_path: Path) -> None:
    def plan(log: Path) -> dict[str, Any]:
        return {
            **NOTHING,
            "first": Placed(log, "first"),
            "heard": Placed(log, "heard", uses=("first",), device="gpu", batch=2),
            "counted": Placed(log, "counted", uses=("first", "heard")),
        }

    paths = [*_clips(tmp_path, 5), tmp_path / "missing.wav"]
    log = tmp_path / "log"
    options = ExtractOptions(
        overrides=plan(log),
        cache=tmp_path / "1",
        engine="ray",
        ray_address=nodes.address,
    )
    extracted = _extract(paths, options, tmp_path / "shards")
    local = ExtractOptions(
        overrides=plan(tmp_path / "l"), cache=tmp_path / "2", workers=1
    )
    assert _told(extracted) == _told(extract(list(paths), local))
    assert [set(f.work) for f in extracted] == [{"placed"}] * 5 + [set()]

    rows = [json.loads(line) for line in _lines(log)]
    on_gpu = {row["pid"] for row in rows if row["group"] == "heard"}
    assert {row["gpu"] for row in rows if row["pid"] in on_gpu} == {"0"}
    for row in rows:
        assert (row["group"] == "heard") == (row["pid"] in on_gpu)
    assert {row["group"]: 0 for row in rows} == {"first": 0, "heard": 0, "counted": 0}


_DRIVER = """
import sys
from pathlib import Path
from tests.extracting.test_ray import _extract, _options

class Nodes:
    address = sys.argv[1]

if __name__ == "__main__":
    folder = Path(sys.argv[2])
    paths = sorted(folder.glob("*.wav"))
    _extract(paths, _options(Nodes(), folder / "log", delay_s=0.3), folder / "shards")
"""


@pytest.mark.slow
def test_a_stopped_driver_continues(nodes: Nodes, tmp_path: Path) -> None:
    paths = _clips(tmp_path, 16)
    script = tmp_path / "driver.py"
    script.write_text(_DRIVER)
    shards, log = tmp_path / "shards", tmp_path / "log"
    finished: dict[Path, int] = {}
    calls: dict[str, int] = {}
    for blow in (signal.SIGINT, signal.SIGKILL):
        driver = subprocess.Popen(
            [sys.executable, str(script), nodes.address, str(tmp_path)],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stderr=subprocess.PIPE,
            # A shell that runs the tests in the background leaves SIGINT ignored.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        more = len(finished) + 1
        wait_for(lambda more=more: len(_shards(shards)) >= more, "a shard")  # type: ignore[misc]
        driver.send_signal(blow)
        assert driver.wait(timeout=PATIENCE_S) != 0
        assert finished.items() <= _shards(shards).items()
        finished = _shards(shards)
        clips = [
            row["clip"] for path in finished for row in pq.read_table(path).to_pylist()
        ]
        calls = {clip: _lines(log).count(clip) for clip in clips}
    assert 2 <= len(finished) < 8  # of 16 clips over 2 workers, 4 shards for each

    found = _extract(paths, _options(nodes, log), shards)
    assert all(f.blueprint for f in found)
    assert finished.items() <= _shards(shards).items()
    assert {clip: _lines(log).count(clip) for clip in calls} == calls
    assert len([f for f in found if not f.work]) >= len(calls)


def _shards(folder: Path) -> dict[Path, int]:
    """Return the finished shards, and when they were."""
    return {path: path.stat().st_mtime_ns for path in folder.glob("[!.]*.parquet")}


def test_a_worker_with_other_versions_is_refused(
    nodes: Nodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def other(plan: Any) -> dict[str, Any]:
        return {
            group: {**_record(plan)[group], "version": "0"} for group in _record(plan)
        }

    from trace_eval.extracting.provenance import plan_record as _record

    monkeypatch.setattr("trace_eval.extracting.ray.engine.plan_record", other)
    options = _options(nodes, tmp_path / "log")
    with pytest.raises(
        UserError, match=r"a worker node has version '1', the driver '0'; install"
    ):
        _extract(_clips(tmp_path, 2), options, tmp_path / "shards")


@pytest.mark.slow
def test_extract_as_a_user_types_it(tmp_path: Path) -> None:
    clips = [
        ROOT / "examples" / "clips" / name
        for name in ("three-times-b.ogg", "silent-a.flac")
    ]
    for engine in ("ray", "local"):
        cache = tmp_path / f"cache-{engine}"
        options = ["-X", f"engine={engine}", "--cache", cache]
        done = trace_eval("extract", *clips, "--out", tmp_path / engine, *options)
        assert done.code == 0, done.err
        assert done.out == ""
    for name in ("clips.jsonl", "blueprints.jsonl"):
        ours, theirs = (sorted(_lines(tmp_path / e / name)) for e in ("ray", "local"))
        assert ours == theirs
    assert len(_lines(tmp_path / "ray" / "blueprints.jsonl")) == 2


def test_a_node_dies_and_the_run_on_an_object_store_is_the_local_one(
    nodes: Nodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    manifest, place = slow_pairs(tmp_path, 40), Place(f"{BUCKET}/run")
    local = judge_manifest(
        manifest, tmp_path / "local", slow_options(tmp_path, None, 0.0)
    )
    (tmp_path / "judged.log").unlink()

    def kill() -> None:
        wait_for(lambda: len(nodes_of(tmp_path)) == 2, "two nodes at work")
        nodes.kill_second()

    killer = threading.Thread(target=kill)
    killer.start()
    standings: list[Standing] = []

    def listen(event: RunEvent) -> None:
        if event.job:
            standings.append(event.job)

    options = slow_options(tmp_path, nodes.address)
    summary = judge_manifest(manifest, place.place, options, listen)
    killer.join()
    nodes.replace_second()
    assert (summary.scored, summary.total) == (local.scored, local.total) == (40, 41)
    assert standings[-1].done == 40
    assert standings[-1].failed == 0
    assert contents(place.read_folder("", "manifest.json")) == contents(
        files_of(tmp_path / "local")
    )

    # What is finished is neither judged nor merged again, and no cluster is asked for.
    judged = (tmp_path / "judged.log").read_text()
    with monkeypatch.context() as patched:
        patched.setattr("trace_eval.runs.ray.job.merge", None)
        again = judge_manifest(
            manifest, place.place, slow_options(tmp_path, _nowhere().address)
        )
    assert again.scored == 40
    assert (tmp_path / "judged.log").read_text() == judged

    # A shard that was lost is judged again, alone.
    for name in place.listed("shards/2-of-5"):
        place.remove(f"shards/2-of-5/{name}")
    judge_manifest(manifest, place.place, options)
    assert (
        len((tmp_path / "judged.log").read_text().splitlines())
        - len(judged.splitlines())
        == 8
    )
    assert contents(place.read_folder("", "manifest.json")) == contents(
        files_of(tmp_path / "local")
    )

    # Another way of judging does not mix with it.
    louder = options.extract.overrides["peak"]
    other = replace(options.extract, overrides={"peak": replace(louder, gain=2.0)})  # type: ignore[type-var]
    with pytest.raises(
        RunFolderError, match=r"made with other extractors .* name another"
    ):
        judge_manifest(manifest, place.place, replace(options, extract=other))


@pytest.mark.slow
def test_a_finished_run_is_judged_again_into_a_folder(
    nodes: Nodes, tmp_path: Path
) -> None:
    manifest = slow_pairs(tmp_path, 20)
    judge_manifest(manifest, tmp_path / "first", slow_options(tmp_path, None, 0.0))
    local, ray = tmp_path / "local", f"file://{tmp_path}/ray"
    judge_again(tmp_path / "first", local, slow_options(tmp_path, None, 0.0))
    judge_again(tmp_path / "first", ray, slow_options(tmp_path, nodes.address, 0.0))
    assert contents(files_of(tmp_path / "ray")) == contents(files_of(local))
    record = Run(tmp_path / "ray").record()
    assert [one.run for one in record.merged] == [
        f"{tmp_path}/ray/shards/{number}-of-3" for number in (1, 2, 3)
    ]
    with pytest.raises(RunFolderError, match="is a run of one machine"):
        judge_again(
            tmp_path / "first", local, slow_options(tmp_path, _nowhere().address)
        )


def test_what_cannot_be_is_refused_before_a_cluster_is_asked_for(
    tmp_path: Path,
) -> None:
    manifest, out = slow_pairs(tmp_path, 4), tmp_path / "out"
    options = slow_options(tmp_path, _nowhere().address)
    with pytest.raises(UserError, match="engine=ray cuts the items itself"):
        judge_manifest(manifest.shard(Shard(1, 2)), out, options)
    with pytest.raises(UserError, match="only -X engine=ray writes to a URL"):
        judge_manifest(manifest, f"{BUCKET}/x", slow_options(tmp_path, None))
    assert not out.exists()
