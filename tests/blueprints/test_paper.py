"""The paper's rendering, key by key."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings

from blueprints import (
    Blueprint,
    Contour,
    UserError,
    compact_legend,
    render_compact,
    render_paper,
)
from tests.support.samples import TEXT, absent, blueprints, spoken, spoken_with

#: Fig. 7 of the paper.
KEYS: dict[str, list[str] | None] = {
    "agent_response": None,
    "agent_emotion": None,
    "agent_accent": None,
    "agent_audio_quality": [
        "DNSMOS_Personalized_Signal_Quality",
        "DNSMOS_Personalized_Background_Quality",
        "DNSMOS_Personalized_Overall_Quality",
        "P808_Overall_Quality",
    ],
    "agent_audio_properties": [
        "Mean_Pitch_Hz",
        "Std_Dev_Pitch_Hz",
        "Full_Pitch_Contour_Hz",
        "Integrated_Loudness_LUFS",
        "Std_Dev_Loudness_LUFS",
        "Full_Loudness_Contour_LUFS",
        "Speech_Rate_WPM",
        "Articulation_Rate_WPM",
    ],
}


def keys_of(rendering: dict[str, Any]) -> dict[str, list[str] | None]:
    nested = ("agent_audio_quality", "agent_audio_properties")
    return {
        key: list(value) if key in nested else None for key, value in rendering.items()
    }


def test_keys_and_values_are_the_papers() -> None:
    out: dict[str, Any] = render_paper(spoken())
    assert keys_of(out) == KEYS
    users = render_paper(spoken(), speaker="user")
    assert [key.replace("user_", "agent_") for key in users] == list(KEYS)
    assert out["agent_response"] == TEXT
    assert out["agent_emotion"]["neutral"] == 0.812
    assert out["agent_accent"]["us"] == 0.613
    assert out["agent_audio_quality"] == {
        "DNSMOS_Personalized_Signal_Quality": "4.03 / 5.00",
        "DNSMOS_Personalized_Background_Quality": "4.22 / 5.00",
        "DNSMOS_Personalized_Overall_Quality": "3.61 / 5.00",
        "P808_Overall_Quality": "3.97 / 5.00",
    }
    properties = out["agent_audio_properties"]
    assert properties["Mean_Pitch_Hz"] == 203.71
    assert properties["Std_Dev_Loudness_LUFS"] == 6.72
    assert properties["Speech_Rate_WPM"] == 154.62
    assert len(properties["Full_Pitch_Contour_Hz"]) == 20
    assert len(properties["Full_Loudness_Contour_LUFS"]) == 20


def test_contours_keep_a_pause_where_it_is() -> None:
    values = [None if 100 <= i < 140 else 200.0 for i in range(200)]  # 10 to 14 s
    contour = Contour(start_s=0.05, step_s=0.1, values=values)
    # 20 bins of 1 s
    out: dict[str, Any] = render_paper(
        spoken_with("pitch", seconds=20.0, contour=contour)
    )
    expected = [200.0] * 10 + [None] * 4 + [200.0] * 6
    assert out["agent_audio_properties"]["Full_Pitch_Contour_Hz"] == expected


def test_absent_groups_keep_their_keys_with_null() -> None:
    empty = Blueprint(clip="0" * 64)
    out = render_paper(empty)
    assert keys_of(out) == KEYS
    leaves = [
        leaf
        for v in out.values()
        for leaf in (v.values() if isinstance(v, dict) else [v])
    ]
    assert leaves == [None] * 15
    some: dict[str, Any] = render_paper(spoken().model_copy(update={"pitch": absent()}))
    assert keys_of(some) == KEYS
    assert some["agent_audio_properties"]["Mean_Pitch_Hz"] is None
    assert some["agent_audio_properties"]["Integrated_Loudness_LUFS"] == -24.07
    some = render_paper(
        spoken_with("rate", wpm=None, articulation_wpm=None, words=None)
    )
    assert some["agent_audio_properties"]["Speech_Rate_WPM"] is None  # not 0


def test_properties_are_three_groups_and_an_unknown_group_is_refused_with_the_list() -> (
    None
):
    three = render_paper(spoken(), drop=["pitch", "loudness", "rate"])
    assert three == render_paper(spoken(), drop=["properties"])
    for refuse in (render_paper, render_compact, lambda bp, drop: compact_legend(drop)):
        with pytest.raises(
            UserError, match=r"'pich': no such .*; use signal, .*properties"
        ):
            refuse(spoken(), drop=["pich"])  # type: ignore[operator]
    with pytest.raises(UserError, match="give a list"):
        render_paper(spoken(), drop="pitch")


@settings(max_examples=60)
@given(blueprints)
def test_any_blueprint_gives_strict_json_with_all_keys(bp: Blueprint) -> None:
    out = render_paper(bp)
    assert keys_of(out) == KEYS
    assert json.loads(json.dumps(out, allow_nan=False)) == out
