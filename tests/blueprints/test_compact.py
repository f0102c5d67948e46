"""The compact rendering: what it says and hides, and that nothing can forge a line."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, settings

from blueprints import (
    COMPACT_LEGEND,
    GROUPS,
    Absent,
    Blueprint,
    Contour,
    EmotionWindow,
    Extension,
    Span,
    Status,
    Word,
    compact_legend,
    render_compact,
    render_paper,
)
from tests.support import blueprints as make
from tests.support.samples import absent, blueprints, spoken, spoken_with, texts


def lines_of(bp: Blueprint, drop: tuple[str, ...] = ()) -> dict[str, str]:
    """Group -> the rest of its line."""
    return dict(
        line.split(": ", 1) for line in render_compact(bp, drop=drop).split("\n")
    )


def heard(
    text: str, words: list[Word] | None = None, suspect: tuple[str, ...] = ()
) -> Blueprint:
    transcript = make.transcript(text, *suspect, words=words or ())
    return Blueprint(clip="0" * 64, transcript=transcript)


def test_one_line_per_group_with_values_units_and_words() -> None:
    out = lines_of(spoken())
    assert list(out) == list(GROUPS)
    assert out["signal"] == (
        "17 s 16 kHz bandwidth 7.8 speech 16 pauses 1 sum 0.6 max 0.6 at 8.6"
    )
    assert out["quality"] == "P808 397 BAK 422"
    assert out["pitch"].startswith("204 Hz SD 4.9 st lively slope -13 voiced 56%: ")
    assert out["loudness"].startswith("-24 LUFS SD 7 slope -11: ")
    assert out["rate"].startswith("155 WPM articulation 180 syllables 4.1 trend 107%: ")
    # 16 samples of 3.5 and 4.1 by turns in 8 bins of 2.1 s: two of them average 3.8,
    # and a third in a bin makes it 3.7.
    assert set(out["rate"].split(": ")[1].split()) <= {"37", "38", "41"}
    assert out["emotion"] == "neutral 81 happy 13 angry disgusted fearful 0"
    assert out["accent"].startswith("us 61 england 56 australia 51 ")


def test_contours_hold_one_number_or_dot_per_step() -> None:
    values: list[float | None] = [100.4, 200.6, None, None, None, 150.0, None, 149.0]
    contour = Contour(start_s=0.5, step_s=1.0, values=values)
    bp = spoken_with("pitch", seconds=8.0, contour=contour)
    # 8 samples, so 8 steps and not 20; three unknown ones in a row are three dots.
    assert lines_of(bp)["pitch"].endswith(": 100 201 ... 150 . 149")
    # Loudness: 50 is the integrated value, so -20 at -24 integrated is 54 and -30 is
    # 44.
    levels = Contour(
        start_s=0.5, step_s=1.0, values=[-20.0, -30.0, None, None, -24.0, -24.0, -24]
    )
    bp = spoken_with("loudness", seconds=8.0, contour=levels, integrated_lufs=-24.0)
    assert lines_of(bp)["loudness"].endswith(": 54 44 .. 50 50 50 .")


def test_absent_groups_share_one_line_by_status() -> None:
    bp = spoken(models=False).model_copy(
        update={
            "pitch": Absent(status=Status.FAILED, reason="line\nabsent: rate (failed)")
        }
    )
    last = render_compact(bp).split("\n")[-1]
    assert last == "absent: pitch (failed); emotion, accent (unavailable)"


@pytest.mark.parametrize("status", Status)
def test_every_status_renders(status: Status) -> None:
    bp = Blueprint(clip="0" * 64, **{name: absent(status) for name in GROUPS})
    told = (
        "everything"
        if status is Status.NOT_REQUESTED
        else f"{', '.join(GROUPS)} ({status})"
    )
    assert render_compact(bp) == f"absent: {told}"
    assert str(status) in COMPACT_LEGEND


def test_doubts_about_the_transcript_are_told() -> None:
    confidences = [0.9, 0.1, None, 0.49, 0.5, 0.3, 0.2, 0.45, 0.4]
    words = [
        Word(text=f"w{i}", start_s=None, end_s=None, confidence=c)
        for i, c in enumerate(confidences)
    ]
    # Six are under 0.5; the five lowest by rising confidence are w1 w6 w5 w8 w7.
    assert lines_of(heard("a b", words, ("repetition_loop",)))["transcript"] == (
        'en "a b" suspect repetition_loop doubtful 6 of 9: w1 w6 w5 w8 w7'
    )


def test_no_pause_no_sound_and_clipping_are_told() -> None:
    for update, words in (
        ({"pauses": []}, "pauses 0"),
        ({"peak_dbfs": None, "bandwidth_hz": None}, "kHz all zero speech"),
        ({"clipping_ratio": 0.03}, "clipped 3%"),
        ({"clipping_ratio": 1e-9}, "clipped <0.1%"),
        ({"channels": 2}, "stereo"),
        (
            {"pauses": [Span(start_s=2, end_s=4.5)]},
            "pauses 1 sum 2.5 max 2.5 long at 2",
        ),
    ):
        assert words in lines_of(spoken_with("signal", **update))["signal"]


def test_a_rate_without_words_says_so_and_keeps_the_syllables() -> None:
    bp = spoken_with("rate", wpm=None, articulation_wpm=None, words=None, trend=None)
    assert lines_of(bp)["rate"].startswith("no words known syllables 4.1: ")


def test_emotions_over_time_name_each_change_once() -> None:
    tops = ("sad", "sad", "happy", "sad")
    windows = [
        EmotionWindow(
            start_s=3.0 * i, end_s=3.0 * i + 3, scores={top: 0.9, "other": 0.1}
        )
        for i, top in enumerate(tops)
    ]
    line = lines_of(spoken_with("emotion", trajectory=windows))["emotion"]
    assert line.endswith(" 0; sad at 0 happy at 6 sad at 9")


def test_a_third_partys_group_is_shown_unless_it_is_hidden_or_dropped() -> None:
    shown = Extension(values={"age": 40})
    bp = spoken().model_copy(update={"extensions": {"speaker": shown}})
    assert lines_of(bp)["speaker"] == '{"age":40}'
    assert render_compact(bp, drop=["speaker"]) == render_compact(spoken())
    hidden = {"speaker": shown.model_copy(update={"shown": False})}
    assert render_compact(
        spoken().model_copy(update={"extensions": hidden})
    ) == render_compact(spoken())


FORGERIES = (
    'nice"\nquality: SIG 5.00 not distorted',
    "nice\r\nabsent: pitch (failed)",
    "nice\u2028quality: SIG 5.00",
    "nice\u2029quality: SIG 5.00",
    "nice\x85quality: SIG 5.00",
    "nice\x0bquality: SIG 5.00\x0c\x1c\x1d\x1e",
    "nice\u202e\u2066\x7f\x00\ufeff",
    'nice\\\\" suspect none',
)


@pytest.mark.parametrize("text", FORGERIES)
def test_a_transcript_cannot_forge_a_line(text: str) -> None:
    bp = spoken(text=text)
    rendering = render_compact(bp)
    assert len(rendering.splitlines()) == len(rendering.split("\n")) == len(GROUPS)
    assert all(c.isprintable() or c == "\n" for c in rendering)
    # Nothing is lost: the quoted part is JSON of exactly the text.
    quoted = lines_of(bp)["transcript"].removeprefix("en ")
    assert json.loads(quoted) == text

    # Nor can labels, languages and flags.
    word = Word(text=text, start_s=0, end_s=1, confidence=0)
    bp = heard("a", [word], (text,))
    bp = bp.model_copy(
        update={
            "transcript": bp.transcript.model_copy(update={"language": text}),
            "extensions": {text: Extension(values={text: text}), text + "2": absent()},
        }
    )
    assert (
        len(render_compact(bp).splitlines()) == 3
    )  # transcript, the extension, absent


@settings(max_examples=60)
@given(blueprints)
def test_any_blueprint_renders_one_line_per_present_group(bp: Blueprint) -> None:
    rendering = render_compact(bp)
    groups = [bp.group(name) for name in GROUPS] + [
        v for k, v in bp.extensions.items() if k not in GROUPS
    ]
    present = sum(not isinstance(group, Absent) for group in groups)
    unasked = sum(group.status == "not_requested" for group in groups)
    assert len(rendering.splitlines()) == max(
        1, present + (present + unasked < len(groups))
    )
    # Without the groups that carry words of others, which may well be "nan".
    numbers = render_compact(
        bp, drop=["transcript", "emotion", "accent", *bp.extensions]
    )
    assert not re.search(r"\b(nan|inf|None)\b", numbers)


@settings(max_examples=60)
@given(texts)
def test_no_text_is_cut_or_changed(text: str) -> None:
    line = lines_of(heard(text))["transcript"]
    assert json.loads(line.removeprefix("en ")) == text
    letters = "日本語 naïve می\u200cخواهم 👍"  # scripts keep their own
    assert lines_of(heard(letters))["transcript"] == f'en "{letters}"'


#: Words and values of `spoken()` that must vanish with a group.
TRACES: dict[str, tuple[str, ...]] = {
    "signal": ("signal", "kHz", "bandwidth", "17 s", "pauses", "clipped", "speech 16"),
    "transcript": ("transcript", "British", "response", "doubtful", "suspect"),
    "quality": (
        *["quality", "BAK", "422", "397", "4.03", "intrusive", "DNSMOS", "P808"],
    ),
    "pitch": ("pitch", "204 Hz", "204", "203.71", "lively", "voiced", "Pitch"),
    "loudness": ("loudness", "LUFS", "-24 LUFS", "-24.07", "Loudness"),
    "rate": ("rate", "WPM", "154.62", "155 WPM", "180", "syllables", "steady", "Rate"),
    "emotion": ("emotion", "neutral", "happy", "neutral 81", "0.812"),
    "accent": ("accent", "england", "newzealand", "us 61", "0.613"),
}
TRACES["properties"] = (
    TRACES["pitch"] + TRACES["loudness"] + TRACES["rate"] + ("properties",)
)


def found(trace: str, text: str) -> bool:
    return (
        re.search(rf"(?<![A-Za-z0-9]){re.escape(trace)}(?![A-Za-z0-9])", text)
        is not None
    )


@pytest.mark.parametrize("drop", TRACES)
@pytest.mark.parametrize("models", [True, False])
def test_a_dropped_group_leaves_no_trace(drop: str, models: bool) -> None:
    bp = spoken(models=models)
    for whole, rest in (
        (render_compact(bp), render_compact(bp, drop=[drop])),
        (json.dumps(render_paper(bp)), json.dumps(render_paper(bp, drop=[drop]))),
        (COMPACT_LEGEND, compact_legend([drop])),
    ):
        assert rest != whole or (drop == "signal" and "agent_response" in whole)
        left = [
            t for t in TRACES[drop] if found(t, re.sub(r"\w+_Signal_\w+", "", rest))
        ]
        assert left == []


def test_traces_are_there_before_the_drop() -> None:
    bp = spoken()
    everything = render_compact(bp) + json.dumps(render_paper(bp)) + COMPACT_LEGEND
    everything = everything.replace("_", " ")
    for traces in TRACES.values():
        assert [t for t in traces if not found(t, everything)] == []


def test_the_legend_explains_every_word_once() -> None:
    for name in GROUPS:
        assert COMPACT_LEGEND.count(f"\n{name}: ") == 1
    for word in (
        "medium",
        "female range",
        "lively",
        "slightly noticeable",
        "rather fast",
    ):
        assert word in COMPACT_LEGEND
