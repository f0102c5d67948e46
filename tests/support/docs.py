"""The commands of README and docs, as they are printed."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.support.cli import ROOT

#: Programs that a line of a block must begin with to be a command.
PROGRAMS = (
    "trace-eval",
    "make",
    "pip",
    "ollama",
    "export",
    "python",
    "python3",
    "tar",
    "mkdir",
)

#: Languages of such blocks.
TYPED = ("", "sh", "bash", "console")

_COMMENT = re.compile(r"(^|\s)#.*$")
_SETTING = re.compile(r"[A-Z][A-Z0-9_]*=\S+\s+")


@dataclass(frozen=True)
class Printed:
    """One command as it stands in a file.

    Attributes:
        where: file and line.
        text: without its comment; continued lines are joined.
    """

    where: str
    text: str

    @property
    def words(self) -> list[str]:
        """The command and its arguments, without variables set before it."""
        text = self.text
        while match := _SETTING.match(text):
            text = text[match.end() :]
        return shlex.split(re.split(r" [>|] ", text)[0])


#: Folders of docs/ in the order of reading.
SHELVES = ("tutorials", "how-to", "reference", "results", "explanation")


def files() -> list[Path]:
    """README first, then the pages of docs."""
    docs = ROOT / "docs"
    pages = [page for shelf in SHELVES for page in sorted((docs / shelf).glob("*.md"))]
    return [ROOT / "README.md", docs / "README.md", *pages]


def commands(path: Path) -> Iterator[Printed]:
    """Yield the commands of a file's blocks, in order; what ``&&`` joins one by one."""
    held = ""
    for number, line in _block_lines(path.read_text()):
        held += _COMMENT.sub("", line).strip()
        if held.endswith("\\"):
            held = held[:-1]
            continue
        for part in held.split("&&"):
            command = Printed(f"{path.relative_to(ROOT)}:{number}", part.strip())
            if part.strip() and _program(command) in PROGRAMS:
                yield command
        held = ""


def _block_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield (number, line) inside the blocks that a reader types from."""
    language: str | None = None
    for number, line in enumerate(text.splitlines(), start=1):
        if line.lstrip().startswith("```"):
            language = (
                None if language is not None else line.strip().removeprefix("```")
            )
        elif language in TYPED:
            yield number, line


def _program(printed: Printed) -> str:
    try:
        words = printed.words
    except ValueError:  # an unclosed quote: no shell command
        return ""
    return words[0] if words else ""
