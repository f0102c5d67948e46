"""A reader of the ``brief`` rendering: what the text alone says, as a blueprint again.

A level without a number stands for the middle of its range, a phrase for a straight line, and what
is not said for what is ordinary. The judge ``rules`` then decides on that blueprint as it does on
the measured one; where it decides otherwise, the text has left out what decided.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import blueprints.norms as norms
from blueprints import (
    Absent,
    Blueprint,
    Contour,
    Loudness,
    Norm,
    Pitch,
    Present,
    Quality,
    Rate,
    Signal,
    Span,
    Status,
    Transcript,
    Word,
    render_brief,
)
from trace_eval.judges.base import Case
from trace_eval.judges.rules import RulesJudge

_STATUS = {status.value for status in Status}
_NUMBER = r"(?:(-?[\d.]+) )?"


def middle(norm: Norm, word: str) -> float:
    """The middle of a level; of an open one, a tenth beyond its cut."""
    place = norm.words.index(word)
    if place == 0:
        return norm.cuts[0] - 0.1 * abs(norm.cuts[0])
    if place == len(norm.cuts):
        return norm.cuts[-1] + 0.1 * abs(norm.cuts[-1])
    return (norm.cuts[place - 1] + norm.cuts[place]) / 2


def level(norm: Norm, text: str, otherwise: str) -> float:
    """The value that a text gives on a scale; ``otherwise``: the word that holds where none is."""
    for word in sorted(norm.words, key=len, reverse=True):
        if found := re.search(rf"{_NUMBER}\b{re.escape(word)}\b", text):
            return float(found[1]) if found[1] else middle(norm, word)
    return middle(norm, otherwise)


def slope(text: str, seconds: float) -> float:
    """Of a straight line whose last third is so far from its first."""
    found = re.search(r"(rising|falling) (\d+)", text)
    if not found:
        return 0.0
    return (1 if found[1] == "rising" else -1) * 1.5 * float(found[2]) / seconds


def flat(value: float, seconds: float) -> Contour:
    """A contour over the whole clip."""
    return Contour(start_s=0.0, step_s=seconds / 10, values=[value] * 10)


def share(text: str, name: str) -> float | None:
    """A share behind its name, e.g. ``clipped 3%``."""
    found = re.search(rf"{name} <?([\d.]+)%", text)
    return float(found[1]) / 100 if found else None


def signal(text: str) -> Signal:
    """Pauses lie at equal distances, for the text does not say where."""
    seconds = float(re.match(r"[\d.]+", text)[0])  # type: ignore[index]
    found = re.search(r"pauses (\d+): ([\d. ]+)", text)
    lengths = [float(x) for x in found[2].split()] if found else []
    lengths += [lengths[-1]] * (int(found[1]) - len(lengths)) if found else []
    step = seconds / (len(lengths) + 1)
    pauses = [Span(start_s=step * n, end_s=step * n + x) for n, x in enumerate(lengths, start=1)]
    edges = [0.0, *(e for p in pauses for e in (p.start_s, p.end_s)), seconds]
    spans = [Span(start_s=a, end_s=max(a, b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]
    silent = "all zero" in text
    return Signal(
        duration_s=seconds,
        rate_hz=16_000,
        channels=1,
        peak_dbfs=None if silent else -3.0,
        rms_dbfs=None if silent else -20.0,
        clipping_ratio=share(text, "clipped") or 0.0,
        bandwidth_hz=None if silent else 1000 * level(norms.BANDWIDTH, text, "wideband"),
        speech_s=0.0 if silent else max(0.1, seconds - sum(lengths)),
        speech=[] if silent else spans,
        pauses=pauses,
    )


def transcript(line: str) -> Transcript:
    """The words, without times."""
    language, _, rest = line.partition(" ")
    text, end = json.JSONDecoder().raw_decode(rest)
    flags = re.search(r"suspect ([\w, ]+?)(?: doubtful|$)", rest[end:])
    return Transcript(
        text=text,
        language=language,
        language_source="detected",
        words=[Word(text=word, start_s=None, end_s=None) for word in text.split()],
        suspect=flags[1].split(", ") if flags else [],
    )


def _quality(text: str, seconds: float) -> Quality:
    named = dict(re.findall(r"(P808|speech|noise) (-?[\d.]+)", text))
    return Quality(
        sig=float(named.get("speech", 4.0)),
        bak=float(named.get("noise", 4.0)),
        ovrl=level(norms.OPINION, re.split(r"P808|speech|noise", text)[0], "good"),
        p808=float(named.get("P808", 4.0)),
        windows=1,
        level_dbfs=None,
    )


def _pitch(text: str, seconds: float) -> Pitch:
    hertz = level(norms.PITCH, text, "between ranges")
    return Pitch(
        mean_hz=hertz,
        median_hz=hertz,
        std_hz=0.1 * hertz,
        std_semitones=level(norms.PITCH_VARIATION, text, "typical"),
        range_semitones=8.0,
        slope_semitones_per_s=slope(text, seconds),
        voiced_ratio=share(text, "voiced") or 0.5,
        floor_hz=50.0,
        ceiling_hz=600.0,
        contour=flat(hertz, seconds),
    )


def _loudness(text: str, seconds: float) -> Loudness:
    wide = re.search(r"range (\d+)", text)
    value = level(norms.LOUDNESS, text, "normal")
    return Loudness(
        integrated_lufs=value,
        std_lu=6.0,
        range_lu=float(wide[1]) if wide else 14.0,
        slope_lu_per_s=slope(text, seconds),
        contour=flat(value, seconds),
    )


def _rate(text: str, seconds: float, words: int, spoken_s: float) -> Rate:
    trend = next((w for w in norms.TEMPO_TREND.words if w in text), None)
    counted = max(1, round(1.25 * words))
    return Rate(
        wpm=level(norms.SPEECH_RATE, text, "average") if words else None,
        articulation_wpm=60 * words / spoken_s if words else None,
        syllables_per_s=counted / spoken_s,
        words=words or None,
        syllables=counted,
        trend=level(norms.TEMPO_TREND, text, "steady") if trend else None,
        contour=None,
    )


_READ: dict[str, Callable[[str, float], Present]] = {
    "quality": _quality,
    "pitch": _pitch,
    "loudness": _loudness,
}


def read_brief(text: str) -> Blueprint:
    """What the text says of one clip."""
    *words, measures = text.split("\n")
    parts = dict(part.split(" ", 1) for part in measures.split("; "))
    found: dict[str, Any] = {
        name: Absent(status=Status(said), reason="as the text says")
        for name, said in parts.items()
        if said in _STATUS
    }
    if words:
        found["transcript"] = transcript(words[0])
    if "signal" in parts and "signal" not in found:
        made = found["signal"] = signal(parts["signal"])
        found |= {
            name: read(parts[name], made.duration_s)
            for name, read in _READ.items()
            if name in parts and name not in found
        }
        if "rate" in parts and "rate" not in found:
            count = len(found["transcript"].words) if words else 0
            found["rate"] = _rate(parts["rate"], made.duration_s, count, made.speech_s)
    return Blueprint(clip="0" * 64, **found)


def changed_by_brief(case: Case) -> dict[str, tuple[str, str]]:
    """Dimension -> the rating by all that was measured, and by the text, where they differ."""
    rules = RulesJudge()
    sides = {side: read_brief(render_brief(case.blueprints[side])) for side in ("a", "b")}
    whole = rules.judge_case(case)
    read = rules.judge_case(Case(case.item, {**case.blueprints, **sides}))
    return {
        name: (shown(whole, name), shown(read, name))
        for name in (whole.dimensions or read.dimensions)
        if shown(whole, name) != shown(read, name)
    }


def shown(judgement: Any, dimension: str) -> str:
    """A rating in words; what there is none of is unscored."""
    verdict = judgement.dimensions.get(dimension)
    return str(verdict.rating) if verdict else "unscored"
