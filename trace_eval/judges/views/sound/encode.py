"""Waveforms of several recordings: mono, one rate, PCM16 WAV or MP3 in memory.

Nothing is kept but parts that are the same in every call. A recording at the target
rate passes unchanged: 16-bit files survive the trip exactly.
"""

from __future__ import annotations

import io
import subprocess
import wave
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.metadata import version
from typing import NamedTuple

import numpy as np
import soxr
from numpy.typing import NDArray
from pydantic import JsonValue

from blueprints import UserError
from extractors import AudioError, Clip, Samples
from trace_eval.data.outcome import Reason
from trace_eval.judges.ask.base import CallFailed
from trace_eval.judges.ask.message import AudioPart
from trace_eval.judges.options.groups import AudioFormat, Concat
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.views.sound.layout import Item, Signals, Sound, common_rate

#: Raise it when the same list of items would give other samples.
LAYOUT_VERSION = 1

#: A crop inside a recording fades over this long, seconds: a click would be our doing.
FADE_S = 0.010

#: Bit rate of MP3, kbit/s: transparent enough for speech at 24 kHz.
MP3_KBITS = 64

#: How each format is written, in recipes.
ENCODINGS: Mapping[str, str] = {"wav": "wav/pcm16", "mp3": f"mp3/{MP3_KBITS}k"}

#: Bytes of a WAV header before its samples.
WAV_HEADER = 44

#: soxr's quality setting.
QUALITY = "HQ"

#: Strategies whose examples are one waveform, one per example; whose test is one.
JOINED_EXAMPLES: frozenset[Concat] = frozenset({"examples", "all"})
JOINED_PAIRS: frozenset[Concat] = frozenset({"pairs"})
JOINED_TEST: frozenset[Concat] = frozenset({"test", "all"})


@dataclass(frozen=True)
class Waveform:
    """A mono waveform as a list of items, in one format.

    Its length, places and recipe follow by arithmetic; samples and bytes are made on
    demand.

    Attributes:
        items: in the order in which they are heard.
        rate: sampling rate of the whole, Hz.
        level: integrated loudness of every recording, LUFS; None: as it is.
        crop_s: seconds from the start that are kept; None: all.
        format: how the file is encoded.
    """

    items: tuple[Item, ...]
    rate: int
    level: float | None = None
    crop_s: float | None = None
    format: AudioFormat = "wav"

    @property
    def _whole(self) -> int:
        return sum(item.frames_at(self.rate) for item in self.items)

    @property
    def frames(self) -> int:
        """Length in samples."""
        if self.crop_s is None:
            return self._whole
        return min(self._whole, round(self.crop_s * self.rate))

    @property
    def seconds(self) -> float:
        """Duration, seconds."""
        return self.frames / self.rate

    @property
    def lost_s(self) -> float:
        """Seconds that the crop takes away."""
        return (self._whole - self.frames) / self.rate

    @property
    def size(self) -> int:
        """Size of the encoded file, bytes; of MP3 an estimate from its bit rate."""
        if self.format == "mp3":
            return round(self.seconds * MP3_KBITS * 125)
        return WAV_HEADER + 2 * self.frames

    @cached_property
    def recipe(self) -> dict[str, JsonValue]:
        """What decides the bytes: equal recipes stand for equal bytes."""
        settings: dict[str, JsonValue] = {
            "layout": LAYOUT_VERSION,
            "items": [item.recipe for item in self.items],
            "rate": self.rate,
            "level": self.level,
        }
        if self.crop_s is not None:
            settings["crop"] = self.crop_s
        return settings | {
            "encoding": ENCODINGS[self.format],
            "resampler": f"soxr {version('soxr')} {QUALITY}",
        }

    def places(self) -> list[tuple[Item, int, int]]:
        """Return item, start and stop in samples, without what the crop takes away."""
        placed = []
        start, end = 0, self.frames
        for item in self.items:
            stop = start + item.frames_at(self.rate)
            if start < end:
                placed.append((item, start, min(stop, end)))
            start = stop
        return placed

    def samples(self) -> NDArray[np.int16]:
        """Return its samples [shape=(frames,)].

        Raises:
            AudioError: a recording cannot be decoded, has no samples, or is not what it
                was.
        """
        out = np.zeros(self.frames, np.int16)
        for item, start, stop in self.places():
            if not isinstance(item, Sound):
                continue
            samples = _samples(item, self.rate, None if item.signal else self.level)
            if stop - start < len(samples):
                samples = _faded(samples[: stop - start], self.rate)
            out[start:stop] = pcm16(samples)
        return out

    def render(self) -> bytes:
        """Encode the file.

        Raises:
            AudioError: as by :meth:`samples`.
            UserError: MP3 is wanted, and ffmpeg is not installed.
        """
        wav = wav_bytes(self.samples(), self.rate)
        return wav if self.format == "wav" else _mp3(wav)

    def part(self, kept: bool = False) -> AudioPart:
        """Make the waveform a part of a message; ``kept`` renders it only once."""
        render = lru_cache(maxsize=1)(self.render) if kept else self.render

        def render_or_fail() -> bytes:
            try:
                return render()
            except AudioError as error:
                # A recording that has gone costs its calls, not the run.
                raise CallFailed(Reason.CLIP_FAILED, str(error)) from None

        return AudioPart(
            recipe=self.recipe,
            render=render_or_fail,
            format=self.format,
            seconds=self.seconds,
            size=self.size,
        )


class Sending(NamedTuple):
    """The way in which sound is sent: its options, and its audible labels by name.

    No signals: labels are not heard.
    """

    options: JudgeOptions
    signals: Signals

    def waveform(
        self,
        items: Iterable[Item],
        sounds: Iterable[Sound],
        crop_s: float | None = None,
    ) -> Waveform:
        """Join items into one waveform at a common rate, cropped after ``crop_s``."""
        how = self.options
        rate = common_rate(sounds, how.audio_rate)
        return Waveform(
            items=tuple(items),
            rate=rate,
            level=how.level,
            crop_s=crop_s,
            format=how.audio_format,
        )


def _samples(sound: Sound, rate: int, level: float | None) -> Samples:
    clip = sound.read()
    if clip.sha256 != sound.sha256:
        raise AudioError(
            f"{clip.name}: has changed since the run began; restore it, or judge into a"
            " new --out"
        )
    if not len(clip.samples):
        raise AudioError(
            f"{clip.name}: there are no samples; write the recording again"
        )
    mono = clip.mono if level is None else _levelled(clip, level)
    if clip.rate == rate:
        return mono
    resampled = soxr.resample(mono, clip.rate, rate, quality=QUALITY)
    frames = sound.frames_at(rate)
    missing = max(0, frames - len(resampled))
    return np.asarray(np.pad(resampled[:frames], (0, missing)))


def _faded(samples: Samples, rate: int) -> Samples:
    """Return a copy whose end fades out, because it was cut there."""
    faded = samples.copy()
    fade = min(len(faded), round(FADE_S * rate))
    faded[len(faded) - fade :] *= np.linspace(1, 0, fade, dtype=np.float32)
    return faded


def _levelled(clip: Clip, level: float) -> Samples:
    """Bring the mono mix to an integrated loudness of ``level`` LUFS (ITU-R BS.1770-4).

    Too short or too quiet to be measured: as it is. Where the gain would pass full
    scale it is lowered to just reach it.
    """
    import pyloudnorm

    mono = clip.mono
    if clip.seconds < 0.4:  # one block of the measurement
        return mono
    meter = pyloudnorm.Meter(clip.rate)
    measured = meter.integrated_loudness(mono.astype(np.float64))
    if not np.isfinite(measured):
        return mono
    gain = 10.0 ** ((level - measured) / 20)
    most = 1.0 / float(np.abs(mono).max())
    return np.asarray(mono * min(gain, most), dtype=np.float32)


def pcm16(samples: Samples) -> NDArray[np.int16]:
    """Round samples to 16 bits, the inverse of libsndfile's reading of PCM16."""
    rounded = np.rint(samples * 32768.0)
    return np.asarray(np.clip(rounded, -32768, 32767), np.int16)


def wav_bytes(samples: NDArray[np.int16], rate: int) -> bytes:
    """Write a mono PCM16 WAV file with true sizes.

    Raises:
        AudioError: it is more than a RIFF file can hold.
    """
    data = samples.astype("<i2", copy=False).tobytes()
    if len(data) + 36 >= 2**32:
        raise AudioError(
            f"{len(data)} bytes of samples do not fit into a WAV file; crop them"
        )
    with io.BytesIO() as buffer:
        with wave.open(buffer, "wb") as file:
            file.setparams((1, 2, rate, 0, "NONE", ""))
            file.writeframes(data)
        return buffer.getvalue()


def _mp3(wav: bytes) -> bytes:
    command = ["ffmpeg", "-v", "error", "-f", "wav", "-i", "pipe:0"]
    command += ["-b:a", f"{MP3_KBITS}k"]
    # Without tags the same samples give the same bytes.
    command += ["-map_metadata", "-1", "-bitexact", "-f", "mp3", "pipe:1"]
    try:
        done = subprocess.run(command, input=wav, capture_output=True, check=True)
    except FileNotFoundError:
        raise UserError(
            "-J audio_format=mp3 needs the program ffmpeg; install it, or use wav"
        ) from None
    except subprocess.CalledProcessError as error:
        details = error.stderr.decode("utf-8", "replace").strip()[-300:]
        raise AudioError(
            f"ffmpeg cannot write MP3 ({details}); use -J audio_format=wav"
        ) from error
    return done.stdout


def sound_of(
    clip: Clip, read: Callable[[], Clip] | None = None, signal: str = ""
) -> Sound:
    """Turn a decoded clip into a sound; without ``read`` the clip itself is kept."""
    kept = read or (lambda: clip)
    return Sound(
        sha256=clip.sha256,
        frames=len(clip.samples),
        rate=clip.rate,
        read=kept,
        signal=signal,
    )
