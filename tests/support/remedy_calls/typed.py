"""What the calls type, and what they take out of a message as it is printed."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path

from blueprints import GROUPS, UserError
from tests.support.audio import tone, write
from tests.support.cli import code_and_words
from tests.support.datasets_made import write_lines

#: Options of a command that measures nothing.
BARE = ("-X workers=0", *(f"--extractor {group}=none" for group in GROUPS))


def ends(code: int, typed: str) -> str:
    """Type a command, which must end with ``code``, and return what it prints."""
    done, said = code_and_words(*shlex.split(typed))
    assert done == code, f"{typed}: {done}, {said}"
    return said


def taken(pattern: str, message: str) -> str:
    """Return the remedy in a message: the first group of a pattern, or all of it."""
    found = re.search(pattern, message)
    assert found, f"{pattern} is not in {message}"
    return found[1] if found.re.groups else found[0]


def recorded(folder: str, number: int = 2) -> str:
    """Write pairs of short tones in a folder, and return their manifest."""
    records = []
    for name in map(str, range(number)):
        answers = {}
        for side, system, hz in (("a", "new", 300), ("b", "old", 600)):
            sound = write(Path(folder, f"{system}{name}.wav"), tone(0.3, hz=hz))
            answers[side] = {"audio": sound.name, "system": system, "reference": "Hi."}
        records.append({"id": f"p{name}", "instruction": {"text": "Hi."}, **answers})
    return str(write_lines(Path(folder, "pairs.jsonl"), records))


def script(name: str, replies: Sequence[object]) -> str:
    """Write a script of replies, and return the judge that gives them."""
    return f"scripted:{write_lines(Path(name), replies)}"


def judged(manifest: str, out: str, *more: str) -> str:
    """Type ``judge`` of recordings of which nothing is measured; return its words."""
    place = f"judge {shlex.quote(manifest)} --out {shlex.quote(out)}"
    return code_and_words(*shlex.split(" ".join((place, *BARE, *more))))[1]


def lines_of(path: str) -> list[dict[str, object]]:
    """Read a file of JSON lines."""
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


def message_of(call: Callable[[], object]) -> str:
    """Return the words of the error with which a call ends."""
    try:
        call()
    except UserError as error:
        return " ".join(str(error).split())
    raise AssertionError("it ends without an error")
