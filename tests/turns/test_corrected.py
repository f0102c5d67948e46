"""Figures from events that people corrected, beside those as measured."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from blueprints import UserError
from tests.support import calls
from trace_eval.conversations.corrected import corrected_events, set_event
from trace_eval.conversations.definitions import DEFINITIONS
from trace_eval.conversations.definitions.own import TRACE_EVAL
from trace_eval.data import jsonl
from trace_eval.data.conversation import Conversation
from trace_eval.data.corrections import EventCorrection, SetEvent
from trace_eval.turns.everything import turns_report
from trace_eval.turns.options import TurnsOptions

#: Two responses, of 0.4 and 4.4 s; the second silence is dead air.
CALL = Conversation.model_validate(calls.conversation(None))
MEASURED = TRACE_EVAL.measure(CALL)


def event(kind: str, number: int = 0) -> SetEvent:
    return set_event([one for one in MEASURED.events if one.kind == kind][number])


def correction(
    before: SetEvent | None,
    after: SetEvent | None,
    name: str = TRACE_EVAL.name,
    item: str = "c",
) -> EventCorrection:
    return EventCorrection(
        item=item,
        definitions=name,
        before=before,
        after=after,
        who="ada",
        when="2026-01-01",
    )


def changed(one: SetEvent, **fields: Any) -> SetEvent:
    return SetEvent.model_validate({**one.model_dump(), **fields})


def test_a_moved_a_deleted_and_a_renamed_event_change_figures_and_undo_restores_them() -> (
    None
):
    first, second = event("response"), event("response", 1)
    later = changed(second, end_s=second.end_s + 1.5)
    missed = changed(first, kind="no_response")

    def responses(*made: EventCorrection) -> list[float]:
        events = corrected_events(TRACE_EVAL, CALL, made)
        assert events.unfit == ()
        return [round(value, 6) for value in events.measured.values["response"]]

    moved = correction(second, later)
    assert MEASURED.values["response"] == pytest.approx([0.4, 4.4])
    assert responses(moved) == [0.4, 5.9]
    assert responses(moved, correction(later, None)) == [0.4]
    # a moved event that was deleted comes back where it was moved to
    assert responses(moved, correction(later, None), correction(None, later)) == [
        0.4,
        5.9,
    ]
    renamed = corrected_events(TRACE_EVAL, CALL, [correction(first, missed)])
    assert renamed.measured.ratios["reply_rate"] == (1, 2)
    assert [(one.event.kind, one.who) for one in renamed.changed] == [
        ("no_response", "ada")
    ]
    there_and_back = [moved, correction(later, second), correction(first, missed)]
    restored = corrected_events(
        TRACE_EVAL, CALL, [*there_and_back, correction(missed, first)]
    )
    assert (restored.measured, restored.changed) == (MEASURED, [])


def test_a_negative_response_stays_negative_and_what_fits_nothing_is_told() -> None:
    turns = [("caller", 0.0, 2.0, "Hello there, it is me."), ("bot", 1.9, 3.0, "Yes.")]
    early = Conversation.model_validate(calls.conversation(None, turns, events=[]))
    (one,) = [e for e in TRACE_EVAL.measure(early).events if e.kind == "response"]
    was = set_event(one)
    corrections = [correction(was, changed(was, start_s=1.8)), correction(was, None)]
    events = corrected_events(TRACE_EVAL, early, corrections)
    assert events.measured.values["response"] == pytest.approx([-0.2])
    assert events.unfit == (corrections[1],)  # it is not there any more as it was
    unknown = correction(event("response"), changed(event("response"), kind="sneeze"))
    assert corrected_events(TRACE_EVAL, CALL, [unknown]).unfit == (unknown,)


@pytest.mark.parametrize(
    "name", [name for name, one in DEFINITIONS.items() if one.sums]
)
def test_figures_of_uncorrected_events_are_those_measured(name: str) -> None:
    definitions = DEFINITIONS[name]
    measured = definitions.measure(CALL)
    assert definitions.summed(CALL, measured.events) == measured
    assert measured.events
    assert {one.kind for one in measured.events} <= set(definitions.kinds)


def test_turns_gives_figures_under_both_of_a_run_or_its_source(tmp_path: Path) -> None:
    path = calls.manifest(
        tmp_path,
        [{"id": name, "conversation": calls.conversation(None)} for name in "cd"],
    )
    file = tmp_path / "corrections.jsonl"
    second = event("response", 1)
    for one in (
        correction(second, changed(second, end_s=9.0)),
        correction(None, None, item="d"),
        correction(None, None, item="elsewhere"),
        correction(second, None),  # an old line: the event is not there as it was
    ):
        jsonl.append(file, one)
    found = turns_report(path, corrections=file)
    assert found.corrected
    values = found.record()["corrected"]
    assert values["each"]["c"]["response_mean_s"] == pytest.approx((0.4 + 5.0) / 2)
    assert values["each"]["d"] == found.record()["each"]["d"]
    assert sorted(values["events"]) == ["c", "d"]
    assert values["left_out"] == [
        "1 correction of c fits no event that was measured",
        "1 corrected conversation is not among the 2 read",
    ]
    told, figures = list(found.tables())[-2:]
    assert told.rows == (("c", "response 4.00-8.40", "response 4.00-9.00", "ada"),)
    assert "as measured and as corrected" in figures.title


def test_corrections_of_another_set_or_of_no_event_are_refused(tmp_path: Path) -> None:
    path = calls.manifest(
        tmp_path, [{"id": "c", "conversation": calls.conversation(None)}]
    )
    file = tmp_path / "corrections.jsonl"
    with pytest.raises(UserError, match="no such file"):
        turns_report(path, corrections=file)
    file.write_text("")
    with pytest.raises(UserError, match="corrects no events"):
        turns_report(path, corrections=file)
    jsonl.append(file, correction(event("response"), None))
    with pytest.raises(
        UserError, match=r"not of eva/2026-08; measure with --definitions trace"
    ):
        turns_report(path, TurnsOptions(definitions="eva/2026-08"), corrections=file)
    file.write_text("")
    jsonl.append(file, correction(None, None, "eva/2026-08"))
    with pytest.raises(UserError, match="scores turns, not events"):
        turns_report(path, TurnsOptions(definitions="eva/2026-08"), corrections=file)
    backwards = '"who":"x","after":{"kind":"yield","start_s":2,"end_s":1}'
    for broken in (backwards, '"after":null'):
        file.write_text(
            '{"item":"c","field":"event","definitions":"trace-eval/2","before":null,'
            f'"when":"now",{broken}}}\n'
        )
        with pytest.raises(UserError, match=r"line 1: no correction \("):
            turns_report(path, corrections=file)
