"""Reading a reply takes linear time and bounded memory, whatever stands in it."""

from __future__ import annotations

import json
import math
import random
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from itertools import product
from typing import Any

import pytest

from tests.support.cases import verdict
from tests.support.llm_judges import unasked
from tests.support.speed import once, within
from trace_eval.data.marked_verdicts import verdict as marked
from trace_eval.data.measures.lexical import lexical_score
from trace_eval.data.rubrics.load import load_rubric, rubric_names
from trace_eval.data.rubrics.single import ScoreRubric
from trace_eval.judges.ask.base import Tokens, Unusable, check_text
from trace_eval.judges.ask.connection import Redactor
from trace_eval.judges.ask.message import Message, typical_tokens
from trace_eval.judges.ask.reply_json import json_objects
from trace_eval.judges.ask.reply_length import cut_detail
from trace_eval.judges.ask.unread_reply import MAX_REPLY_CHARS, ReplyError
from trace_eval.judges.registry.create import create_judge, create_scorers
from trace_eval.judges.views.text.fencing import shown_again
from trace_eval.judges.views.text.tasks import task_names

Reader = Callable[[str], Any]

#: Characters; read at this length and at twice of it.
LENGTH = 2_000


@cache
def _readers() -> dict[str, Reader]:
    """Whatever reads a reply, by what it is part of."""
    readers: dict[str, Reader] = {}
    shapes = set()

    def add(
        name: str, spec: str, rubric: ScoreRubric | None = None, **chosen: Any
    ) -> None:
        options = unasked(**chosen)
        judge = (
            create_scorers(spec, [rubric], options)[0]
            if rubric
            else create_judge(spec, options)
        )
        shape = (
            type(judge.form),
            json.dumps(judge.form.schema),
            judge.options.structure,
        )
        if shape not in shapes:  # of equal readers one is enough
            readers[name] = judge.form.read
        shapes.add(shape)

    for elicitation in ("label", "acceptability"):
        add(elicitation, "openai:m", elicitation=elicitation)
    for task in (*task_names(), "naturalness"):
        add(f"task {task}", "audio:openai:m", task=task)
    add("naturalness in words", "audio:openai:m", task="naturalness", structure="text")
    for structure, rubric in product(
        ("auto", "text"), map(load_rubric, rubric_names())
    ):
        spec = "audio:openai:m" if rubric.needs_audio else "openai:m"
        name = f"{rubric.key}, {structure}, elements {rubric.elements}"
        add(name, spec, rubric, structure=structure)
    return readers


#: Everything else that goes over a whole reply, or over a text as long.
_OTHERS: dict[str, Reader] = {
    "marks": marked,
    "second chance": shown_again,
    "cut reply": lambda text: cut_detail(text, ""),
    "redacted": Redactor("s3cret-key").full,
    "tokens": lambda text: typical_tokens([Message("user", text)]),
    "lexical": lambda text: lexical_score("why", [text[: len(text) // 2] + " x"], text),
}

_PIECES = (
    *(
        "_",
        "*",
        "`",
        "#",
        "~",
        "- ",
        "= ",
        " ",
        "\n",
        "\t",
        "\u00a0",
        "(",
        ")",
        "|",
        "> ",
        "1",
    ),
    *(
        '"',
        "'",
        "\\",
        '\\"',
        "{",
        "}",
        "[",
        "]",
        "{}",
        "[]",
        ",",
        ":",
        "[[",
        "[[A]",
        "<",
        "</",
    ),
    *(
        '{"',
        '{"k":',
        '{"k":[',
        '{"":{":',
        '{"a":"{","b":',
        '{"a\\":"{',
        '[{"a":',
        '{"k":1}',
    ),
    *(
        "<think>",
        "</think",
        "</think>",
        "```json\n",
        "**",
        "__",
        "_a",
        "score",
        "score:",
        "a",
    ),
    *(
        "score is ",
        "output a",
        "output a: 8 ",
        "output a: 8, output b: 7. ",
        "first 8/",
        "a: ",
    ),
    *(
        "1.",
        "-",
        "1e",
        "true",
        "nul",
        "\\u00",
        "\ud800",
        "is is ",
        "final score of ",
        "and ",
    ),
)


def _families() -> dict[str, Callable[[int], str]]:
    """Name -> text of about so many characters."""

    def repeated(before: str, piece: str, after: str) -> Callable[[int], str]:
        return lambda n: before + piece * (n // len(piece)) + after

    found = {f"{piece!r}": repeated("", piece, "") for piece in _PIECES}
    around = (
        ("x", "t"),
        ('{"score": 1, "x": "', ""),
        ("score:", ","),
        ("output a", "8"),
        ('{"a":', "}"),
    )
    for before, after in around:
        for piece in ("_", " ", "*", '"', "\\", "{", "[", "[],", "(", '{"k":'):
            found[f"{before!r} {piece!r} {after!r}"] = repeated(before, piece, after)
    draw = random.Random(0)
    for number in range(20):  # whatever nobody thought of
        few = "".join(draw.choices(_PIECES, k=draw.randint(2, 4)))
        found[f"mixed {number}: {few!r}"] = repeated("", few, draw.choice(_PIECES))
    found["one open list in many objects"] = lambda n: (
        '{"k":' * 300 + "[" + "[]," * (n // 3)
    )
    found["nested and closed"] = lambda n: '{"k":' * (n // 6) + "1" + "}" * (n // 6)
    return found


def _seconds(read: Reader, text: str) -> float:
    started = time.process_time()
    with suppress(ReplyError, Unusable):
        read(text)
    return time.process_time() - started


def _is_linear(read: Reader, family: Callable[[int], str]) -> bool:
    """Tell if twice the length costs at most thrice the time, or too little to measure.

    A quadratic reader takes four times as much, and seconds instead of hundredths.
    """
    if within(_seconds(read, family(2 * LENGTH)), 0.02):
        return True

    def grows_with_the_length() -> bool:
        short = min(_seconds(read, family(LENGTH)) for _ in range(5))
        long = math.inf
        for _ in range(5):  # one that is fast enough is enough
            long = min(long, _seconds(read, family(2 * LENGTH)))
            if long < 3 * short:
                return True
        return within(long, 0.02)

    return once(grows_with_the_length)


def test_every_reader_is_linear() -> None:
    readers, families = _readers() | _OTHERS, _families()
    assert len(readers) > 15
    slow = [
        (name, family)
        for name, read in readers.items()
        for family, made in families.items()
        if not _is_linear(read, made)
    ]
    assert not slow


@pytest.mark.parametrize(
    "text",
    [
        "x" + "_" * MAX_REPLY_CHARS,
        '{"k":' * 1000 + "[" + "[]," * MAX_REPLY_CHARS,
        json.dumps(verdict()) + " " * MAX_REPLY_CHARS,
    ],
    ids=["underscores", "lists", "a verdict"],
)
def test_no_reply_passes_the_bound(text: str) -> None:
    for name, read in _readers().items():
        started = time.process_time()
        with pytest.raises(ReplyError, match=f"at most {MAX_REPLY_CHARS} are read"):
            read(text)
        assert within(time.process_time() - started, 0.1), name
    with pytest.raises(Unusable, match=f"at most {MAX_REPLY_CHARS} are read"):
        check_text(text, Tokens())


@pytest.mark.parametrize("unit", ["{", "{}", '{"":{":', "_ "])
def test_the_longest_reply_holds_nobody_up(unit: str) -> None:
    text = (unit * MAX_REPLY_CHARS)[:MAX_REPLY_CHARS]
    for name in ("label", "naturalness in words"):
        assert within(_seconds(_readers()[name], text), 3)


def test_a_verdict_after_any_rubbish_is_read() -> None:
    good = json.dumps(verdict("1", "2", "both_bad"))
    read = _readers()["label"]
    for rubbish in (
        "{ " * 5000,
        '{"k":' * 5000,
        '{"a":"{","b":' * 999,
        '{"k": [' + "[]," * 5000,
    ):
        assert read(rubbish + "\n" + good).ratings["content"] == "1"


def _objects_by_trying(text: str) -> list[Any]:
    """Find what :func:`json_objects` must by trying every brace, in quadratic time."""
    found, position = [], 0
    while (position := text.find("{", position)) >= 0:
        try:
            value, position = json.JSONDecoder().raw_decode(text, position)
            found.append(value)
        except ValueError:
            position += 1
    return found


def test_objects_are_those_that_trying_every_brace_finds() -> None:
    draw = random.Random(1)
    pieces = (
        *(
            "{",
            "}",
            "[",
            "]",
            ":",
            ",",
            '"',
            '"',
            '"a"',
            '"a":',
            "1",
            " ",
            "\\",
            "-2.5e3",
            "true",
        ),
        *("{}", '{"a":1}', '{"a":', '{"b":[', "null", "\n", "{{", "01", "\\u0041", "x"),
    )
    for _ in range(5_000):
        text = "".join(draw.choices(pieces, k=draw.randint(1, 14)))
        assert json_objects(text) == _objects_by_trying(text), text
