"""Error messages with Python's keywords in place of command-line options."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from enum import Enum
from functools import wraps
from inspect import Parameter, signature
from types import FunctionType
from typing import Any, ParamSpec, TypeVar

from pydantic import BaseModel

from blueprints import UserError
from trace_eval.data.settings import UnknownSettingError

P = ParamSpec("P")
T = TypeVar("T")

#: Commands to type stay what they are.
_COMMAND = re.compile(r"((?:trace-eval|pip) [a-z][^;,()`]*)")
_EACH = r"--column (?:'\w+=[^']+'|\w+=[^\s;,?]+)"
_COLUMNS = re.compile(rf"{_EACH}(?: {_EACH})*")
_EXTRACTOR = re.compile(r"(?:-x|--extractor) \w+=[^\s;,?]+")
_SETTING = re.compile(r"-[JX] (?=\w+[= ])")
_VALUE = re.compile(r"--([a-z][a-z-]*) (?=[A-Z]{2,}|drop\b|error\b)")
_FLAG = re.compile(r"(?<![\w-])--([a-z][a-z-]*)")

#: Classes that say by themselves what is wrong with a keyword.
_WITH_OWN_WORDS = (BaseModel, BaseException, Enum)


def in_python(text: str) -> str:
    """Rewrite a message of the command line for callers of the library.

    >>> in_python("did you mean --column a=left --column b=right?")
    'did you mean columns={"a": "left", "b": "right"}?'
    >>> in_python("did you mean --column 'a=my left'?")
    'did you mean columns={"a": "my left"}?'
    >>> in_python("--missing drop leaves them out; run: trace-eval rank run --full")
    'missing=drop leaves them out; run: trace-eval rank run --full'
    """
    parts = _COMMAND.split(text)
    # commands stand between the other words, and stay as they are
    parts[::2] = map(_keywords, parts[::2])
    return "".join(parts)


def _keywords(text: str) -> str:
    text = _COLUMNS.sub(lambda result: f"columns={{{_items(result[0])}}}", text)
    text = _EXTRACTOR.sub(lambda result: f"overrides={{{_items(result[0])}}}", text)
    text = _SETTING.sub("", text)
    text = _VALUE.sub(lambda result: f"{_name(result[1])}=", text)
    return _FLAG.sub(lambda result: _name(result[1]), text)


def _items(text: str) -> str:
    pairs = (word.partition("=") for word in shlex.split(text) if "=" in word)
    return ", ".join(f'"{key}": "{value}"' for key, _, value in pairs)


def _name(flag: str) -> str:
    return flag.replace("-", "_")


def for_callers(value: Any, package: str) -> Any:
    """Return an exported object whose errors name a misspelt keyword.

    Functions are wrapped by :func:`python_words`, while commands use them as they were.
    Of classes only the keywords are looked at: their objects are made by commands, too.
    """
    if isinstance(value, FunctionType) and not _is_wrapped(value):
        called = python_words(value)
        called.__module__ = package  # where pickle finds it
        return called
    if isinstance(value, type) and not issubclass(value, _WITH_OWN_WORDS):
        make = getattr(value, "__init__", None)
        if isinstance(make, FunctionType) and not _is_wrapped(make):
            setattr(value, "__init__", python_words(make, rewritten=False))  # noqa: B010
    return value


def _is_wrapped(function: Callable[..., Any]) -> bool:
    return hasattr(function, "known_keywords")


def python_words(function: Callable[P, T], rewritten: bool = True) -> Callable[P, T]:
    """Let a function's errors name keywords, and the nearest to an unknown keyword.

    Args:
        rewritten: options of the command line, in other errors, become keywords.
    """
    parameters = [
        each for each in signature(function).parameters.values() if each.name != "self"
    ]
    known = {each.name for each in parameters if each.kind is not Parameter.VAR_KEYWORD}
    takes_settings = len(known) < len(parameters)

    @wraps(function)
    def called(*arguments: P.args, **keywords: P.kwargs) -> T:
        unknown = [name for name in keywords if name not in known]
        if unknown and not takes_settings:
            raise UnknownSettingError(unknown[0], known)
        try:
            return function(*arguments, **keywords)
        except UnknownSettingError as error:
            raise UnknownSettingError(error.name, known | error.known) from None
        except UserError as error:
            if rewritten:
                error.args = (in_python(str(error)),)
            raise

    called.known_keywords = known  # type: ignore[attr-defined]
    return called
