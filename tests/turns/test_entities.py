"""Entities by rules: equal in every spelling, found in text, compared with what was heard."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support import calls
from trace_eval.data.conversation import Conversation, Turn
from trace_eval.turns.entities.check import check_conversation, check_turn, same
from trace_eval.turns.entities.find import find_entities


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
def test_spelled_out_and_digit_forms_are_one(
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
    text = "Write mark.lewis@gmail.com: Skyway SW 410 leaves March 25th at 4:20 PM for $120, ok"
    found = find_entities(text, names=["Skyway"])
    assert [(one.kind, one.text) for one in found] == [
        ("email", "mark.lewis@gmail.com"),
        ("name", "Skyway"),
        ("number", "410"),
        ("date", "March 25th"),
        ("time", "4:20 PM"),
        ("amount", "$120"),
    ]
    assert all(text[one.start : one.end] == one.text for one in found)


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
