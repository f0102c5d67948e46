"""The blueprint as the TRACE paper prints it (Fig. 7), key by key.

Source: TRACE (Textual Reasoning over Audio Cues for Evaluation), Fig. 7 and 8; decimals
as in the authors' released code: 2, and 3 for the scores of emotion and accent.

Deviations, all of them on purpose: contours keep the clip's own time axis, with null where
there is no voice or no sound; what is unknown is null, never NaN.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from pydantic import JsonValue

from blueprints.axis import clip_seconds, resample
from blueprints.blueprint import Blueprint
from blueprints.features import feature_groups
from blueprints.groups.accent import Accent
from blueprints.groups.emotion import Emotion
from blueprints.groups.loudness import Loudness
from blueprints.groups.pitch import Pitch
from blueprints.groups.quality import Quality
from blueprints.groups.rate import Rate
from blueprints.groups.transcript import Transcript
from blueprints.records import Contour

#: Points of a contour in the paper's prompts.
PAPER_POINTS = 20

#: Who speaks; it is the prefix of the paper's keys.
Speaker = Literal["agent", "user"]


def render_paper(
    bp: Blueprint, *, speaker: Speaker = "agent", drop: Collection[str] = ()
) -> dict[str, JsonValue]:
    """Render with exactly the paper's key names.

    Args:
        bp: the blueprint of one clip.
        speaker: prefix of the keys: ``agent`` for an answer, ``user`` for an instruction.
        drop: feature groups whose keys are left out (names of groups, or ``properties``).

    Returns:
        Strict JSON. All keys are always there, unless dropped; the values of an absent
        group are null, so that a reader sees that they are missing.

    Raises:
        UserError: ``drop`` names no feature group.
    """
    gone = feature_groups(drop, bp.extensions)
    out: dict[str, JsonValue] = {}
    if "transcript" not in gone:
        recognised = bp.transcript
        out[f"{speaker}_response"] = recognised.text if isinstance(recognised, Transcript) else None
    if "emotion" not in gone:
        emotion = bp.emotion
        out[f"{speaker}_emotion"] = _scores(
            emotion.scores if isinstance(emotion, Emotion) else None
        )
    if "accent" not in gone:
        accent = bp.accent
        out[f"{speaker}_accent"] = _scores(
            accent.similarities if isinstance(accent, Accent) else None
        )
    if "quality" not in gone:
        out[f"{speaker}_audio_quality"] = _quality(bp)
    properties: dict[str, JsonValue] = {}
    if "pitch" not in gone:
        properties |= _pitch(bp)
    if "loudness" not in gone:
        properties |= _loudness(bp)
    if "rate" not in gone:
        properties |= _rate(bp)
    if properties:
        out[f"{speaker}_audio_properties"] = properties
    return out


def _scores(scores: dict[str, float] | None) -> JsonValue:
    return None if scores is None else {label: round(x, 3) for label, x in scores.items()}


def _quality(bp: Blueprint) -> dict[str, JsonValue]:
    q = bp.quality if isinstance(bp.quality, Quality) else None
    return {
        "DNSMOS_Personalized_Signal_Quality": f"{q.sig:.2f} / 5.00" if q else None,
        "DNSMOS_Personalized_Background_Quality": f"{q.bak:.2f} / 5.00" if q else None,
        "DNSMOS_Personalized_Overall_Quality": f"{q.ovrl:.2f} / 5.00" if q else None,
        "P808_Overall_Quality": f"{q.p808:.2f} / 5.00" if q else None,
    }


def _pitch(bp: Blueprint) -> dict[str, JsonValue]:
    pitch = bp.pitch if isinstance(bp.pitch, Pitch) else None
    return {
        "Mean_Pitch_Hz": _hundredth(pitch.mean_hz if pitch else None),
        "Std_Dev_Pitch_Hz": _hundredth(pitch.std_hz if pitch else None),
        "Full_Pitch_Contour_Hz": _contour(bp, pitch.contour) if pitch else None,
    }


def _loudness(bp: Blueprint) -> dict[str, JsonValue]:
    loudness = bp.loudness if isinstance(bp.loudness, Loudness) else None
    return {
        "Integrated_Loudness_LUFS": _hundredth(loudness.integrated_lufs if loudness else None),
        "Std_Dev_Loudness_LUFS": _hundredth(loudness.std_lu if loudness else None),
        "Full_Loudness_Contour_LUFS": _contour(bp, loudness.contour) if loudness else None,
    }


def _rate(bp: Blueprint) -> dict[str, JsonValue]:
    rate = bp.rate if isinstance(bp.rate, Rate) else None
    return {
        "Speech_Rate_WPM": _hundredth(rate.wpm if rate else None),
        "Articulation_Rate_WPM": _hundredth(rate.articulation_wpm if rate else None),
    }


def _contour(bp: Blueprint, contour: Contour) -> list[JsonValue]:
    points = resample(contour, PAPER_POINTS, clip_seconds(bp.clip_s, contour))
    return [_hundredth(value) for value in points]


def _hundredth(value: float | None) -> float | None:
    return None if value is None else round(value, 2)
