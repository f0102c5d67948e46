from __future__ import annotations

import asyncio
import csv
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from blueprints import Blueprint, UserError
from fusion import DIMENSIONS, Rating
from tests.support import calls
from tests.support.audio import tone, write
from tests.support.forked import environment
from tests.support.louder_wins import LouderWins, louder_options, pairs_of_peaks
from tests.support.processes import wait_for
from tests.support.speed import PATIENCE_S
from trace_eval.data.judgement import DimensionVerdict, Judgement
from trace_eval.data.manifests import Manifest, read_manifest
from trace_eval.extracting.clip import Extracted
from trace_eval.extracting.source import ClipSource
from trace_eval.judges.base import Case
from trace_eval.judges.combine.panel import Panel
from trace_eval.runs.fuse import fuse_again
from trace_eval.runs.job import judge_manifest
from trace_eval.runs.options import Options
from trace_eval.runs.pipeline import Pipeline
from trace_eval.runs.record import CoverageRecord
from trace_eval.runs.run import Run


def _manifest(folder: Path, peaks: list[tuple[float, float]]) -> Manifest:
    return read_manifest(
        calls.manifest(folder, pairs_of_peaks(folder, peaks), "pairs.jsonl")
    )


@pytest.fixture
def judge() -> LouderWins:
    return LouderWins()


@pytest.fixture
def options(tmp_path: Path, judge: LouderWins) -> Options:
    return louder_options(tmp_path, judge)


def test_a_run_holds_everything_and_a_second_one_does_nothing(
    tmp_path: Path, options: Options, judge: LouderWins
) -> None:
    manifest = _manifest(tmp_path, [(0.5, 0.6), (0.7, 0.5), (0.6, 0.7)])
    out = tmp_path / "run"
    summary = judge_manifest(manifest, out, options)
    assert (summary.total, summary.scored, summary.coverage) == (3, 3, 1.0)
    assert (
        len((tmp_path / "log").read_text().splitlines()) == 3
    )  # 3 distinct clips of 6
    run = Run.open(out)
    ratings = {name: overall.rating for name, overall in run.overall().items()}
    assert ratings == {"p0": Rating.B, "p1": Rating.A, "p2": Rating.B}
    assert len(list(run.blueprints())) == len(run.clips()) == 3
    rows = list(csv.DictReader((out / "results.csv").open()))
    assert [row["overall"] for row in rows] == ["2", "1", "2"]
    assert rows[0]["system_a"] == "s0.5"
    record = run.record()
    assert record.extractors["peak"].extractor == "counting"
    assert record.judge.spec == "louder"
    assert {"numpy", "pydantic"} <= record.environment.packages.keys()
    assert record.coverage == CoverageRecord(total=3, scored=3)
    assert str(record.sessions[0].ended) >= record.sessions[0].started

    judge.seen.clear()
    again = judge_manifest(manifest, out, options)
    assert (judge.seen, again.clips, again.scored) == ([], 0, 3)
    assert len(Run.open(out).record().sessions) == 2


def test_failures_are_tried_again_and_scores_are_kept(
    tmp_path: Path, options: Options, judge: LouderWins
) -> None:
    manifest = _manifest(tmp_path, [(0.5, 0.6), (0.7, 0.5)])
    (tmp_path / "0.5.wav").rename(tmp_path / "hidden.wav")
    write(tmp_path / "0.5.wav", tone(peak=0.5)[:0])
    judge.fails = set()
    first = judge_manifest(manifest, tmp_path / "run", options)
    assert dict(first.unscored) == {"clip_failed": 2}
    (tmp_path / "hidden.wav").rename(tmp_path / "0.5.wav")
    judge.fails = {"p1"}
    second = judge_manifest(manifest, tmp_path / "run", options)
    assert (second.scored, dict(second.unscored)) == (1, {"judge_failed": 1})
    detail = Run.open(tmp_path / "run").judgements()["p1"].detail
    # What a library says may hold a password; no record does.
    assert detail == "RuntimeError: told to fail by URL('http://127.0.0.1:9')"
    judge.fails, judge.seen = set(), []
    third = judge_manifest(manifest, tmp_path / "run", options)
    assert (third.scored, judge.seen) == (2, ["p1"])


def test_a_run_is_not_continued_in_another_way(
    tmp_path: Path, options: Options, judge: LouderWins
) -> None:
    manifest = _manifest(tmp_path, [(0.5, 0.6)])
    judge_manifest(manifest, tmp_path / "run", options)
    other = louder_options(tmp_path, judge, gain=2)
    with pytest.raises(
        UserError, match=r"other extractors \(peak.parameters.gain: 1.0, now 2"
    ):
        judge_manifest(manifest, tmp_path / "run", other)
    changed = _manifest(tmp_path, [(0.6, 0.5)])
    with pytest.raises(UserError, match="pair 'p0' has changed"):
        judge_manifest(changed, tmp_path / "run", options)
    more = _manifest(tmp_path, [(0.5, 0.6), (0.5, 0.7)])
    assert judge_manifest(more, tmp_path / "run", options).scored == 2
    with (
        Run(tmp_path / "run"),
        pytest.raises(UserError, match="another process is writing to this run"),
    ):
        judge_manifest(more, tmp_path / "run", options)


def test_refusing_calls_nobody(
    tmp_path: Path, options: Options, judge: LouderWins
) -> None:
    judge_manifest(_manifest(tmp_path, [(0.5, 0.6)]), tmp_path / "run", options)
    judge.seen.clear()
    log = (tmp_path / "log").read_text()
    (overall,) = fuse_again(tmp_path / "run", "majority_vote")
    assert (overall.policy, overall.rating) == ("majority_vote", Rating.B)
    assert Run.open(tmp_path / "run").overall()["p0"] == overall
    assert (judge.seen, (tmp_path / "log").read_text()) == ([], log)
    with pytest.raises(UserError, match="no such run"):
        fuse_again(tmp_path / "nothing", "majority_vote")


def test_memory_holds_the_clips_in_flight_only(tmp_path: Path) -> None:
    pairs = _manifest(
        tmp_path, [(0.5 + n / 1000, 0.6 + n / 1000) for n in range(40)]
    ).pairs

    class Watched:
        """An engine that remembers how many clips were held at once."""

        capacity = 1  # with the two pairs that the judge takes, three in flight

        def __init__(self) -> None:
            self.most = 0

        async def extract(self, source: Any) -> Any:
            await asyncio.sleep(0)
            self.most = max(self.most, len(pipeline._clips._tasks))
            return Extracted(source.id, error="no blueprint")

        async def close(self) -> None:
            pass

    engine = Watched()
    pipeline = Pipeline(engine, Panel([LouderWins()]))
    asyncio.run(pipeline.judge_all(pairs))
    assert 2 <= engine.most <= 6  # two clips in each of at most three pairs
    assert not pipeline._clips._tasks


def test_later_clips_are_extracted_while_earlier_pairs_are_judged(
    tmp_path: Path,
) -> None:
    pairs = _manifest(
        tmp_path, [(0.5 + n / 100, 0.7 + n / 100) for n in range(4)]
    ).pairs
    extracted: list[str] = []

    class Engine:
        capacity = 2

        async def extract(self, source: ClipSource) -> Extracted:
            await asyncio.sleep(0)
            extracted.append(source.id)
            return Extracted(source.id, blueprint=Blueprint(clip=source.id))

        async def close(self) -> None:
            pass

    class Patient(LouderWins):
        """Keeps the first pair until the clips of the last one are there."""

        async def judge(self, case: Case) -> Judgement:
            if case.pair.id == "p0":
                while len(extracted) < 8:
                    await asyncio.sleep(0.001)
            verdict = DimensionVerdict(rating=Rating.A, reasoning="-")
            return Judgement.scored(
                case.pair.id, self.spec, dict.fromkeys(DIMENSIONS, verdict)
            )

    async def work() -> None:
        pipeline = Pipeline(Engine(), Panel([Patient()]))
        await asyncio.wait_for(pipeline.judge_all(pairs), timeout=PATIENCE_S)

    asyncio.run(work())
    assert len(extracted) == 8


_SESSION = """
import sys
from pathlib import Path
from tests.support.louder_wins import NOTHING
from tests.support.fakes import Counting
from trace_eval.data.manifests import (read_manifest)
from trace_eval.extracting.options import ExtractOptions
from trace_eval.runs.options import Options
from trace_eval.runs.job import judge_manifest

if __name__ == "__main__":
    folder, delay = Path(sys.argv[1]), float(sys.argv[2])
    counting = Counting(folder / "log", delay_s=delay)
    extract = ExtractOptions(overrides={**NOTHING, "peak": counting},
                             cache=folder / "cache", workers=2)
    judge_manifest(read_manifest(folder / "pairs.jsonl"), folder / "run", Options(extract))
"""


def _session(tmp_path: Path, delay: float) -> subprocess.Popen[bytes]:
    script = tmp_path / "session.py"
    script.write_text(_SESSION)
    return subprocess.Popen(
        [sys.executable, str(script), str(tmp_path), str(delay)],
        env=environment(),
        stderr=subprocess.PIPE,
        # A shell that runs the tests in the background leaves SIGINT ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


@pytest.mark.parametrize("blow", [signal.SIGKILL, signal.SIGINT])
def test_a_stopped_run_continues_and_no_finished_clip_is_extracted_twice(
    blow: signal.Signals, tmp_path: Path
) -> None:
    _manifest(tmp_path, [(0.5 + n / 100, 0.7 + n / 100) for n in range(8)])
    log, clips = tmp_path / "log", tmp_path / "run" / "clips.jsonl"
    first = _session(tmp_path, delay=0.4)
    wait_for(
        lambda: clips.exists() and clips.read_text().count("\n") >= 4, "four clips"
    )
    first.send_signal(blow)
    first.wait(timeout=PATIENCE_S)
    finished = {json.loads(line)["clip"] for line in clips.read_text().splitlines()}
    assert 4 <= len(finished) < 16
    second = _session(tmp_path, delay=0.0)
    assert second.wait(timeout=240) == 0, (
        second.stderr and second.stderr.read().decode()
    )
    calls = log.read_text().splitlines()
    assert len(set(calls)) == 16
    assert {clip: calls.count(clip) for clip in finished} == dict.fromkeys(finished, 1)
    run = Run.open(tmp_path / "run")
    assert len(run.judgements()) == 8
    assert len({b.clip for b in run.blueprints()}) == 16
