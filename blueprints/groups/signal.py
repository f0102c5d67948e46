"""The recording itself, and where speech is in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from pydantic import Field

import blueprints.norms as norms
from blueprints.notation import number, percent, seconds
from blueprints.records import Fact, Present, Span, Strict

#: Pauses that a brief rendering counts are at least this long, seconds; so many are
#: named.
BRIEF_PAUSE_S, BRIEF_PAUSES = 0.5, 3


class Handover(Strict):
    """The place where one channel ends for good and the other one begins."""

    channel: int = Field(ge=0, description="the one that begins, from 0")
    start_s: float = Field(ge=0, description="seconds")


class Signal(Present):
    """The recording itself, and where speech is in it."""

    duration_s: float = Field(ge=0, description="seconds")
    rate_hz: int = Field(gt=0, description="sampling rate, Hz")
    channels: int = Field(gt=0)
    taken_channel: int | None = Field(
        default=None,
        ge=0,
        exclude_if=lambda channel: channel is None,
        description="the channel of the file that was taken, from 0, because its channels cancel"
        " each other in a mix; missing: all channels",
    )
    cut: str | None = Field(
        default=None,
        exclude_if=lambda cut: cut is None,
        description="what shows that the file lacks its end, and how much of it is there;"
        " missing: nothing does",
    )
    handover: Handover | None = Field(
        default=None,
        exclude_if=lambda handover: handover is None,
        description="which of two channels begins where the other one has ended, as the answer"
        " does behind the question; missing: they sound together, or there are not two",
    )
    peak_dbfs: float | None = Field(
        description="sample peak, dB re full scale; null: all zero"
    )
    rms_dbfs: float | None = Field(
        description="RMS of the mono mix, dB re a full-scale square wave; null: all zero"
    )
    clipping_ratio: float = Field(
        ge=0, le=1, description="share of samples in clipped runs"
    )
    bandwidth_hz: float | None = Field(
        ge=0,
        description="upper edge of the highest 250 Hz band that speech reaches within 55 dB of the"
        " strongest, Hz; null: silent",
    )
    speech_s: float = Field(ge=0, description="seconds of speech (VAD)")
    speech: list[Span] = Field(description="stretches of speech (VAD), in order")
    pauses: list[Span] = Field(description="gaps between stretches of speech, in order")

    def render(self, clip_s: float | None) -> str:
        parts = [f"{seconds(self.duration_s)} s {number(self.rate_hz / 1000, 1)} kHz"]
        if self.channels > 1:
            many = f"{self.channels} channels"
            parts.append("stereo" if self.channels == 2 else many)
        if self.taken_channel is not None:
            parts.append(f"channel {self.taken_channel + 1} alone, for the mix cancels")
        if self.cut is not None:
            parts.append(f"the end of the file is missing ({self.cut})")
        if self.bandwidth_hz is not None:
            kilohertz = self.bandwidth_hz / 1000
            parts.append(
                f"bandwidth {number(kilohertz, 1)}{norms.BANDWIDTH.mark(kilohertz)}"
            )
        if self.peak_dbfs is None:
            parts.append("all zero")
        if self.clipping_ratio:
            parts.append(f"clipped {percent(self.clipping_ratio)}")
        parts.append(f"speech {seconds(self.speech_s)} pauses {len(self.pauses)}")
        if self.pauses:
            longest = max(self.pauses, key=lambda pause: pause.seconds)
            parts.append(
                f"sum {seconds(sum(pause.seconds for pause in self.pauses))}"
                f" max {number(longest.seconds, 1)}{norms.PAUSE.mark(longest.seconds)}"
                f" at {seconds(longest.start_s)}"
            )
        return " ".join(parts)

    brief_units: ClassVar[str] = "pauses from 0.5 s"
    brief_without: ClassVar[str] = (
        "sampling rate, peak and level; seconds of speech; times of pauses, all but the"
        " longest three, and those under 0.5 s; bandwidth from 5.2 kHz on"
    )

    def brief(self, clip_s: float | None) -> str:
        parts = [f"{number(self.duration_s, 1)} s"]
        if self.channels > 1:
            parts.append(f"{self.channels} channels")
        if self.cut is not None:
            parts.append("the end of the file is missing")
        if self.peak_dbfs is None:
            parts.append("all zero")
        if self.bandwidth_hz is not None:
            word = norms.BANDWIDTH.level(self.bandwidth_hz / 1000, 1)
            if word not in norms.BANDWIDTH.usual:
                parts.append(word)
        if self.clipping_ratio:
            parts.append(f"clipped {percent(self.clipping_ratio)}")
        lengths = [
            pause.seconds for pause in self.pauses if pause.seconds >= BRIEF_PAUSE_S
        ]
        if lengths:
            longest = sorted(lengths, reverse=True)[:BRIEF_PAUSES]
            shown = " ".join(number(length, 1) for length in longest)
            parts.append(f"pauses {len(lengths)}: {shown}")
        return " ".join(parts)

    @classmethod
    def legend(cls) -> str:
        return (
            "length; sampling frequency; channels, if more than one; bandwidth in kHz,"
            " the highest that speech reaches within 55 dB of the strongest; share of"
            " clipped samples, if there are any; seconds of speech; number of pauses,"
            " their sum, and the longest with its start, all"
            f" in seconds. Bandwidth: {norms.BANDWIDTH.scale()}."
            f" Longest pause: {norms.PAUSE.scale()}"
        )

    def facts(self, group: str) -> Iterator[Fact]:
        yield Fact("duration", f"{self.duration_s:.1f} s")
        yield Fact("speech", f"{self.speech_s:.1f} s")
        longest = max((pause.seconds for pause in self.pauses), default=None)
        if longest is not None:
            word = norms.PAUSE.word(longest)
            yield Fact("pauses", f"{len(self.pauses)}, longest {longest:.1f} s", word)
        channels = {1: "mono", 2: "stereo"}.get(
            self.channels, f"{self.channels} channels"
        )
        yield Fact("format", f"{self.rate_hz / 1000:g} kHz {channels}")
        if self.taken_channel is not None:
            yield Fact(
                "channels",
                f"channel {self.taken_channel + 1} alone, for the mix cancels",
            )
        if self.cut is not None:
            yield Fact("file", f"its end is missing: {self.cut}")
        if self.bandwidth_hz is not None:
            kilohertz = self.bandwidth_hz / 1000
            yield Fact(
                "bandwidth", f"{kilohertz:.1f} kHz", norms.BANDWIDTH.word(kilohertz)
            )
        if self.peak_dbfs is not None:
            yield Fact("peak", f"{self.peak_dbfs:.1f} dBFS")
        yield Fact("clipped", f"{self.clipping_ratio:.2%}")
