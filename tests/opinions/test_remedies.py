"""Every remedy that an error of reading labels or scores prints does what it says.

A case is a table, the command that refuses it, and what the remedy must come to. A
message that prints a remedy which no case expects fails. Cases of other commands are
further rows of :data:`CASES`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.cli import code_and_words
from tests.support.remedies import Remedy, remedies
from tests.support.remedy_tables import (
    AGREE,
    CASES,
    JUDGED,
    Case,
    labelled,
)
from trace_eval.commands.known_options import with_known_options
from trace_eval.commands.listing import ImportedOnUse


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_a_printed_remedy_does_what_it_says_as_typed(case: Case) -> None:
    Path("judged.csv").write_text(JUDGED)
    Path("people.csv").write_text(case.table, encoding="utf-8")
    words = case.command.split()
    code, said = code_and_words(*words)
    assert code == 2, said
    printed = [one for one in remedies(said) if not _mentions(one)]
    assert len(printed) == len(case.wanted), (printed, said)
    for remedy, wanted in zip(printed, case.wanted, strict=True):
        assert not remedy.blanks or case.fill, (
            remedy
        )  # what only the user knows is left blank
        typed = remedy.words(**case.fill)
        kept = words if "--scale" not in typed else _without(words, "--scale")
        code, shown = code_and_words(*kept, *typed)
        assert code == 0, (typed, shown)
        assert _came_to(case, kept, typed) == wanted, typed


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("cells", "more"),
    [
        (("1,2,A", "1,1,B", "2,2,A"), ()),
        (("-1,-1,0", "1,-1,1", "0,0,-1"), ("--scale", "-1..1")),
    ],
)
def test_columns_of_raters_that_a_message_names_are_read_beside_a_judge(
    cells: Sequence[str], more: Sequence[str]
) -> None:
    Path("judged.csv").write_text(JUDGED)
    rows = "".join(f"q{n},{cells[n % 3]}\n" for n in range(8))
    Path("people.csv").write_text(f"id,anna,bert,cara\n{rows}")
    _, said = code_and_words(*AGREE.split())
    (remedy,) = remedies(said)
    assert remedy.words() == ["--column", "rater=anna,bert,cara"]
    code, shown = code_and_words(*AGREE.split(), *remedy.words(), *more)
    assert code == 0, shown
    assert "each of the columns anna, bert, cara is read as a rater" in shown


@pytest.mark.usefixtures("here")
def test_a_number_off_a_declared_scale_may_need_a_wider_one() -> None:
    Path("judged.csv").write_text(JUDGED)
    Path("people.csv").write_text(labelled(-1, 2, 0, -2))
    typed = (*AGREE.split(), "--scale")
    code, said = code_and_words(*typed, "-1..1")
    assert code == 2
    assert (
        "--map 2=LABEL --map -2=LABEL; where 2 or -2 is a rating, give a wider --scale"
        in said
    )
    assert code_and_words(*typed, "-2..2")[0] == 0
    Path("people.csv").write_text(labelled(-1, "odd", 0, 1))
    assert "is a rating" not in code_and_words(*typed, "-1..1")[1]


def _mentions(remedy: Remedy) -> bool:
    """Whether it only names an option of which the user must think of a value."""
    return all("WORST..BEST" in one or "--rubric" in one for one in remedy.options)


def _without(words: Sequence[str], option: str) -> list[str]:
    where = [*words, option].index(option)
    return [*words[:where], *words[where + 2 :]]


def _came_to(case: Case, words: Sequence[str], typed: Sequence[str]) -> object:
    if words[0] == "rank":
        code, shown = code_and_words(*words, *typed, "--json", "out.json")
        assert code == 0, shown
        rows = json.loads(Path("out.json").read_text())["means"]
        return next(
            round(row["mean"]["value"], 9) for row in rows if row["system"] == "new"
        )
    declared = list(words[words.index("--scale") :]) if "--scale" in words else []
    return _read([*declared, *typed])


def _read(typed: Sequence[str]) -> str:
    """Read the labels of people.csv under these options, a letter each."""
    from trace_eval.data.columns import parse_ends, read_mapping
    from trace_eval.opinions.codes import LABELS, MISSING
    from trace_eval.opinions.labels import read_labels

    pairs = list(zip(typed[::2], typed[1::2], strict=True))
    mapping = read_mapping([value for option, value in pairs if option == "--map"])
    scale = parse_ends(
        next((value for option, value in pairs if option == "--scale"), None)
    )
    labels = read_labels("people.csv", mapping=mapping, scale=scale)
    names = dict(enumerate("12gbt")) | {MISSING: "-"}
    assert LABELS[4] == "tie"
    return "".join(names[code] for code in labels.codes["overall"].tolist())


@pytest.mark.usefixtures("here")
def test_a_side_that_is_the_name_of_the_other_system_is_what_the_user_says() -> None:
    Path("people.csv").write_text(
        "id,system_a,system_b,overall\nx,2,1,1\ny,2,1,1\nz,2,1,2\n"
    )
    code, said = code_and_words("rank", "people.csv")
    assert code == 2
    [remedy] = remedies(said)
    assert remedy.options == ("--map 1=LABEL", "--map 2=LABEL")
    for meant, wins in (("1", 2), ("2", 1)):
        typed = ["--map", f"1={meant}", "--map", f"2={'21'[meant == '2']}"]
        code, said = code_and_words("rank", "people.csv", *typed, "--json", "out.json")
        assert code == 0, said
        rows = json.loads(Path("out.json").read_text())["systems"]
        assert {row["system"]: row["wins"] for row in rows}["2"] == wins


@pytest.mark.usefixtures("here")
def test_a_command_without_an_option_of_a_remedy_says_what_to_do_instead() -> None:
    Path("judged.csv").write_text(JUDGED)
    Path("people.csv").write_text(labelled("1", "odd", "2"))
    code, said = code_and_words("agree", "judged.csv", "--labels", "people.csv")
    assert code == 2
    assert "--map odd=LABEL" in said
    assert "has no --map" not in said
    export = ImportedOnUse()["export"]
    assert with_known_options("say so by --map odd=LABEL", export) == (
        "say so by --map odd=LABEL; export has no --map: write what each means into the"
        " file, or leave it empty"
    )


def test_remedies_are_found_in_the_words_of_a_message() -> None:
    said = (
        "say what: --map 'it'\"'\"'s=LABEL' --map x=LABEL, or leave out (--where a=b)."
    )
    first, second = remedies(said)
    assert first.words(LABEL="tie") == ["--map", "it's=tie", "--map", "x=tie"]
    assert (first.blanks, second.words()) == (("LABEL",), ["--where", "a=b"])
