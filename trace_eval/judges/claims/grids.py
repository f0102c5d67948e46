"""Tables in Markdown, written as lines that name answer, measure and value."""

from __future__ import annotations

from collections.abc import Iterator

#: Wider tables are read up to here.
_MOST_CELLS = 12


def without_tables(text: str) -> str:
    """Return a text with each cell of a table as a line: "answer 1 rate: 142 WPM"."""
    return "\n".join(_lines(text.split("\n")))


def _lines(lines: list[str]) -> Iterator[str]:
    headings: list[str] = []
    for number, line in enumerate(lines):
        cells = _cells(line)
        ruled = number + 1 < len(lines) and _is_rule(lines[number + 1])
        if cells and ruled:
            headings = cells
        elif not cells:
            headings = []
            yield line
        elif not headings:
            yield line
        elif not _is_rule(line):
            for heading, cell in zip(headings[1:], cells[1:], strict=False):
                yield f"{_named(heading)} {_named(cells[0])}: {cell}"


def _named(heading: str) -> str:
    """Return a heading; a bare letter or digit names an answer."""
    if heading.strip("*_ ") in ("A", "B", "1", "2"):
        return f"answer {heading}"
    return heading


def _cells(line: str) -> list[str]:
    """Return the cells of a row; nothing where a line is none."""
    row = line.strip(" \t")
    if len(row) < 2 or row[0] != "|" or row[-1] != "|":
        return []
    return [cell.strip() for cell in row[1:-1].split("|", _MOST_CELLS)[:_MOST_CELLS]]


def _is_rule(line: str) -> bool:
    """Whether a line is the rule below the headings: ``|---|:-:|``."""
    row = line.strip(" \t")
    return row.startswith("|") and "-" in row and not row.strip(" \t:|-")
