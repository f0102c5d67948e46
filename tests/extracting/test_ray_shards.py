"""What a shard holds, how a job is cut, and what an actor does, without a cluster."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pyarrow.parquet as pq
import pytest

pytest.importorskip("ray", reason="ray is not installed; run: pip install -e '.[ray]'")

from ray.exceptions import RayTaskError

from blueprints import (
    Absent,
    Blueprint,
    Extension,
    InputError,
    Provenance,
    Status,
    UserError,
)
from tests.support.audio import tone, write
from tests.support.fakes import Counting, Derived, Placed
from tests.support.louder_wins import NOTHING
from trace_eval.data.access import UrlAccess, set_url_access
from trace_eval.data.manifests import Manifest
from trace_eval.extracting.clip import Extracted
from trace_eval.extracting.options import ExtractOptions
from trace_eval.extracting.plan import Plan
from trace_eval.extracting.provenance import plan_record
from trace_eval.extracting.ray import shards
from trace_eval.extracting.ray.actors import (
    NAME,
    PARQUET,
    PROBLEM,
    WORK,
    StageActor,
    Work,
)
from trace_eval.extracting.ray.cluster import Size, failure
from trace_eval.extracting.ray.driver import RayJob, _split
from trace_eval.extracting.ray.engine import RayEngine
from trace_eval.extracting.ray.shards import (
    CHUNK_CLIPS,
    SCHEMA,
    Finished,
    ShardFolder,
    cut,
    plan_digest,
    to_parquet,
    version_of,
)
from trace_eval.extracting.source import ClipSource
from trace_eval.extracting.start import extract, extractors_of
from trace_eval.runs.events import RunEvent
from trace_eval.runs.extraction import Extraction, extract_to
from trace_eval.runs.ray.judger import Common, Judger, ShardToJudge

SOURCE = Provenance(extractor="x", version="1")


def _blueprint(value: Extension | Absent, clip: str = "c") -> Blueprint:
    return Blueprint(clip=clip).with_group("x", value, SOURCE)


def test_rows_come_back_as_they_went_in(tmp_path: Path) -> None:
    measured = _blueprint(Extension(values={"peak": 0.1 + 0.2}))
    passing = _blueprint(Absent(status=Status.FAILED, reason="crashed"))
    lasting = _blueprint(Absent(status=Status.SILENT, reason="no sound"))
    result = [
        Extracted(
            source="a", blueprint=measured, error=None, audio_s=1.5, work={"x": 0.25}
        ),
        Extracted("b", passing, None, 2.0),
        Extracted("c", lasting, None, 0.0),
        Extracted("d", None, "d: cannot be decoded"),
    ]
    folder = ShardFolder(str(tmp_path / "new" / "shards"))
    folder.write("1.parquet", to_parquet(result, ["5-6", None, None, None]))
    assert folder.outcomes("1.parquet") == result
    assert folder.entries("1.parquet") == [
        ("a", "5-6", True),
        ("b", None, False),  # another try may do better
        ("c", None, True),
        ("d", None, False),
    ]
    assert pq.read_schema(tmp_path / "new" / "shards" / "1.parquet").equals(SCHEMA)
    assert [path.name for path in (tmp_path / "new" / "shards").iterdir()] == [
        "1.parquet"
    ]


def test_a_torn_shard_is_told(tmp_path: Path) -> None:
    (tmp_path / "1.parquet").write_bytes(b"PAR1")
    with pytest.raises(
        UserError, match=r"1.parquet: not a shard .*; delete it and run again"
    ):
        ShardFolder(str(tmp_path)).entries("1.parquet")


def test_an_unknown_protocol_is_told() -> None:
    with pytest.raises(
        UserError, match=r"nope://bucket: .*install it or name a folder"
    ):
        ShardFolder("nope://bucket")


def test_chunks_are_fair_and_the_same_for_the_same_recordings() -> None:
    few = [ClipSource(f"s3://b/{n}", url=f"s3://b/{n}") for n in range(20)]
    # 2 workers x 4 chunks share 20 clips: 3 each, the last chunk has 2.
    chunks = cut("d", few, workers=2)
    assert [len(chunk.sources) for chunk in chunks] == [3] * 6 + [2]
    assert [s for chunk in chunks for s in chunk.sources] == few
    assert chunks == cut("d", few, workers=2)
    assert (
        len({chunk.name for chunk in chunks} | {c.name for c in cut("e", few, 2)}) == 14
    )
    many = [ClipSource(str(n), data=b"") for n in range(10 * CHUNK_CLIPS)]
    assert {len(chunk.sources) for chunk in cut("d", many, workers=1)} == {CHUNK_CLIPS}
    assert cut("d", [], workers=1) == []


def test_a_shard_counts_for_its_plan_and_its_files_only(tmp_path: Path) -> None:
    clip = write(tmp_path / "a.wav", tone())
    source = ClipSource(str(clip), path=clip)
    folder = ShardFolder(str(tmp_path / "shards"))
    plan = Plan((Counting(tmp_path / "log"),))
    digest = plan_digest(plan)
    (chunk,) = cut(digest, [source], workers=1)
    done = Extracted(source.id, _blueprint(Extension(values={})))
    folder.write(chunk.name, to_parquet([done], chunk.versions))
    names = folder.names(digest)
    assert names == [chunk.name]
    assert Finished(folder, names).find(source) == chunk.name
    assert not folder.names(plan_digest(Plan((Counting(tmp_path / "log", gain=2),))))
    assert not folder.names(plan_digest(Plan(plan.extractors, max_seconds=9)))
    assert plan_digest(Plan((Counting(tmp_path / "elsewhere", delay_s=1),))) == digest
    write(clip, tone(seconds=0.3))
    assert Finished(folder, names).find(source) is None


def test_of_shards_with_the_same_recordings_the_last_one_counts(tmp_path: Path) -> None:
    folder = ShardFolder(str(tmp_path))
    sources = [
        ClipSource(f"s3://b/{number}", url=f"s3://b/{number}") for number in range(300)
    ]
    final, passing = (
        Extension(values={}),
        Absent(status=Status.FAILED, reason="crashed"),
    )
    for name, some, value in (
        ("1.parquet", sources[:200], final),
        ("2.parquet", sources[100:250], final),
        ("3.parquet", sources, passing),
    ):
        rows = [Extracted(source.id, _blueprint(value)) for source in some]
        folder.write(name, to_parquet(rows, [None] * len(rows)))
    index = Finished(folder, folder.names(""))
    expected = ["1.parquet"] * 100 + ["2.parquet"] * 150 + [None] * 50
    assert [index.find(source) for source in sources] == expected
    assert len(index) == 350
    assert Finished(folder, []).find(sources[0]) is None


def _act(plan: Plan, place: str, work: Work) -> Any:
    (stage,) = plan.stages(split=False)
    actor = StageActor(
        plan=plan,
        stage=stage,
        last=True,
        place=place,
        record=plan_record(plan.extractors),
    )
    cell = np.empty(1, dtype=object)
    cell[0] = work.packed()
    return actor({WORK: cell})


@pytest.mark.usefixtures("memory_urls")
def test_an_actor_writes_to_a_url_and_never_works_twice(tmp_path: Path) -> None:
    clip, log = write(tmp_path / "a.wav", tone()), tmp_path / "log"
    plan = Plan((Counting(log),), tmp_path / "cache")
    (chunk,) = cut(plan_digest(plan), [ClipSource(str(clip), path=clip)], workers=1)
    place = f"memory://{tmp_path}"
    set_url_access(
        UrlAccess()
    )  # on the worker nobody has typed anything; the plan says it
    for _ in range(2):  # its node died after the first time, before anybody was told
        out = _act(plan, place, Work(chunk))
        assert (out[NAME][0], out[PARQUET][0], out[PROBLEM][0]) == (chunk.name, b"", "")
    (result,) = ShardFolder(place).outcomes(chunk.name)
    (local,) = extract(
        [clip], ExtractOptions(overrides=_only(log), cache=tmp_path / "2", workers=0)
    )
    assert result.blueprint == local.blueprint
    assert (
        len(log.read_text().splitlines()) == 2
    )  # once by the actor, once by this test


def test_a_store_that_refuses_a_worker_is_one_line_with_its_remedy(
    tmp_path: Path,
) -> None:
    """A node that lacks the package of the store, which the driver's machine has."""
    clip = write(tmp_path / "a.wav", tone())
    plan = Plan((Counting(tmp_path / "log"),), tmp_path / "cache")
    (chunk,) = cut(plan_digest(plan), [ClipSource(str(clip), path=clip)], workers=1)
    out = _act(plan, "nope://bucket", Work(chunk))
    assert out[PROBLEM][0].endswith("; install it or name a folder")
    assert not (tmp_path / "log").exists()
    common = SimpleNamespace(place="nope://bucket", access=UrlAccess(), hashes={})
    desk = SimpleNamespace(begin=SimpleNamespace(remote=lambda *_: None))
    work = ShardToJudge("1", Manifest("p", items=[]))
    judged = Judger(cast(Common, common), desk).judge("1.0", work.packed())
    assert (judged.problem, judged.passing) == (out[PROBLEM][0], True)


def test_what_ray_wraps_around_a_refusal_is_taken_off() -> None:
    refusal = InputError("s3://b: no permission; check the credentials")
    of_both = RayTaskError("f", "a traceback", refusal).as_instanceof_cause()
    assert "traceback" in str(of_both)
    for error in (refusal, of_both, RayTaskError("f", "a traceback", refusal)):
        message = failure(error)
        assert type(message) is UserError
        assert str(message) == str(refusal)
    other = failure(RayTaskError("f", "a\ntraceback", KeyError("x")))
    assert isinstance(other, RuntimeError)
    assert "\n" not in str(other)


@pytest.mark.usefixtures("memory_urls")
def test_a_new_extractor_costs_itself_alone(tmp_path: Path) -> None:
    """The second of two nodes with own caches finds the first one's work in shards."""
    clip, log, added = (
        write(tmp_path / "a.wav", tone()),
        tmp_path / "log",
        tmp_path / "added",
    )
    source, place = ClipSource(str(clip), path=clip), f"memory://{tmp_path}"
    plan = Plan((Counting(log),), tmp_path / "1")
    (chunk,) = cut(plan_digest(plan), [source], workers=1)
    _act(plan, place, Work(chunk))
    more = Plan((Counting(log), Derived(added)), tmp_path / "2")
    earlier = {source.id: chunk.name}
    assert Finished(ShardFolder(place), [chunk.name]).find(source) == chunk.name
    (larger,) = cut(plan_digest(more), [source], workers=1, earlier=earlier)
    assert larger.earlier == (chunk.name,)
    _act(more, place, Work(larger))
    assert len(log.read_text().splitlines()) == 1, (
        "what was measured is not measured again"
    )
    assert len(added.read_text().splitlines()) == 1
    (result,) = ShardFolder(place).outcomes(larger.name)
    overrides = {**_only(log), "twice": Derived(added)}
    options = ExtractOptions(overrides=overrides, cache=tmp_path / "3", workers=0)
    (local,) = extract([clip], options)
    assert result.blueprint == local.blueprint

    # Another setting of the first one is another measurement, and so is what rests on
    # it.
    other = Plan((Counting(log, gain=2), Derived(added)), tmp_path / "4")
    earlier = {source.id: larger.name}
    (changed,) = cut(plan_digest(other), [source], workers=1, earlier=earlier)
    _act(other, place, Work(changed))
    assert len(log.read_text().splitlines()) == 3, "the local one, and this one"
    assert len(added.read_text().splitlines()) == 3


@pytest.mark.usefixtures("memory_urls")
def test_a_failed_recording_behind_a_url_is_tried_again(tmp_path: Path) -> None:
    clip, log = write(tmp_path / "a.wav", tone(peak=0.44)), tmp_path / "log"
    plan = Plan((Counting(log),), tmp_path / "cache")
    digest, place = plan_digest(plan), f"memory://{tmp_path}"
    source, folder = ClipSource("s3://b/a", path=clip), ShardFolder(place)
    for times in (1, 2):
        names = folder.names(digest)
        assert Finished(folder, names).find(source) is None
        (chunk,) = cut(digest, [source], 1, names)
        _act(plan, place, Work(chunk))
        assert len(log.read_text().splitlines()) == times
    assert folder.names(digest) == [chunk.name]


def _only(log: Path) -> dict[str, Any]:
    return {**NOTHING, "peak": Counting(log)}


def test_where_a_gpu_is_asked_for(tmp_path: Path) -> None:
    model = Plan((Placed(tmp_path, device="gpu"),))

    def split(device: str, gpus: float, plan: Plan = model) -> bool:
        options = ExtractOptions(device=device)
        return _split(
            RayJob(
                plan=plan,
                record={},
                digest="",
                names=frozenset(),
                sources=[],
                earlier={},
                place="",
                options=options,
            ),
            Size(4, gpus),
        )

    assert split("auto", 1)
    assert split("cuda", 1)
    assert not split("auto", 0)
    assert not split("cpu", 1)
    assert not split("cuda", 1, Plan((Placed(tmp_path),)))
    with pytest.raises(UserError, match="'cuda:1': under Ray each actor sees one GPU"):
        split("cuda:1", 2)
    with pytest.raises(UserError, match="'cuda': the cluster has no GPU"):
        split("cuda", 0)


def test_what_cannot_be_had_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clip = write(tmp_path / "a.wav", tone())
    options = ExtractOptions(overrides=_only(tmp_path / "log"), engine="ray")
    with pytest.raises(
        UserError, match="keeps its results in a folder; use extract_to"
    ):
        extract([clip], options)
    with pytest.raises(UserError, match="s3://b: only -X engine=ray writes to a URL"):
        extract_to("s3://b", [clip], ExtractOptions())
    with pytest.raises(
        UserError, match=r"'127.0.0.1:1': no cluster answers .*ray start --head"
    ):
        extract_to(
            tmp_path / "out", [clip], replace(options, ray_address="127.0.0.1:1")
        )
    monkeypatch.setattr(
        "trace_eval.extracting.ray.engine.is_installed", lambda _: False
    )
    with pytest.raises(UserError, match=r"not installed; run: pip install '\.\[ray\]'"):
        extract_to(tmp_path / "out", [clip], options)


def test_a_job_with_nothing_left_starts_nothing(tmp_path: Path) -> None:
    async def work() -> int:
        engine = RayEngine(Plan(()), [], str(tmp_path), ExtractOptions(engine="ray"))
        try:
            return engine.capacity
        finally:
            await engine.close()

    assert asyncio.run(work()) == CHUNK_CLIPS


def test_a_recording_that_is_taken_for_a_finished_one_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = Plan(())
    done = to_parquet([Extracted("a", Blueprint(clip="c"))], [None])
    ShardFolder(str(tmp_path)).write(f"{plan_digest(plan)}-1.parquet", done)
    monkeypatch.setattr(shards, "_mark", lambda *_: b"12345678")

    async def extracted() -> Extracted:
        other = ClipSource("b", data=b"")
        options = ExtractOptions(engine="ray")
        engine = RayEngine(plan, [other], str(tmp_path), options)
        assert not engine.left
        return await engine.extract(other)

    result = asyncio.run(extracted())
    assert result.blueprint is None
    assert "b: is not in " in str(result.error)
    assert "delete that shard and run again" in str(result.error)


def test_a_resumed_job_reads_the_columns_that_it_needs(tmp_path: Path) -> None:
    folder = ShardFolder(str(tmp_path))
    sources = [
        ClipSource(f"s3://b/{number}", url=f"s3://b/{number}") for number in range(9)
    ]
    done = [
        Extracted(one.id, _blueprint(Extension(values={"x": 1.0}), one.id))
        for one in sources
    ]
    folder.write("1.parquet", to_parquet(done, [None] * len(done)))
    path = tmp_path / "1.parquet"
    column = pq.read_metadata(path).row_group(0).column(SCHEMA.names.index("blueprint"))
    content = bytearray(path.read_bytes())
    begin = column.dictionary_page_offset or column.data_page_offset
    content[begin : begin + column.total_compressed_size] = bytes(
        column.total_compressed_size
    )
    path.write_bytes(content)
    with pytest.raises((UserError, OSError)):
        folder.outcomes("1.parquet")
    held = Finished(folder, ["1.parquet"]).find_each(
        [*sources, ClipSource("s3://b/other")]
    )
    assert [name for _, name in held] == ["1.parquet"] * 9 + [None]


@pytest.mark.usefixtures("memory_urls")
def test_a_finished_job_at_a_url_reads_no_outcome(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, log = f"memory://{tmp_path}/out", tmp_path / "log"
    options = ExtractOptions(
        overrides=_only(log),
        cache=tmp_path / "cache",
        engine="ray",
        ray_address="127.0.0.1:1",
    )
    plan = Plan(tuple(extractors_of(options)), options.cache, options.max_seconds)
    urls = [f"https://example.org/{number}.wav" for number in range(5)]
    done = [Extracted(url, _blueprint(Extension(values={}))) for url in urls]
    shards = ShardFolder(f"{out}/shards")
    shards.write(f"{plan_digest(plan)}-1.parquet", to_parquet(done, [None] * 5))
    monkeypatch.setattr(ShardFolder, "outcomes", None)
    events: list[RunEvent] = []
    assert extract_to(out, urls, options, events.append) == Extraction(out, 5)
    assert [event.pending for event in events] == [0]


def test_the_version_of_a_file_is_had_without_looking_up_its_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, link = write(tmp_path / "a.wav", tone()), tmp_path / "link.wav"
    link.symlink_to(path)
    monkeypatch.setattr(Path, "resolve", lambda path: pytest.fail(f"resolved {path}"))
    version = version_of(ClipSource("a", path))
    assert version is not None
    assert version_of(ClipSource("link", link)) == version
    assert version_of(ClipSource("none", tmp_path / "none.wav")) is None
    link.unlink()
    link.symlink_to(link)
    assert version_of(ClipSource("circle", link)) is None
    assert version_of(ClipSource("a", url="https://example.org/a.wav")) is None
