"""Single answers and pairs in every layout: both have answers and recordings."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from tests.support import calls
from trace_eval.data.answers import Answer
from trace_eval.data.items import (
    Item,
    Pair,
    ScoreLabels,
    Single,
    items_of_pair,
    side_of_pair,
)
from trace_eval.data.manifests import read_items
from trace_eval.data.recordings import check_audio
from trace_eval.data.singles import single_from_record

PAIR = Pair.model_validate(
    {
        "id": "p",
        "instruction": {"audio": "/i.wav"},
        "a": {"audio": "/a.wav", "system": "s", "reference": "yes"},
        "b": {"audio": "https://host/b.wav?X-Amz-Signature=1"},
    }
)


def test_both_kinds_have_answers_systems_and_recordings() -> None:
    assert PAIR.answers == (PAIR.a, PAIR.b)
    assert PAIR.systems == ("s", None)
    assert list(PAIR.recordings()) == ["instruction", "a", "b"]
    one = Single.model_validate(
        {
            "id": "d",
            "system": "t",
            "answer": {"turns": [{"audio": "/1.wav"}, {"audio": "/2.wav"}]},
        }
    )
    assert (one.answers, one.systems) == ((one.answer,), ("t",))
    assert list(one.recordings()) == one.answer_roles == ["turn-1", "turn-2"]
    assert Single(id="t", answer={"text": ""}).recordings() == {}


def test_a_record_is_read_as_what_it_was_written() -> None:
    kinds: TypeAdapter[Pair | Single] = TypeAdapter(Item)
    for item in (PAIR, *items_of_pair(PAIR)):
        assert kinds.validate_json(item.model_dump_json(exclude_none=True)) == item


def test_a_pair_gives_an_item_per_answer() -> None:
    a, b = items_of_pair(PAIR)
    assert (a.id, b.id) == ("p/a", "p/b")
    assert (a.question_id, a.reference, a.system) == ("p", ("yes",), "s")
    assert a.answer.source_id == PAIR.a.source_id
    assert b.answer.url == PAIR.b.url
    assert a.instruction == PAIR.instruction


def test_urls_may_be_signed_anew() -> None:
    _, b = items_of_pair(PAIR)
    _, again = items_of_pair(
        Pair.model_validate_json(
            PAIR.model_dump_json().replace("Signature=1", "Signature=2")
        )
    )
    assert b != again
    assert b.same_as(again)
    assert not b.same_as(PAIR)


CALL = {"clock": {"kind": "none"}, "speakers": [{"name": "bot", "role": "agent"}]}


def test_one_answer_has_two_json_forms() -> None:
    assert type(PAIR.a) is type(items_of_pair(PAIR)[0].answer) is Answer
    places = {"audio": "/a.wav", "url": None}
    cut = {"channel": 1, "start_s": 0.0, "end_s": 2.0}
    recorded = Pair.model_validate(
        {"id": "p", "a": {**places, "cut": cut}, "b": PAIR.b}
    )
    assert json.loads(recorded.model_dump_json())["a"] == (
        places | {"cut": cut, "system": None, "reference": None}
    )
    alone, _ = items_of_pair(recorded)
    assert json.loads(alone.model_dump_json())["answer"] == (
        places | {"cut": cut, "text": None, "turns": []}
    )
    assert side_of_pair(alone, "s") == recorded.a.model_copy(update={"system": "s"})


@pytest.mark.parametrize(
    ("record", "told"),
    [
        ({"text": "words"}, "'text' is none of a pair's: its answers are recordings"),
        ({"audio": "/a.wav", "text": None}, "'text' is none of a pair's"),
        ({"turns": [{"audio": "/a.wav"}]}, "'turns' is none of a pair's"),
        (
            {},
            "in a pair 'audio', the path or URL of its recording, or a 'conversation'",
        ),
        (
            {"audio": "/a.wav", "conversation": CALL},
            "has 'audio' or 'conversation', not both",
        ),
    ],
)
def test_a_pair_refuses_what_it_cannot_compare(
    record: dict[str, object], told: str
) -> None:
    with pytest.raises(ValidationError, match=re.escape(told)):
        Pair.model_validate({"id": "p", "a": record, "b": PAIR.b})
    offered = Pair.model_json_schema()["properties"]["a"]["properties"].keys()
    assert {"audio", "reference"} <= offered - {"text", "turns"} == offered


def test_raters_without_names_are_known_by_place() -> None:
    labels = ScoreLabels.model_validate(
        {"scores": [5, None, 3], "feedback": [None, ["u", "hard to say"], "e"]}
    )
    assert labels.scores == {"#1": 5, "#2": None, "#3": 3}
    assert labels.ratings == {"#1": 5, "#3": 3}
    assert labels.feedback == {"#2": ["u", "hard to say"], "#3": ["e"]}
    with pytest.raises(ValidationError, match="3 scores and 1 feedback entries"):
        ScoreLabels.model_validate({"scores": [5, 4, 3], "feedback": [None]})
    with pytest.raises(ValidationError, match=r"scores\.ann"):
        ScoreLabels.model_validate({"scores": {"ann": float("nan")}})


AUTHORS = {
    "candidate": "Three times.",
    "reference": "4",
    "question": "How often?",
    "rationale": "It is said four times.",
    "transcription": "",
    "ratings": [2, 1, None],
    "feedback": [None, ["a", "e"], ["u", "too vague"]],
}


def test_our_own_lines(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        {
            "id": 7,
            "audio": "a.wav",
            "instruction": "Whisper it.",
            "system": "s",
            "mood": "x",
        },
        {
            "id": "d",
            "turns": [{"audio": "1.wav", "speaker": "Ann"}, "s3://bucket/2.wav"],
            "instruction": {"text": "Play it.", "audio": "i.wav"},
            "context": "A kitchen.",
            "labels": {"scores": {"ann": 4, "ben": None}, "feedback": {"ben": "e"}},
        },
        {"id": "t", "question": "Why?", "reference": ["so", "thus"], "candidate": ""},
    )
    a, d, t = read_items(path).singles
    assert (a.id, a.answer.audio, a.instruction.text) == (
        "7",
        tmp_path / "a.wav",
        "Whisper it.",
    )
    assert a.meta == {"mood": "x"}
    assert [turn.speaker for turn in d.answer.turns] == ["Ann", None]
    assert list(d.recordings()) == ["instruction", "turn-1", "turn-2"]
    assert (d.labels.ratings, d.labels.feedback) == ({"ann": 4}, {"ben": ["e"]})
    assert (t.answer.text, t.reference) == ("", ("so", "thus"))
    assert [str(p) for p in check_audio([a])] == [
        (
            f"item 7, answer: {tmp_path / 'a.wav'}: no such file; check the path or"
            " --audio-root"
        )
    ]


def test_a_record_that_was_written_is_read_again(tmp_path: Path) -> None:
    item = single_from_record({"id": "x", **AUTHORS}, tmp_path)
    again = single_from_record(
        json.loads(item.model_dump_json(exclude_none=True)), tmp_path
    )
    assert again == item


def test_the_authors_layouts(tmp_path: Path) -> None:
    lines = read_items(
        write(tmp_path, {"id": "q1_M2_0", "question_id": "q1", **AUTHORS})
    ).singles
    by_id = tmp_path / "test.json"
    by_id.write_text(json.dumps({"q1_M2_0": AUTHORS, "odd": AUTHORS, "bad": 3}))
    manifest = read_items(by_id)
    coded, odd = manifest.singles
    assert lines[0].labels == coded.labels == odd.labels
    assert (coded.question_id, coded.system) == ("q1", "M2_0")
    assert (odd.question_id, odd.system) == (None, None)
    assert coded.labels.scores == {"#1": 2, "#2": 1, "#3": None}
    assert coded.labels.feedback == {"#2": ["a", "e"], "#3": ["u", "too vague"]}
    assert [str(p) for p in manifest.problems] == [
        f"{by_id}, item bad: expected an object, got 3"
    ]


def test_pairs_give_both_answers_and_flat_tables_work(tmp_path: Path) -> None:
    path = write(
        tmp_path, {"id": "p", "audio_a": "a.wav", "audio_b": "b.wav", "model_a": "s"}
    )
    a, b = read_items(path).singles
    assert [(item.id, item.system, item.question_id) for item in (a, b)] == [
        ("p/a", "s", "p"),
        ("p/b", None, "p"),
    ]
    table = tmp_path / "items.csv"
    table.write_text(
        "id,question,reference,candidate,audio,ratings\n1,Q,R,,x.wav,4\n2,Q,R,,,\n"
    )
    one, two = read_items(table).singles
    assert one.answer.text is None
    assert one.answer.audio == tmp_path / "x.wav"
    assert two.answer.text == ""


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({}, "id: is missing; name its column id, pair_id"),
        ({"id": "x"}, "answer: Value error, an answer needs"),
        ({"id": "x", "audio": "a", "turns": ["b"]}, "has 'audio' or 'turns', not both"),
        ({"id": "x", "candidate": 3}, "answer.text: Input should be a valid string"),
        (
            {"id": "x", "candidate": "c", "response": "d"},
            "response: candidate is given under",
        ),
        (
            {"id": "x", "candidate": "c", "reference": [1]},
            "reference.0: Input should be a valid",
        ),
        ({"id": "x", "candidate": "c", "labels": 4}, "labels: expected an object"),
        (
            {"id": "x", "candidate": "c", "ratings": [1, 2], "feedback": [None]},
            "2 scores and 1",
        ),
        ({"id": "x", "candidate": "c", "ratings": ["good"]}, "labels.scores.#1"),
        ({"id": "x", "turns": [3]}, "answer.turns.0"),
        ({"id": "x", "turns": []}, "an answer needs 'audio', 'turns' or 'text'"),
        (
            {"id": "x", "answer": {"text": "words", "system": "s"}},
            "'system' of a single answer stands beside 'answer'",
        ),
        (
            {"id": "x", "answer": {"text": "words", "conversation": CALL}},
            "a conversation has no other form",
        ),
    ],
)
def test_a_bad_record_is_one_problem(
    tmp_path: Path, record: dict[str, Any], said: str
) -> None:
    good = {"id": "good", "candidate": "c"}
    manifest = read_items(write(tmp_path, record, good))
    assert [item.id for item in manifest.singles] == ["good"]
    (problem,) = manifest.problems
    assert said in problem.what
    assert problem.where.endswith("line 1")
    assert manifest.total == 2


def test_the_shared_ratings_are_read_whole(data: Path) -> None:
    manifest = read_items(data / "orca" / "ratings.jsonl")
    items = manifest.singles
    # correctness.md, section 10.
    assert (len(items), len(manifest.problems)) == (1224, 0)
    assert len({item.question_id for item in items}) == 663
    provided = [
        score for item in items if item.labels for score in item.labels.ratings.values()
    ]
    assert [provided.count(k) for k in range(1, 6)] == [1544, 257, 215, 329, 875]
    assert sum(item.answer.text == "" for item in items) == 1
    assert all(isinstance(item, Single) and item.split for item in items)


def write(folder: Path, *records: dict[str, Any]) -> Path:
    return calls.manifest(folder, records)


def test_an_answer_may_be_an_object_and_its_turns_and_labels_are_checked(
    tmp_path: Path,
) -> None:
    path = write(
        tmp_path,
        {"id": "w", "answer": {"turns": [{"audio": "a.wav"}]}},
        {
            "id": "x",
            "answer": {"id": "x", "turns": [{"audio": "a.wav"}, {"speaker": "b"}]},
        },
        {"id": "y", "answer": {"text": "t"}, "labels": 5},
        {"id": "z", "answer": {"text": "t"}, "labels": {"scores": 5, "feedback": 5}},
        {"id": "c", "question": "Q?", "candidate": {"text": "so"}},
    )
    read = read_items(path)
    turns, candidate = read.singles
    assert (turns.id, turns.answer.is_spoken) == ("w", True)
    assert (candidate.id, candidate.answer.text) == ("c", "so")
    assert [problem.where for problem in read.problems] == [
        f"{path}, line {n}" for n in (2, 3, 4)
    ]


def test_a_column_answer_holds_the_words_or_a_recording(tmp_path: Path) -> None:
    table = tmp_path / "answers.csv"
    table.write_text(
        "uid,question,answer,gold\nx,How many?,Six,Eight\ny,How many?,six.wav,Eight\n"
    )
    words, sound = read_items(table).items
    assert (words.id, words.answer.text, words.reference) == ("x", "Six", ("Eight",))
    assert sound.answer.audio == tmp_path / "six.wav"
