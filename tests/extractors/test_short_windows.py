"""Windows as long as their speech, and what shows that one was too short."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from blueprints import Blueprint, Span, Transcript
from extractors import packaged
from extractors.audio import decode
from extractors.faster_whisper import FasterWhisperExtractor
from extractors.recognised import Decoded
from extractors.short_windows import as_array, broken, cut, most_tokens, shortened
from extractors.signal import SignalExtractor

CLIPS = Path(__file__).resolve().parents[2] / "examples" / "clips"


@pytest.mark.parametrize(
    ("speech_s", "window_s"), [(0.5, 10), (4.9, 10), (5.01, 11), (28, 30)]
)
def test_a_window_has_its_speech_and_a_margin_of_silence(
    speech_s: float, window_s: int
) -> None:
    features = np.zeros((80, 3000), np.float32)
    heard = round(speech_s * 100)
    features[:, :heard] = 0.3
    features[3, 7] = -0.75  # the least energy that the clip has
    short = cut(features, 100)
    assert short.shape == (80, window_s * 100)
    assert (short[:, :heard] == features[:, :heard]).all()
    assert (short[:, heard:] == -0.75).all()


def segment(
    text: str,
    end: float,
    log_probability: float = -0.3,
    start: float = 0.0,
    seek: int = 0,
    tokens: int = 4,
) -> dict[str, Any]:
    words = [{"word": text, "end": end}]
    told = {"text": text, "start": start, "seek": seek, "words": words}
    return {**told, "avg_logprob": log_probability, "tokens": [0] * tokens}


def test_what_a_short_window_breaks_is_seen() -> None:
    part = Span(start_s=0, end_s=4)
    assert broken([segment("close the door", 3.8)], part) is None
    assert (
        broken([segment("close the door please", 2.4)], part)
        == "it ends before the speech"
    )
    assert broken([segment("close the door", 4.6)], part) == "it ends after the speech"
    assert (
        broken([segment("close the door", 3.8, -0.9)], part)
        == "it is unsure of its words"
    )
    assert (
        broken([segment("close the door close the door", 3.8)], part)
        == "it repeats itself"
    )
    assert broken([segment("no no no", 3.8)], part) == "it repeats itself"
    assert broken([segment("very very good", 3.8)], part) is None
    assert broken([], part) == "no words"
    # The first windows of a long stretch were whole: hearing them again would change
    # nothing.
    long = Span(start_s=0, end_s=64)
    assert (
        broken([segment("hm", 9, -0.9), segment("the end", 63.8, start=61)], long)
        is None
    )
    early = [segment("no no no", 29), segment("now", 58, start=30, seek=3000)]
    end = segment("the end", 63.8, start=60, seek=6000)
    assert broken([*early, end], long) is None
    assert broken([*early, {**end, "text": "no no no"}], long) == "it repeats itself"


def test_a_text_that_was_stopped_is_heard_again() -> None:
    stopped = "it has more words than speech can hold"
    # 12 tokens a second, of 5 s at least and of as much as is left
    assert most_tokens(0.5) == most_tokens(5) == 60
    part = Span(start_s=0, end_s=4)
    assert broken([segment("close the door", 3.8, tokens=59)], part) is None
    assert broken([segment("close the door", 3.8, tokens=60)], part) == stopped
    part = Span(start_s=0, end_s=8)
    assert broken([segment("close the door", 7.8, tokens=95)], part) is None
    halves = [segment("close", 4, tokens=50), segment("the door", 7.8, tokens=46)]
    assert broken(halves, part) == stopped
    apart = [halves[0], {**halves[1], "start": 4.0, "seek": 400}]
    assert broken(apart, part) is None
    # A whole window is not stopped by us.
    long = Span(start_s=0, end_s=40)
    whole = [segment("so it is", 29, tokens=220), segment("now", 39.8, seek=3000)]
    assert broken(whole, long) is None


def test_a_short_window_writes_no_more_than_speech_can_hold() -> None:
    english = FasterWhisperExtractor(model=packaged.ENGLISH, device="cpu")
    if reason := english.unavailable():
        pytest.skip(reason)
    model = shortened(english.opened())
    features = np.zeros((80, 3000), np.float32)
    features[:, :800] = np.random.default_rng(0).normal(size=(80, 800))
    start, end = (
        model.hf_tokenizer.token_to_id(f"<|{name}|>")
        for name in ("startoftranscript", "endoftext")
    )
    encoded = model.encode(features)
    assert encoded.shape[1] == 13 * 50
    # That never ends, as no end may be written.
    options = {"suppress_tokens": [end], "beam_size": 1, "max_length": 448}
    [text] = model.model.generate(encoded, [[start]], **options)
    assert len(text.sequences_ids[0]) == most_tokens(8) == 96
    [text] = english.opened().model.generate(encoded, [[start]], **options)
    assert len(text.sequences_ids[0]) == 224


def test_only_the_stretches_that_broke_are_heard_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    english = FasterWhisperExtractor(model=packaged.ENGLISH, device="cpu")
    asked: list[list[Span]] = []

    def heard(
        self: Any, model: Any, speech: Any, parts: list[Span], language: str
    ) -> Decoded:
        asked.append(parts)
        short = len(asked) == 1
        words = [("one", -0.9 if short and p.start_s == 20 else -0.1) for p in parts]
        found = [
            segment(f"{text} {p.start_s:g} {short}", p.end_s, log_p, p.start_s)
            for p, (text, log_p) in zip(parts, words, strict=True)
        ]
        return Decoded(found, "en", 1.0)

    monkeypatch.setattr(FasterWhisperExtractor, "_transcribe", heard)
    parts = [Span(start_s=s, end_s=s + 4) for s in (0, 20, 40)]
    got = english._decode(SimpleNamespace(model=None), np.zeros(16), parts, "en")
    assert asked == [parts, parts[1:2]]
    assert [s["text"] for s in got.segments] == [
        "one 0 True",
        "one 20 False",
        "one 40 True",
    ]
    english._decode(SimpleNamespace(model=None), np.zeros(16), parts, "de")
    assert (
        len(asked) == 3
    )  # other languages in whole windows: short ones were not measured there


def test_a_long_stretch_is_heard_again_from_its_last_whole_window(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    english = FasterWhisperExtractor(model=packaged.ENGLISH, device="cpu")
    asked: list[list[Span]] = []

    def heard(
        self: Any, model: Any, speech: Any, parts: list[Span], language: str
    ) -> Decoded:
        asked.append(parts)
        log_p, again = (-0.9, "") if len(asked) == 1 else (-0.1, " again")
        starts = [s for s in (0, 28, 56, 80) if s >= parts[0].start_s]
        return Decoded(
            [segment(f"from {s}{again}", s + 20, log_p, s, 100 * s) for s in starts],
            "en",
            1.0,
        )

    monkeypatch.setattr(FasterWhisperExtractor, "_transcribe", heard)
    got = english._decode(
        SimpleNamespace(model=None), np.zeros(16), [Span(start_s=0, end_s=100)], "en"
    )
    assert asked[1:] == [[Span(start_s=56, end_s=100)]]
    assert [s["text"] for s in got.segments] == [
        "from 0",
        "from 28",
        "from 56",
        "from 80 again",
    ]


def test_a_sentence_is_said_as_often_as_in_whole_windows() -> None:
    short = FasterWhisperExtractor(model=packaged.ENGLISH, device="cpu", beam_size=1)
    if reason := short.unavailable():
        pytest.skip(reason)
    full, detector = replace(short, short_windows=False), SignalExtractor()
    for name, times in (("three-times-a.ogg", 3), ("three-times-b.ogg", 1)):
        clip = decode(CLIPS / name)
        known = Blueprint(clip=clip.sha256)
        known = known.with_group(
            "signal", detector.extract(clip, known), detector.provenance()
        )
        quality = short.extract(clip, known)
        assert isinstance(quality, Transcript)
        # A short window alone writes it four times.
        assert quality.text == " ".join(["Please close the door behind you."] * times)
        assert quality.words[-1].end_s is not None
        assert quality.words[-1].end_s <= clip.seconds
    told = {"min_s": 10.0, "margin_s": 5.0, "padding": "silence", "tokens_per_s": 12}
    assert short.parameters()["short_windows"] == told
    assert short.provenance() != full.provenance()
    assert "short_windows" not in full.parameters()
    assert not FasterWhisperExtractor(model="small", device="cpu").shortens


class WindowOnGpu:
    """A window of CTranslate2 on a GPU, of which numpy reads nothing."""

    device = "cuda"

    def __init__(self, values: Any) -> None:
        self._values = values

    def to_device(self, device: Any) -> Any:
        """Return the window on another device."""
        assert device.name == "cpu"
        return self._values


def test_a_window_on_a_gpu_is_read_from_the_cpu() -> None:
    ctranslate2 = pytest.importorskip("ctranslate2")

    values = np.arange(6, dtype=np.float32).reshape(1, 2, 3)
    window = ctranslate2.StorageView.from_array(values)
    assert np.array_equal(as_array(window), values)
    assert np.array_equal(as_array(WindowOnGpu(window)), values)
