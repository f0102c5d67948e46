from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from blueprints import Absent, Blueprint, Signal, Span, Transcript
from blueprints.distribution import install_line
from extractors.audio import SPEECH_RATE, Clip, decode
from extractors.pocketsphinx import PocketsphinxExtractor, join, to_level
from tests.support.speech import WORDLESS, joined, measured, say, silence, status_of

pytest.importorskip("pocketsphinx", reason=install_line("pocketsphinx"))

#: Numbers that the prompts write in digits and the recogniser in words.
NUMBERS = {"1": "one", "10": "ten"}


def heard(clip: Clip) -> Transcript:
    found = PocketsphinxExtractor().extract(clip, measured(clip))
    assert isinstance(found, Transcript)
    return found


def normalised(text: str) -> list[str]:
    """Lower case, no punctuation, numbers in words."""
    words = re.sub(r"[^a-z0-9' ]", " ", text.lower()).split()
    stripped = (word.strip("'") for word in words)
    return [NUMBERS.get(word, word) for word in stripped if word]


def edits(reference: list[str], hypothesis: list[str]) -> int:
    """Levenshtein distance in words."""
    row = list(range(len(hypothesis) + 1))
    for i, expected in enumerate(reference, start=1):
        diagonal, row[0] = row[0], i
        for j, found in enumerate(hypothesis, start=1):
            diagonal, row[j] = (
                row[j],
                min(diagonal + (expected != found), row[j] + 1, row[j - 1] + 1),
            )
    return row[-1]


def test_the_yardstick_itself() -> None:
    # One substitution (b), one deletion (c), one insertion (e).
    assert edits(list("abcd"), list("axde")) == 3
    assert normalised("Count from 1 to 10: 'Now'!") == ["count", "from", "one", "to", "ten", "now"]


@pytest.mark.slow
def test_word_error_rate_on_spoken_prompts(data: Path) -> None:
    lines = (data / "prompts/texts.jsonl").read_text().splitlines()
    wrong = total = 0
    for record in map(json.loads, lines):
        found = heard(decode(data / "prompts" / record["audio"]))
        assert "low_confidence" not in found.suspect
        reference = normalised(record["text"])
        wrong += edits(reference, normalised(found.text))
        total += len(reference)
    assert wrong / total < 0.30  # 0.135 when written


def test_words_have_times_confidence_and_no_markup() -> None:
    clip = joined(silence(0.5), say(), silence(0.5))
    found = heard(clip)
    assert found.language == "en"
    assert found.language_source == "model"
    assert len(found.words) >= 5
    assert found.text == " ".join(word.text for word in found.words)
    assert re.fullmatch(r"[a-z'. -]+", found.text)
    times = []
    for word in found.words:
        assert word.start_s is not None
        assert word.end_s is not None
        assert word.confidence is not None
        assert 0 <= word.confidence <= 1
        times += [word.start_s, word.end_s]
    assert times == sorted(times)
    # Half a second of silence on either side; words may reach 0.2 s into it.
    assert times[0] > 0.3
    assert times[-1] < clip.seconds - 0.3


@pytest.mark.slow
def test_results_do_not_depend_on_what_was_heard_before() -> None:
    clip, other = say(), say("Nobody expected rain on a Sunday morning.", voice="Female1")
    first = heard(clip)
    assert heard(clip) == first
    second = heard(other)
    assert heard(clip) == first
    PocketsphinxExtractor().close()  # a fresh decoder
    assert heard(other) == second


def test_level_does_not_change_the_words() -> None:
    clip = say()
    quiet = Clip(clip.samples * np.float32(0.01), clip.rate)
    known = measured(clip)  # the same stretches of speech for both
    extractor = PocketsphinxExtractor()
    loud_words, quiet_words = extractor.extract(clip, known), extractor.extract(quiet, known)
    assert isinstance(loud_words, Transcript)
    assert isinstance(quiet_words, Transcript)
    assert quiet_words.text == loud_words.text


@pytest.mark.parametrize("name", WORDLESS)
def test_nothing_is_recognised_without_speech(name: str) -> None:
    found = PocketsphinxExtractor().extract(WORDLESS[name], measured(WORDLESS[name]))
    assert isinstance(found, Absent)
    assert found.status == status_of(name)


def test_speech_at_192_khz_in_8_channels() -> None:
    clip = say()
    wide = Clip(np.repeat(np.repeat(clip.samples, 4, axis=0), 8, axis=1), 4 * clip.rate)
    assert len(heard(wide).words) >= 5


def test_another_language_is_suspect() -> None:
    clip = say("Guten Morgen, ich möchte heute nach Hamburg fahren.", "German")
    assert "low_confidence" in heard(clip).suspect


def test_without_the_signal_group_it_says_what_is_missing() -> None:
    found = PocketsphinxExtractor().extract(say(), Blueprint(clip="0"))
    assert isinstance(found, Absent)
    assert "signal" in found.reason


def test_near_spans_are_joined_and_all_get_margins() -> None:
    spans = [(0.05, 1.0), (1.3, 2.0), (2.4, 3.0)]  # gaps of 0.3 and 0.4 s
    stretches = join([Span(start_s=a, end_s=b) for a, b in spans], seconds=3.05)
    found = [(stretch.start_s, stretch.end_s) for stretch in stretches]
    assert found == [pytest.approx((0.0, 2.1)), pytest.approx((2.3, 3.05))]


def test_joining_stops_at_30_s() -> None:
    spans = [Span(start_s=10 * i, end_s=10 * i + 9.9) for i in range(4)]
    lengths = [stretch.seconds for stretch in join(spans, seconds=40)]
    assert lengths == [pytest.approx(29.9 + 0.1), pytest.approx(9.9 + 0.2)]


def test_speech_is_brought_to_the_nominal_level() -> None:
    speech = np.zeros(2 * SPEECH_RATE, np.float32)
    speech[:SPEECH_RATE] = 0.001 * np.sin(np.arange(SPEECH_RATE))
    levelled = to_level(speech, [Span(start_s=0, end_s=1)])
    rms = np.sqrt(np.mean(levelled[:SPEECH_RATE] ** 2))
    assert 20 * np.log10(rms) == pytest.approx(-26, abs=0.01)


def test_revision_covers_the_model() -> None:
    revision = PocketsphinxExtractor().revision()
    assert revision is not None
    assert re.fullmatch("[0-9a-f]{64}", revision)


def test_long_pauses_stay_empty(data: Path) -> None:
    clip = decode(data / "speakbench_pairs/16_2/audio_a.wav")  # 4 s of speech in 9 s
    known = measured(clip)
    found = PocketsphinxExtractor().extract(clip, known)
    assert isinstance(found, Transcript)
    assert isinstance(known.signal, Signal)
    assert "text_over_silence" not in found.suspect
    for pause in known.signal.pauses:
        middle = (pause.start_s + pause.end_s) / 2
        if pause.seconds > 0.5:
            assert not any((w.start_s or 0) < middle < (w.end_s or 0) for w in found.words)
