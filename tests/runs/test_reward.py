"""A judge as a reward: groups of clips, people's known opinions, bad clips."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trace_eval as te
from fusion import Rating
from tests.support.audio import tone, write
from tests.support.louder_wins import LouderWins, louder_options
from tests.support.preferred import judged_run
from trace_eval.runs.preferences import BAND_LABELS


def _clips(folder: Path, *peaks: float) -> list[Path]:
    return [write(folder / f"{peak}.wav", tone(peak=peak)) for peak in peaks]


def test_each_clip_is_compared_with_the_others_of_its_prompt(tmp_path: Path) -> None:
    judge = LouderWins()
    function = te.reward(options=louder_options(tmp_path, judge))
    low, middle, high, other = _clips(tmp_path, 0.3, 0.5, 0.7, 0.9)
    rows = function(
        [high, low, other, middle, high.read_bytes()], ["x", "x", "y", "x", "x"]
    )
    # The last one is the first one again: LouderWins gives B what is not louder.
    assert [row.reward for row in rows] == [2 / 3, 0.0, None, 1 / 3, 1.0]
    assert [row.comparisons for row in rows] == [3, 3, 0, 3, 3]
    assert (
        rows[2].reason
        == "no other clip answers its prompt, so there is nothing to compare"
    )
    assert rows[0].clip == str(high)
    assert all(row.agreement is None for row in rows)
    assert {row.agreement_unknown for row in rows} == {
        "no run with human labels was named; give one as labelled=RUN"
    }
    assert len(judge.seen) == 6
    for prompt in (None, 3):
        unworded = function([low, high], [prompt, prompt])
        assert [row.reward for row in unworded] == [0.0, 1.0]


def test_a_bad_clip_costs_its_own_comparisons(tmp_path: Path) -> None:
    good = _clips(tmp_path, 0.3, 0.5)
    bad = tmp_path / "text.wav"
    bad.write_text("no sound")
    function = te.reward(options=louder_options(tmp_path, LouderWins()))
    first, second, third = function([*good, bad], ["x"] * 3)
    assert (first.reward, second.reward, third.reward) == (0.0, 1.0, None)
    assert (first.unscored, third.unscored) == (1, 2)
    assert third.reason is not None
    assert "text.wav" in third.reason


def test_a_row_says_how_often_people_agree(tmp_path: Path) -> None:
    rng = random.Random(0)
    rated = [
        (Rating.A, 1.0, Rating.A if rng.random() < 0.8 else Rating.B)
        for _ in range(BAND_LABELS)
    ]
    clips = _clips(tmp_path, 0.3, 0.5)
    function = te.reward("rules", labelled=judged_run(tmp_path / "run", rated))
    row, _ = function(clips, ["x", "x"])
    assert row.agreement_unknown is None
    assert row.agreement is not None
    assert row.agreement["labels"] == BAND_LABELS
    assert row.agreement["low"] < row.agreement["share"] < row.agreement["high"]
    few = te.reward("rules", labelled=judged_run(tmp_path / "few", rated[:9]))(
        clips, ["x", "x"]
    )
    assert few[0].agreement is None
    assert "9 labelled preferences are too few" in str(few[0].agreement_unknown)
    with pytest.raises(
        te.UserError, match=r"was judged by rules, and the reward is louder's"
    ):
        te.reward(
            options=louder_options(tmp_path, LouderWins()), labelled=tmp_path / "run"
        )


@pytest.mark.parametrize(
    ("clips", "prompts", "words"),
    [
        (["a.wav", "b.wav"], ["x"], "2 clips and 1 prompts; give one prompt per clip"),
        ("a.wav", ["x"] * 5, "clips are of type str; give a list"),
        (["a.wav", "b.wav"], "xy", "prompts are of type str; give a list"),
        ({"a.wav": 1}, ["x"], "clips are of type dict; give a list"),
        (iter(["a.wav"]), ["x"], "clips are of type list_iterator; give a list"),
        (
            ["a.wav", "b.wav"],
            ["x", [{"role": "user", "content": "x"}]],
            r"prompt 1 is of type list; .* prompt\[-1\]\['content'\]",
        ),
        (
            ["a.wav", np.zeros(800)],
            ["x", "x"],
            "clip 1 is of type ndarray; give a path, a URL, or the bytes of a file",
        ),
        (
            ["a\0.wav"],
            ["x"],
            "clip 0: the path holds a NUL character; write it without",
        ),
    ],
)
def test_what_is_no_batch_is_refused_by_place(
    clips: Any, prompts: Any, words: str
) -> None:
    with pytest.raises(te.UserError, match=f"reward: {words}"):
        te.reward("rules")(clips, prompts)
