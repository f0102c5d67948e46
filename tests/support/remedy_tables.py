"""Tables that are refused, and what comes of each remedy that the message prints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

#: What a judge said of the items.
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


def labelled(*values: object, column: str = "overall") -> str:
    """Write a table of labels of items."""
    rows = "".join(f"q{n},{value}\n" for n, value in enumerate(values))
    return f"id,{column}\n{rows}"


def scored(*values: object) -> str:
    """Write a table of scores of two systems by a listener."""
    rows = "".join(
        f"s{n},{'new' if n % 2 else 'old'},L1,{v}\n" for n, v in enumerate(values)
    )
    return f"stimulus,system,listener,score\n{rows}"


AGREE = "agree judged.csv --labels people.csv --missing drop"
RANK = "rank people.csv --resamples 0"

CASES = (
    Case("pandas", labelled("2.0", "1.0", "2.0", ""), AGREE, ["212-"]),
    Case("signed numbers", labelled(-1, 1, -1, 1), AGREE, ["1212", "2121"]),
    Case("typeset minus", labelled("\u22122", "0", "1", "2"), AGREE, ["1t22", "2t11"]),
    Case("seven steps", labelled(1, 4, 7, 3), AGREE, ["1t21", "2t12"]),
    Case("ends that are not there", labelled(2, 4, 6, 3), AGREE, ["1t21"],
         fill={"END_OF_A": "1", "END_OF_B": "7"}),
    Case("a word", labelled("1", "Neither", "2", "1"), AGREE, ["1t21"], fill={"LABEL": "tie"}),
    Case("a word that is left out", labelled("1", "none", "2", "1"), AGREE, ["1-21"],
         fill={"LABEL": "missing"}),
    Case("quotes and signs", labelled("1", "\"it's = \"\"so\"\"\"", "2", "1"), AGREE, ["1t21"],
         fill={"LABEL": "tie"}),
    Case("zero", labelled("0", "0", "1", "1"), AGREE, ["----"], fill={"LABEL": "missing"}),
    Case("a negation", labelled("1", "\u00acA", "2", "1"), AGREE, ["1221"], fill={"LABEL": "2"}),
    Case("about", labelled("1", "~1", "2", "1"), AGREE, ["1121"], fill={"LABEL": "1"}),
    Case("a minus of accounts", labelled("1", "(1)", "(1)", "1"), AGREE, ["1221"],
         fill={"LABEL": "2"}),
    Case("code of missing beside labels", labelled("1", "-99", "2", "1"), AGREE, ["1-21"],
         fill={"LABEL": "missing"}),
    Case("a code of nine", labelled("1", "9", "2", "1"), AGREE, ["1-21"],
         fill={"LABEL": "missing"}),
    Case("minus one beside labels", labelled("1", "-1", "2", "1"), AGREE,
         ["1111", "2122", "1211"], fill={"LABEL": "1"}),
    Case("a word beside a scale", labelled("-2", "A best", "3", "0"), f"{AGREE} --scale -3..3",
         ["112t"], fill={"LABEL": "A"}),
    Case("2 off a scale", labelled("-1", "2", "1", "0"), f"{AGREE} --scale -1..1", ["1-2t"],
         fill={"LABEL": "missing"}),
    Case("1 off a scale", labelled("3", "1", "7", "5"), f"{AGREE} --scale 3..7", ["1-2t"],
         fill={"LABEL": "missing"}),
    Case("code of missing", scored(4, 5, -99, 3, 2, 4), RANK, [4.0, 4.0]),
    Case("zero of missing", scored(4, 5, 0, 3, 2, 4), RANK, [4.0, 4.0]),
    Case("words of a scale", scored("Excellent", "Good", "Fair", "Good"), RANK, [4.0]),
    Case("a word among scores", scored(4, 5, "odd", 3), RANK, [4.0], fill={"NUMBER": "missing"}),
    Case("scale that falls", scored(4, 5, 3, 3), f"{RANK} --scale 5..1", [4.0, 2.0]),
    Case("off the scale", scored(4, 5, 11, 3), f"{RANK} --scale 1..5", [4.0]),
)  # fmt: skip
