"""Rows that are odd but valid: of comparisons, of scores and of calls.

A kind of oddness is a change of plain rows: names are empty, systems meet themselves, a
class never occurs, everything is a copy of everything.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

#: One comparison, or one score, by the names of columns; None: an empty cell.
Row = dict[str, Any]
Rows = list[Row]


def plain_pairs(count: int = 12, systems: Sequence[str] = ("x", "y", "z")) -> Rows:
    """Return comparisons of several systems whose labels mostly fit verdicts."""
    draw = random.Random(count)
    rows = []
    for number in range(count):
        first = systems[number % len(systems)]
        second = systems[(number + 1) % len(systems)]
        label = draw.choice(("1", "2", "tie"))
        rows.append(
            {
                "id": f"p{number}",
                "instruction_id": f"i{number // 3}",
                "system_a": first,
                "system_b": second,
                "preference": label,
                "human": draw.choice((label, label, "1")),
            }
        )
    return rows


def _with(**values: Any) -> Callable[[Rows], Rows]:
    """Return a change that puts values into every row."""
    return lambda rows: [{**row, **values} for row in rows]


def _every_other(**values: Any) -> Callable[[Rows], Rows]:
    """Return a change that puts values into every second row."""
    return lambda rows: [
        {**row, **(values if n % 2 else {})} for n, row in enumerate(rows)
    ]


def _renamed(names: Mapping[str, Any]) -> Callable[[Rows], Rows]:
    """Return a change of the names of systems."""

    def renamed(row: Row) -> Row:
        systems = {}
        for column in ("system_a", "system_b", "system"):
            if column in row:
                systems[column] = names.get(row[column], row[column])
        return {**row, **systems}

    return lambda rows: [renamed(row) for row in rows]


def _of_system(name: str, **values: Any) -> Callable[[Rows], Rows]:
    """Return a change of the rows in which a system takes part."""

    def change(rows: Rows) -> Rows:
        results = []
        for row in rows:
            taking_part = name in (
                row.get("system_a"),
                row.get("system_b"),
                row.get("system"),
            )
            results.append({**row, **values} if taking_part else row)
        return results

    return change


def _copies(times: int) -> Callable[[Rows], Rows]:
    """Return a change that repeats every row under ids of its own."""

    def change(rows: Rows) -> Rows:
        return [{**row, "id": f"{row['id']}-{n}"} for n in range(times) for row in rows]

    return change


#: Ids that some readers take for an empty cell, a number or a date.
_NOTHING = (
    "nan",
    "null",
    "None",
    "NA",
    "-",
    "inf",
    "1e5",
    "TRUE",
    "0x1",
    "1",
    "01",
    "1.0",
)

#: One name in two forms of Unicode.
_FORMS = ("Zo\u00e9", "Zoe\u0301")

#: Labels as people write them in four languages.
_IN_LANGUAGES = {
    "1": ("A", "links", "gauche", "\u5de6"),
    "2": ("B", "rechts", "droite", "\u53f3"),
    "tie": ("tie", "gleich", "\u00e9gal", "\u5e73\u624b"),
}


#: Kind of oddness -> what it makes of plain rows, of comparisons and of scores alike.
SHARED: dict[str, Callable[[Rows], Rows]] = {
    "plain": list,
    "no rows": lambda rows: [],
    "one row": lambda rows: rows[:1],
    "two rows": lambda rows: rows[:2],
    "copies": _copies(30),
    "equal rows": lambda rows: [{**rows[0], "id": f"p{n}"} for n in range(20)],
    "one instruction": _with(instruction_id="i"),
    "no instructions": _with(instruction_id=None),
    "instructions of some": _every_other(instruction_id=None),
    "a judge of no name": _with(judge=""),
    "judges of some rows": lambda rows: [
        {**row, "judge": "j" if n % 2 else ""} for n, row in enumerate(rows)
    ],
    "blank names of judges": _with(judge="  "),
    "raters of some rows": lambda rows: [
        {**row, "rater": f"r{n % 2}" if n % 3 else None} for n, row in enumerate(rows)
    ],
    "one rater": _with(rater="r"),
    "empty names": _renamed({"x": ""}),
    "no names": _renamed(dict.fromkeys("xyz")),
    "names of blanks": _renamed({"x": " ", "y": "  "}),
    "names of numbers": _renamed({"x": "1", "y": "2", "z": "3"}),
    "names of sides": _renamed({"x": "A", "y": "B", "z": "tie"}),
    "names that look alike": _renamed({"x": "gpt", "y": "GPT", "z": "gpt "}),
    "names in two forms": _renamed(
        {"x": "Gr\u00fc\u00df", "y": "Gru\u0308\u00df", "z": "z"}
    ),
    "names of markup": _renamed({"x": "<b>", "y": "[red]y[/]", "z": "{{z}}"}),
    "names of formulas": _renamed({"x": "=1+1", "y": "-y", "z": "@z"}),
    "long names": _renamed({"x": "x" * 300, "y": "y/" * 150, "z": "z\\" * 99}),
    "names on lines": _renamed({"x": "x\ny", "y": "y\t", "z": "z\r\n"}),
    "names of NaN": _renamed({"x": "nan", "y": "None", "z": "null"}),
    "one system": _renamed({"y": "x", "z": "x"}),
    "names of labels": _renamed({"x": "1", "y": "2", "z": "0"}),
    "names of sides and ties": _renamed({"x": "A", "y": "B", "z": "tie"}),
    "names in two Unicode forms": _renamed({"x": "\u00e9", "y": "e\u0301"}),
    "names of two alphabets": _renamed({"x": "base", "y": "b\u0430se"}),
    "names from right to left": _renamed({"x": "\u202eabc", "y": "\u05d0\u05d1"}),
    "one id": _with(id="p0"),
    "an id twice": lambda rows: [*rows, dict(rows[0])],
    "ids of zeros": lambda rows: [
        {**row, "id": f"{n:04}"} for n, row in enumerate(rows)
    ],
    "ids of words for nothing": lambda rows: [
        {**row, "id": word} for row, word in zip(rows, _NOTHING, strict=True)
    ],
    "ids in two Unicode forms": lambda rows: [
        {**row, "id": form} for row, form in zip(rows, _FORMS * 6, strict=True)
    ],
    "long ids": lambda rows: [{**row, "id": "x" * 900 + row["id"]} for row in rows],
    "columns from behind": lambda rows: [
        dict(reversed(list(row.items()))) for row in rows
    ],
    "an instruction a row": lambda rows: [
        {**row, "instruction_id": row["id"]} for row in rows
    ],
    "a judge a row": lambda rows: [
        {**row, "judge": f"j{n}"} for n, row in enumerate(rows)
    ],
    "a rater a row": lambda rows: [
        {**row, "rater": f"r{n}"} for n, row in enumerate(rows)
    ],
    "several raters a row": lambda rows: [
        {**row, "rater": f"r{n}"} for n in range(3) for row in rows
    ],
    "a rater twice": lambda rows: [{**row, "rater": "r"} for row in (*rows, *rows)],
    "raters in two Unicode forms": lambda rows: [
        {**row, "rater": form} for row, form in zip(rows, _FORMS * 6, strict=True)
    ],
    "very many copies": _copies(200),
}

#: The same for comparisons alone.
OF_PAIRS: dict[str, Callable[[Rows], Rows]] = {
    "one class": _with(preference="1", human="1"),
    "one verdict": _with(preference="2"),
    "one label": _with(human="1"),
    "ties alone": _with(preference="tie", human="tie"),
    "no ties": lambda rows: [row for row in rows if "tie" not in row.values()],
    "no verdicts": _with(preference=None),
    "no labels": _with(human=None),
    "nothing at all": _with(preference=None, human=None),
    "labels of some": _every_other(human=None),
    "one labelled": lambda rows: [
        {**row, "human": row["human"] if not n else None} for n, row in enumerate(rows)
    ],
    "verdicts of some": _every_other(preference=None),
    "labels where no verdict is": lambda rows: [
        {**row, **({"preference": None} if n % 2 else {"human": None})}
        for n, row in enumerate(rows)
    ],
    "an unusable system": _of_system("z", preference=None),
    "an unlabelled system": _of_system("z", human=None),
    "an unusable, unlabelled system": _of_system("z", preference=None, human=None),
    "systems that meet themselves": lambda rows: [
        {**row, "system_b": row["system_a"]} for row in rows
    ],
    "some meet themselves": lambda rows: [
        {**row, "system_b": row["system_a" if n % 2 else "system_b"]}
        for n, row in enumerate(rows)
    ],
    "two islands": lambda rows: [
        {**row, "system_a": "ac"[n % 2], "system_b": "bd"[n % 2]}
        for n, row in enumerate(rows)
    ],
    "a system of its own": lambda rows: [
        {**row, "system_a": f"s{n}"} for n, row in enumerate(rows)
    ],
    "one that always wins": _with(
        system_a="x", system_b="y", preference="1", human="1"
    ),
    "always against the label": _with(preference="1", human="2"),
    "a name on one side": _with(system_b=None),
    "names of some": _every_other(system_a=None, system_b=None),
    "one pair a system": lambda rows: [
        {**row, "system_a": f"a{n}", "system_b": f"b{n}"} for n, row in enumerate(rows)
    ],
    "labels in four languages": lambda rows: [
        {**row, "human": _IN_LANGUAGES[row["human"]][n % 4]}
        for n, row in enumerate(rows)
    ],
    "labels of one unknown word": _with(human="yes"),
    "one verdict alone": lambda rows: [
        {**row, "preference": None if n else "1"} for n, row in enumerate(rows)
    ],
    "a circle": _with(preference="1", human="1"),
    "one win": lambda rows: [
        {**row, "preference": "tie" if n else "1", "human": "tie" if n else "2"}
        for n, row in enumerate(rows)
    ],
}

#: The same for scores alone.
OF_SCORES: dict[str, Callable[[Rows], Rows]] = {
    "one score": _with(score=4, human=4),
    "one rated": lambda rows: [
        {**row, "human": None if n else 3} for n, row in enumerate(rows)
    ],
    "ratings of text": lambda rows: [
        {**row, "human": f"{row['human']},0"} for row in rows
    ],
    "ratings that are no numbers": _every_other(human="NaN"),
    "huge ratings": _with(human=1e308),
    "no names": _with(system=None),
    "no scores": _with(score=None),
    "no ratings": _with(human=None),
    "ratings of some": _every_other(human=None),
    "scores of some": _every_other(score=None),
    "an unusable system": _of_system("z", score=None),
    "an unrated system": _of_system("z", human=None),
    "a score and ratings apart": lambda rows: [
        {**row, **({"score": None} if n % 2 else {"human": None})}
        for n, row in enumerate(rows)
    ],
    "opposite scores": lambda rows: [
        {**row, "human": 6 - row["score"]} for row in rows
    ],
    "two values": lambda rows: [
        {**row, "score": 1 + 4 * (n % 2)} for n, row in enumerate(rows)
    ],
    "one that differs": lambda rows: [
        {**row, "score": 5 if n else 1, "human": 5} for n, row in enumerate(rows)
    ],
}


def plain_scores(count: int = 12, systems: Sequence[str] = ("x", "y", "z")) -> Rows:
    """Return scores of several systems' answers, 1 to 5, with ratings near them."""
    draw = random.Random(count)
    rows = []
    for number in range(count):
        score = draw.randint(1, 5)
        rows.append(
            {
                "id": f"p{number}",
                "instruction_id": f"i{number // 3}",
                "system": systems[number % len(systems)],
                "score": score,
                "human": min(5, max(1, score + draw.choice((-1, 0, 0, 1)))),
            }
        )
    return rows


def plain_calls(count: int = 6) -> Rows:
    """Return the turns of some calls, in which user and agent take turns."""
    rows = []
    for number in range(count):
        for turn in range(4):
            start = 2.0 * turn
            rows.append(
                {
                    "id": f"c{number}",
                    "conversation": f"c{number}",
                    "speaker": "agent" if turn % 2 else "user",
                    "start_s": start,
                    "end_s": start + 1.5,
                    "text": f"words of turn {turn}",
                }
            )
    return rows


def _shifted(seconds: float) -> Callable[[Rows], Rows]:
    """Return a change that moves every turn."""
    return lambda rows: [
        {**row, "start_s": row["start_s"] + seconds, "end_s": row["end_s"] + seconds}
        for row in rows
    ]


#: Kind of oddness -> what it makes of plain calls.
OF_CALLS: dict[str, Callable[[Rows], Rows]] = {
    "plain": list,
    "no rows": lambda rows: [],
    "one row": lambda rows: rows[:1],
    "one call": lambda rows: rows[:4],
    "the user alone": _with(speaker="user"),
    "the agent alone": _with(speaker="agent"),
    "nobody": _with(speaker=""),
    "unknown speakers": _with(speaker="narrator"),
    "turns of no length": lambda rows: [
        {**row, "end_s": row["start_s"]} for row in rows
    ],
    "turns at one time": _with(start_s=0.0, end_s=1.0),
    "before the start": _shifted(-5.0),
    "years later": _shifted(1.7e9),
    "backwards": lambda rows: rows[::-1],
    "no words": _with(text=""),
    "no times": _with(start_s=None, end_s=None),
    "no ends": _with(end_s=None),
    "long silence": lambda rows: [
        {**row, "start_s": 1e3 * row["start_s"], "end_s": 1e3 * row["start_s"] + 1}
        for row in rows
    ],
    "times without a number": lambda rows: [{**row, "start_s": "NaN"} for row in rows],
    "huge times": _with(start_s=1e300, end_s=2e300),
    "ends before begins": lambda rows: [
        {**row, "end_s": row["start_s"] - 1} for row in rows
    ],
    "all at once": lambda rows: [{**row, "end_s": row["start_s"] + 10} for row in rows],
    "long names": _with(conversation="c" * 400),
    "names of paths": _with(conversation="../\u00fc\\x"),
    "no names": _with(conversation=""),
    "one name": _with(conversation="c"),
    "copies": lambda rows: rows * 5,
}
