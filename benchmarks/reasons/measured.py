"""Measures as judges name them and print them. Nothing here knows the checker."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from blueprints import Blueprint, Loudness, Pitch, Quality, Rate, Signal, Transcript

Format = Callable[[float], str]


@dataclass(frozen=True)
class Measured:
    """A measure as language models name it and print it.

    Attributes:
        values: all that a reader may take for it; the first is meant.
        step: a difference that is surely heard; of ratios a factor.
    """

    names: tuple[str, ...]
    values: Callable[[Blueprint], tuple[float, ...]]
    formats: tuple[Format, ...]
    up: tuple[str, ...] = ()
    down: tuple[str, ...] = ()
    base: tuple[str, ...] = ()
    step: float = 1.3
    ratio: bool = True
    gaps: tuple[Format, ...] = ()


def _quality(name: str) -> Callable[[Blueprint], tuple[float, ...]]:
    def read(blueprint: Blueprint) -> tuple[float, ...]:
        assert isinstance(blueprint.quality, Quality)
        return (getattr(blueprint.quality, name),)

    return read


def _rate(blueprint: Blueprint) -> tuple[float, ...]:
    assert isinstance(blueprint.rate, Rate)
    return blueprint.rate.wpm or 0.0, blueprint.rate.articulation_wpm or 0.0


def _pitch(blueprint: Blueprint) -> tuple[float, ...]:
    assert isinstance(blueprint.pitch, Pitch)
    return blueprint.pitch.mean_hz, blueprint.pitch.median_hz


def _semitones(blueprint: Blueprint) -> tuple[float, ...]:
    assert isinstance(blueprint.pitch, Pitch)
    return (blueprint.pitch.std_semitones,)


def _lufs(blueprint: Blueprint) -> tuple[float, ...]:
    assert isinstance(blueprint.loudness, Loudness)
    return (blueprint.loudness.integrated_lufs,)


def _signal(blueprint: Blueprint) -> Signal:
    assert isinstance(blueprint.signal, Signal)
    return blueprint.signal


def _longest(blueprint: Blueprint) -> tuple[float, ...]:
    return (max((pause.seconds for pause in _signal(blueprint).pauses), default=0.0),)


def text_of(blueprint: Blueprint) -> str:
    """Return the words of an answer."""
    assert isinstance(blueprint.transcript, Transcript)
    return blueprint.transcript.text


def _form(template: str, factor: float = 1.0) -> Format:
    return lambda value: template.format(value * factor)


_MOS = (
    *(_form("{:.2f}"), _form("{:.1f}"), _form("{:.0f}", 100)),
    *(_form("{:.2f}/5"), _form("{:.1f} out of 5"), _form("{:.2f} MOS")),
)


def _mos(name: str, *names: str) -> Measured:
    return Measured(
        names=names,
        values=_quality(name),
        formats=_MOS,
        step=0.5,
        ratio=False,
        gaps=(_form("{:.1f}"), _form("{:.2f} points"), _form("{:.1f} points")),
    )


MEASURED: Mapping[str, Measured] = {
    "rate": Measured(
        names=("speech rate", "speaking rate", "pace", "tempo", "rate", "speed"),
        values=_rate,
        formats=(
            *(_form("{:.0f} WPM"), _form("{:.0f} words per minute")),
            *(_form("{:.0f} wpm"), _form("{:.0f} words/min"), _form("{:.1f} WPM")),
        ),
        up=("faster", "quicker"),
        down=("slower",),
        base=("fast",),
        gaps=(_form("{:.0f} WPM"), _form("{:.0f} words per minute")),
    ),
    "pitch": Measured(
        names=("mean pitch", "pitch", "average pitch", "F0"),
        values=_pitch,
        formats=(_form("{:.0f} Hz"), _form("{:.1f} Hz")),
        up=("higher-pitched", "higher in pitch"),
        down=("deeper", "lower in pitch", "lower-pitched"),
        base=("high-pitched",),
        gaps=(_form("{:.0f} Hz"),),
    ),
    "variation": Measured(
        names=(
            "pitch variation",
            "pitch SD",
            "pitch variability",
            "variation in pitch",
        ),
        values=_semitones,
        formats=(_form("{:.1f} semitones"), _form("{:.1f} st")),
        up=("livelier", "more varied"),
        down=("flatter", "more monotone"),
        base=("lively",),
        step=1.2,
        ratio=False,
        gaps=(_form("{:.1f} semitones"), _form("{:.1f} st")),
    ),
    "loudness": Measured(
        names=("loudness", "integrated loudness", "volume"),
        values=_lufs,
        formats=(_form("{:.0f} LUFS"), _form("{:.1f} LUFS"), _form("{:.0f} dB")),
        up=("louder",),
        down=("quieter", "softer"),
        base=("loud",),
        step=4,
        ratio=False,
        gaps=(_form("{:.0f} dB"), _form("{:.1f} dB"), _form("{:.0f} LU")),
    ),
    "bandwidth": Measured(
        names=("bandwidth", "audio bandwidth"),
        values=lambda b: (_signal(b).bandwidth_hz or 0.0,),
        formats=(_form("{:.1f} kHz", 0.001), _form("{:.0f} Hz")),
        gaps=(_form("{:.1f} kHz", 0.001),),
    ),
    "p808": _mos("p808", "P808", "P.808", "P808 score", "P.808 MOS"),
    "bak": _mos("bak", "BAK", "BAK score", "background quality"),
    "sig": _mos("sig", "SIG", "SIG score"),
    "ovrl": _mos("ovrl", "OVRL", "OVRL score"),
    "duration": Measured(
        names=("duration", "length"),
        values=lambda b: (_signal(b).duration_s, _signal(b).speech_s),
        formats=(_form("{:.1f} s"), _form("{:.0f} seconds"), _form("{:.1f} seconds")),
        up=("longer",),
        down=("shorter",),
        base=("long",),
        gaps=(_form("{:.1f} s"), _form("{:.0f} seconds")),
    ),
    "pause": Measured(
        names=("longest pause", "maximum pause"),
        values=_longest,
        formats=(_form("{:.1f} s"), _form("{:.1f} seconds")),
        step=0.6,
        ratio=False,
        gaps=(_form("{:.1f} s"),),
    ),
    "clipping": Measured(
        names=("clipping", "clipping ratio"),
        values=lambda b: (100 * _signal(b).clipping_ratio,),
        formats=(_form("{:.1f}%"), _form("{:.1f} %"), _form("{:.1f} percent")),
        step=1.0,
        ratio=False,
        gaps=(),
    ),
}
