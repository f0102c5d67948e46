"""Conversations as answers: read, cut into clips, extracted, judged, rated and continued."""

from __future__ import annotations

import json
from pathlib import Path

import soundfile

from extractors.audio import Clip
from tests.support import calls
from tests.support.fakes import Counting
from trace_eval.data.items import Single
from trace_eval.data.pairs import Pair
from trace_eval.extracting.cache import Cache
from trace_eval.extracting.clip import ClipExtractor
from trace_eval.extracting.start import source_of
from trace_eval.options import Options, RateOptions
from trace_eval.runs.job import open_job


def test_every_turn_is_a_clip_of_its_channel_cached_by_its_samples(tmp_path: Path) -> None:
    samples, rate = soundfile.read(calls.sound(tmp_path), dtype="float32")
    path = calls.manifest(tmp_path, [{"id": "c1", "conversation": calls.conversation()}])
    (item,) = open_job(path, tmp_path / "run", RateOptions()).manifest.singles
    clips = item.recordings()
    assert list(clips) == item.answer_roles == [f"answer/turn-{n}" for n in range(5)]
    assert [turn.speaker for turn in item.answer.spoken_turns.values()][:2] == ["bot", "caller"]
    cache = Cache(tmp_path / "cache")
    plan = ClipExtractor([Counting(tmp_path / "log")], cache)
    found = plan.run([source_of(one) for one in clips.values()])
    alone = [
        Clip(samples[round(start * rate) : round(end * rate), [int(who == "bot")]], rate).sha256
        for who, start, end, _ in calls.TURNS
    ]
    assert [one.blueprint and one.blueprint.clip for one in found] == alone  # never the mix
    # The same turn in a call of another name and length is no new work.
    soundfile.write(tmp_path / "longer.wav", samples[: 9 * rate], rate)
    other = {"id": "c2", "conversation": calls.conversation("longer.wav", calls.TURNS[:4])}
    (again,) = open_job(
        calls.manifest(tmp_path, [other], "2.jsonl"), tmp_path / "2", RateOptions()
    ).manifest.singles
    plan.run([source_of(one) for one in again.recordings().values()])
    plan.close()
    assert (tmp_path / "log").read_text().split() == alone


def test_paths_of_any_layout_are_answers_and_a_bad_one_costs_itself(tmp_path: Path) -> None:
    calls.sound(tmp_path)
    rows = "\n".join(
        f'{who},{start},{end},"{text}","{"user" if who == "caller" else "agent"}"'
        for who, start, end, text in calls.TURNS
    )
    (tmp_path / "turns.csv").write_text(f"speaker,start,end,text,role\n{rows}\n")
    sides = {"a": {"conversation": "turns.csv", "system": "x"}, "b_conversation": "turns.csv"}
    bad = {**sides, "b_conversation": "none.csv"}
    both = {**sides, "a": {"conversation": "turns.csv", "audio": "call.wav"}}
    path = calls.manifest(
        tmp_path, [{"id": "p", **sides}, {"id": "bad", **bad}, {"id": "two", **both}]
    )
    job = open_job(path, tmp_path / "run", Options())
    (pair,) = job.manifest.pairs
    assert pair.has_conversations
    assert pair.answer_roles == []  # words and times alone
    told = [str(problem) for problem in job.problems()]
    assert "no such file or folder; check the path" in told[0]
    assert "has 'audio' or 'conversation', not both" in told[1]
    (rated,) = open_job(tmp_path / "turns.csv", tmp_path / "2", RateOptions()).manifest.singles
    assert rated.answer.conversation == pair.a.conversation
    # What it is read from again is what was written.
    assert Pair.model_validate_json(pair.model_dump_json()) == pair
    assert Single.model_validate_json(rated.model_dump_json()) == rated


def test_labels_of_people_stay_with_the_item(data: Path, tmp_path: Path) -> None:
    folder = data / "conversation" / "eva" / "judge_validation"
    of = {
        name: open_job(folder / f"{name}.jsonl", tmp_path / name, RateOptions()).manifest
        for name in ("faithfulness", "conciseness")
    }
    assert len(of["faithfulness"].singles) == 67
    whole = [item.labels for item in of["faithfulness"].singles]
    assert {v for labels in whole if labels for v in labels.scores.values()} == {1, 2, 3}
    turns = [item.labels.turns for item in of["conciseness"].singles if item.labels]
    assert sum(map(len, turns)) == 203


def test_a_cut_beyond_its_file_says_so(tmp_path: Path) -> None:
    calls.sound(tmp_path)
    late = [*calls.TURNS[:1], ("caller", 20.0, 21.0, "too late")]
    record = {"id": "c", "conversation": calls.conversation(turns=late, end={"at_s": 22.0})}
    path = calls.manifest(tmp_path, [record])
    (item,) = open_job(path, tmp_path / "run", RateOptions()).manifest.singles
    plan = ClipExtractor([Counting(tmp_path / "log")], Cache(tmp_path / "cache"))
    good, bad = plan.run([source_of(one) for one in item.recordings().values()])
    plan.close()
    assert good.error is None
    assert bad.error is not None
    assert "has no sound from 20 to 21 s; check the clock" in bad.error
    assert json.dumps(bad.source).count("channel=0&t=20")
