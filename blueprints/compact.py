"""The blueprint in few tokens, for prompts: one line per group, a legend once per prompt.

It carries what :func:`blueprints.render_paper` carries, and also pauses, clipping, peak,
bandwidth, semitones, slopes, voicing, syllables, tempo, doubts about the transcript, and
words from :mod:`blueprints.norms`. What reads well can still be short: contours are whole
numbers without sign or decimals (one token each; ``-3.42`` is four), an unknown step is one
dot, and fields are told apart by their names, because a comma is a token too.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Collection, Iterable

import blueprints.norms as norms
from blueprints.axis import clip_seconds, resample
from blueprints.blueprint import GROUPS, Blueprint
from blueprints.features import feature_groups
from blueprints.groups import (
    Absent,
    Accent,
    Contour,
    Emotion,
    EmotionWindow,
    Extension,
    Loudness,
    Pitch,
    Present,
    Quality,
    Rate,
    Signal,
    Transcript,
)

#: Steps of the pitch and loudness contours, as many as the paper prints.
COMPACT_POINTS = 20

#: Steps of the rate contour: syllables need longer stretches to be counted in.
RATE_POINTS = 10

#: Words with a lower posterior are named as doubtful.
DOUBTFUL_CONFIDENCE = 0.5

#: Doubtful words that are named at most, the least certain first; all of them are counted.
DOUBTFUL_WORDS = 5

#: What the loudness contour prints at the clip's integrated loudness: high enough that the
#: quietest momentary loudness, 70 LU under full scale, has no sign for clips under -20 LUFS.
LOUDNESS_ZERO = 50

_PLAIN_LABEL = re.compile(r"[\w.'-]+(?: [\w.'-]+)*")

#: Format characters that some scripts need inside words; they cannot move or hide text.
_JOINERS = "\u200c\u200d"


def render_compact(bp: Blueprint, *, drop: Collection[str] = ()) -> str:
    """Render one clip as a few lines of text; explain them once with the legend.

    Args:
        bp: the blueprint of one clip.
        drop: feature groups that leave no trace (names of groups, or ``properties``).

    Returns:
        Lines ``group: values``, in the order of ``blueprints.GROUPS``, and at the end one
        line for all absent groups. Text from outside the library (the transcript, labels)
        is quoted and escaped, so that it cannot start a line of its own.

    Raises:
        UserError: ``drop`` names no feature group.
    """
    gone = feature_groups(drop, bp.extensions)
    lines: list[str] = []
    absent: dict[str, list[str]] = {}
    for name in (*GROUPS, *sorted(bp.extensions.keys() - GROUPS.keys())):
        if name in gone:
            continue
        group = bp.group(name)
        if isinstance(group, Absent):
            absent.setdefault(group.status.value, []).append(_label(name))
        elif not isinstance(group, Extension) or group.shown:
            lines.append(f"{_label(name)}: {_group(bp, group)}")
    if absent:
        parts = (f"{', '.join(names)} ({status})" for status, names in absent.items())
        lines.append(f"absent: {'; '.join(parts)}")
    return "\n".join(lines)


def _group(bp: Blueprint, group: Present) -> str:
    match group:
        case Signal():
            return _signal(group)
        case Transcript():
            return _transcript(group)
        case Quality():
            return _quality(group)
        case Pitch():
            return _pitch(bp, group)
        case Loudness():
            return _loudness(bp, group)
        case Rate():
            return _rate(bp, group)
        case Emotion():
            return _emotion(group)
        case Accent():
            return _hundredths(group.similarities)
        case Extension():
            return _quoted(group.values)
    raise TypeError(f"no rendering for a group of type {type(group).__name__}")


def _signal(signal: Signal) -> str:
    channels = {1: "mono", 2: "stereo"}.get(signal.channels, f"{signal.channels} channels")
    parts = [f"{_num(signal.duration_s, 1)} s {_num(signal.rate_hz / 1000, 1)} kHz {channels}"]
    if signal.bandwidth_hz is not None:
        kilohertz = signal.bandwidth_hz / 1000
        parts.append(f"bandwidth {_num(kilohertz, 1)} {norms.BANDWIDTH.word(kilohertz)}")
    parts.append("all zero" if signal.peak_dbfs is None else f"peak {_num(signal.peak_dbfs, 0)}")
    clipped = signal.clipping_ratio
    parts.append(f"clipped {_percent(clipped)}" if clipped else "no clipping")
    parts.append(f"speech {_num(signal.speech_s, 1)} pauses {len(signal.pauses)}")
    if signal.pauses:
        longest = max(signal.pauses, key=lambda pause: pause.seconds)
        parts.append(
            f"sum {_num(sum(pause.seconds for pause in signal.pauses), 1)}"
            f" max {_num(longest.seconds, 1)} {norms.PAUSE.word(longest.seconds)}"
            f" at {_num(longest.start_s, 1)}"
        )
    return " ".join(parts)


def _transcript(heard: Transcript) -> str:
    line = f"{_label(heard.language)} {_quoted(heard.text)}"
    if heard.suspect:
        line += f" suspect {', '.join(_label(flag) for flag in heard.suspect)}"
    doubtful = sorted(
        (word.confidence, index)
        for index, word in enumerate(heard.words)
        if word.confidence is not None and word.confidence < DOUBTFUL_CONFIDENCE
    )
    if doubtful:
        # Without their times: those cost more than all else in the line and the text has order.
        named = (_label(heard.words[index].text) for _, index in doubtful[:DOUBTFUL_WORDS])
        line += f" doubtful {len(doubtful)} of {len(heard.words)}: {' '.join(named)}"
    return line


def _quality(quality: Quality) -> str:
    line = (
        f"SIG {quality.sig:.2f} {norms.DISTORTION.word(quality.sig)}"
        f" BAK {quality.bak:.2f} {norms.NOISE.word(quality.bak)}"
        f" OVRL {quality.ovrl:.2f} {norms.OPINION.word(quality.ovrl)}"
        f" P808 {quality.p808:.2f} {norms.OPINION.word(quality.p808)}"
    )
    return line if quality.level_dbfs is None else f"{line} level {_num(quality.level_dbfs, 0)}"


def _pitch(bp: Blueprint, pitch: Pitch) -> str:
    return (
        f"{_num(pitch.mean_hz, 0)} Hz {norms.PITCH.word(pitch.mean_hz)}"
        f" SD {_num(pitch.std_hz, 0)} Hz {_num(pitch.std_semitones, 1)} st"
        f" {norms.PITCH_VARIATION.word(pitch.std_semitones)}"
        f" span {_num(pitch.range_semitones, 0)} slope {_num(pitch.slope_semitones_per_s, 2)}"
        f" voiced {_percent(pitch.voiced_ratio)}: {_contour(bp, pitch.contour, COMPACT_POINTS)}"
    )


def _loudness(bp: Blueprint, loudness: Loudness) -> str:
    zero = loudness.integrated_lufs - LOUDNESS_ZERO
    spread = "" if loudness.range_lu is None else f" span {_num(loudness.range_lu, 0)}"
    return (
        f"{_num(loudness.integrated_lufs, 1)} LUFS"
        f" {norms.LOUDNESS.word(loudness.integrated_lufs)}"
        f" SD {_num(loudness.std_lu, 1)}{spread} slope {_num(loudness.slope_lu_per_s, 2)}:"
        f" {_contour(bp, loudness.contour, COMPACT_POINTS, zero)}"
    )


def _rate(bp: Blueprint, rate: Rate) -> str:
    parts = ["no words known"]
    if rate.wpm is not None:
        parts = [f"{_num(rate.wpm, 0)} WPM {norms.SPEECH_RATE.word(rate.wpm)}"]
    if rate.articulation_wpm is not None:
        parts.append(f"articulation {_num(rate.articulation_wpm, 0)}")
    if rate.syllables_per_s is not None:
        parts.append(f"syllables {_num(rate.syllables_per_s, 1)}")
    if rate.trend is not None:
        parts.append(f"trend {_num(rate.trend, 2)} {norms.TEMPO_TREND.word(rate.trend)}")
    if rate.contour is None:
        return " ".join(parts)
    return f"{' '.join(parts)}: {_contour(bp, rate.contour, RATE_POINTS, scale=10)}"


def _emotion(emotion: Emotion) -> str:
    line = _hundredths(emotion.scores)
    windows = " ".join(_course(emotion.trajectory))
    return f"{line}; {windows}" if windows else line


def _course(windows: Iterable[EmotionWindow]) -> list[str]:
    """``label start`` whenever the leading label changes."""
    course: list[str] = []
    before = None
    for window in windows:
        if not window.scores:
            continue
        top = max(window.scores, key=lambda label: window.scores[label])
        if top != before:
            course.append(f"{_label(top)} at {_num(window.start_s, 1)}")
            before = top
    return course


def _hundredths(scores: dict[str, float]) -> str:
    """Labels by falling score, in hundredths; those that round to 0 share one number."""
    ranked = sorted(scores.items(), key=lambda item: -item[1])
    shown = [f"{_label(label)} {round(100 * x)}" for label, x in ranked if round(100 * x)]
    zeros = [_label(label) for label, x in ranked if not round(100 * x)]
    if zeros:
        shown.append(f"{' '.join(zeros)} 0")
    return " ".join(shown)


def _contour(
    bp: Blueprint, contour: Contour, points: int, zero: float = 0.0, scale: int = 1
) -> str:
    """Whole numbers ``(value - zero) * scale``, one dot per unknown step.

    A run of dots is written without spaces, which makes it one token. Steps are never
    shorter than the contour's own: repeating a value adds no knowledge.
    """
    seconds = clip_seconds(bp, contour)
    points = max(1, round(min(float(points), seconds / contour.step_s)))
    steps = resample(contour, points, seconds)
    text = " ".join("." if x is None else _num((x - zero) * scale, 0) for x in steps)
    return re.sub(r"(?<=\.) (?=\.)", "", text)


def _percent(ratio: float) -> str:
    """A share in percent; a share that is not 0 never reads 0."""
    percent = 100 * ratio
    if 0 < percent < 0.5:
        return "<1%" if percent >= 0.05 else "<0.1%"
    return f"{_num(percent, 0)}%"


def _num(value: float, digits: int) -> str:
    """Fixed decimals without trailing zeros and without ``-0``."""
    text = f"{value:.{digits}f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _label(text: str) -> str:
    """A label as it is when it is plain, else quoted."""
    return text if _PLAIN_LABEL.fullmatch(text) else _quoted(text)


def _quoted(value: object) -> str:
    """JSON on one line, with every character escaped that a reader could take for a new one."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return "".join(_escaped(char) if _is_hidden(char) else char for char in text)


def _is_hidden(char: str) -> bool:
    # Controls, line and paragraph separators, lone surrogates, and the direction overrides
    # that show text in another order than it has.
    if char in _JOINERS:
        return False
    return unicodedata.category(char) in ("Cc", "Cf", "Zl", "Zp", "Cs")


def _escaped(char: str) -> str:
    return json.dumps(char)[1:-1]
