"""Rubric files: the shipped ones, one's own, and what is said of wrong ones."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from blueprints import UserError
from fusion import BINARY, likert, numbers, points
from trace_eval.data.rubrics.base import RubricFile
from trace_eval.data.rubrics.load import (
    load_pair_rubric,
    load_protocol,
    load_rubric,
    rubric_names,
)
from trace_eval.judges.ask.unread_reply import ReplyError
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.read.score import read_score
from trace_eval.judges.registry.kinds import view_of

MINE = """
name = "mine"
version = 2
title = "Is it polite?"
question = "How polite is the answer?"
scale = { min = 1, max = 3 }
inputs = ["question", "candidate"]
[points]
1 = "rude"
2 = "neutral"
3 = "polite"
"""

PAIRS = """
name = "mine"
version = "1"
scale = "plain"
inputs = ["audio"]
system = "Compare."
question = "Which?"
"""


def test_the_shipped_ones_are_whole() -> None:
    for (
        name
    ) in rubric_names():  # that none is lost: tests/judges/test_frozen_prompts.py
        rubric = load_rubric(name)
        assert rubric.name == name
        assert rubric.rubric.item == "single"
        assert rubric.origin
        usual = likert(1, 3) if rubric.of_conversations else likert(1, 5)
        others = {
            "role_realism": BINARY,
            "t-acc": BINARY,
            "naturalness": points(1, 10),
            "mushra": points(0, 100),
        }
        scale = others.get(name, usual)
        assert rubric.numbers == scale
        assert len(set(rubric.points.values())) == len(rubric.points)
    assert load_rubric("role_style").crop_s == 60
    assert not load_rubric("correctness").needs_audio
    assert load_rubric("correctness").wants("rationale")
    assert not load_rubric("correctness").wants("transcription")


def test_ones_own_is_identified_by_what_it_says(tmp_path: Path) -> None:
    mine = write(tmp_path, MINE)
    rubric = load_rubric(str(mine))
    assert (rubric.name, rubric.version, rubric.numbers.labels) == (
        "mine",
        "2",
        (1, 2, 3),
    )
    before = rubric.sha256
    write(tmp_path, "# a remark\n" + MINE.replace("\n[points]", "\n\n[points]"))
    assert load_rubric(str(mine)).sha256 == before
    write(tmp_path, MINE.replace("polite is", "kind is"))
    assert load_rubric(str(mine)).sha256 != before
    write(tmp_path, MINE.replace("version", 'reasons_in = "German"\nversion', 1))
    told = load_rubric(str(mine))
    assert (told.reasons_in, told.sha256 == before) == ("de", False)
    assert "Write the reasoning in German." in view_of(told, JudgeOptions()).system.text
    asked = write(tmp_path, PAIRS.replace("version", 'reasons_in = "fr"\nversion'))
    question = load_pair_rubric(str(asked))
    assert question.parts[0].instructions == "Compare.\nWrite the reasoning in French."
    assert '"reasons_in":"fr"' in question.identity
    assert "reasons_in" not in load_pair_rubric(str(write(tmp_path, PAIRS))).identity


def test_both_kinds_share_what_every_question_says(tmp_path: Path) -> None:
    shared = (
        'version = 3\ntitle = "T"\norigin = "O"\nrules = ["Be fair.", "Be brief."]\n'
    )
    (part,) = load_pair_rubric(
        str(write(tmp_path, PAIRS.replace('version = "1"\n', shared)))
    ).parts
    single = MINE.replace('title = "Is it polite?"\n', "").replace(
        "version = 2\n", shared
    )
    for rubric in (part, load_rubric(write(tmp_path, single))):
        assert isinstance(rubric, RubricFile)
        told = (rubric.version, rubric.title, rubric.origin, rubric.rules)
        assert told == ("3", "T", "O", ("Be fair.", "Be brief."))
    assert part.instructions == "Compare.\n- Be fair.\n- Be brief."
    assert part.record["rules"] == ["Be fair.", "Be brief."]
    for text, load, noun in (
        (PAIRS, load_pair_rubric, "task"),
        (MINE, load_rubric, "rubric"),
    ):
        path = write(
            tmp_path, text.replace("version", 'rules = ["x", "x"]\nversion', 1)
        )
        with pytest.raises(
            UserError, match=f"^{noun} {path}: rules: 'x' is there twice"
        ):
            load(str(path))
        names = rf"^{noun} 'beauty': is neither shipped .*quality.* nor a \.toml"
        with pytest.raises(UserError, match=names):
            load("beauty")
    for load_misspelt in (load_protocol, load_rubric):
        with pytest.raises(
            UserError, match=r"'correctnes'.*did you mean correctness\?"
        ):
            load_misspelt("correctnes")


@pytest.mark.parametrize(
    ("scale", "wanted"),
    [
        ("{ min = 1, max = 10 }", points(1, 10)),
        ("{ values = [1, 0] }", BINARY),
        ("{ min = 0, max = 1, step = 0.25 }", numbers([0, 0.25, 0.5, 0.75, 1])),
    ],
)
def test_scales_of_ones_own(tmp_path: Path, scale: str, wanted: object) -> None:
    sentences = "\n".join(f'"{label:g}" = "x"' for label in wanted.labels)
    text = MINE.replace("{ min = 1, max = 3 }", scale).split("[points]")[0]
    assert (
        load_rubric(str(write(tmp_path, f"{text}[points]\n{sentences}"))).numbers
        == wanted
    )


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('name = "mine"', "", "name: is missing; add it"),
        (
            'title = "Is it polite?"',
            'titel = "x"\ntitle = "y"',
            "titel: is no field; use name",
        ),
        ("max = 3", "max = 1", r"scale: has 1 label; give 2 to 201"),
        (
            "max = 3",
            "max = 4",
            r"points: one sentence per label; missing 4, unknown none",
        ),
        ("max = 3", "max = 0", "min is 1 and max 0; give a min below the max"),
        ("max = 3", "max = 3.5", r"steps of 1 from 1 do not reach 3.5"),
        ("min = 1, max = 3", "min = 1", "give min and max"),
        ("max = 3", "max = nan", "nan is not a finite number"),
        ("max = 3 }", "max = 3, step = 0 }", "scale.step"),
        ('"candidate"]', '"tune"]', "inputs.1: 'tune'"),
        (
            '"question", "candidate"',
            '"question"',
            "inputs: name the answer, one of audio, cand",
        ),
        ('"question", "candidate"', '"candidate", "candidate"', "is there twice"),
        (
            "[points]",
            'hidden = ["context"]\n[points]',
            "hidden: 'context' is not one of the inputs",
        ),
        (
            "[points]",
            'key = "reasoning"\n[points]',
            "key: 'reasoning' is another field",
        ),
        ("[points]", 'reduce = "best"\n[points]', "reduce"),
        ("[points]", "[points", "not TOML"),
    ],
)
def test_what_is_wrong_is_said(
    tmp_path: Path, before: str, after: str, said: str
) -> None:
    assert before in MINE
    path = write(tmp_path, MINE.replace(before, after, 1))
    with pytest.raises(UserError, match=said) as caught:
        load_rubric(str(path))
    assert str(caught.value).startswith(f"rubric {path}: ")


def write(folder: Path, text: str) -> Path:
    path = folder / "mine.toml"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("scale", "labels", "choices"),
    [
        ("values = [0, 1]", (0, 1), "one of 0, 1"),
        ("min = -3, max = 3", range(-3, 4), "one of -3, -2, -1, 0, 1, 2, 3"),
        (
            "min = 1, max = 5, step = 0.5",
            (1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5),
            "one of 1, 1.5, 2",
        ),
        ("min = 0, max = 100", range(101), "a number from 0 to 100 in steps of 1"),
        (
            "min = -50, max = 50, step = 0.5",
            None,
            "a number from -50 to 50 in steps of 0.5",
        ),
    ],
)
def test_scales_of_any_width_are_asked_for_and_read(
    tmp_path: Path, scale: str, labels: Any, choices: str
) -> None:
    names = [f"{label:g}" for label in (labels or [-50, 50])]
    worded = names if len(names) <= 11 else [names[0], names[-1]]
    points = "\n".join(f'"{name}" = "words of {name}"' for name in worded)
    head, _ = MINE.split("[points]")
    text = (
        re.sub(r"scale = .*", f"scale = {{ {scale} }}", head) + f"[points]\n{points}\n"
    )
    rubric = load_rubric(str(write(tmp_path, text)))
    if labels is not None:
        assert rubric.numbers.labels == tuple(labels)
    system = view_of(rubric, JudgeOptions()).system.text
    assert f"then n is {choices}" in system
    assert f"{worded[0]}: words of" in system
    low, high = rubric.numbers.low, rubric.numbers.high
    for value in (low, high):
        assert (
            read_score(f'{{"reasoning": "r", "score": {value}}}', rubric).score == value
        )
    with pytest.raises(ReplyError):
        read_score(f'{{"reasoning": "r", "score": {high + 1}}}', rubric)


def test_a_long_scale_needs_two_sentences(tmp_path: Path) -> None:
    text = (
        MINE.replace("max = 3", "max = 30").split("[points]")[0]
        + '[points]\n1 = "bad"\n'
    )
    with pytest.raises(UserError, match="give at least two labels a sentence"):
        load_rubric(str(write(tmp_path, text)))
