"""The blueprint in prompts: compact for judging, brief for screening, and as in TRACE.

The compact rendering has one line per group, and a legend once per prompt. It carries
what :func:`blueprints.render_paper` carries but for SIG, OVRL and deviations in Hz,
which order real sound by chance or say the same again, and also pauses, clipping,
bandwidth, semitones, slopes, voicing, syllables, tempo, doubts about the transcript,
and words from :mod:`blueprints.norms`. What reads well can still be short: contours are
whole numbers without sign or decimals (one token each; ``-3.42`` is four), an unknown
step is one dot, and fields are told apart by their names, because a comma is a token
too.

The brief rendering has fewest tokens: words whole, measures as levels. A measure within
the norm is a word; outside it, the word stands behind its number. A contour is a
phrase. The legend says once what that leaves out, and :func:`left_out` says it in full.

The paper's rendering (:func:`render_paper`) is Fig. 7 of TRACE (Textual Reasoning over
Audio Cues for Evaluation), key by key; see also Fig. 8. Decimals are those of the
authors' released code: 2, and 3 for the scores of emotion and accent. It deviates on
purpose: contours keep the clip's own time axis, with null where there is no voice or no
sound; unknown values are null, never NaN.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Literal

from pydantic import JsonValue

from blueprints.axis import clip_seconds, resample
from blueprints.blueprint import ALIASES, GROUPS, Blueprint, feature_groups
from blueprints.notation import label
from blueprints.records import Absent, Contour, Extension, Present, Status

#: The rendering of a clip of which no group was requested.
NOTHING = "absent: everything"

_HEAD = (
    "Each clip is described by lines `group: values`. Words behind numbers place them"
    " among published norms where they are out of the ordinary; they are no verdict,"
    " for the user may have asked for it. `word <x` means: that word under x."
)
_TAIL = (
    "absent: groups without values: unavailable (not installed), too_short, silent,"
    " no_speech, failed; groups that are not named are not_requested. No number here"
    " tells how natural a voice sounds."
)


def _groups(
    bp: Blueprint, drop: Collection[str]
) -> Iterator[tuple[str, Present | Absent]]:
    """Return the groups to show, in order: not dropped, not hidden, and requested.

    Raises:
        UserError: ``drop`` names no feature group.
    """
    dropped = feature_groups(drop, bp.extensions)
    for name in bp.names:
        group = bp.group(name)
        hidden = isinstance(group, Extension) and not (group.shown or group.events)
        if name not in dropped and not hidden and group.status != Status.NOT_REQUESTED:
            yield name, group


def render_compact(bp: Blueprint, *, drop: Collection[str] = ()) -> str:
    """Render one clip as a few lines of text.

    They are explained once, by :func:`compact_legend`.

    Args:
        drop: feature groups that leave no trace (names of groups, or ``properties``).

    Returns:
        Lines ``group: values``, in the order of ``blueprints.GROUPS``, and at the end
        one line for all groups that were requested and are absent. Text from outside
        the library (the transcript, labels) is quoted and escaped, so that it cannot
        start a line of its own.

    Raises:
        UserError: ``drop`` names no feature group.
    """
    lines: list[str] = []
    absent: dict[str, list[str]] = {}
    for name, group in _groups(bp, drop):
        if isinstance(group, Absent):
            absent.setdefault(group.status.value, []).append(label(name))
        else:
            lines.append(f"{label(name)}: {group.render(bp.clip_s)}")
    if absent:
        parts = (f"{', '.join(names)} ({status})" for status, names in absent.items())
        lines.append(f"absent: {'; '.join(parts)}")
    return "\n".join(lines) or NOTHING


def _contours(gone: frozenset[str]) -> str:
    steps: list[str] = []
    for name, model in GROUPS.items():
        if name in gone or "contour" not in model.model_fields:
            continue
        number = str(model.contour_steps)
        if model.contour_of:
            number = f"{number} for {model.contour_of}"
        if number not in steps:
            steps.append(number)
    return (
        "Behind the colon inside a line is a contour: one number for each of the equal"
        f" steps of the whole clip ({', '.join(steps)}; fewer in short clips), `.` for a"
        " step with no voice, silent or not measurable."
    )


def compact_legend(drop: Collection[str] = ()) -> str:
    """Write the legend of :func:`render_compact` for ``drop``; it raises the same."""
    dropped = feature_groups(drop)
    lines = []
    for name, model in GROUPS.items():
        if name not in dropped:
            lines.append(f"{name}: {model.legend()}.")
    paragraphs = [_HEAD]
    if not dropped.issuperset(ALIASES["properties"]):
        paragraphs.append(_contours(dropped))
    paragraphs += lines
    paragraphs.append(_TAIL)
    return "\n".join(paragraphs)


#: The legend of all groups: explain units and notation once, in the prompt's static
#: prefix.
COMPACT_LEGEND = compact_legend()


def render_brief(bp: Blueprint, *, drop: Collection[str] = ()) -> str:
    """Render one clip as a line of words and a line of measures.

    They are explained once, by :func:`brief_legend`.

    ``drop`` is that of :func:`render_compact`; UserError where it names no feature
    group.
    """
    lines, parts, absent = [], [], []
    for name, group in _groups(bp, drop):
        if isinstance(group, Absent):
            absent.append(f"{label(name)} {group.status.value}")
        elif name == "transcript":
            lines.append(group.brief(bp.clip_s))
        else:
            parts.append(f"{label(name)} {group.brief(bp.clip_s)}")
    lines.append("; ".join(parts + absent))
    return "\n".join(lines).strip() or NOTHING


def brief_legend(drop: Collection[str] = ()) -> str:
    """Write the legend of :func:`render_brief` for ``drop``; it raises the same."""
    dropped = feature_groups(drop)
    shown = [model for name, model in GROUPS.items() if name not in dropped]
    units = ", ".join(model.brief_units for model in shown if model.brief_units)
    return (
        "A blueprint: words as heard with the least certain, and levels, ordinary ones"
        f" without a number. Units: {units or 'none'}."
    )


def left_out(bp: Blueprint) -> list[str]:
    """Return the values that :func:`render_brief` leaves out of a clip, by group."""
    lines = []
    for name in bp.names:
        group = bp.group(name)
        if isinstance(group, Absent):
            if group.status is Status.NOT_REQUESTED:
                lines.append(f"{name}: was not measured")
        elif isinstance(group, Extension) and not (group.shown or group.events):
            lines.append(f"{name}: means nothing in words")
        elif group.brief_without:
            lines.append(f"{name}: {group.brief_without}")
    return lines


#: Points of a contour in the paper's prompts.
PAPER_POINTS = 20

#: Key of the paper -> field of the group.
_QUALITY = {
    "DNSMOS_Personalized_Signal_Quality": "sig",
    "DNSMOS_Personalized_Background_Quality": "bak",
    "DNSMOS_Personalized_Overall_Quality": "ovrl",
    "P808_Overall_Quality": "p808",
}
_PROPERTIES = {
    "pitch": {
        "Mean_Pitch_Hz": "mean_hz",
        "Std_Dev_Pitch_Hz": "std_hz",
        "Full_Pitch_Contour_Hz": "contour",
    },
    "loudness": {
        "Integrated_Loudness_LUFS": "integrated_lufs",
        "Std_Dev_Loudness_LUFS": "std_lu",
        "Full_Loudness_Contour_LUFS": "contour",
    },
    "rate": {"Speech_Rate_WPM": "wpm", "Articulation_Rate_WPM": "articulation_wpm"},
}

#: Who speaks; it is the prefix of the paper's keys.
Speaker = Literal["agent", "user"]


def render_paper(
    bp: Blueprint, *, speaker: Speaker = "agent", drop: Collection[str] = ()
) -> dict[str, JsonValue]:
    """Render with exactly the paper's key names.

    Args:
        speaker: prefix of the keys: ``agent`` for an answer, ``user`` for an
            instruction.
        drop: feature groups whose keys are left out (names of groups, or
            ``properties``).

    Returns:
        Strict JSON. All keys are always there, unless dropped; the values of an absent
        group are null, so that a reader sees that they are missing.

    Raises:
        UserError: ``drop`` names no feature group.
    """
    dropped = feature_groups(drop, bp.extensions)
    out: dict[str, JsonValue] = {}
    if "transcript" not in dropped:
        out[f"{speaker}_response"] = getattr(bp.transcript, "text", None)
    for group, field in (("emotion", "scores"), ("accent", "similarities")):
        if group not in dropped:
            scores = getattr(bp.group(group), field, None)
            rounded = scores and {label: round(x, 3) for label, x in scores.items()}
            out[f"{speaker}_{group}"] = rounded
    if "quality" not in dropped:
        marks: dict[str, JsonValue] = {}
        for key, field in _QUALITY.items():
            value = getattr(bp.quality, field, None)
            marks[key] = None if value is None else f"{value:.2f} / 5.00"
        out[f"{speaker}_audio_quality"] = marks
    properties: dict[str, JsonValue] = {}
    for group, keys in _PROPERTIES.items():
        if group in dropped:
            continue
        for key, field in keys.items():
            measure = getattr(bp.group(group), field, None)
            properties[key] = _rounded(bp, measure)
    if properties:
        out[f"{speaker}_audio_properties"] = properties
    return out


def _rounded(bp: Blueprint, value: float | Contour | None) -> JsonValue:
    if isinstance(value, Contour):
        points = resample(value, PAPER_POINTS, clip_seconds(bp.clip_s, value))
        return [_rounded(bp, point) for point in points]
    return None if value is None else round(value, 2)
