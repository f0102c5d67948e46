"""Protocol files: the shipped ones, and what is wrong with others."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from blueprints import UserError
from trace_eval.data.rubrics.load import (
    PROTOCOLS,
    load_protocol,
    load_rubric,
    protocol_names,
    protocol_path,
)
from trace_eval.data.rubrics.protocols import PairProtocol, listening_of
from trace_eval.data.rubrics.single import ScoreRubric

PAIRS = """
name = "mine"
version = "1"
item = "pair"
title = "Which is better?"
scale = { min = -3, max = 3 }
[points]
-3 = "a"
-2 = "b"
-1 = "c"
0 = "d"
1 = "e"
2 = "f"
3 = "g"
[[parts]]
name = "overall"
title = "Overall"
question = "Which?"
[listening]
repeat = 0
"""

SCORES = """
name = "mine"
version = "1"
title = "How good?"
scale = { min = 0, max = 100 }
question = "How good is it?"
inputs = ["audio"]
[points]
0 = "bad"
100 = "good"
[listening]
repeat = 0
"""


def write(folder: Path, text: str) -> str:
    path = folder / "mine.toml"
    path.write_text(text)
    return str(path)


def test_the_shipped_ones_are_whole() -> None:
    assert protocol_names() == ["ab", "cmos", "hcot", "mos", "mushra", "t-acc"]
    for name in protocol_names():
        protocol = load_protocol(name)
        assert protocol.name == name
        assert protocol.origin
        assert protocol.title
    comparison = load_protocol("cmos")
    assert isinstance(comparison, PairProtocol)
    assert comparison.labels == ("-3", "-2", "-1", "0", "1", "2", "3")
    mushra = load_protocol("mushra")
    assert isinstance(mushra, ScoreRubric)
    assert listening_of(mushra).lowpass_hz == (3500, 7000)
    assert listening_of(load_rubric("correctness")).played is False


#: Protocol -> what its publication asks for.
PUBLISHED: dict[str, dict[str, str]] = {
    "mos": {  # ITU-T P.800, annex B: absolute category rating
        "5": "Excellent",
        "4": "Good",
        "3": "Fair",
        "2": "Poor",
        "1": "Bad",
    },
    "cmos": {  # ITU-T P.800, annex E: comparison category rating
        "3": "B is much better",
        "2": "B is better",
        "1": "B is slightly better",
        "0": "About the same",
        "-1": "A is slightly better",
        "-2": "A is better",
        "-3": "A is much better",
    },
    "mushra": {  # ITU-R BS.1534-3: five equal intervals of a continuous scale
        "90": "Excellent",
        "70": "Good",
        "50": "Fair",
        "30": "Poor",
        "10": "Bad",
    },
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_protocol_is_one_file(tmp_path: Path, name: str) -> None:
    """A copy of the shipped file, by its path, is the protocol: none is in code."""
    copy = write(tmp_path, protocol_path(name).read_text())
    protocol = load_protocol(copy)
    assert protocol == load_protocol(name)
    assert {
        label: words.rstrip(".") for label, words in protocol.points.items()
    } == PUBLISHED[name]


def test_mushra_has_the_references_and_anchors_of_its_recommendation(
    tmp_path: Path,
) -> None:
    mushra = load_protocol(write(tmp_path, protocol_path("mushra").read_text()))
    assert isinstance(mushra, ScoreRubric)
    assert (mushra.scale.labels[0], mushra.scale.labels[-1]) == (0, 100)
    listening = listening_of(mushra)
    assert listening.hidden_reference
    assert listening.together
    assert listening.blind
    assert listening.lowpass_hz == (3500, 7000)
    assert (listening.order, listening.sides) == ("random", "random")
    assert listening.loudness == "matched"


def test_mushra_has_the_post_screening_of_its_recommendation(tmp_path: Path) -> None:
    """Its section 4.1.2 screens out who fails an anchor too often.

    The hidden reference under 90, or the 7 kHz anchor over 90, in over 15 %.
    """
    listening = listening_of(
        load_protocol(write(tmp_path, protocol_path("mushra").read_text()))
    )
    reference, anchor = listening.traps
    assert reference.system == listening.reference
    assert [reference.is_right(score) for score in ("89", "90")] == [False, True]
    assert anchor.system == ("lowpass-7000",)
    assert [anchor.is_right(score) for score in ("90", "91")] == [True, False]
    assert listening.most_failed == 0.15


def test_hcot_asks_for_its_dimensions_in_order_and_in_small_steps(
    tmp_path: Path,
) -> None:
    hcot = load_protocol(write(tmp_path, protocol_path("hcot").read_text()))
    assert isinstance(hcot, PairProtocol)
    names = ["content", "voice_quality", "paralinguistics", "overall"]
    assert [part.name for part in hcot.parts] == names
    assert hcot.is_hcot
    assert hcot.labels == ("1", "2", "both_good", "both_bad")


def test_how_people_listen_changes_no_question_to_a_judge(tmp_path: Path) -> None:
    before = load_protocol(write(tmp_path, SCORES)).sha256
    more = SCORES + 'raters = 3\ntraps = [{ system = "ref", at_least = 90 }]\n'
    assert load_protocol(write(tmp_path, more)).sha256 == before


def test_a_day_ends_with_it(tmp_path: Path) -> None:
    protocol = load_protocol(write(tmp_path, PAIRS + "until = 2026-12-01\n"))
    assert listening_of(protocol).until == datetime(2026, 12, 1, 23, 59, 59, tzinfo=UTC)


@pytest.mark.parametrize(
    ("added", "said"),
    [
        (
            "hidden_reference = true\ntogether = true",
            "there is no reference; name its system",
        ),
        (
            "lowpass_hz = [3500]\ntogether = true",
            "lowpass_hz: anchors are made of the reference",
        ),
        ('reference = "ref"', "reference: is shown with together = true"),
        (
            'reference = "ref"\nanchor = ["ref"]\ntogether = true',
            "anchor: ref is the reference too; keep one",
        ),
        (
            (
                'reference = "ref"\nhidden_reference = true\ntogether = true\nblind ='
                " false"
            ),
            "nothing is hidden with blind = false",
        ),
        ("raters = 0", "listening.raters: Input should be greater than or equal to 1"),
        ("items = 2\nrepeat = 3", "repeat: 3 is more than items = 2; repeat fewer"),
        (
            'traps = [{ item = "x" }]',
            "trap 'x' has no right answer; give answer, at_least or",
        ),
        (
            "traps = [{ at_most = 3 }]",
            "a trap is an item or a system; name one of them",
        ),
        (
            'traps = [{ item = "x", at_least = 101 }]',
            "at least 101 is not on the scale 0 to 100",
        ),
        (
            'traps = [{ item = "x", answer = 5, at_most = 6 }]',
            "has an answer and bounds",
        ),
        (
            'traps = [{ item = "x", answer = 5 }, { item = "x", answer = 6 }]',
            "traps: x is there twice",
        ),
        ('training = ["x", "x"]', "training: x is there twice; keep one"),
        (
            'training = "x"\ntraps = [{ item = "x", answer = 5 }]',
            "training: x is a trap too, and no answer of the training counts; keep one",
        ),
        ('marks = { p = "pause" }', "marks: the page needs the keys"),
        (
            "most_failed = 0.15",
            "most_failed: there are no traps; add some, or leave it out",
        ),
        ("rater = 3", "listening.rater: is no field; use"),
    ],
)
def test_contradictions_are_one_line(tmp_path: Path, added: str, said: str) -> None:
    with pytest.raises(UserError) as caught:
        load_protocol(
            write(tmp_path, SCORES.replace("repeat = 0\n", "") + added + "\n")
        )
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (
            "min = -3",
            "min = -2",
            "scale: -2 to 3 is not symmetric, and a comparison treats A and B alike",
        ),
        ('2 = "f"\n', "", "points: one sentence per label; missing 2, unknown none"),
        (
            "{ min = -3, max = 3 }",
            '"plain"',
            "points: -3 is not a label; use 1, 2, tie",
        ),
        (
            "repeat = 0",
            "together = true",
            "listening.together: belongs to single answers",
        ),
        (
            "repeat = 0",
            'marks = { o = "x" }',
            "listening.marks: belongs to single answers",
        ),
        (
            "repeat = 0",
            'traps = [{ system = "new", at_least = 1 }]',
            "trap 'new': names no item; where pairs are rated, it must",
        ),
        (
            "repeat = 0",
            'traps = [{ item = "x", answer = "tie" }]',
            "is not on the scale -3, -2",
        ),
    ],
)
def test_what_is_wrong_with_pairs_is_said(
    tmp_path: Path, before: str, after: str, said: str
) -> None:
    with pytest.raises(UserError) as caught:
        load_protocol(write(tmp_path, PAIRS.replace(before, after, 1)))
    assert said in str(caught.value)


def test_no_such_protocol() -> None:
    with pytest.raises(
        UserError, match=r"neither shipped \(ab, cmos, hcot, mos, mushra, t-acc\)"
    ):
        load_protocol("mushroom")
    assert (PROTOCOLS / "hcot.toml").is_file()
