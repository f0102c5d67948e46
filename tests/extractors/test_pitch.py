"""Pitch of signals of known f0, by Praat and by pYIN, and of clips that have none."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

from blueprints import Absent, Blueprint, Pitch, Status, UserError
from extractors.audio import SPEECH_RATE, Clip, decode
from extractors.base import Extractor
from extractors.contours import (
    MAX_POINTS,
    Floats,
    contour,
    pitch_group,
    points_per_step,
)
from extractors.kept import alone
from extractors.models import cache_folder
from extractors.pitch import PraatPitchExtractor, PyinPitchExtractor, _compiled
from tests.support.speech import say

NOTHING = Blueprint(clip="0")
BOTH = pytest.mark.parametrize(
    "extractor", [PraatPitchExtractor(), PyinPitchExtractor()]
)


def pulses(f0: Floats, rate: int = SPEECH_RATE, top_hz: float = 3500) -> Floats:
    """Return a glottal-pulse tone: harmonics up to ``top_hz``, 12 dB per octave down.

    Args:
        f0: instantaneous frequency per sample, Hz [shape=(n,)].
    """
    phase = 2 * np.pi * np.cumsum(f0) / rate
    wave = np.zeros(len(f0))
    for harmonic in range(1, int(top_hz / f0.min()) + 1):
        audible = harmonic * f0 < top_hz
        wave += audible * np.cos(harmonic * phase) / harmonic**2
    return 0.3 * wave / np.abs(wave).max()


def steady(hz: float, seconds: float, rate: int = SPEECH_RATE) -> Floats:
    return pulses(np.full(int(seconds * rate), hz), rate)


def clip_of(wave: Floats, rate: int = SPEECH_RATE, channels: int = 1) -> Clip:
    return Clip(
        np.repeat(wave[:, np.newaxis], channels, axis=1).astype(np.float32), rate
    )


def measured(extractor: Extractor, clip: Clip) -> Pitch:
    got = extractor.extract(clip, NOTHING)
    assert isinstance(got, Pitch), got
    return got


@BOTH
@pytest.mark.parametrize("hz", [65, 110, 220, 440, 900])
def test_steady_tone(extractor: Extractor, hz: float) -> None:
    got = measured(extractor, clip_of(steady(hz, 1.0)))
    assert got.mean_hz == pytest.approx(hz, rel=0.01)
    assert got.median_hz == pytest.approx(hz, rel=0.01)
    # pYIN's bins are 0.1 semitones wide, and at 65 Hz it wanders over two or three.
    assert got.std_semitones < 0.15
    assert abs(got.slope_semitones_per_s) < 0.1
    assert got.voiced_ratio > 0.9


@BOTH
def test_rising_glide(extractor: Extractor) -> None:
    # 5 semitones in 2 s are 2.5 semitones/s; the ends lose a few frames, hence 4 %.
    time = np.arange(2 * SPEECH_RATE) / SPEECH_RATE
    got = measured(extractor, clip_of(pulses(150 * 2 ** (2.5 * time / 12))))
    assert got.slope_semitones_per_s == pytest.approx(2.5, abs=0.1)
    # Percentiles 5 to 95 hold 90 % of 5 semitones.
    assert got.range_semitones == pytest.approx(4.5, abs=0.2)
    # No octave jump: neighbours 10 ms apart differ by 0.025 semitones, so by 0.15 % and
    # at pYIN's resolution of 0.1 semitones by 0.6 %.
    values = np.array([v for v in got.contour.values if v is not None])
    assert np.abs(np.diff(np.log2(values))).max() * 12 < 0.25


@BOTH
def test_contour_keeps_the_time_axis(extractor: Extractor) -> None:
    # 0.5 s silence, 1 s at 200 Hz, 0.5 s silence: 100 of 200 frames are voiced.
    gap = np.zeros(SPEECH_RATE // 2)
    got = measured(extractor, clip_of(np.concatenate([gap, steady(200, 1), gap])))
    assert got.voiced_ratio == pytest.approx(0.5, abs=0.05)
    line = got.contour
    times = line.start_s + line.step_s * np.arange(len(line.values))
    voiced = times[[value is not None for value in line.values]]
    assert voiced[0] == pytest.approx(0.5, abs=0.05)
    assert voiced[-1] == pytest.approx(1.5, abs=0.05)
    assert times[-1] < 2.05


def test_two_registers_are_not_folded_into_one() -> None:
    # A low voice for 1.2 s, then the same an octave and a half higher for 0.8 s.
    low, high = steady(110, 1.2), steady(310, 0.8)
    got = measured(PraatPitchExtractor(), clip_of(np.concatenate([low, high])))
    values = [value for value in got.contour.values if value is not None]
    assert np.percentile(values, 10) == pytest.approx(110, rel=0.01)
    assert np.percentile(values, 90) == pytest.approx(310, rel=0.01)
    assert got.ceiling_hz > 310 > 110 > got.floor_hz


@pytest.mark.parametrize("calm", [1.5, 2.5])
def test_search_range_follows_the_quartiles(calm: float) -> None:
    got = measured(PraatPitchExtractor(ceiling_factor=calm), clip_of(steady(200, 1)))
    assert got.floor_hz == pytest.approx(150, rel=0.01)
    assert got.ceiling_hz == pytest.approx(200 * calm, rel=0.01)


@pytest.mark.parametrize("factors", [(0.0, 2.5), (1.2, 2.5), (0.75, 0.9)])
@pytest.mark.parametrize("kind", [PraatPitchExtractor, PyinPitchExtractor])
def test_factors_that_exclude_the_voice_are_refused(
    kind: type[PraatPitchExtractor] | type[PyinPitchExtractor],
    factors: tuple[float, float],
) -> None:
    with pytest.raises(UserError, match="exclude the voice"):
        kind(floor_factor=factors[0], ceiling_factor=factors[1])


@BOTH
def test_clips_without_pitch(extractor: Extractor) -> None:
    rng = np.random.default_rng(3)
    second = SPEECH_RATE
    cases = {
        "empty": (np.zeros(0), Status.TOO_SHORT),
        "0.05 s": (steady(200, 0.05), Status.TOO_SHORT),
        "silence": (np.zeros(second), Status.SILENT),
        "-80 dBFS": (steady(200, 1) * 3e-4, Status.SILENT),
        "only DC": (np.full(second, 0.5), Status.SILENT),
        "white noise": (rng.normal(0, 0.1, 2 * second), Status.NO_SPEECH),
    }
    for name, (wave, status) in cases.items():
        got = extractor.extract(clip_of(wave), NOTHING)
        assert isinstance(got, Absent), name
        assert got.status is status, (name, got.reason)


@BOTH
def test_whisper_has_no_voiced_frames(extractor: Extractor) -> None:
    # Vowels of a whisper: noise through resonances at 500, 1500 and 2500 Hz that are
    # 200 Hz wide (half power), 0.25 s each with 0.1 s between them.
    rng = np.random.default_rng(4)
    count = SPEECH_RATE // 4
    bins = np.fft.rfftfreq(count, 1 / SPEECH_RATE)
    power = np.sum(
        [1 / (1 + ((bins - hz) / 100) ** 2) for hz in (500, 1500, 2500)], axis=0
    )
    parts: list[Floats] = []
    for _ in range(6):
        vowel = np.fft.irfft(
            np.fft.rfft(rng.normal(size=count)) * np.sqrt(power), count
        )
        parts += [0.2 * vowel / np.abs(vowel).max(), np.zeros(SPEECH_RATE // 10)]
    got = extractor.extract(clip_of(np.concatenate(parts)), NOTHING)
    assert isinstance(got, Absent), got
    assert got.status is Status.NO_SPEECH
    assert "no voiced frames" in got.reason


@pytest.mark.parametrize("file", ["prompts/0.wav", "rate_pairs/1_a/audio_a.wav"])
def test_noisy_voice_keeps_its_pitch(data: Path, file: str) -> None:
    # White noise 10 dB under the speech must not make a whisper of it.
    clean = decode(data / file)
    rng = np.random.default_rng(6)
    noise = rng.normal(0, np.sqrt(np.mean(clean.speech**2) / 10), len(clean.speech))
    noisy = clip_of(clean.speech + noise)
    before, after = (measured(PraatPitchExtractor(), clip) for clip in (clean, noisy))
    assert after.median_hz == pytest.approx(before.median_hz, rel=0.05)


@pytest.mark.parametrize(("voice", "ratio_db"), [("Male1", 5), ("Female1", 0)])
def test_a_voice_in_white_noise_is_no_whisper(voice: str, ratio_db: float) -> None:
    # Above 2 kHz there is little of the voice; a first pass that hears it hears noise.
    clean = say(voice=voice)
    rng = np.random.default_rng(6)
    power = np.mean(clean.speech**2) * 10 ** (-ratio_db / 10)
    noise = rng.normal(0, np.sqrt(power), len(clean.speech))
    before = measured(PraatPitchExtractor(), clean)
    after = measured(PraatPitchExtractor(), clip_of(clean.speech + noise))
    assert after.median_hz == pytest.approx(before.median_hz, rel=0.02)


def test_both_methods_agree_on_real_speech(data: Path) -> None:
    # pYIN calls more of a vowel's end voiced, which moves a median by up to 3 %.
    for file in (
        "prompts/0.wav",
        "rate_pairs/2_b/audio_b.wav",
        "speakbench_pairs/310_2/audio_b.wav",
    ):
        clip = decode(data / file)
        praat, pyin = (
            measured(PraatPitchExtractor(), clip),
            measured(PyinPitchExtractor(), clip),
        )
        assert pyin.median_hz == pytest.approx(praat.median_hz, rel=0.03), file


@BOTH
@pytest.mark.parametrize(
    ("rate", "channels", "offset"),
    [(8_000, 1, 0.0), (192_000, 1, 0.0), (48_000, 8, 0.0), (16_000, 1, 0.3)],
)
def test_odd_formats(
    extractor: Extractor, rate: int, channels: int, offset: float
) -> None:
    got = measured(extractor, clip_of(steady(220, 0.5, rate) + offset, rate, channels))
    assert got.median_hz == pytest.approx(220, rel=0.01)


@BOTH
@pytest.mark.parametrize("hz", [55, 200, 400])
def test_shortest_clip_is_measured(extractor: Extractor, hz: float) -> None:
    # 0.08 s: three periods of 50 Hz and two more frames of 10 ms; 0.079 s is refused.
    assert measured(extractor, clip_of(steady(hz, 0.08))).median_hz == pytest.approx(
        hz, rel=0.02
    )
    got = extractor.extract(clip_of(steady(hz, 0.079)), NOTHING)
    assert got.status is Status.TOO_SHORT


def test_low_floor_in_a_short_clip_keeps_three_periods() -> None:
    # A tenth of 55 Hz would need 0.5 s; 0.1 s hold three periods of 30 Hz.
    got = measured(PraatPitchExtractor(floor_factor=0.1), clip_of(steady(55, 0.1)))
    assert got.floor_hz == pytest.approx(30)
    assert got.median_hz == pytest.approx(55, rel=0.01)


def test_figures_of_a_small_track() -> None:
    # 100, 200, 400 Hz at 0, 1, 3 s (unvoiced at 2 s): median 200, intervals -12, 0,
    # +12.
    hz = np.array([100, 200, np.nan, 400])
    got = pitch_group(hz, 0.0, 1.0, 75.0, 500.0)
    assert got.median_hz == 200
    assert got.mean_hz == pytest.approx(700 / 3)
    assert got.std_semitones == pytest.approx(12 * np.sqrt(2 / 3))
    # Times 0, 1, 3 less their mean 4/3: -4/3, -1/3, 5/3; sum of squares 42/9;
    # products with -12, 0, 12: 16 + 20 = 36; 36 / (42/9) = 7.714.
    assert got.slope_semitones_per_s == pytest.approx(36 * 9 / 42)
    assert got.voiced_ratio == 0.75
    assert got.contour.values == [100, 200, None, 400]
    assert (got.contour.start_s, got.contour.step_s) == (0, 1)


def test_long_contours_are_thinned_by_medians() -> None:
    # The smallest of 1, 2, 5, 10, ... with count / size <= 600.
    counts = {0: 1, 600: 1, 601: 2, 1200: 2, 1201: 5, 3001: 10, 180_000: 500}
    assert {count: points_per_step(count) for count in counts} == counts
    # 1,000 points share 500 steps; the first holds points 0 and 1, so its time is 0.05
    # s.
    values = np.arange(1000.0)
    values[4:6] = np.nan
    got = contour(values, 0.0, 0.1)
    assert len(got.values) == 500 <= MAX_POINTS
    assert got.step_s == pytest.approx(0.2)
    assert got.start_s == pytest.approx(0.05)
    assert got.values[:4] == [0.5, 2.5, None, 6.5]


@pytest.mark.parametrize("count", [1, 2, 7, 99, 1000, 5001])
@pytest.mark.parametrize("unknown", [0.0, 0.3, 0.9, 1.0])
def test_stored_points_are_medians_of_what_is_known(count: int, unknown: float) -> None:
    rng = np.random.default_rng(count)
    values = 100 * rng.standard_normal(count)
    values[rng.random(count) < unknown] = np.nan
    size = points_per_step(count)
    expected: list[float | None] = []
    for first in range(0, count, size):
        known = [value for value in values[first : first + size] if not np.isnan(value)]
        expected.append(round(float(np.median(known)), 2) if known else None)
    assert contour(values, 0.0, 0.01).values == expected


def test_pyin_is_compiled_by_one_process_at_a_time() -> None:
    """Machine code of two processes that compiled at once ended every later one."""
    compiling = threading.Thread(target=_compiled.__wrapped__)
    with alone(cache_folder(), "librosa"):
        compiling.start()
        compiling.join(0.3)
        assert compiling.is_alive()
    compiling.join()
