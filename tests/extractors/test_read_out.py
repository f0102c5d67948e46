"""Manners that a voice may have read out before an English text."""

from __future__ import annotations

import numpy as np
import pytest

from blueprints import Transcript, Word
from extractors import packaged
from extractors.faster_whisper import FasterWhisperExtractor
from extractors.manner_words import adverb_of, participle, read_out, third_person
from extractors.read_out import of_manners
from tests.support.speech import flite, measured

TINY = FasterWhisperExtractor(model=packaged.ENGLISH, device="cpu")
REASON = TINY.unavailable()


def heard(*words: str) -> Transcript:
    clip = flite("awb", *words)
    transcript = TINY.extract(clip, measured(clip))
    assert isinstance(transcript, Transcript)
    return transcript


def manners_in(transcript: Transcript) -> set[str]:
    """Return the manners among what else may begin the text."""
    firsts = {one.text.partition(".")[0] for one in transcript.others if not one.start}
    return {first.lower() for first in firsts} & read_out()


@pytest.mark.skipif(REASON is not None, reason=str(REASON))
def test_a_manner_that_is_lost_before_a_sentence_is_another_hearing() -> None:
    lost = heard("Yawn. Your pizza will be here in twenty minutes.")
    assert lost.text.startswith("Your pizza")
    assert "yawn" in manners_in(lost)
    [yawn] = [one for one in lost.others if one.text == "Yawn."]
    assert (yawn.start, yawn.end) == (0, 0)  # it replaces nothing


@pytest.mark.skipif(REASON is not None, reason=str(REASON))
def test_a_sentence_that_lost_nothing_begins_with_no_manner() -> None:
    whole = heard("Your pizza will be here in twenty minutes.")
    assert whole.text.startswith("Your pizza")
    assert not manners_in(whole)


def test_words_that_are_sure_and_short_cost_nothing() -> None:
    words = [Word(text="Your", start_s=0.1, end_s=0.3, confidence=0.9)]
    words += [Word(text="pizza", start_s=0.3, end_s=0.7, confidence=0.9)]
    silence = np.zeros(16_000, np.float32)
    # No model listens, so none is needed.
    assert of_manners(None, silence, "Your pizza", words=words, start_s=0.1) == []
    assert of_manners(None, silence, "", words=[], start_s=0.1) == []


@pytest.mark.parametrize(
    ("verb", "third", "ing"),
    [
        ("sigh", "sighs", "sighing"),
        ("hiss", "hisses", "hissing"),
        ("cry", "cries", "crying"),
        ("hum", "hums", "humming"),
        ("whisper", "whispers", "whispering"),
        ("wheeze", "wheezes", "wheezing"),
        ("moan", "moans", "moaning"),
    ],
)
def test_verbs_are_read_out_in_three_forms(verb: str, third: str, ing: str) -> None:
    assert third_person(verb) == third
    assert participle(verb) == ing
    assert {verb, third, ing} <= read_out()


def test_moods_are_read_out_as_adjective_adverb_and_noun() -> None:
    assert adverb_of("gloomy") == "gloomily"
    assert {"sad", "sadly", "excited", "excitedly", "excitement"} <= read_out()
    assert {"deep", "slowly", "monotone", "british"} <= read_out()
    assert all(word == word.lower() and " " not in word for word in read_out())
