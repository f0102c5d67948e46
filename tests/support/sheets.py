"""Tables as people keep them: a header and rows of CSV, typed as lines."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


def write_sheet(path: Path, header: str, rows: Iterable[str]) -> Path:
    """Write a header and rows, a line each, and return the path."""
    lines = [header]
    lines.extend(rows)
    path.write_text("\n".join(lines) + "\n")
    return path
