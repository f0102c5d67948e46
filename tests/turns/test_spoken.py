"""A call spoken by a synthesiser, heard by a recogniser: what rules find in it, word by word."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile
import soxr

from extractors import packaged
from extractors.audio import SPEECH_RATE, Samples
from tests.support.speech import say
from trace_eval.data.conversation import Conversation, ConversationItem
from trace_eval.data.scores import Score
from trace_eval.extracting.options import ExtractOptions
from trace_eval.runs.job import rate_manifest
from trace_eval.runs.options import RateOptions
from trace_eval.runs.run import Run
from trace_eval.turns.fidelity import speech_fidelity

#: (channel, seconds after the turn before, what is said): user 0, agent 1.
CALL = (
    (0, 0.5, "Please move my flight to the end of March, on a Tuesday if you can."),
    (1, 0.6, "I have put you on the flight on March 25th."),
    (0, 1.0, "No, that is not a Tuesday, and I want to fly on a Tuesday."),
    (1, 5.0, "I have put you on the flight on March 25th."),
    (0, 1.0, "That is the same day again, so please have a look at the next week for me."),
    (1, -1.5, "The change will cost 120 dollars for each of you."),
    (0, 1.5, "Hello, can anybody hear me?"),
)


def _speech(text: str, channel: int, language: str = "English (America)") -> Samples:
    clip = say(text, language, ("Male1", "Female1")[channel])
    speech = soxr.resample(clip.samples[:, 0], clip.rate, SPEECH_RATE)
    loud = np.flatnonzero(np.abs(speech) > 0.02 * np.abs(speech).max())
    return np.asarray(0.5 * speech[loud[0] : loud[-1] + 1] / np.abs(speech).max(), np.float32)


def _written(path: Path, plan: tuple[tuple[int, float, str], ...], foreign: int = -1) -> Path:
    """A stereo call of a plan, with 3 s of silence at its end and noise 50 dB down."""
    rng = np.random.default_rng(1)
    sound = 0.0005 * rng.standard_normal((90 * SPEECH_RATE, 2)).astype(np.float32)
    at = 0
    for number, (channel, after_s, text) in enumerate(plan):
        part = _speech(text, channel, "German" if number == foreign else "English (America)")
        at += int(after_s * SPEECH_RATE)
        sound[at : at + len(part), channel] += part
        at += len(part)
    soundfile.write(path, sound[: at + 3 * SPEECH_RATE], SPEECH_RATE)
    return path


def _options(folder: Path) -> ExtractOptions:
    left_out = ("rate", "quality", "pitch", "loudness", "emotion", "accent")
    return ExtractOptions(cache=folder, workers=0, overrides=dict.fromkeys(left_out, "none"))


def _rated(folder: Path, path: Path) -> tuple[Conversation, Score]:
    """The call as `rate` reads it from sound, and its score by judge `turns`."""
    extract = _options(folder / "cache")
    options = RateOptions(extract, judge=("turns",), rubrics=("handling",))
    rate_manifest(path, folder / "run", options)
    run = Run.open(folder / "run")
    (item,), (score,) = run.singles(), run.scores()
    return item.answer.conversation, score


def test_rules_and_words_of_a_call_that_is_only_heard(tmp_path: Path) -> None:
    heard, score = _rated(tmp_path, _written(tmp_path / "call.wav", CALL))
    assert [turn.speaker for turn in heard.turns] == [("user", "agent")[c] for c, _, _ in CALL]
    told = {part.split(": ")[1].split(",")[0] for part in score.opinions[0].reasoning.split("; ")}
    assert told == {"late", "loops", "talks_over", "no_answer"}
    assert {kind for kind, value in score.elements.items() if value is None} == {"other_language"}
    # What the agent was to say; what it said is the plan: turn 1 is wrong, turn 5 adds nothing.
    meant = {1: "I have put you on the flight on March 26th.", 3: CALL[3][2], 5: CALL[5][2]}
    turns = [turn.model_copy(update={"text": meant.get(n)}) for n, turn in enumerate(heard.turns)]
    asked = ConversationItem(id="c", conversation=heard.model_copy(update={"turns": tuple(turns)}))
    found = speech_fidelity([asked], options=_options(tmp_path / "cache"))
    assert (found.turns, found.unheard) == (3, ())
    assert [(e.turn, e.kind, e.status) for e in found.entities] == [
        (1, "date", "wrong"),
        (3, "date", "kept"),
        (5, "amount", "kept"),
    ]
    wrong, turn = found.entities[0], heard.turns[1]
    assert (wrong.intended, wrong.missed) == ("March 26th", 1)
    # The date is the end of the sentence: the span is of those words, not of the turn.
    assert turn.start_s + 1.0 < float(wrong.start_s or 0) < float(wrong.end_s or 0)
    assert float(wrong.end_s or 0) <= turn.end_s + 0.1
    assert found.record()["kept"] == {"date": [1, 2], "amount": [1, 1]}


@pytest.mark.skipif(
    packaged.problem(packaged.MULTILINGUAL) is not None, reason="needs the extra base"
)
def test_an_answer_in_another_language_is_heard(tmp_path: Path) -> None:
    german = (1, 0.6, "Ich habe Ihren Flug auf den nächsten Dienstag verlegt, vielen Dank.")
    plan = (CALL[0], german)
    _, score = _rated(tmp_path, _written(tmp_path / "call.wav", plan, foreign=1))
    assert score.elements["other_language"] == 1
    assert "answers in de, the user speaks en" in score.opinions[0].reasoning
