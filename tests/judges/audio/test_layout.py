"""Lengths, offsets and recipes of joined waveforms, and the samples they lead to."""

from __future__ import annotations

import base64
import io
import json
import wave
from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st

from extractors.audio import AudioError, Clip, decode
from trace_eval.judges.views.sound.encode import Waveform, pcm16, sound_of, wav_bytes
from trace_eval.judges.views.sound.layout import (
    Gap,
    Sound,
    Unit,
    common_rate,
    dialogue_items,
    single_items,
    unit_items,
)
from trace_eval.judges.views.sound.signals import MAX_SHOTS, WORDS, load_signals


def sound(seconds: float, rate: int = 24_000, hertz: float = 300.0) -> Sound:
    time = np.arange(round(seconds * rate)) / rate
    samples = (0.5 * np.sin(2 * np.pi * hertz * time)).astype(np.float32)
    return sound_of(Clip(samples[:, None], rate))


def recording(path: Path) -> Sound:
    return sound_of(decode(path), lambda: decode(path))


@pytest.mark.parametrize(
    ("folder", "frames"),
    [("1_a", 168_960), ("2_b", 337_920), ("3_a", 118_080), ("4_b", 279_360)],
)
def test_pairs_without_signals_have_one_gap_after_each_clip(
    data: Path, folder: str, frames: int
) -> None:
    sounds = [
        recording(data / "rate_pairs" / folder / f"audio_{side}.wav") for side in "ab"
    ]
    layout = Waveform(
        tuple(unit_items(Unit(tuple(sounds)), "test", {})), common_rate(sounds)
    )
    assert (layout.rate, layout.frames) == (24_000, frames)
    made, part = layout.render(), layout.part()
    assert len(made) == layout.size == 44 + 2 * frames
    assert len(base64.b64encode(made)) == part.base64_size
    if folder == "1_a":
        assert (part.size, part.base64_size) == (337_964, 450_620)


def test_a_spoken_instruction_of_another_rate_is_resampled(data: Path) -> None:
    folder = data / "speakbench_pairs" / "341_1"
    a, b, asked = (
        recording(folder / f"{n}.wav") for n in ("audio_a", "audio_b", "instruction")
    )
    unit = Unit((a, b), asked)
    layout = Waveform(tuple(unit_items(unit, "test", {})), common_rate(unit.sounds))
    # 151,600 samples at 16 kHz are 227,400 at 24 kHz; 12,000 a gap
    assert layout.frames == 227_400 + 315_840 + 224_640 + 3 * 12_000 == 803_880
    assert layout.seconds == pytest.approx(33.495)
    assert [start for _, start, _ in layout.places()] == [
        0,
        227400,
        239400,
        555240,
        567240,
        791880,
    ]
    samples = layout.samples()
    # the answers are at the rate already: exactly the file's own 16-bit samples
    for name, start, frames in (
        ("audio_a", 239_400, 315_840),
        ("audio_b", 567_240, 224_640),
    ):
        original, _ = soundfile.read(folder / f"{name}.wav", dtype="int16")
        np.testing.assert_array_equal(samples[start : start + frames], original)
    for start in (227_400, 555_240, 791_880):
        assert not samples[start : start + 12_000].any()
    assert np.abs(samples[:227_400]).max() > 1000


@pytest.mark.parametrize(
    ("spoken", "with_it", "gaps"), [(True, False, 5), (True, True, 7)]
)
def test_gaps_of_labelled_units(spoken: bool, with_it: bool, gaps: int) -> None:
    unit = Unit((sound(0.2), sound(0.3)), sound(0.4) if with_it else None)
    items = unit_items(unit, "example_3", load_signals("spoken"))
    assert sum(isinstance(item, Gap) for item in items) == gaps
    assert isinstance(items[-1], Gap)
    names = [item.signal for item in items if isinstance(item, Sound) and item.signal]
    assert names == [
        "example_3",
        *(["instruction"] if with_it else []),
        "audio_1",
        "audio_2",
    ]


def test_single_answers_have_short_gaps_after_labels_and_long_ones_after_clips() -> (
    None
):
    items = single_items(
        Unit((sound(0.2),), sound(0.3)), "example_1", load_signals("tones")
    )
    told = [
        item.seconds if isinstance(item, Gap) else item.signal or "clip"
        for item in items
    ]
    assert told == [
        "example_1",
        0.3,
        "instruction",
        0.3,
        "clip",
        0.7,
        "audio",
        0.3,
        "clip",
        0.7,
    ]
    plain = single_items(Unit((sound(0.2),)), "example_1", load_signals("tones"))
    assert [i.seconds for i in plain if isinstance(i, Gap)] == [0.3, 0.7]


def test_dialogues_have_gaps_between_turns_only_and_a_crop() -> None:
    # 1.0 + 2 + 2.5 + 2 + 0.5 = 8 s
    short = Waveform(
        tuple(dialogue_items([sound(1.0), sound(2.5), sound(0.5)], 2.0)), 24_000
    )
    assert short.frames == 192_000
    # 40 + 2 + 10 + 2 = 54 s: the third turn keeps 6 of its 30 s
    turns = [sound(40.0), sound(10.0), sound(30.0)]
    long = Waveform(tuple(dialogue_items(turns, 2.0)), 24_000, crop_s=60.0)
    assert (long.frames, long.lost_s) == (1_440_000, 24.0)
    _, start, stop = long.places()[-1]
    assert (stop - start) / 24_000 == 6.0
    samples = long.samples().astype(float)
    assert len(samples) == 1_440_000
    fade = np.abs(samples[-240:])  # 10 ms at 24 kHz
    assert fade[-1] == 0
    assert np.abs(samples[-480:-240]).max() > 15_000 > 2_000 > fade[-24:].max()
    assert short.lost_s == 0


def test_the_commonest_rate_counts_and_equals_go_to_the_higher() -> None:
    assert common_rate([sound(1, 16_000), sound(1, 24_000), sound(1, 16_000)]) == 16_000
    assert common_rate([sound(1, 16_000), sound(1, 22_050)]) == 22_050
    assert common_rate([sound(1, 48_000), sound(1, 48_000), sound(1, 16_000)]) == 24_000
    assert common_rate([sound(1, 48_000)], 16_000) == 16_000


@given(
    st.integers(1, 5000),
    st.sampled_from([8000, 11025, 16000, 22050, 24000, 44100, 48000]),
    st.sampled_from([16000, 24000]),
)
def test_lengths_are_known_before_anything_is_resampled(
    frames: int, rate: int, wanted: int
) -> None:
    noise = np.random.default_rng(frames).normal(0, 0.1, (frames, 1)).astype(np.float32)
    layout = Waveform((sound_of(Clip(noise, rate)), Gap(0.01)), wanted)
    assert len(layout.samples()) == layout.frames


def test_stereo_is_mixed_and_any_libsndfile_reader_agrees() -> None:
    samples = np.stack([np.full(4410, 0.5), np.full(4410, -0.25)], 1).astype(np.float32)
    layout = Waveform((sound_of(Clip(samples, 44_100)),), 44_100)
    rendered = layout.render()
    with wave.open(io.BytesIO(rendered)) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getnframes()) == (
            1,
            2,
            4410,
        )
    read, _ = soundfile.read(io.BytesIO(rendered), dtype="int16")
    assert set(read.tolist()) == {4096}  # 0.125 of 32768


@given(st.lists(st.integers(-32768, 32767), min_size=1, max_size=50))
def test_sixteen_bits_survive(values: list[int]) -> None:
    wav = wav_bytes(np.array(values, "<i2"), 16_000)
    read, _ = soundfile.read(io.BytesIO(wav), dtype="float32")
    np.testing.assert_array_equal(pcm16(read), values)


def test_the_level_is_left_alone_unless_asked_for() -> None:
    quiet = sound(2.0)
    plain = Waveform((quiet,), 24_000).samples().astype(float)
    assert np.abs(plain).max() == pytest.approx(0.5 * 32768, rel=1e-3)
    lower = Waveform((quiet,), 24_000, level=-30.0).samples().astype(float)
    import pyloudnorm

    meter = pyloudnorm.Meter(24_000)
    assert meter.integrated_loudness(lower / 32768) == pytest.approx(-30.0, abs=0.01)


def test_recipes_name_what_decides_the_bytes_and_nothing_else() -> None:
    one, other = sound(0.2), sound(0.3)
    signals = load_signals("tones")

    def made(*sounds: Sound, level: float | None = None) -> Waveform:
        return Waveform(
            tuple(unit_items(Unit(sounds), "test", signals)), 24_000, level=level
        )

    recipe = made(one, other).recipe
    assert json.loads(json.dumps(recipe)) == recipe
    test, first, second = (
        f"signal {name} {signals[name].sha256}"
        for name in ("test", "audio_1", "audio_2")
    )
    heard = (test, first, one.sha256, second, other.sha256)
    assert recipe["items"] == [item for each in heard for item in (each, 0.5)]
    assert recipe["encoding"] == "wav/pcm16"
    assert str(recipe["resampler"]).startswith("soxr ")
    swapped = Unit((one, other)).swapped
    assert made(*swapped.answers).recipe != recipe
    assert made(one, one).recipe == made(*Unit((one, one)).swapped.answers).recipe
    assert made(one, other, level=-23.0).recipe != recipe


def test_a_recording_that_changed_is_refused() -> None:
    before, after = sound(0.2), sound(0.3)
    changed = Sound(before.sha256, before.frames, before.rate, after.read)
    with pytest.raises(AudioError, match="has changed since the run began"):
        Waveform((changed,), 24_000).samples()


def test_shipped_labels_are_short_and_audible() -> None:
    spoken = load_signals("spoken")
    assert set(spoken) == set(WORDS)
    assert len({sound.sha256 for sound in spoken.values()}) == len(WORDS)
    for label in spoken.values():
        clip = label.read()
        assert (clip.rate, clip.channels) == (24_000, 1)
        assert 0.2 < clip.seconds <= 0.7
        assert 0.2 < float(np.abs(clip.samples).max()) <= 0.51


def test_tones_count_the_examples_and_the_clips() -> None:
    tones = load_signals("tones")

    def beeps(name: str) -> int:
        loud = np.abs(tones[name].read().mono) > 0.01
        quiet = (
            np.convolve(loud, np.ones(600), "same") > 0
        )  # bridges zero crossings, not rests
        return int((np.diff(quiet.astype(int)) == 1).sum() + quiet[0])

    assert [beeps(f"example_{k}") for k in range(1, MAX_SHOTS + 1)] == list(
        range(1, MAX_SHOTS + 1)
    )
    assert [beeps(n) for n in ("test", "audio_1", "audio_2")] == [1, 1, 2]
    assert tones["test"].seconds > 5 * tones["audio_1"].seconds / 2


def test_a_folder_of_signals_must_hold_all_of_them(tmp_path: Path) -> None:
    from blueprints import UserError

    with pytest.raises(UserError, match="no such folder"):
        load_signals(str(tmp_path / "nothing"))
    for name in WORDS:
        soundfile.write(tmp_path / f"{name}.wav", np.full(100, 0.1), 16_000)
    (tmp_path / "test.wav").unlink()
    with pytest.raises(UserError, match=r"test\.wav is missing"):
        load_signals(str(tmp_path))
    soundfile.write(tmp_path / "test.wav", np.full(200, 0.1), 16_000)
    assert load_signals(str(tmp_path))["test"].frames == 200
