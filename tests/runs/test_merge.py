from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from blueprints import UserError
from tests.support.louder_wins import LouderWins, louder_options, pairs_of_peaks
from trace_eval.data.manifests import Manifest, read_manifest
from trace_eval.data.shards import Shard
from trace_eval.runs import merge as merging
from trace_eval.runs.extraction import extract_to
from trace_eval.runs.job import judge_manifest
from trace_eval.runs.merge import merge
from trace_eval.runs.run import Run

#: Of each pair: the peaks of A and B. Clip 0.5 is in every shard.
PEAKS = [
    (0.5, 0.6),
    (0.7, 0.5),
    (0.8, 0.9),
    (0.5, 0.9),
    (0.6, 0.5),
    (0.7, 0.8),
    (0.5, 0.8),
]


def _manifest(folder: Path, start: int = 0, count: int = len(PEAKS)) -> Manifest:
    records = pairs_of_peaks(folder / "clips", PEAKS[start : start + count], start)
    # The instructions alternate, so that a shard's pairs are scattered over the whole.
    for number, record in enumerate(records, start=start):
        record["instruction_id"] = f"i{number % 2}"
    path = folder / f"pairs-{start}-{count}.jsonl"
    path.write_text(
        "".join(json.dumps(record) + "\n" for record in records) + "{broken\n"
    )
    return read_manifest(path)


def _judged(folder: Path, manifest: Manifest, judge: LouderWins, **how: Any) -> Path:
    """Judge this manifest."""
    judge_manifest(manifest, folder, louder_options(folder.parent, judge, **how))
    return folder


@pytest.fixture
def judge() -> LouderWins:
    return LouderWins()


@pytest.fixture
def shards(tmp_path: Path, judge: LouderWins) -> list[Path]:
    manifest = _manifest(tmp_path)
    return [
        _judged(tmp_path / f"shard{n}", manifest.shard(Shard(n, 3)), judge)
        for n in (1, 2, 3)
    ]


def test_shards_become_the_run_that_one_process_makes(
    tmp_path: Path, shards: list[Path], judge: LouderWins
) -> None:
    whole, merged = (
        _judged(tmp_path / "whole", _manifest(tmp_path), judge),
        tmp_path / "merged",
    )
    result = merge([shards[2], shards[0], shards[1]], merged)
    assert (result.out, result.folders, result.blueprints, result.missing) == (
        merged,
        3,
        5,
        (),
    )
    assert (result.summary.total, result.summary.scored) == (
        8,
        7,
    )  # with the broken record
    assert dict(result.summary.unscored) == {"unreadable_record": 1}
    assert result.summary.coverage == 7 / 8

    one, other = Run.open(whole), Run.open(merged)
    for name in ("pairs.jsonl", "problems.jsonl", "overall.jsonl", "results.csv"):
        assert one.path(name).read_bytes() == other.path(name).read_bytes(), name
    assert one.judgements() == other.judgements()
    assert one.clips() == other.clips()
    assert {b.clip: b for b in one.blueprints()} == {
        b.clip: b for b in other.blueprints()
    }
    assert len(list(other.blueprints())) == 5
    before, after = one.record(), other.record()
    assert after.coverage == before.coverage
    assert len(after.sessions) == 3
    assert after.shard is None
    assert [part.shard.index for part in after.merged if part.shard] == [1, 2, 3]
    names = {path.name for path in merged.iterdir()}
    assert not {name for name in names if name.endswith(".part") or name == ".merging"}

    judge.seen.clear()
    again = judge_manifest(_manifest(tmp_path), merged, louder_options(tmp_path, judge))
    assert (judge.seen, again.scored) == ([], 7)


def test_missing_shards_are_named(tmp_path: Path, shards: list[Path]) -> None:
    with pytest.raises(UserError, match="shards 1/3, 3/3 are missing"):
        merge([shards[1]], tmp_path / "merged")
    assert not (tmp_path / "merged").exists()
    result = merge([shards[0], shards[2]], tmp_path / "merged", partial=True)
    assert result.missing == ("2/3",)
    ids = [pair.id for pair in Run.open(tmp_path / "merged").pairs()]
    # Lined up by instruction: p0 p2 p4 p6 p1 p3 p5, cut after two and four.
    assert ids == ["p0", "p1", "p2", "p3", "p5"]


@pytest.mark.parametrize("left", [0, 1])
def test_a_shard_that_was_killed_is_named(
    tmp_path: Path, shards: list[Path], left: int
) -> None:
    """It has all its pairs and judgements of some; failures would be outcomes, too."""
    path = shards[1] / "judgements.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:left]))
    count = len(lines)
    with pytest.raises(UserError) as told:
        merge(shards, tmp_path / "merged")
    assert f"(shard 2/3): was stopped before the end: {count - left} of {count}" in str(
        told.value
    )
    assert "--partial" in str(told.value)
    result = merge(shards, tmp_path / "merged", partial=True)
    assert result.summary.unscored["not_judged"] == count - left


def test_a_shard_that_was_killed_before_it_wrote_its_pairs_is_missed(
    tmp_path: Path, shards: list[Path]
) -> None:
    """Its record stands before its pairs do: it looked like a shard without any."""
    for name in ("pairs.jsonl", "places.jsonl", "judgements.jsonl"):
        (shards[1] / name).unlink()
    with pytest.raises(UserError, match=f"5 of the 7 pairs .* one of {shards[1]} was"):
        merge(shards, tmp_path / "merged")
    partly = merge(shards, tmp_path / "merged", partial=True)
    assert partly.summary is not None
    assert partly.summary.scored == 5


def test_what_does_not_belong_together(
    tmp_path: Path, shards: list[Path], judge: LouderWins
) -> None:
    manifest, out = _manifest(tmp_path), tmp_path / "merged"
    third = manifest.shard(Shard(3, 3))
    twice = _judged(tmp_path / "twice", manifest.shard(Shard(2, 3)), judge)
    half = _judged(tmp_path / "half", manifest.shard(Shard(2, 2)), judge)
    lone = _judged(tmp_path / "lone", _manifest(tmp_path, 0, 3), judge)
    gain = _judged(tmp_path / "gain", third, judge, gain=2)
    policy = _judged(tmp_path / "policy", third, judge, policy="majority_vote")
    for others, message in (
        ([*shards, twice], "twice: are the same shard"),
        ([shards[0], half], "half: are shards of different inputs"),
        ([shards[0], lone], "lone: is not a shard, but others are"),
        (
            [*shards[:2], gain],
            r"gain: .* other extractors than .* \(peak.parameters.gain: 2, there 1.0",
        ),
        (
            [*shards[:2], policy],
            r"policy: .* another policy than .* \('majority_vote', there 'content",
        ),
        ([shards[0], shards[0]], "one folder is named twice"),
        ([shards[0], tmp_path], "no run and no blueprints here"),
    ):
        with pytest.raises(UserError, match=message):
            merge(others, out)
        assert not out.exists()
    with pytest.raises(UserError, match="exists; choose another --out"):
        merge(shards, lone)


def test_a_shard_is_not_continued_as_another_one(
    tmp_path: Path, shards: list[Path], judge: LouderWins
) -> None:
    manifest = _manifest(tmp_path)
    with pytest.raises(UserError, match=r"another shard \(index: 1, now 2\)"):
        _judged(shards[0], manifest.shard(Shard(2, 3)), judge)
    with pytest.raises(UserError, match="another shard"):
        _judged(shards[0], manifest, judge)
    judge.seen.clear()
    _judged(shards[0], manifest.shard(Shard(1, 3)), judge)
    assert judge.seen == []


def test_runs_of_separate_inputs(tmp_path: Path, judge: LouderWins) -> None:
    judge.fails = {"p3"}
    one = _judged(tmp_path / "one", _manifest(tmp_path, 0, 4), judge)
    judge.fails = set()
    two = _judged(tmp_path / "two", _manifest(tmp_path, 3, 4), judge)
    result = merge([one, two], tmp_path / "merged")
    # p3 is in both: scored in the second, and that one counts.
    assert (result.summary.total, result.summary.scored) == (9, 7)
    run = Run.open(tmp_path / "merged")
    assert [pair.id for pair in run.pairs()] == [f"p{number}" for number in range(7)]
    assert [result.pair for result in run.attempts()].count("p3") == 1
    assert run.judgements()["p3"].status == "scored"


def _rewrite(path: Path, change: Any) -> None:
    records = [json.loads(line) for line in path.read_text().splitlines()]
    path.write_text("".join(json.dumps(change(record)) + "\n" for record in records))


def test_contradictions_name_both_runs(tmp_path: Path, judge: LouderWins) -> None:
    one = _judged(tmp_path / "one", _manifest(tmp_path, 0, 4), judge)
    other = _judged(tmp_path / "two", _manifest(tmp_path, 3, 4), judge)
    folders, out = [one, other], tmp_path / "merged"

    def check(name: str, change: Any, message: str) -> None:
        kept = (other / name).read_bytes()
        _rewrite(other / name, change)
        with pytest.raises(UserError, match=f"one and .*two: {message}"):
            merge(folders, out)
        assert not list(tmp_path.glob("merged*"))
        (other / name).write_bytes(kept)

    def turned(record: dict[str, Any]) -> dict[str, Any]:
        for verdict in record["dimensions"].values():
            verdict["rating"] = "both_bad"
        return record

    check("judgements.jsonl", turned, "pair 'p3' was judged differently")
    check(
        "pairs.jsonl",
        lambda r: r | {"category": "x"},
        "pair 'p3' differs between the two",
    )
    check(
        "clips.jsonl",
        lambda r: r | {"clip": "f" * 64},
        ".* is another recording in each",
    )

    def louder(record: dict[str, Any]) -> dict[str, Any]:
        record["extensions"]["peak"]["values"]["peak"] += 1
        return record

    check(
        "blueprints.jsonl",
        louder,
        r"clip \w+ has another blueprint in each \(extensions\)",
    )

    # Spelling, the last digits of another processor, time and money are no
    # contradiction.
    def other_digits(record: dict[str, Any]) -> dict[str, Any]:
        record["extensions"]["peak"]["values"]["peak"] += 1e-6
        return dict(reversed(record.items()))

    _rewrite(other / "blueprints.jsonl", other_digits)
    _rewrite(other / "judgements.jsonl", lambda r: r | {"usage": {"input_tokens": 7}})
    assert merge(folders, out).blueprints == 5


def test_of_what_was_made_twice_the_last_counts(
    tmp_path: Path, shards: list[Path]
) -> None:
    blueprints = shards[0] / "blueprints.jsonl"
    lines = blueprints.read_text().splitlines(keepends=True)
    worse = json.loads(lines[0])
    worse["extensions"] = {"peak": {"status": "failed", "reason": "out of memory"}}
    blueprints.write_text(json.dumps(worse) + "\n" + "".join(lines))
    with (shards[1] / "judgements.jsonl").open("a") as file:
        file.write('{"pair": "torn')
    merge(shards, tmp_path / "merged")
    run = Run.open(tmp_path / "merged")
    assert len(list(run.blueprints())) == 5
    assert all(b.group("peak").status == "ok" for b in run.blueprints())
    assert len(run.judgements()) == 7


def test_a_run_that_is_being_written_is_not_merged(
    tmp_path: Path, shards: list[Path]
) -> None:
    with (
        Run.open(shards[1]),
        pytest.raises(
            UserError, match="shard2: another process is writing to this run"
        ),
    ):
        merge(shards, tmp_path / "merged")
    assert merge(shards, tmp_path / "merged").summary


def test_nothing_half_made_is_left(
    tmp_path: Path, shards: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    part = tmp_path / "merged.part"
    part.mkdir()
    (part / "mine.txt").write_text("not ours")
    with pytest.raises(UserError, match=r"merged.part: is in the way"):
        merge(shards, tmp_path / "merged")
    assert (part / "mine.txt").exists()
    # What a killed merge leaves has a mark and is taken over.
    (part / "mine.txt").rename(part / "judgements.jsonl.part")
    (part / ".merging").touch()
    merge(shards, tmp_path / "merged")
    assert not part.exists()
    assert not (tmp_path / "merged" / "judgements.jsonl.part").exists()

    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(merging, "fuse_run", stopped)
    with pytest.raises(KeyboardInterrupt):
        merge(shards, tmp_path / "again")
    assert not list(tmp_path.glob("again*"))


def test_blueprints_that_are_gone_are_missed(
    tmp_path: Path, shards: list[Path]
) -> None:
    """A blueprint may be in another folder; without any, only --partial goes on."""
    for folder in shards:
        (folder / "blueprints.jsonl").write_text("")
    lost = f"{shards[0].name}: blueprints.jsonl lacks 5 recordings of clips.jsonl"
    with pytest.raises(UserError, match=lost):
        merge(shards, tmp_path / "merged")
    merge(shards, tmp_path / "merged", partial=True)
    assert not list(Run(tmp_path / "merged").blueprints())


def test_folders_of_blueprints(tmp_path: Path, judge: LouderWins) -> None:
    _manifest(tmp_path)
    paths = sorted((tmp_path / "clips").iterdir())
    missing = tmp_path / "none.wav"
    options = louder_options(tmp_path, judge).extract
    extract_to(tmp_path / "one", [*paths[:3], missing], options)
    extract_to(tmp_path / "two", paths[2:], options)
    result = merge([tmp_path / "one", tmp_path / "two"], tmp_path / "merged")
    assert (result.blueprints, result.summary) == (5, None)
    run = Run(tmp_path / "merged")
    assert run.clips().keys() == {str(path) for path in (*paths, missing)}
    assert len(list(run.blueprints())) == 5
    assert {path.name for path in run.folder.iterdir()} == {
        "clips.jsonl",
        "blueprints.jsonl",
    }
    run = _judged(tmp_path / "run", _manifest(tmp_path, 0, 1), judge)
    with pytest.raises(UserError, match="only has blueprints; merge one kind"):
        merge([tmp_path / "one", run], tmp_path / "mixed")
