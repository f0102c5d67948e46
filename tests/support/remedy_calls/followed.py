"""What calls share: a command's words, and the remedy that stands in them."""

from __future__ import annotations

import re
import shlex

from tests.support.cli import code_and_words

#: A model on a server that no estimate asks.
UNASKED = "--judge openai:m --base-url http://127.0.0.1:9/v1"


def said(command: str, code: int = 0) -> str:
    """Return what a command prints, which ends with ``code``."""
    ended, words = code_and_words(*shlex.split(command))
    assert ended == code, (command, ended, words[-600:])
    return words


def remedy(pattern: str, message: str) -> str:
    """Return the remedy of a message, the group of a pattern."""
    found = re.search(pattern, message)
    assert found is not None, (pattern, message[-600:])
    return found[1]
