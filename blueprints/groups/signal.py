"""The recording itself, and where speech is in it."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

import blueprints.norms as norms
from blueprints.notation import number, percent
from blueprints.records import Fact, Present, Span


class Signal(Present):
    """The recording itself, and where speech is in it."""

    duration_s: float = Field(ge=0, description="seconds")
    rate_hz: int = Field(gt=0, description="sampling rate, Hz")
    channels: int = Field(gt=0)
    peak_dbfs: float | None = Field(description="sample peak, dB re full scale; null: all zero")
    rms_dbfs: float | None = Field(
        description="RMS of the mono mix, dB re a full-scale square wave; null: all zero"
    )
    clipping_ratio: float = Field(ge=0, le=1, description="share of samples in clipped runs")
    bandwidth_hz: float | None = Field(
        ge=0,
        description="upper edge of the highest 250 Hz band within 50 dB of the strongest, Hz;"
        " null: silent",
    )
    speech_s: float = Field(ge=0, description="seconds of speech (VAD)")
    speech: list[Span] = Field(description="stretches of speech (VAD), in order")
    pauses: list[Span] = Field(description="gaps between stretches of speech, in order")

    def render(self, clip_s: float | None) -> str:
        channels = {1: "mono", 2: "stereo"}.get(self.channels, f"{self.channels} channels")
        parts = [f"{number(self.duration_s, 1)} s {number(self.rate_hz / 1000, 1)} kHz {channels}"]
        if self.bandwidth_hz is not None:
            kilohertz = self.bandwidth_hz / 1000
            parts.append(f"bandwidth {number(kilohertz, 1)} {norms.BANDWIDTH.word(kilohertz)}")
        parts.append("all zero" if self.peak_dbfs is None else f"peak {number(self.peak_dbfs, 0)}")
        clipped = self.clipping_ratio
        parts.append(f"clipped {percent(clipped)}" if clipped else "no clipping")
        parts.append(f"speech {number(self.speech_s, 1)} pauses {len(self.pauses)}")
        if self.pauses:
            longest = max(self.pauses, key=lambda pause: pause.seconds)
            parts.append(
                f"sum {number(sum(pause.seconds for pause in self.pauses), 1)}"
                f" max {number(longest.seconds, 1)} {norms.PAUSE.word(longest.seconds)}"
                f" at {number(longest.start_s, 1)}"
            )
        return " ".join(parts)

    @classmethod
    def legend(cls) -> str:
        return (
            "length; sampling frequency and channels; bandwidth in kHz, the highest with energy"
            " within 50 dB of the strongest; sample peak in dBFS; share of clipped samples;"
            " seconds of speech; number of pauses, their sum, and the longest with its start, all"
            f" in seconds. Bandwidth: {norms.BANDWIDTH.cited()}."
            f" Longest pause: {norms.PAUSE.cited()}"
        )

    def facts(self, group: str) -> Iterator[Fact]:
        yield Fact("duration", f"{self.duration_s:.1f} s")
        yield Fact("speech", f"{self.speech_s:.1f} s")
        longest = max((pause.seconds for pause in self.pauses), default=None)
        if longest is not None:
            word = norms.PAUSE.word(longest)
            yield Fact("pauses", f"{len(self.pauses)}, longest {longest:.1f} s", word)
        channels = {1: "mono", 2: "stereo"}.get(self.channels, f"{self.channels} channels")
        yield Fact("format", f"{self.rate_hz / 1000:g} kHz {channels}")
        if self.bandwidth_hz is not None:
            kilohertz = self.bandwidth_hz / 1000
            yield Fact("bandwidth", f"{kilohertz:.1f} kHz", norms.BANDWIDTH.word(kilohertz))
        if self.peak_dbfs is not None:
            yield Fact("peak", f"{self.peak_dbfs:.1f} dBFS")
        yield Fact("clipped", f"{self.clipping_ratio:.2%}")
