"""Defects of signals that are made here: their places are known to the sample."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import pairwise
from pathlib import Path

import av
import numpy as np
import pytest
from numpy.typing import NDArray

from blueprints import Absent, Blueprint, Extension, Span, Status
from extractors.audio import Clip, decode
from extractors.defects import DefectsExtractor
from extractors.registry import create
from extractors.signal import SignalExtractor
from tests.support import blueprints as make

RATE = 16_000
Floats = NDArray[np.float64]
SPOKEN = [Span(start_s=0.1, end_s=6.1)]


@cache
def speech() -> Floats:
    """Make six seconds that move like speech: four unlike syllables a second."""
    rng = np.random.default_rng(0)
    parts = []
    for syllable in range(24):
        t = np.arange(RATE // 4) / RATE
        f0 = 110 * 2 ** (rng.uniform(-3, 3) / 12) * (1 + 0.15 * t)
        strength = rng.uniform(0, 1, 25)
        tone = sum(
            a * np.sin(2 * np.pi * f0 * k * t) for k, a in enumerate(strength, 1)
        )
        # A gap of 40 ms with a slow fall and a slow rise: no cut.
        shape = np.clip(np.minimum(t, t[-1] - 0.04 - t) / 0.06, 0, 1) ** 2
        parts.append(
            0.05 * tone * shape + 3e-5 * rng.standard_normal(len(t)) + 0 * syllable
        )
    return np.concatenate([np.zeros(1600), *parts, np.zeros(1600)])


def events(
    samples: Floats, spans: list[Span] | None = None
) -> list[tuple[str, float, float]]:
    group = extracted(samples, spans)
    assert isinstance(group, Extension)
    values = group.model_dump()["values"]
    defects = [(one["kind"], one["start_s"], one["end_s"]) for one in values["events"]]
    assert sum(values["counts"].values()) == len(defects)
    assert all(one["strength"] >= 1 for one in values["events"])
    return defects


def extracted(samples: Floats, spans: list[Span] | None = None) -> Extension | Absent:
    seconds = len(samples) / RATE
    spans = [Span(start_s=0.1, end_s=seconds - 0.1)] if spans is None else spans
    signal = make.signal(
        duration_s=seconds,
        speech_s=sum(span.seconds for span in spans),
        speech=spans,
        pauses=[Span(start_s=a.end_s, end_s=b.start_s) for a, b in pairwise(spans)],
    )
    clip = Clip(samples.astype(np.float32)[:, None], RATE)
    group = DefectsExtractor().extract(clip, Blueprint(clip="c", signal=signal))
    assert isinstance(group, Extension | Absent)
    return group


def test_that_plain_sound_has_none() -> None:
    assert events(speech()) == []
    assert isinstance(create("defects"), DefectsExtractor)


def test_that_a_phrase_said_three_times_is_one_loop() -> None:
    x = speech()
    # 1.35 to 2.1 s twice more: the copies end 1.5 s behind the first one.
    looped = np.concatenate(
        [x[: int(2.1 * RATE)], *[x[int(1.35 * RATE) : int(2.1 * RATE)]] * 2]
    )
    ((kind, start, end),) = events(np.concatenate([looped, x[int(2.1 * RATE) :]]))
    assert kind == "loop"
    assert (start, end) == pytest.approx((1.35, 3.6), abs=0.1)


def test_that_a_hole_is_a_drop_out_and_a_fade_is_none() -> None:
    x = speech().copy()
    first = int(1.2 * RATE)  # the middle of a syllable that begins at 1.1 s
    cut, faded = x.copy(), x.copy()
    cut[first : int(1.45 * RATE)] = 0
    ((kind, start, end),) = events(cut)
    assert kind == "drop_out"
    assert (start, end) == pytest.approx((1.2, 1.45), abs=0.01)
    fall = np.concatenate(
        [np.linspace(1, 0, 1600) ** 4, np.zeros(1600), np.linspace(0, 1, 800)]
    )
    faded[first : first + 4000] *= fall
    assert events(faded) == []


def test_that_a_voice_whose_stops_are_all_holes_has_no_drop_out() -> None:
    # All syllables here fall to nothing within 60 ms, as formant synthesis does: one
    # that falls and rises within 8 ms is another of its stops.
    shape = np.concatenate(
        [
            np.linspace(1, 0, 64) ** 2,
            np.zeros(960),
            np.linspace(0, 1, 64) ** 2,
        ]  # 4, 60, 4 ms
    )
    x = speech().copy()
    x[int(1.2 * RATE) :][: len(shape)] *= shape
    assert events(x) == []


def test_that_a_stop_whose_burst_comes_before_its_voice_is_no_drop_out() -> None:
    rng = np.random.default_rng(3)
    shape = np.concatenate(
        [
            np.linspace(1, 0, 192) ** 2,
            np.zeros(1120),
            np.linspace(0, 1, 560) ** 2,
        ]  # 12, 70, 35 ms
    )
    x = speech().copy()
    x[int(1.2 * RATE) :][: len(shape)] *= shape
    burst = 0.05 * rng.standard_normal(64) * np.linspace(1, 0.3, 64)
    x[int(1.2 * RATE) + 192 + 1120 :][:64] += burst
    assert events(x) == []


def test_that_a_single_sample_is_a_click() -> None:
    x = speech().copy()
    at = 1600 + 4000 * 8 - 300  # in the gap before the ninth syllable
    x[at] += 0.5
    assert events(x) == [
        (
            "click",
            pytest.approx(at / RATE, abs=0.002),
            pytest.approx(at / RATE, abs=0.002),
        )
    ]


def test_that_flat_tops_are_one_stretch() -> None:
    x = speech().copy()
    top = np.abs(x).max()
    x[2 * RATE : 3 * RATE] = np.clip(8 * x[2 * RATE : 3 * RATE], -top, top)
    clipped = [one for one in events(x) if one[0] == "clipped"]
    assert clipped == [
        ("clipped", pytest.approx(2.0, abs=0.15), pytest.approx(3.0, abs=0.15))
    ]


def test_that_two_samples_at_the_limit_belong_to_flat_tops() -> None:
    x = speech().copy()
    top = np.abs(x).max()
    x[2 * RATE : 3 * RATE] = np.clip(8 * x[2 * RATE : 3 * RATE], -top, top)
    last = int(3.3 * RATE)  # closer than .5 s to the others
    x[last : last + 2] = top
    ((_, start, end),) = [one for one in events(x) if one[0] == "clipped"]
    assert (start, end) == pytest.approx((2.0, 3.3), abs=0.01)


def test_that_a_held_sound_is_stretched() -> None:
    x = speech()
    # One period of 100 Hz of the sound at 2.2 s, 100 times.
    period = x[int(2.2 * RATE) : int(2.2 * RATE) + 160]
    defects = events(
        np.concatenate(
            [x[: int(2.2 * RATE)], np.tile(period, 100), x[int(2.21 * RATE) :]]
        )
    )
    held = [one for one in defects if one[0] == "stretched"]
    assert held == [
        ("stretched", pytest.approx(2.2, abs=0.1), pytest.approx(3.2, abs=0.1))
    ]


def voice(hz: Floats) -> Floats:
    phase = 2 * np.pi * np.cumsum(hz) / RATE
    return np.asarray(sum(np.sin(k * phase) / k for k in range(1, 12)) * 0.05)


def test_that_a_step_of_the_pitch_is_heard_and_a_glide_is_none() -> None:
    step = np.where(np.arange(RATE) < RATE // 2, 120.0, 240.0)  # an octave
    creak = np.where(np.arange(RATE) < RATE // 2, 120.0, 63.0)
    glide = 120 * 2 ** np.clip(np.linspace(-1, 2, RATE), 0, 1)  # in a third of 1 s
    for hz, expected in (
        (step, [pytest.approx(len(speech()) / RATE + 0.5, abs=0.03)]),
        (creak, []),
        (glide, []),
    ):
        whole = np.concatenate(
            [speech(), voice(hz) * np.hanning(RATE) ** 0.2, speech()]
        )
        assert [at for kind, at, _ in events(whole) if kind == "pitch_jump"] == expected


def test_that_a_voice_behind_a_consonant_neither_jumps_nor_clicks() -> None:
    step = np.where(np.arange(RATE) < RATE // 2, 120.0, 240.0)
    # The level rises by 22 dB where f0 steps, as where a closed mouth opens, or by 18
    # dB: that is a step inside a vowel, and no click, for what is behind it is louder
    # than what is before.
    for share, expected in ((0.08, []), (0.12, ["pitch_jump"])):
        level = 2 * np.where(np.arange(RATE) < RATE // 2, share, 1.0)
        sound = level * voice(step) * np.hanning(RATE) ** 0.2
        whole = np.concatenate([speech(), sound, speech()])
        assert [kind for kind, *_ in events(whole)] == expected


def test_that_a_clip_cut_in_sound_begins_and_ends_abruptly() -> None:
    defects = events(speech()[int(1.2 * RATE) : int(3.7 * RATE)])
    assert defects == [("abrupt_begin", 0.0, 0.0), ("abrupt_end", 2.5, 2.5)]
    padded = np.concatenate([speech()[: int(3.7 * RATE)], np.zeros(4000)])
    ((kind, start, _),) = events(padded)
    assert (kind, start) == ("abrupt_end", pytest.approx(3.7, abs=0.01))


def test_that_mains_hum_is_heard_from_where_it_begins() -> None:
    x = speech().copy()
    t = np.arange(len(x) - 2 * RATE) / RATE
    x[2 * RATE :] += 0.01 * np.sin(2 * np.pi * 50 * t) + 0.005 * np.sin(
        2 * np.pi * 150 * t
    )
    assert events(x) == [
        ("hum", pytest.approx(2.0, abs=0.1), pytest.approx(len(x) / RATE, abs=0.01))
    ]


def test_that_a_hum_ends_where_it_ends_though_the_voice_has_its_lines() -> None:
    x = speech().copy()
    first, last = int(1.7 * RATE), 4 * RATE
    t = np.arange(last - first) / RATE
    # 120 Hz and its multiples, which the voice at 110 Hz and a little over crosses all
    # the time.
    x[first:last] += 0.01 * sum(
        np.sin(2 * np.pi * 120 * k * t + k) / k for k in range(1, 9)
    )
    assert events(x) == [
        ("hum", pytest.approx(1.7, abs=0.1), pytest.approx(4.0, abs=0.1))
    ]


def test_pauses_and_silence() -> None:
    x = speech()
    words, end = len(x) / RATE, len(x) / RATE
    spans = [
        Span(start_s=0.1, end_s=words - 0.1),
        Span(start_s=words + 4.1, end_s=2 * words + 3.9),
    ]
    defects = events(np.concatenate([x, np.zeros(4 * RATE), x]), spans)
    assert (
        "long_pause",
        pytest.approx(words - 0.1, abs=0.15),
        pytest.approx(words + 4.1, abs=0.15),
    ) in defects
    half = events(np.concatenate([x, np.zeros(9 * RATE)]), spans[:1])
    assert half == [("silence", pytest.approx(end - 0.14, abs=0.01), end + 9)]
    nothing = np.full(3 * RATE, 1e-4)
    assert events(nothing, []) == [("silence", 0.0, 3.0)]


def test_what_has_a_status_instead() -> None:
    rng = np.random.default_rng(0)
    for samples, status in (
        (speech()[: RATE // 4], Status.TOO_SHORT),
        (
            0.1 * rng.standard_normal(2 * RATE),
            Status.NO_SPEECH,
        ),  # noise, in which nobody speaks
    ):
        group = extracted(samples, [])
        assert group.status is status
        assert group.reason
    failed = DefectsExtractor().extract(
        Clip(np.zeros((RATE, 1), np.float32), RATE), Blueprint(clip="c")
    )
    assert failed.status is Status.FAILED


def test_that_a_clip_that_clips_everywhere_has_one_event_of_it() -> None:
    x = speech()
    clipped = np.clip(30 * x, -0.5, 0.5)
    kinds = [kind for kind, *_ in events(clipped)]
    assert kinds.count("clipped") == 1
    # Syllables that are driven into the limit end in cuts; few events, not one a frame
    # (600).
    assert len(kinds) <= 8


def test_that_odd_sound_has_few_events() -> None:
    x = speech()
    t = np.arange(len(x)) / RATE
    chord = 0.1 * sum(np.sin(2 * np.pi * hz * t) for hz in (220, 277.2, 329.6))
    music = chord * (0.6 + 0.4 * np.sign(np.sin(2 * np.pi * 2 * t)))
    for samples in (
        music,  # that passes for speech
        x + np.roll(x, RATE),  # two people at once
        x + 0.05 * np.random.default_rng(0).standard_normal(len(x)),  # loud noise
        np.sign(np.sin(2 * np.pi * 200 * t)) * 0.5,  # nothing but the limit
    ):
        assert len(events(samples)) <= 12  # of 700 frames
    # A telephone's rate: what is resampled to 16 kHz has no other defects than before.
    low = Clip(x[::2].astype(np.float32)[:, None], RATE // 2)
    signal = SignalExtractor().extract(low, Blueprint(clip="c"))
    known = Blueprint(
        clip="c", signal=signal.model_copy(update={"speech": SPOKEN, "pauses": []})
    )
    group = DefectsExtractor().extract(low, known)
    assert isinstance(group, Extension)
    assert group.events == []


def test_that_packets_lost_in_a_word_are_a_drop_out(tmp_path: Path) -> None:
    """The reader fills them with silence: that is heard, and so it is a finding."""
    wave = (20_000 * speech()).astype(np.int16)
    path = tmp_path / "call.mka"
    first, behind = round(1.2 * RATE), round(1.7 * RATE)
    with av.open(path, "w") as file:
        stream = file.add_stream("pcm_s16le", rate=RATE)
        stream.layout = "mono"
        for start, stop in (0, first), (behind, len(wave)):
            part = wave[None, start:stop]
            frame = av.AudioFrame.from_ndarray(part, format="s16", layout="mono")
            frame.sample_rate, frame.pts = RATE, start
            frame.time_base = Fraction(1, RATE)
            file.mux(stream.encode(frame))
        file.mux(stream.encode(None))
    clip = decode(path)
    assert clip.seconds == pytest.approx(len(wave) / RATE, abs=0.01)
    ((kind, start_s, end_s),) = events(clip.mono.astype(np.float64))
    assert kind == "drop_out"
    assert start_s == pytest.approx(1.2, abs=0.02)
    assert end_s == pytest.approx(1.7, abs=0.02)
