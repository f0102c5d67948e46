"""The brief rendering: levels for measures, whole words, and what it leaves out."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, settings

from blueprints import (
    GROUPS,
    Absent,
    Blueprint,
    Contour,
    Span,
    Status,
    Transcript,
    brief_legend,
    left_out,
    render_brief,
)
from blueprints.axis import course
from blueprints.notation import label
from tests.support.samples import TEXT, absent, blueprints, spoken, spoken_with

#: From 0.4 to 1.3 s.
PAUSES = [Span(start_s=n, end_s=n + 0.4 + n / 9) for n in range(9)]


def measures_of(bp: Blueprint) -> dict[str, str]:
    """Name of a group -> what its part of the second line says."""
    return dict(
        part.split(" ", 1) for part in render_brief(bp).split("\n")[-1].split("; ")
    )


def test_words_are_whole_and_ordinary_measures_have_no_number() -> None:
    words, measures = render_brief(spoken()).split("\n")
    assert words.startswith(f'en "{TEXT}"')
    assert measures.startswith(
        "signal 16.8 s pauses 1: 0.6; quality 4 good; pitch female range 4.9 lively"
    )
    assert (
        "; loudness normal even; rate average steady; emotion neutral 81 happy 13;"
        in measures
    )
    assert measures.endswith("accent us 61 england 56")


# Cut points: norms of ITU-T P.800 (3.5), EBU R 128 (-26), Tauroza & Allison (125), 10 %
# of tempo.
@pytest.mark.parametrize(
    ("group", "values", "said"),
    [
        ("quality", {"p808": 3.5}, "3.5 good"),
        ("quality", {"p808": 3.49}, "3.5 fair"),
        ("quality", {"ovrl": 3.6, "p808": 2.0, "bak": 1.2}, "2 poor noise 1.2 very"),
        ("loudness", {"integrated_lufs": -31.2}, "-31 quiet"),
        ("loudness", {"range_lu": 24.0}, "normal even range 24"),
        ("rate", {"wpm": 94.0, "trend": 0.5}, "94 slow 0.5 slowing"),
        ("rate", {"wpm": None, "trend": None}, "no words known"),
        ("pitch", {"std_semitones": 1.0}, "female range 1 monotone"),
        ("pitch", {"voiced_ratio": 0.1}, "voiced 10%"),
        (
            "signal",
            {"clipping_ratio": 0.03, "bandwidth_hz": 3400.0},
            "3.4 narrowband clipped 3%",
        ),
        (
            "signal",
            {"peak_dbfs": None, "bandwidth_hz": None, "channels": 2},
            "2 channels all zero",
        ),
        ("signal", {"pauses": PAUSES}, "pauses 8: 1.3 1.2 1.1"),
    ],
)
def test_what_is_out_of_the_ordinary_has_its_number(
    group: str, values: dict[str, object], said: str
) -> None:
    assert said in measures_of(spoken_with(group, **values))[group]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([1, 1, 2], "even"),
        ([1, 2, 9], "rising 8"),
        ([9, 2, 1], "falling 8"),
        ([1, 9, 1], "rising then falling"),
        ([9, 1, 9], "falling then rising"),
        ([None, 1, 9], "rising 8"),
        ([None, None, 9], "even"),
    ],
)
def test_a_contour_is_a_phrase(values: list[float | None], said: str) -> None:
    assert course(Contour(start_s=0.5, step_s=1.0, values=values), 3.0, 5.0) == said


def test_absence_is_said_where_it_is_a_fact_about_the_clip() -> None:
    none = Blueprint(clip="0" * 64, **{name: absent(Status.SILENT) for name in GROUPS})
    assert render_brief(none) == "; ".join(f"{name} silent" for name in GROUPS)
    unasked = spoken().model_copy(update={"emotion": Blueprint(clip="0" * 64).emotion})
    assert "emotion" not in render_brief(unasked)
    assert "emotion: was not measured" in left_out(unasked)
    assert {line.split(":")[0] for line in left_out(spoken())} == set(GROUPS)


@pytest.mark.parametrize("drop", GROUPS)
def test_a_dropped_group_leaves_no_trace(drop: str) -> None:
    bp = spoken()
    mark = "British" if drop == "transcript" else f"{drop} "
    assert mark in render_brief(bp)
    assert mark not in render_brief(bp, drop=[drop])
    if drop != "transcript":
        assert not re.search(rf"\b{drop} (?!a level)", brief_legend([drop]))


@settings(max_examples=60)
@given(blueprints)
def test_any_blueprint_has_two_lines_and_finite_numbers(bp: Blueprint) -> None:
    heard = isinstance(bp.transcript, Transcript)
    lines = render_brief(bp).splitlines()
    assert len(lines) <= 1 + heard
    if heard:
        said = lines[0].removeprefix(f"{label(bp.transcript.language)} ")
        assert json.JSONDecoder().raw_decode(said)[0] == bp.transcript.text
    groups = [name for name in GROUPS if not isinstance(bp.group(name), Absent)]
    numbers = render_brief(bp, drop=["transcript", "emotion", "accent", *bp.extensions])
    assert not re.search(r"\b(nan|inf|None)\b", numbers)
    assert all(
        f"{name} " in numbers
        for name in groups
        if name in ("pitch", "loudness", "rate")
    )
