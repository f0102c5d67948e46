"""What windows share: where networks are cut, what a second costs, effects of edges."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

from extractors.audio import SPEECH_RATE, Samples
from extractors.dnsmos import extractor as dnsmos
from extractors.dnsmos import scores
from extractors.dnsmos import windows as dnsmos_shared
from extractors.dnsmos.sections import CompiledSection
from extractors.dnsmos.windows import Float32s, HopStore
from tests.support.their_dnsmos import librosa_compiled, their_dnsmos

TOLERANCE = 1e-3  # promised fidelity; single-precision sums differ by about 1e-6

SECONDS = 11.5  # two windows


def shapes() -> dict[str, Samples]:
    """Audio of two windows each, with what is a window's own made to matter."""
    rng = np.random.default_rng(2)
    time = np.arange(round(SECONDS * SPEECH_RATE)) / SPEECH_RATE
    hiss = rng.normal(0, 0.01, len(time))
    # Loudest where only one window hears it: peaks differ, so nothing of P.808 is
    # shared.
    fading = hiss * np.exp(-time)
    # At 1 s the second window starts, at 9 s the first one's last frame ends: the
    # loudest value is in a frame that is cut off there.
    starting, ending = hiss.copy(), hiss.copy()
    starting[SPEECH_RATE : SPEECH_RATE + 20] = 0.9
    ending[9 * SPEECH_RATE - 20 : 9 * SPEECH_RATE] = 0.9
    # 80 dB and more under the loudest value, and exact zeros.
    gap = np.where((time > 3) & (time < 8), 0, 20 * np.clip(hiss, -0.04, 0.04))
    tone = 0.5 * np.sin(2 * np.pi * 440 * time)
    named = {
        "noise": hiss,
        "fading": fading,
        "loudest at a start": starting,
        "loudest at an end": ending,
        "gap": gap,
        "tone": tone,
    }
    return {name: audio.astype(np.float32) for name, audio in named.items()}


@pytest.mark.parametrize("name", sorted(shapes()))
def test_edges_and_peaks_are_those_of_each_window(name: str) -> None:
    reference = their_dnsmos()
    audio = shapes()[name]
    want = reference.run(audio, SPEECH_RATE, model_type="dnsmos_personalized")
    scores = dnsmos.score(audio, [0, 1]).mean(axis=0)
    names = ("sig_mos", "bak_mos", "ovrl_mos", "p808_mos")
    assert scores == pytest.approx([want[n] for n in names], abs=TOLERANCE)


def test_how_much_is_computed_at_once_does_not_matter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    audio = np.random.default_rng(4).normal(0, 0.1, 16 * SPEECH_RATE).astype(np.float32)
    windows = [0, 1, 2, 4, 6]
    want = dnsmos.score(audio, windows)
    monkeypatch.setattr(dnsmos, "WINDOWS_AT_ONCE", 2)
    monkeypatch.setattr(dnsmos_shared, "WINDOWS_PER_RUN", 1)
    assert dnsmos.score(audio, windows) == pytest.approx(want, abs=1e-5)


def test_networks_are_cut_before_the_pooling_that_does_not_divide_a_hop() -> None:
    p835_file, p808_file = dnsmos.model_files()
    network = scores.load_p835(p835_file).network
    # 100 frames are 50 and 25 cells; a third halving would not be whole.
    assert network.strides == (1, 2, 4)
    # Four convolutions, each one further: 4 frames differ at an edge, pooled to 2
    # cells; then one convolution: 3, pooled to 2, and one more: 3. Two cells depend on
    # 2 * 2 + 4 = 8 frames; three on (3 + 1) * 2 + 1 = 9 cells.
    assert [(s.strip, s.changed) for s in network.stages] == [(8, 2), (9, 3)]
    # Context: 1 cell of 4 frames = 2 of 2, + 1 = 3 of 2, = 6 frames, + 4 = 10.
    assert network.margins == (10, 3, 0)

    network = scores.load_p808(p808_file)
    assert network.strides == (1, 2, 4)
    # One own frame, one convolution: 2 frames, 1 cell, on (1 * 2 + 1) = 3 frames; then
    # 2 cells, pooled to 1, and two convolutions: 3 cells, on (3 + 2) * 2 + 1 = 11.
    assert [(s.strip, s.changed) for s in network.stages] == [(3, 1), (11, 3)]
    # 2 cells of 4 frames = 4 of 2, + 1 = 5 of 2, = 10 frames, + 1 = 11.
    assert network.margins == (11, 5, 0)


@pytest.mark.parametrize(
    ("samples", "rows"), [(36_000, 450), (128_000, 800), (36_040, 912)]
)
def test_what_a_doubled_clip_repeats_is_computed_once(
    samples: int, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # 2.25 s are 225 frames, and pairs of frames are pooled: after 450 frames all was
    # there before. 2.2525 s end within a frame, so nothing repeats itself in the 9 s of
    # the one window.
    computed, inside = [], CompiledSection.inside

    def counted(section: CompiledSection, image: Float32s) -> Float32s:
        if image.shape[1::2] == (1, 161):  # P.835's first stage: a channel, 161 bins
            computed.append(image.shape[2] - 2 * 4)  # four convolutions reach so far
        return inside(section, image)

    audio = np.random.default_rng(5).normal(0, 0.1, samples).astype(np.float32)
    filled, windows, period = dnsmos._windows(audio, "reference")
    want = dnsmos.score(filled, windows)
    monkeypatch.setattr(CompiledSection, "inside", counted)
    assert dnsmos.score(filled, windows, period) == pytest.approx(want, abs=2e-6)
    assert computed == [rows]


def test_silence_before_a_recording_is_scored_as_samples_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    network = scores.load_p808(dnsmos.model_files()[1])
    audio = np.random.default_rng(6).normal(0, 0.1, 2 * SPEECH_RATE).astype(np.float32)
    silences, counts = (0, 400, 800, 1200), [100, 200]
    want = []
    for silence in silences:
        later = np.concatenate((np.zeros(silence, np.float32), audio))
        want.append(scores.P808(network, later).first(counts))
    computed: list[int] = []
    decibels = scores.decibels

    def counted(frames: Samples) -> scores.Decibels:
        computed.append(len(frames))
        return decibels(frames)

    monkeypatch.setattr(scores, "decibels", counted)
    recording = scores.P808(network, audio)
    for silence, of_samples in zip(silences, want, strict=True):
        assert recording.first(counts, silence) == pytest.approx(of_samples, abs=1e-5)
    # 400 samples are two frames and a half, 1200 seven and a half: frames lie on two
    # grids. Eight frames come before the recording's first, and 200 are scored, of
    # which 2 are among the eight where 400 samples of silence are.
    assert computed == [208, 206]


def test_each_hop_is_computed_once_and_forgotten() -> None:
    asked: list[int] = []

    def compute(first: int, stop: int) -> list[int]:
        asked.extend(range(first, stop))
        return [-hop for hop in range(first, stop)]

    store: HopStore[int] = HopStore()
    # Windows 0 and 1 are hops 0 to 9, windows 6 and 30 hops 6 to 14 and 30 to 38.
    assert dict(store.of([0, 1], compute)) == {hop: -hop for hop in range(10)}
    assert set(store.of([6, 30], compute)) == {*range(6, 15), *range(30, 39)}
    assert asked == [*range(15), *range(30, 39)]


def test_mel_features_equal_librosa() -> None:
    librosa = librosa_compiled()
    want = librosa.filters.mel(sr=SPEECH_RATE, n_fft=321, n_mels=120)
    assert np.abs(scores.mel_filters() - want).max() < 1e-6
    for name, audio in shapes().items():
        power = librosa.feature.melspectrogram(
            y=audio,
            sr=SPEECH_RATE,
            n_fft=321,
            hop_length=160,
            n_mels=120,
            pad_mode="constant",
        )
        want = librosa.power_to_db(power, ref=np.max).T
        frames = np.lib.stride_tricks.sliding_window_view(np.pad(audio, 160), 321)[
            ::160
        ]
        levels = scores.decibels(frames)
        assert levels.shape == want.shape
        got = scores.scaled(levels, levels.max())
        # librosa keeps single precision, which shows near the -80 dB floor of a pure
        # tone.
        assert np.abs(got - (want + 40) / 40).max() < 1e-3, name


def test_results_of_a_clip_go_with_it() -> None:
    # Without the collector: a circle of references would keep 20 MB per clip until it
    # runs.
    gc.disable()
    try:
        model = scores.load_p835(dnsmos.model_files()[0])
        scorer = scores.P835(model, np.zeros(11 * 16_000, np.float32))
        scorer.scores([0, 1])
        gone = weakref.ref(scorer)
        del scorer
        assert gone() is None
    finally:
        gc.enable()
