from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from blueprints import Absent, Blueprint, Provenance, Rate, Span, Transcript, Word
from extractors import default_asr
from extractors.audio import SPEECH_RATE, Clip, decode
from extractors.faster_whisper import FasterWhisperExtractor
from extractors.rate import (
    RateExtractor,
    WordRateExtractor,
    contour,
    nuclei,
    prominent_peaks,
    speech_before,
    trend,
    word_rates,
)
from tests.support import blueprints as make
from tests.support.speech import (
    SENTENCE_SYLLABLES,
    WORDLESS,
    joined,
    measured,
    say,
    silence,
    status_of,
)


def transcript(words: int) -> Transcript:
    each = Word(text="w", start_s=None, end_s=None)
    return make.transcript(" ".join(["w"] * words), words=[each] * words)


def rate_of(clip: Clip, words: int | None = None) -> Rate:
    known = measured(clip)
    if words is not None:
        known = known.model_copy(update={"transcript": transcript(words)})
    found = RateExtractor().extract(clip, known)
    assert isinstance(found, Rate)
    return found


def syllable_train(per_s: float, seconds: float, f0: int = 125) -> np.ndarray:
    """Glottal pulses whose strength swings from 0 to 1 and back, once per syllable."""
    count = round(seconds * SPEECH_RATE)
    pulses = np.zeros(count)
    pulses[:: SPEECH_RATE // f0] = 1
    vowel = np.convolve(pulses, np.exp(-np.arange(80) / 16), mode="full")[:count]
    swing = 0.5 - 0.5 * np.cos(2 * np.pi * per_s * np.arange(count) / SPEECH_RATE)
    return (0.4 * vowel * swing).astype(np.float32)


@pytest.mark.parametrize(("per_s", "expected"), [(2, 10), (4, 20), (6, 30)])
def test_a_train_of_syllables_is_counted(per_s: float, expected: int) -> None:
    times = nuclei(syllable_train(per_s, 5.0), [Span(start_s=0, end_s=5)])
    assert (
        abs(len(times) - expected) <= 1
    )  # the first and last one touch the window's edge
    # One nucleus in the middle of each period, 16 ms between two intensity values.
    offsets = (np.array(times) * per_s) % 1 / per_s - 0.5 / per_s
    assert np.abs(offsets).max() < 0.02


def test_unvoiced_bursts_are_no_syllables() -> None:
    rng = np.random.default_rng(3)
    swing = np.abs(syllable_train(4, 3.0)) > 0.05
    hiss = (rng.normal(0, 0.1, len(swing)) * swing).astype(np.float32)
    assert len(nuclei(hiss, [Span(start_s=0, end_s=3)])) <= 1


def test_syllables_outside_the_speech_do_not_count() -> None:
    times = nuclei(syllable_train(4, 5.0), [Span(start_s=1, end_s=3)])
    assert len(times) == 8
    assert 1 < min(times) < max(times) < 3


def test_level_does_not_change_the_count_and_next_to_nothing_has_no_nuclei() -> None:
    train = syllable_train(4, 3.0)
    spans = [Span(start_s=0, end_s=3)]
    assert nuclei(train, spans) == pytest.approx(
        nuclei(train * np.float32(0.01), spans)
    )
    assert nuclei(train, []) == []
    for samples in (100, 16_000):
        silent = np.zeros(samples, np.float32)
        assert nuclei(silent, [Span(start_s=0, end_s=samples / 16_000)]) == []


@pytest.mark.parametrize("voice", ["Male1", "Female1"])
def test_a_sentence_of_16_syllables(voice: str) -> None:
    # The method's own error on connected speech is about one in eight.
    assert abs(rate_of(say(voice=voice)).syllables - SENTENCE_SYLLABLES) <= 2


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        ([0, 5, 0], [1]),
        ([0, 5, 4, 6, 0], [3]),  # a dip of 1: the higher one
        ([0, 6, 5, 5.5, 0], [1]),
        ([0, 5, 2, 6, 0], [1, 3]),
        ([0, 1, 0, 1, 0], [1]),  # both ends count as dips: one hump
        ([5, 4, 3, 2], [0]),
        ([0, 1, 3], [2]),
        ([], []),
    ],
)
def test_prominent_peaks(level: list[float], expected: list[int]) -> None:
    assert prominent_peaks(np.array(level, float), 2.0) == expected


def test_word_rates_are_words_over_time() -> None:
    clip = joined(say(), silence(1.0), say())
    signal = measured(clip).signal
    assert not isinstance(signal, Absent)
    rate = rate_of(clip, words=24)
    from_first_to_last = signal.speech[-1].end_s - signal.speech[0].start_s
    assert rate.words == 24
    assert rate.wpm == pytest.approx(24 * 60 / from_first_to_last)
    assert rate.articulation_wpm == pytest.approx(24 * 60 / signal.speech_s)
    assert rate.syllables_per_s == pytest.approx(rate.syllables / signal.speech_s)


def test_without_words_the_syllables_stay() -> None:
    without = rate_of(say())
    assert (without.wpm, without.articulation_wpm, without.words) == (None, None, None)
    assert without.syllables > 0
    empty = rate_of(
        say(), words=0
    )  # the recogniser ran and found none: not "0 words a minute"
    assert (empty.wpm, empty.words) == (None, 0)


def test_words_of_a_text_without_word_list() -> None:
    signal = measured(say()).signal
    assert not isinstance(signal, Absent)
    text = transcript(0).model_copy(update={"text": "three little words"})
    assert word_rates(signal, text).words == 3


@pytest.fixture
def recogniser() -> FasterWhisperExtractor:
    extractor = default_asr.choose().extractor
    if reason := extractor.unavailable():
        pytest.skip(reason)
    return extractor


@pytest.mark.slow
def test_the_faster_speaker_has_the_higher_rate(
    data: Path, recogniser: FasterWhisperExtractor
) -> None:
    folder = data / "rate_pairs"
    pairs = [
        json.loads(line) for line in (folder / "pairs.jsonl").read_text().splitlines()
    ]
    assert len(pairs) == 4
    for pair in pairs:
        rates = {}
        for side in "ab":
            clip = decode(folder / pair[side]["audio"])
            known = measured(clip)
            heard = recogniser.extract(clip, known)
            known = known.model_copy(update={"transcript": heard})
            rates[side] = RateExtractor().extract(clip, known)
        fast, slow = rates[pair["faster"]], rates["a" if pair["faster"] == "b" else "b"]
        assert fast.wpm > slow.wpm, pair["id"]
        assert fast.articulation_wpm > slow.articulation_wpm, pair["id"]
        assert fast.syllables_per_s > slow.syllables_per_s, pair["id"]


def test_contour_has_the_clips_time_axis_and_null_where_nobody_speaks() -> None:
    spans = [Span(start_s=0, end_s=2), Span(start_s=4, end_s=6)]
    times = [0.1 + 0.25 * i for i in range(8)] + [
        4.25,
        4.75,
        5.25,
        5.75,
    ]  # 4 a second, then 2
    rates = contour(times, spans, 6.0)
    # Windows of 1 s around 0.5, 1.0, ..., 5.5 s. Around 2.0 and 4.0 half of it is
    # speech.
    assert (rates.start_s, rates.step_s) == (0.5, 0.5)
    assert rates.values == [4, 4, 4, 4, None, None, None, 2, 2, 2, 2]
    short = contour([0.2, 0.4], [Span(start_s=0.1, end_s=0.5)], 0.6)  # than a window
    assert (short.start_s, short.values) == (0.3, [5.0])  # 2 syllables in 0.4 s


def test_trend_halves_the_speech_not_the_clip() -> None:
    spans = [Span(start_s=0, end_s=2), Span(start_s=8, end_s=10)]
    times = [0.1, 0.5, 0.9, 1.3, *(8.1 + 0.25 * i for i in range(6))]
    assert speech_before(9.0, spans) == 3.0
    assert trend(times, spans) == 6 / 4
    assert trend(times[:7], spans) is None  # 7 syllables
    assert trend(times, [Span(start_s=0, end_s=1.9)]) is None
    assert trend([9.0] * 8, spans) is None  # nothing to compare with


@pytest.mark.parametrize("name", WORDLESS)
def test_no_rate_without_speech(name: str) -> None:
    assert isinstance(
        RateExtractor().extract(WORDLESS[name], Blueprint(clip="0")), Absent
    )
    rate = RateExtractor().extract(WORDLESS[name], measured(WORDLESS[name]))
    assert rate.status == status_of(name)


def test_words_alone_give_the_same_word_rates_without_praat(
    recogniser: FasterWhisperExtractor,
) -> None:
    clip = joined(silence(0.5), say(), silence(0.5))
    known = measured(clip)
    known = known.with_group(
        "transcript",
        recogniser.extract(clip, known),
        Provenance(extractor="p", version="1"),
    )
    words, both = (
        WordRateExtractor().extract(clip, known),
        RateExtractor().extract(clip, known),
    )
    assert isinstance(words, Rate)
    assert isinstance(both, Rate)
    assert (words.wpm, words.articulation_wpm) == (both.wpm, both.articulation_wpm)
    assert (words.syllables, words.syllables_per_s, words.contour) == (None, None, None)
    assert isinstance(WordRateExtractor().extract(clip, measured(clip)), Absent)
