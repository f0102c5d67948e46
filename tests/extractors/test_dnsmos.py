"""DNSMOS: the reference's own scores, its windows, and clips that must get no score."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from blueprints import Blueprint, Quality, Status, UserError
from extractors import packaged, registry
from extractors.audio import SPEECH_RATE, Clip, decode
from extractors.dnsmos import extractor as dnsmos
from extractors.dnsmos.extractor import DnsmosExtractor
from tests.support.model_parts import known, unspoken
from tests.support.processes import python
from tests.support.their_dnsmos import their_dnsmos

TOLERANCE = 1e-3  # promised fidelity; single-precision sums differ by about 1e-5


def quality(clip: Clip) -> Quality:
    got = DnsmosExtractor(windows="reference").extract(clip, known(clip))
    assert isinstance(got, Quality)
    return got


def noise(seconds: float, rate: int = SPEECH_RATE, channels: int = 1) -> Clip:
    rng = np.random.default_rng(5)
    samples = rng.normal(0, 0.05, (int(seconds * rate), channels))
    return Clip(samples.astype(np.float32), rate)


def shared_clips(data: Path) -> list[Clip]:
    """Every different shared clip once, shortest first."""
    files = sorted(data.glob("*_pairs/*/*.wav")) + sorted(data.glob("prompts/*.wav"))
    clips = {clip.sha256: clip for clip in map(decode, files)}
    return sorted(clips.values(), key=lambda clip: clip.seconds)


# The reference takes minutes over all of them.
@pytest.mark.parametrize("every", [7, pytest.param(1, marks=pytest.mark.slow)])
def test_shared_clips_score_as_the_reference_does(data: Path, every: int) -> None:
    reference = their_dnsmos()
    clips = shared_clips(data)
    assert clips[0].seconds < 2.7
    assert clips[-1].seconds > 103
    for clip in clips[
        ::every
    ]:  # the longest takes the reference a minute: with all the others
        want = reference.run(clip.speech, SPEECH_RATE, model_type="dnsmos_personalized")
        got = quality(clip)
        for name in ("sig", "bak", "ovrl", "p808"):
            difference = abs(getattr(got, name) - want[f"{name}_mos"])
            assert difference < TOLERANCE, (clip.name, name, difference)


def test_windows_that_the_reference_skips_score_as_it_scores_them_alone() -> None:
    reference = their_dnsmos()
    audio = noise(25).speech * np.linspace(0.1, 1, 25 * SPEECH_RATE, dtype=np.float32)
    got = dnsmos.score(audio, [3, 7, 8, 15])
    for window, scores in zip([3, 7, 8, 15], got, strict=True):
        start = window * SPEECH_RATE
        alone = audio[start : start + dnsmos.WINDOW_SAMPLES]
        want = reference.run(alone, SPEECH_RATE, model_type="dnsmos_personalized")
        names = ("sig_mos", "bak_mos", "ovrl_mos", "p808_mos")
        assert scores == pytest.approx([want[name] for name in names], abs=TOLERANCE), (
            window
        )


@pytest.mark.parametrize(
    ("seconds", "starts"),
    [
        # floor(9.01 - 9.01) + 1 = 1 window; at 10.5 s still 1, as floor(10.5) - 9.01 <
        # 1.
        (9.01, [0]),
        (10.5, [0]),
        (11.5, [0, 1]),
        # 40 s: hops 0 to 30; (7 + 9.01) * 16000 = 256159.99..., one sample short, and
        # so on up to 23; from 24 on the product is exact again.
        (40, [*range(7), *range(24, 31)]),
    ],
)
def test_reference_windows(seconds: float, starts: list[int]) -> None:
    assert dnsmos.reference_windows(round(seconds * SPEECH_RATE)) == starts


@pytest.mark.parametrize(
    ("samples", "count"),
    [
        (144_160, 1),
        (160_159, 1),  # one sample short of a second window
        (160_160, 2),
        (30 * SPEECH_RATE, 21),  # the last starts at 20 s: 20 + 9.01 <= 30 < 21 + 9.01
    ],
)
def test_all_windows_are_those_that_fit(samples: int, count: int) -> None:
    assert dnsmos.all_windows(samples) == list(range(count))


def test_all_windows_are_chosen_by_name_and_recorded() -> None:
    extractor = registry.create("dnsmos:all")
    assert extractor.provenance().parameters == {"windows": "all"}
    clip = noise(17.5)
    everything = extractor.extract(clip, known(clip))
    assert isinstance(everything, Quality)
    # 17.5 s: all that fit start at 0 to 8 s; the reference counts floor(17.5) - 9.01 =
    # 7.99, so 0 to 7 s, and skips the one at 7 s.
    assert (everything.windows, quality(clip).windows) == (9, 7)


def test_window_count_and_level_are_reported() -> None:
    got = quality(noise(11.5))
    assert got.windows == 2
    # Uncorrelated noise of standard deviation 0.05: 20 lg 0.05 = -26.02 dB; 184,000
    # samples estimate it within 0.03 dB.
    assert got.level_dbfs == pytest.approx(-26.02, abs=0.03)
    shifted = Clip(noise(1).samples + np.float32(0.2), SPEECH_RATE)
    # an offset is not heard
    assert quality(shifted).level_dbfs == pytest.approx(-26.02, abs=0.1)


def test_short_audio_is_doubled_until_it_fills_a_window() -> None:
    ramp = np.arange(5 * SPEECH_RATE, dtype=np.float32)
    # 5 s -> 10 s, which is over 9.01 s
    assert np.array_equal(dnsmos.fill_window(ramp), np.tile(ramp, 2))
    with pytest.raises(ValueError, match="0 samples"):
        dnsmos.fill_window(np.zeros(0, np.float32))


def test_clips_without_speech_get_no_score() -> None:
    short, silent, wind = (
        noise(0.05),
        Clip(np.zeros((SPEECH_RATE, 1), np.float32), 16000),
        noise(1),
    )
    empty = Clip(np.zeros((0, 1), np.float32), SPEECH_RATE)
    for clip, blueprint, status in (
        (short, known(short), Status.TOO_SHORT),
        (silent, known(silent), Status.SILENT),
        (wind, unspoken(wind), Status.NO_SPEECH),
        (empty, Blueprint(clip="0"), Status.TOO_SHORT),
    ):
        got = DnsmosExtractor().extract(clip, blueprint)
        assert got.status is status


@pytest.mark.parametrize(("rate", "channels"), [(8_000, 1), (192_000, 1), (48_000, 8)])
def test_odd_formats_are_scored(rate: int, channels: int) -> None:
    got = quality(noise(1, rate, channels))
    assert all(0 < score < 5.5 for score in (got.sig, got.bak, got.ovrl, got.p808))


def test_identity_names_the_models_and_a_missing_one_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    extractor = DnsmosExtractor()
    source = extractor.provenance()
    assert len(source.revision or "") == 64
    assert source.parameters == {"windows": "speech"}
    assert set(source.packages) == {"numba", "onnx", "onnxruntime", "speechmos"}
    assert extractor.unavailable() is None
    monkeypatch.setattr(packaged, "_folder", lambda _: tmp_path)
    assert extractor.unavailable() == (
        "dnsmos: the package speechmos 0.0.1.1 has no pdnsmos_models/sig_bak_ovr.onnx;"
        " run: pip install --force-reinstall --no-deps speechmos==0.0.1.1"
    )


def test_unknown_windows_are_refused() -> None:
    with pytest.raises(
        UserError, match="'every' is unknown; use 'speech', 'reference', 'all'"
    ):
        registry.create("dnsmos:every")
    with pytest.raises(
        UserError, match="no windows after the colon; write dnsmos:WINDOWS"
    ):
        registry.create("dnsmos:")


def test_one_clip_does_not_import_librosa_nor_planning_onnx() -> None:
    code = (
        "import sys; import numpy as np; from extractors.dnsmos import extractor as"
        " dnsmos;dnsmos.DnsmosExtractor().provenance();"
        "early = {'numba', 'onnx', 'onnxruntime'} & set(sys.modules);"
        "dnsmos.score(np.zeros(dnsmos.WINDOW_SAMPLES, np.float32), [0]);"
        "print(early | {'librosa', 'requests'} & set(sys.modules))"
    )
    assert python(code) == "set()\n"


def test_speech_that_is_fit_is_not_copied() -> None:
    fit, loud = (
        noise(1),
        Clip(np.resize(np.float32([1.5, -1.5]), (SPEECH_RATE, 1)), SPEECH_RATE),
    )
    assert np.shares_memory(fit.speech, fit.samples)
    assert loud.speech.max() == 1
    assert loud.samples.max() == 1.5
