"""Mutated inputs for every parser: none may crash, hang or be misread.

A parser may refuse (with the errors that it documents) or accept; what it accepts must
round-trip. Mutations are seeded: the same seed tries the same inputs.
"""

from __future__ import annotations

import json
import random
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from benchmarks.drill.outcome import Outcome
from benchmarks.drill.readers import parsers

#: Longest time that one input may take, seconds.
HANG_S = 10.0

#: What mutations insert: marks of the formats, and what trips parsers.
TOKENS = (
    *(b'"', b"{", b"}", b"[", b"]", b",", b":", b"\\", b"\n", b"\r", b"\0", b"\xff"),
    b"\xed\xa0\x80",
    *(
        b"\\ud800",
        b"\\u0000",
        b"NaN",
        b"Infinity",
        b"1e999",
        b"-0",
        b"9" * 400,
        b"[" * 300,
    ),
    *(
        b"null",
        b"true",
        b'"id"',
        b'"id": "x", ',
        b"' OR 1=1",
        b"=1+1",
        b"\xef\xbb\xbf",
        b"\x1b[2J",
    ),
    *(
        b"[" * 3000,
        b"9" * 5000,
        b"a." * 3000,
        b'"""',
        b"inf",
        b"{a = ",
        b"\n[[a]]\n" * 300,
    ),
    *(
        b"reference::",
        b"simplecache://",
        b"::memory://",
        b"::",
        b"file://",
        b"zip://a.wav::",
    ),
    *(b"::http://127.0.0.1:9/refs.json", b"%3A%3Areference", b"tar://", b"DIR://"),
    b"async_wrapper::",
    *(
        b"both_good",
        b"tie",
        b"3",
        b"../../etc/passwd",
        b"http://a:b@c/d?token=x",
        b"A" * 5000,
    ),
)


#: Values of the right syntax and the wrong kind, size or sign.
ODD: tuple[Any, ...] = (
    *(
        None,
        True,
        False,
        0,
        -1,
        0.5,
        1e308,
        -1e308,
        5e-324,
        10**30,
        10**99,
        2**63,
        [],
        {},
        [[]],
    ),
    *(
        {"a": 1},
        [None],
        [1, "a"],
        "",
        " ",
        "x",
        "\0",
        "a\0b",
        "\x1b[2J",
        "=1+1",
        "../..",
        "/",
        ".",
    ),
    *(
        "1",
        "-1",
        "1e999",
        "nan",
        "inf",
        "9" * 4400,
        "9" * 14_000,
        "A" * 5000,
        "\u2028",
        "\uff1d",
    ),
    *(
        "\u0663",
        "\u00b2",
        "2026-01-01",
        "file:///etc/passwd",
        "a" * 300,
        ["x"] * 50,
        1.5e12,
    ),
)


def odd(data: bytes, source: random.Random) -> bytes:
    """Put an odd value into JSON or a line of it, or remove a key.

    What is not JSON is returned as it is.

    One byte before the JSON stays, by which a parser of several files knows which one
    it is.
    """
    skip = 0 if data[:1] in (b"{", b"[") else 1
    lines = [data[skip:]] if source.random() < 0.5 else data[skip:].split(b"\n")
    at = source.randrange(len(lines))
    try:
        held = {"": json.loads(lines[at])}
    except (ValueError, RecursionError):
        return data
    places = list(_places(held))
    inside, key = source.choice(places)
    if source.random() < 0.1 and inside is not held:
        del inside[key]
    else:
        inside[key] = source.choice(ODD)
    with suppress(KeyError, ValueError):
        lines[at] = json.dumps(held[""]).encode()
    return data[:skip] + b"\n".join(lines)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """(list or object, index or key) of everything that a value holds."""
    for key in value if isinstance(value, dict) else range(len(value)):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from _places(value[key])


def mutated(data: bytes, others: list[bytes], source: random.Random) -> bytes:
    """Change an input in one to four places."""
    if source.random() < 0.25 and (made := odd(data, source)) != data:
        return made
    changed = bytearray(data)
    for _ in range(source.choice((1, 1, 2, 4))):
        size = len(changed)
        at = source.randrange(size + 1)
        end = min(size, at + source.choice((1, 2, 8, 64, 1024)))
        match source.randrange(7):
            case 0 if size:
                changed[at % size] ^= 1 << source.randrange(8)
            case 1:
                del changed[at:end]
            case 2:
                changed[at:at] = changed[at:end] * source.choice((1, 2, 50))
            case 3:
                changed[at:at] = source.choice(TOKENS)
            case 4:
                changed[at:end] = source.choice(TOKENS)
            case 5:
                del changed[at:]
            case _:
                other = source.choice(others)
                changed[at:end] = other[source.randrange(len(other) + 1) :][:200]
    return bytes(changed)


@contextmanager
def time_limit() -> Iterator[None]:
    """End what takes over :data:`HANG_S`."""

    def stop(*_: object) -> None:
        raise TimeoutError(f"over {HANG_S:g} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, HANG_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def drill(cases: int, seed: int) -> Outcome:
    """Try a number of inputs over all parsers."""
    outcome = Outcome("mutated inputs of every parser (and how many each accepted)")
    with tempfile.TemporaryDirectory() as name:
        result = parsers(Path(name))
        total = sum(parser.weight for parser in result.values())
        for label, parser in result.items():
            source = random.Random(f"{seed} {label}")
            accepted = 0
            for data in parser.seeds:
                parser.read(
                    data, Path(name)
                )  # else mutations would be of what is refused
            for number in range(-(-cases * parser.weight // total)):
                data = mutated(source.choice(parser.seeds), parser.seeds, source)
                outcome.cases += 1
                try:
                    with time_limit():
                        parser.read(data, Path(name))
                    accepted += 1
                except parser.refusals:
                    continue
                except Exception as error:
                    message = f"{label}, case {number}: {type(error).__name__}: {error}"
                    outcome.check(False, f"{message}; input {data[:200]!r}")
            outcome.notes[label] = accepted
    return outcome
