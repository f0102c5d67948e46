"""Every regular expression of ours takes time linear in what it reads."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
import signal
import time
from collections import deque
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import blueprints
import extractors
import fusion
import trace_eval
from tests.support.speed import once, slowness, within
from trace_eval.data.urls import redact_urls, redacted
from trace_eval.judges.ask.connection import MAX_DETAIL, Redactor
from trace_eval.judges.rules.requests import find_requests
from trace_eval.judges.rules.text import count_literal, coverage, topic
from trace_eval.judges.views.text.fencing import neutralise, without_paths

#: Characters of a text for a function, and for a single pattern, which has a hundred of
#: them.
LENGTH, SHORTER = 100_000, 20_000

#: Processor seconds that a pattern may take on the reference core; where it is
#: quadratic, it takes a second and more.
PATTERN_S = 0.2

#: A shorter text, read first. A pattern that reads it within so many processor seconds
#: takes at most ``PATTERN_S`` for one of ``SHORTER``, even where its time grows with the
#: square of the length; where it grows with the cube, it takes a second for this one.
FIRST = SHORTER // 4
FIRST_S = PATTERN_S / 4**2

#: Texts that drive patterns back and forth, repeated to ``SHORTER``.
UNITS = (
    *(" ", "a", "1", "[", "_", "'a", "a/", "api key "),
    *("say ", "more and more "),
)


#: The type of a function whose results are cached.
_CACHED = type(cache(len))


def _modules() -> Iterator[ModuleType]:
    for package in (blueprints, extractors, fusion, trace_eval):
        for found in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            if found.name.endswith("__main__"):
                continue
            try:
                yield importlib.import_module(found.name)
            except ImportError:  # of an optional extra
                continue


def _held(value: Any, depth: int = 0) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, type) and value.__module__.startswith("trace_eval"):
        for item in vars(value).values():
            yield from _held(item, 3)
    elif isinstance(value, list | tuple) and depth < 3:
        for item in value:
            yield from _held(item, depth + 1)
    elif isinstance(value, dict) and depth < 3:
        yield from _held(list(value.values()), depth + 1)
    elif _compiles_on_first_use(value):
        yield value()


def _compiles_on_first_use(value: Any) -> bool:
    """Tell whether a value is a cached function that returns one pattern."""
    if not isinstance(value, _CACHED) or inspect.signature(value).parameters:
        return False
    return str(value.__annotations__.get("return")).startswith("re.Pattern")


def _written(module: ModuleType) -> Iterator[re.Pattern[Any]]:
    """Patterns in calls such as ``re.split("...", text)``."""
    for node in ast.walk(ast.parse(Path(str(module.__file__)).read_text())):
        called = node.func if isinstance(node, ast.Call) else None
        if not isinstance(called, ast.Attribute) or not isinstance(
            called.value, ast.Name
        ):
            continue
        if called.value.id == "re" and isinstance(node, ast.Call) and node.args:
            first = node.args[0]
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                yield re.compile(first.value)


def _stop(*_: object) -> None:
    raise TimeoutError


def _ends(pattern: re.Pattern[Any], text: Any, within_s: float) -> bool:
    signal.setitimer(signal.ITIMER_PROF, within_s)
    try:
        deque(pattern.finditer(text), maxlen=0)
        pattern.fullmatch(text)
    except TimeoutError:
        return False
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return True


def _text(pattern: re.Pattern[Any], unit: str, length: int) -> Any:
    """Return so many characters of a unit, or bytes where the pattern is of bytes."""
    text = (unit * (length // len(unit) + 1))[:length]
    text = f"x{text}t" if unit == "_" else text  # inside of a word
    return text.encode() if isinstance(pattern.pattern, bytes) else text


def _is_read_in_time(pattern: re.Pattern[Any], unit: str) -> bool:
    """Tell whether a search ends in time on this core, which is timed if need be."""
    started = time.process_time()
    ended = _ends(pattern, _text(pattern, unit, FIRST), PATTERN_S)
    if ended and time.process_time() - started < FIRST_S:
        return True
    text = _text(pattern, unit, SHORTER)
    return _ends(pattern, text, PATTERN_S) or once(
        lambda: _ends(pattern, text, PATTERN_S * slowness())
    )


def test_every_pattern_is_linear() -> None:
    signal.signal(signal.SIGPROF, _stop)
    patterns = {
        pattern: module.__name__
        for module in _modules()
        for found in (_held(list(vars(module).values())), _written(module))
        for pattern in found
    }
    assert len(patterns) > 100
    slow = []
    for pattern, where in patterns.items():
        for unit in UNITS:
            if not _is_read_in_time(pattern, unit):
                slow.append((where, pattern.pattern[:80], unit))
                break
    assert not slow


READERS: dict[str, Callable[[str], Any]] = {
    "redacted": redacted,
    "redact_urls": redact_urls,
    "find_requests": find_requests,
    "neutralise": neutralise,
    "without_paths": without_paths,
    "Redactor": Redactor("s3cret"),
    "count_literal": lambda text: count_literal(text, text, 0.8),
    "coverage": lambda text: coverage(topic(text[:4000]) or {"x"}, topic(text)),
}


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
@pytest.mark.parametrize(
    "text",
    [
        "a" * LENGTH,
        "api key" + " " * LENGTH,
        "speak slowly, with a soft voice, and then louder " * (LENGTH // 50),
        "'say \"" * (LENGTH // 6),
        "Speak in three styles: " + "sad and calm " * (LENGTH // 13),
        " ".join(f"w{number}ord{number % 7}" for number in range(LENGTH // 12)),
    ],
    ids=["letters", "spaces", "adverbs", "quotes", "styles", "words"],
)
def test_hostile_texts_cost_a_second_at_most(
    read: Callable[[str], Any], text: str
) -> None:
    started = time.process_time()
    read(text)
    assert within(time.process_time() - started, 1)


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("{{{x}}}", "{ { {x} } }"),
        ("{%{#x#}%}", "{ %{ #x# }% }"),
        ("{{", "{ {"),
    ],
)
def test_no_two_marks_of_a_template_stay_together(text: str, made: str) -> None:
    assert neutralise(text) == made
    assert neutralise(made) == made


@pytest.mark.parametrize("length", [6, 7, 8, 40, 200])
def test_keys_are_redacted_whatever_their_length(length: int) -> None:
    key = ("Zq7" * 70)[:length]
    assert key not in Redactor(key)(f"wrong key {key}: {key}{key}")
    assert key not in Redactor("abcdef", key + "more", key)(f"{key}more {key}")


def test_what_is_no_key_stays() -> None:
    assert Redactor("ollama")("ollama is down") == "ollama is down"
    assert len(Redactor("ollama")("x" * 10_000)) == MAX_DETAIL
