"""The blueprint as the TRACE paper prints it (Fig. 7), key by key.

Source: TRACE (Textual Reasoning over Audio Cues for Evaluation), Fig. 7 and 8; decimals
as in the authors' released code: 2, and 3 for the scores of emotion and accent.

It deviates on purpose: contours keep the clip's own time axis, with null where there is no voice or
no sound; unknown values are null, never NaN.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from pydantic import JsonValue

from blueprints.axis import clip_seconds, resample
from blueprints.blueprint import Blueprint, feature_groups
from blueprints.records import Contour

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
        out[f"{speaker}_response"] = getattr(bp.transcript, "text", None)
    for group, field in (("emotion", "scores"), ("accent", "similarities")):
        if group not in gone:
            scores = getattr(bp.group(group), field, None)
            rounded = scores and {label: round(x, 3) for label, x in scores.items()}
            out[f"{speaker}_{group}"] = rounded
    if "quality" not in gone:
        values = ((key, getattr(bp.quality, field, None)) for key, field in _QUALITY.items())
        out[f"{speaker}_audio_quality"] = {
            key: None if value is None else f"{value:.2f} / 5.00" for key, value in values
        }
    properties: dict[str, JsonValue] = {
        key: _rounded(bp, getattr(bp.group(group), field, None))
        for group, keys in _PROPERTIES.items()
        if group not in gone
        for key, field in keys.items()
    }
    if properties:
        out[f"{speaker}_audio_properties"] = properties
    return out


def _rounded(bp: Blueprint, value: float | Contour | None) -> JsonValue:
    if isinstance(value, Contour):
        points = resample(value, PAPER_POINTS, clip_seconds(bp.clip_s, value))
        return [_rounded(bp, point) for point in points]
    return None if value is None else round(value, 2)
