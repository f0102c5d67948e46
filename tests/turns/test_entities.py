"""Entities: equal in every spelling, found by rules, kept or lost in what was heard."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import soundfile
import soxr

from extractors import packaged
from extractors.audio import SPEECH_RATE, Samples
from tests.support import calls
from tests.support.speech import say
from trace_eval.data.conversation import Conversation, ConversationItem, Turn
from trace_eval.data.scores import Score
from trace_eval.extracting.options import ExtractOptions
from trace_eval.runs.job import rate_manifest
from trace_eval.runs.options import RateOptions
from trace_eval.runs.run import Run
from trace_eval.turns.entities.check import check_conversation, check_turn, same
from trace_eval.turns.entities.find import find_entities
from trace_eval.turns.fidelity import speech_fidelity


@pytest.mark.parametrize(
    ("intended", "heard", "kind", "equal"),
    [
        ("eight fifty five a m", "8:55 a.m.", "time", True),
        ("eight oh five AM", "8.05 a.m.", "time", True),
        ("12:00 PM", "12 o'clock p.m.", "time", True),
        ("three PM", "3:00", "time", True),
        ("three PM", "3 a.m.", "time", False),
        ("March twenty fifth", "March 25", "date", True),
        ("March twenty fifth", "March 26th", "date", False),
        ("October 8, 2027", "October 8th to zero two seven", "date", True),
        ("one hundred and twenty dollars", "$120", "amount", True),
        ("twelve thousand three hundred forty five", "12,345", "amount", True),
        ("U O zero J K E", "U-O-0-J-K-E", "confirmation_code", True),
        ("Y as in Yankee, T as in Tango, nine two four", "YT924", "code", True),
        ("Z K three F F W", "ZK3FF", "confirmation_code", False),
        ("twenty one A", "seat 21 Alpha", "seat", True),
        ("14C", "14", "seat", True),
        ("14C", "14D", "seat", False),
        ("mark dot lewis at gmail dot com", "Mark.Lewis@gmail.com", "email", True),
        ("L A X", "LAX", "airport_code", True),
        ("Torrez", "Torres", "name", False),
        ("seat 4", None, "seat", False),
    ],
)
def test_spellings_are_equal(
    intended: str, heard: str | None, kind: str, equal: bool
) -> None:
    assert same(intended, heard, kind) is equal
    if heard is not None:
        assert same(heard, intended, kind) is equal


def test_labelled_entities_beside_plain_equality(data: Path) -> None:
    path = data / "conversation/eva/judge_validation/key_entity_transcription.jsonl"
    right = wrong = found = total = 0
    for line in path.read_text().splitlines():
        for turn in json.loads(line)["labels"]:
            for one in turn["entities"]:
                equal = same(one["value"], one["transcribed_value"], one["type"])
                total += 1
                right += equal == one["correct"]
                wrong += not one["correct"]
                found += not one["correct"] and not equal
    assert (total, wrong) == (258, 87)
    assert right / total >= 0.95  # majority .663, plain equality .713
    assert found / wrong >= 0.92


def test_entities_are_found_with_their_place() -> None:
    text = (
        "Write mark.lewis@gmail.com: Skyway SW 410 leaves March 25th at 4:20 PM for"
        " $120, ok"
    )
    entities = find_entities(text, names=["Skyway"])
    assert [(one.kind, one.text) for one in entities] == [
        ("email", "mark.lewis@gmail.com"),
        ("name", "Skyway"),
        ("number", "410"),
        ("date", "March 25th"),
        ("time", "4:20 PM"),
        ("amount", "$120"),
    ]
    assert all(text[one.start : one.end] == one.text for one in entities)


def test_missing_wrong_and_added_have_a_span_to_listen_to() -> None:
    turn = Turn(speaker="user", text="Code ZK3FFW, March 25th, for 120 dollars.")
    told = check_turn(turn, "code ZK 3 FFW March twenty sixth at 5 p.m.")
    assert [(one.status, one.intended) for one in told] == [
        ("kept", "ZK3FFW"),
        ("wrong", "March 25th"),
        ("missing", "120 dollars"),
        ("added", None),
    ]
    turns = calls.conversation(None)
    words = [("Code", 1.0, 1.2), ("ZK3FFW,", 1.3, 1.6), ("please", 1.6, 1.8)]
    turns["turns"][1] |= {
        "text": "Code ZK3FFW, please",
        "heard": "code ZK3FF please",
        "words": [{"text": w, "start_s": s, "end_s": e} for w, s, e in words],
    }
    (only,) = check_conversation(Conversation.model_validate(turns))
    assert (only.status, only.heard, only.turn) == ("wrong", "ZK3FF", 1)
    assert (only.start_s, only.end_s) == (1.3, 1.6)


#: (channel, seconds after the turn before, what is said): user 0, agent 1.
CALL = (
    (0, 0.5, "Please move my flight to the end of March, on a Tuesday if you can."),
    (1, 0.6, "I have put you on the flight on March 25th."),
    (0, 1.0, "No, that is not a Tuesday, and I want to fly on a Tuesday."),
    (1, 5.0, "I have put you on the flight on March 25th."),
    (
        0,
        1.0,
        "That is the same day again, so please have a look at the next week for me.",
    ),
    (1, -1.5, "The change will cost 120 dollars for each of you."),
    (0, 1.5, "Hello, can anybody hear me?"),
)


def _speech(text: str, channel: int, language: str = "English (America)") -> Samples:
    clip = say(text, language, ("Male1", "Female1")[channel])
    speech = soxr.resample(clip.samples[:, 0], clip.rate, SPEECH_RATE)
    loud = np.flatnonzero(np.abs(speech) > 0.02 * np.abs(speech).max())
    return np.asarray(
        0.5 * speech[loud[0] : loud[-1] + 1] / np.abs(speech).max(), np.float32
    )


def _written(
    path: Path, plan: tuple[tuple[int, float, str], ...], foreign: int = -1
) -> Path:
    """Write a stereo call of a plan, noise 50 dB down, 3 s of silence at its end."""
    rng = np.random.default_rng(1)
    sound = 0.0005 * rng.standard_normal((90 * SPEECH_RATE, 2)).astype(np.float32)
    at = 0
    for number, (channel, after_s, text) in enumerate(plan):
        part = _speech(
            text, channel, "German" if number == foreign else "English (America)"
        )
        at += int(after_s * SPEECH_RATE)
        sound[at : at + len(part), channel] += part
        at += len(part)
    soundfile.write(path, sound[: at + 3 * SPEECH_RATE], SPEECH_RATE)
    return path


def _options(folder: Path) -> ExtractOptions:
    left_out = ("rate", "quality", "pitch", "loudness", "emotion", "accent")
    return ExtractOptions(
        cache=folder, workers=0, overrides=dict.fromkeys(left_out, "none")
    )


def _rated(folder: Path, path: Path) -> tuple[Conversation, Score]:
    """Return the call as `rate` reads it from sound, and its score by judge `turns`."""
    extract = _options(folder / "cache")
    options = RateOptions(extract, judge=("turns",), rubrics=("handling",))
    rate_manifest(path, folder / "run", options)
    run = Run.open(folder / "run")
    (item,), (score,) = run.singles(), run.scores()
    return item.answer.conversation, score


def test_rules_and_words_of_a_call_that_is_only_heard(tmp_path: Path) -> None:
    heard, score = _rated(tmp_path, _written(tmp_path / "call.wav", CALL))
    assert [turn.speaker for turn in heard.turns] == [
        ("user", "agent")[c] for c, _, _ in CALL
    ]
    told = {
        part.split(": ")[1].split(",")[0]
        for part in score.opinions[0].reasoning.split("; ")
    }
    assert told == {"late", "loops", "talks_over", "no_answer"}
    assert {kind for kind, value in score.elements.items() if value is None} == {
        "other_language"
    }
    # What the agent was to say; what it said is the plan: turn 1 is wrong, turn 5 adds
    # nothing.
    meant = {
        1: "I have put you on the flight on March 26th.",
        3: CALL[3][2],
        5: CALL[5][2],
    }
    turns = [
        turn.model_copy(update={"text": meant.get(n)})
        for n, turn in enumerate(heard.turns)
    ]
    asked = ConversationItem(
        id="c", conversation=heard.model_copy(update={"turns": tuple(turns)})
    )
    fidelity = speech_fidelity([asked], options=_options(tmp_path / "cache"))
    assert (fidelity.turns, fidelity.unheard) == (3, ())
    assert [(e.turn, e.kind, e.status) for e in fidelity.entities] == [
        (1, "date", "wrong"),
        (3, "date", "kept"),
        (5, "amount", "kept"),
    ]
    wrong, turn = fidelity.entities[0], heard.turns[1]
    assert (wrong.intended, wrong.missed) == ("March 26th", 1)
    # The date is the end of the sentence: the span is of those words, not of the turn.
    assert turn.start_s + 1.0 < float(wrong.start_s or 0) < float(wrong.end_s or 0)
    assert float(wrong.end_s or 0) <= turn.end_s + 0.1
    assert fidelity.record()["kept"] == {"date": [1, 2], "amount": [1, 1]}


@pytest.mark.skipif(
    packaged.problem(packaged.MULTILINGUAL) is not None, reason="needs the extra base"
)
def test_an_answer_in_another_language_is_heard(tmp_path: Path) -> None:
    german = (
        1,
        0.6,
        "Ich habe Ihren Flug auf den nächsten Dienstag verlegt, vielen Dank.",
    )
    plan = (CALL[0], german)
    _, score = _rated(tmp_path, _written(tmp_path / "call.wav", plan, foreign=1))
    assert score.elements["other_language"] == 1
    assert "answers in de, the user speaks en" in score.opinions[0].reasoning
