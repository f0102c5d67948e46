"""Every remedy that an error of reading labels or scores prints does what it says.

A case is a table, the command that refuses it, and what the remedy must come to. A
message that prints a remedy which no case expects fails. Cases of other commands are
further rows of :data:`CASES`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.support.cli import code_and_words
from tests.support.remedies import Remedy, remedies
from trace_eval.commands.known_options import with_known_options
from trace_eval.commands.listing import ImportedOnUse

JUDGED = "id,system_a,system_b,overall\n" + "".join(
    f"q{n},new,old,{1 + n % 2}\n" for n in range(8)
)


class Case(NamedTuple):
    """A table that is refused, and what comes of each remedy that the message prints.

    Attributes:
        command: what is typed; ``people.csv`` holds the table.
        fill: blank -> what a user writes there.
        wins: wins of A, ties and losses that must be read, by remedy in the order of
            the message; of scores the mean of the first system.
    """

    name: str
    table: str
    command: str
    wanted: Sequence[Any]
    fill: Mapping[str, str] = {}


def _labels(*values: object, column: str = "overall") -> str:
    rows = "".join(f"q{n},{value}\n" for n, value in enumerate(values))
    return f"id,{column}\n{rows}"


def _scores(*values: object) -> str:
    rows = "".join(
        f"s{n},{'new' if n % 2 else 'old'},L1,{v}\n" for n, v in enumerate(values)
    )
    return f"stimulus,system,listener,score\n{rows}"


AGREE = "agree judged.csv --labels people.csv --missing drop"
RANK = "rank people.csv --resamples 0"

CASES = (
    Case("pandas", _labels("2.0", "1.0", "2.0", ""), AGREE, ["212-"]),
    Case("signed numbers", _labels(-1, 1, -1, 1), AGREE, ["1212", "2121"]),
    Case("typeset minus", _labels("\u22122", "0", "1", "2"), AGREE, ["1t22", "2t11"]),
    Case("seven steps", _labels(1, 4, 7, 3), AGREE, ["1t21", "2t12"]),
    Case("ends that are not there", _labels(2, 4, 6, 3), AGREE, ["1t21"],
         fill={"END_OF_A": "1", "END_OF_B": "7"}),
    Case("a word", _labels("1", "Neither", "2", "1"), AGREE, ["1t21"], fill={"LABEL": "tie"}),
    Case("a word that is left out", _labels("1", "none", "2", "1"), AGREE, ["1-21"],
         fill={"LABEL": "missing"}),
    Case("quotes and signs", _labels("1", "\"it's = \"\"so\"\"\"", "2", "1"), AGREE, ["1t21"],
         fill={"LABEL": "tie"}),
    Case("zero", _labels("0", "0", "1", "1"), AGREE, ["----"], fill={"LABEL": "missing"}),
    Case("a negation", _labels("1", "\u00acA", "2", "1"), AGREE, ["1221"], fill={"LABEL": "2"}),
    Case("about", _labels("1", "~1", "2", "1"), AGREE, ["1121"], fill={"LABEL": "1"}),
    Case("a minus of accounts", _labels("1", "(1)", "(1)", "1"), AGREE, ["1221"],
         fill={"LABEL": "2"}),
    Case("code of missing beside labels", _labels("1", "-99", "2", "1"), AGREE, ["1-21"],
         fill={"LABEL": "missing"}),
    Case("a code of nine", _labels("1", "9", "2", "1"), AGREE, ["1-21"], fill={"LABEL": "missing"}),
    Case("minus one beside labels", _labels("1", "-1", "2", "1"), AGREE,
         ["1111", "2122", "1211"], fill={"LABEL": "1"}),
    Case("a word beside a scale", _labels("-2", "A best", "3", "0"), f"{AGREE} --scale -3..3",
         ["112t"], fill={"LABEL": "A"}),
    Case("2 off a scale", _labels("-1", "2", "1", "0"), f"{AGREE} --scale -1..1", ["1-2t"],
         fill={"LABEL": "missing"}),
    Case("1 off a scale", _labels("3", "1", "7", "5"), f"{AGREE} --scale 3..7", ["1-2t"],
         fill={"LABEL": "missing"}),
    Case("code of missing", _scores(4, 5, -99, 3, 2, 4), RANK, [4.0, 4.0]),
    Case("zero of missing", _scores(4, 5, 0, 3, 2, 4), RANK, [4.0, 4.0]),
    Case("words of a scale", _scores("Excellent", "Good", "Fair", "Good"), RANK, [4.0]),
    Case("a word among scores", _scores(4, 5, "odd", 3), RANK, [4.0], fill={"NUMBER": "missing"}),
    Case("scale that falls", _scores(4, 5, 3, 3), f"{RANK} --scale 5..1", [4.0, 2.0]),
    Case("off the scale", _scores(4, 5, 11, 3), f"{RANK} --scale 1..5", [4.0]),
)  # fmt: skip


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
    Path("people.csv").write_text(_labels(-1, 2, 0, -2))
    typed = (*AGREE.split(), "--scale")
    code, said = code_and_words(*typed, "-1..1")
    assert code == 2
    assert (
        "--map 2=LABEL --map -2=LABEL; where 2 or -2 is a rating, give a wider --scale"
        in said
    )
    assert code_and_words(*typed, "-2..2")[0] == 0
    Path("people.csv").write_text(_labels(-1, "odd", 0, 1))
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
    Path("people.csv").write_text(_labels("1", "odd", "2"))
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
