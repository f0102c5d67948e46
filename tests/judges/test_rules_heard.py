"""Judge ``rules`` on laughter that was asked for, and on what nobody asked for."""

from __future__ import annotations

from typing import Any

import pytest

from blueprints import Blueprint, Extension, Span
from tests.support import blueprints as make
from tests.support.blueprints import answer
from tests.support.cases import judged
from trace_eval.data.judgement import Judgement
from trace_eval.judges.beside.pauses import longest_pause
from trace_eval.judges.rules.heard import asks_to_laugh
from trace_eval.judges.rules.requests import RuleInstruction
from trace_eval.judges.rules.thresholds import RuleThresholds
from trace_eval.judges.rules.voice_quality import judge_voice_quality


def event(kind: str, start_s: float, end_s: float) -> dict[str, Any]:
    return {"kind": kind, "start_s": start_s, "end_s": end_s, "strength": 2.0}


def sounding(*events: dict[str, Any], **groups: Any) -> Blueprint:
    extensions = {"sounds": Extension(values={"events": list(events)})}
    return answer(**groups).model_copy(update={"extensions": extensions})


def voiced(likeness: float | None, **values: Any) -> Blueprint:
    known = {
        "bandwidth": "wide",
        "likeness": likeness,
        "at_s": 3.2,
        "unknown": None,
        "events": [],
    }
    if likeness is not None and likeness < 0.55:
        known["events"] = [event("voice_change", 3.2, 3.2)]
    extensions = {"speaker": Extension(values=known | values, shown=False)}
    return answer().model_copy(update={"extensions": extensions})


def rating(judgement: Judgement, dimension: str) -> str:
    return str(judgement.dimensions[dimension].rating)


LAUGH = "Please laugh out loud, as if you had heard a joke."


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        (LAUGH, True),
        ("Say it with a giggle.", True),
        ("Answer me laughing.", True),
        ("Tell me a joke and laugh at the end.", True),
        ("Tell me a joke that makes me laugh.", False),
        ("Please do not laugh.", False),
        ("Why do people laugh?", False),
        ("Tell me how hyenas laugh.", False),
        ("Explain why it is rude to laugh at others.", False),
    ],
)
def test_it_is_read_whether_the_answer_itself_is_to_laugh(
    text: str, asks: bool
) -> None:
    assert asks_to_laugh(RuleInstruction(text, exists=True)) is asks


@pytest.mark.parametrize(
    "text",
    [
        *(LAUGH, "Laugh out loud for me.", "Laugh hysterically for ten seconds."),
        *("Chuckle softly, please.", "Answer with laughter."),
    ],
)
def test_who_laughs_for_a_second_beats_who_does_not(text: str) -> None:
    """The short ones have no word by which a text is known to be English."""
    laughing, plain = sounding(event("laughter", 2, 3.2)), sounding()
    judgement = judged(laughing, plain, text)
    assert rating(judgement, "paralinguistics") == "1"
    verdict = judgement.dimensions["paralinguistics"]
    assert verdict.reasoning == "A laughs for 1.2 s, as was asked; B does not."
    assert rating(judged(plain, laughing, text), "paralinguistics") == "2"


def test_a_laugh_between_two_words_is_no_pause() -> None:
    paused = make.signal(pauses=[Span(start_s=2.0, end_s=6.5)])
    laughs = event("laughter", 2.1, 6.0)
    assert longest_pause(sounding(signal=paused)) == 4.5
    assert longest_pause(answer(signal=paused)) == 4.5, "sounds were not measured"
    assert longest_pause(sounding(laughs, signal=paused)) == pytest.approx(0.5)
    assert longest_pause(sounding(event("music", 0, 9), signal=paused)) == 0
    assert longest_pause(sounding(event("tone", 7, 8), signal=paused)) == 4.5
    silent = judged(sounding(signal=paused), sounding(), "Say it.")
    assert rating(silent, "paralinguistics") == "2"
    laughing = judged(sounding(laughs, signal=paused), sounding(), "Say it.")
    assert rating(laughing, "paralinguistics") == "both_good"


@pytest.mark.parametrize(
    ("speech_s", "text"),
    [(0.0, ""), (2.0, " ".join(f"word{number}" for number in range(90)))],
    ids=["no words", "words that the recogniser guessed"],
)
def test_a_laugh_without_words_is_the_answer_that_was_asked_for(
    speech_s: float, text: str
) -> None:
    speech = [Span(start_s=0.0, end_s=speech_s)] if speech_s else []
    signal = make.signal(speech_s=speech_s, speech=speech)
    laughing = sounding(event("laughter", 1, 5), signal=signal, text=text)
    judgement = judged(laughing, sounding(), LAUGH)
    assert judgement.status == "scored"
    ratings = {name: str(one.rating) for name, one in judgement.dimensions.items()}
    assert ratings == {
        "content": "1",
        "voice_quality": "both_good",
        "paralinguistics": "1",
    }


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (
            sounding(event("laughter", 2, 2.7)),
            sounding(),
        ),  # short: not a laugh for sure
        (sounding(event("laughter", 2, 5)), sounding(event("laughter", 2, 2.6))),
        (sounding(event("laughter", 0, 4)), answer()),  # nobody listened to B
        (
            sounding(event("laughter", 0, 4)),
            sounding(signal=make.signal(duration_s=1.4, speech_s=1.2)),
        ),
    ],
    ids=["short laugh", "both laugh", "not measured", "short answer"],
)
def test_what_is_not_known_of_laughter_decides_nothing(
    a: Blueprint, b: Blueprint
) -> None:
    for first, second in ((a, b), (b, a)):
        verdict = judged(first, second, LAUGH).dimensions.get("paralinguistics")
        assert verdict is None or "laughs for" not in verdict.reasoning


@pytest.mark.parametrize("verb", ["sing", "hum", "whistle", "clap"])
def test_other_sounds_stay_unjudged_with_what_is_there(verb: str) -> None:
    silent = make.signal(speech_s=0.0, speech=[])
    tune = sounding(event("music", 0.5, 4), signal=silent, text="")
    judgement = judged(tune, sounding(), f"Please {verb} a tune for me.")
    assert judgement.status == "unscored"
    assert "in A is music 0.5-4.0 s; in B is none" in str(judgement.detail)


QUESTION = "Which museums are open on Monday?"


def test_music_that_nobody_asked_for_is_noted_with_its_span_and_decides_nothing() -> (
    None
):
    music = sounding(event("music", 2, 5.1))
    judgement = judged(music, sounding(), QUESTION)
    assert rating(judgement, "voice_quality") == "both_good"
    verdict = judgement.dimensions["voice_quality"]
    note = "A has music from 2.0 to 5.1 s, which was not asked for and moves no verdict"
    assert note in verdict.reasoning
    assert verdict.evidence["unasked"] == {"a": [event("music", 2, 5.1)]}
    swapped = judged(sounding(), music, QUESTION).dimensions["voice_quality"]
    assert swapped.evidence["unasked"] == {"b": [event("music", 2, 5.1)]}
    assert (swapped.rating, swapped.margin) == (verdict.rating, -verdict.margin)
    # Nobody has to have listened to the other answer for it to be noted.
    assert (
        note in judged(music, answer(), QUESTION).dimensions["voice_quality"].reasoning
    )


@pytest.mark.parametrize(
    "text", ["Sing me a song.", "Read it with soft music in the background.", LAUGH]
)
def test_music_is_not_noted_where_it_may_have_been_asked_for(text: str) -> None:
    verdict = judged(sounding(event("music", 2, 5.1)), sounding(), text)
    assert "unasked" not in verdict.dimensions["voice_quality"].evidence


def test_a_voice_that_changes_is_noted_and_decides_nothing_by_itself() -> None:
    verdict = judged(voiced(0.21), voiced(0.78), QUESTION).dimensions["voice_quality"]
    assert str(verdict.rating) == "both_good"
    assert "A changes its voice at 3.2 s, which was not asked for" in verdict.reasoning
    assert verdict.evidence["unasked"] == {"a": [event("voice_change", 3.2, 3.2)]}


def by_switch(a: Blueprint, b: Blueprint, text: str = QUESTION) -> str:
    cuts = RuleThresholds(voice_change_decides=True)
    verdict = judge_voice_quality(a, b, cuts, RuleInstruction(text, exists=True))
    return str(verdict.rating)


def test_by_a_switch_a_changed_voice_loses_under_the_conditions_that_were_measured() -> (
    None
):
    changed, one = voiced(0.21), voiced(0.78)
    assert (by_switch(changed, one), by_switch(one, changed)) == ("2", "1")
    for other in (
        voiced(0.53),  # too little to decide by
        voiced(0.21, bandwidth="narrow"),
        voiced(None),  # under 4 s of speech
    ):
        assert by_switch(other, one) == "both_good"
    assert by_switch(changed, voiced(None)) == "both_good"
    assert by_switch(changed, voiced(0.53)) == "both_good"  # which may change, too
    for text in ("Play both roles of a dialogue.", "Whisper the second half."):
        assert by_switch(changed, one, text) == "both_good"
