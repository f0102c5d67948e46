"""What is wrong, in the words of Python: keywords in place of options of the command line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from blueprints import UserError

#: Commands to type stay what they are.
_COMMAND = re.compile(r"((?:trace-eval|pip) [a-z][^;,()`]*)")
_COLUMNS = re.compile(r"--column \w+=[^\s;,?]+(?: --column \w+=[^\s;,?]+)*")
_COLUMN = re.compile(r"--column (\w+)=([^\s;,?]+)")
_EXTRACTOR = re.compile(r"(?:-x|--extractor) (\w+)=([^\s;,?]+)")
_SETTING = re.compile(r"-[JX] (?=\w+[= ])")
_VALUE = re.compile(r"--([a-z][a-z-]*) (?=[A-Z]{2,}|drop\b|error\b)")
_FLAG = re.compile(r"(?<![\w-])--([a-z][a-z-]*)")


def in_python(text: str) -> str:
    """A message of the command line as a caller of the library would write it.

    >>> in_python("did you mean --column a=left --column b=right?")
    'did you mean columns={"a": "left", "b": "right"}?'
    >>> in_python("--missing drop leaves them out; run: trace-eval rank run --full")
    'missing=drop leaves them out; run: trace-eval rank run --full'
    """
    parts = _COMMAND.split(text)
    return "".join(part if n % 2 else _keywords(part) for n, part in enumerate(parts))


def _keywords(text: str) -> str:
    text = _COLUMNS.sub(lambda result: f"columns={{{_items(_COLUMN, result[0])}}}", text)
    text = _EXTRACTOR.sub(lambda result: f"overrides={{{_items(_EXTRACTOR, result[0])}}}", text)
    text = _SETTING.sub("", text)
    text = _VALUE.sub(lambda result: f"{_name(result[1])}=", text)
    return _FLAG.sub(lambda result: _name(result[1]), text)


def _items(each: re.Pattern[str], text: str) -> str:
    return ", ".join(f'"{key}": "{value}"' for key, value in each.findall(text))


def _name(flag: str) -> str:
    return flag.replace("-", "_")


@contextmanager
def python_words() -> Iterator[None]:
    """Let errors in here name keywords; as a context, or as a decorator."""
    try:
        yield
    except UserError as error:
        error.args = (in_python(str(error)),)
        raise
