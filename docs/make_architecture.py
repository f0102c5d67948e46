"""Draws ``docs/rooms.svg`` and writes the tables of ``docs/architecture.md`` from the layer table.

    python docs/make_architecture.py            # writes both
    python docs/make_architecture.py --check    # exits 1 where they are not what the code says

The table of rooms stands in ``tests/support/layers.py``; what a room is for is the first line of
its own docstring.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.support.imports import modules  # noqa: E402
from tests.support.layers import ROOMS, short  # noqa: E402

PAGE = ROOT / "docs" / "architecture.md"
PICTURE = ROOT / "docs" / "rooms.svg"
BEGIN, END = "<!-- rooms: python docs/make_architecture.py -->", "<!-- rooms: end -->"

#: Pixels of a box, between boxes, between floors, and of the margin.
WIDTH, HEIGHT, GAP, RISE, MARGIN = 118, 26, 8, 20, 12

#: Boxes on a line of a floor.
PER_LINE = 7


def floors() -> list[list[str]]:
    """Rooms by floor, lowest first: each stands above all that it imports."""
    height: dict[str, int] = {}
    for name, below in ROOMS.items():  # the table lists lower rooms first
        height[name] = 1 + max((height[other] for other in below), default=-1)
    return [
        [name for name in ROOMS if height[name] == level]
        for level in range(max(height.values()) + 1)
    ]


def picture() -> str:
    """The floors as boxes, the highest on top."""
    lines = [
        level[start : start + PER_LINE]
        for level in reversed(floors())
        for start in range(0, len(level), PER_LINE)
    ]
    width = 2 * MARGIN + PER_LINE * (WIDTH + GAP) - GAP
    height = 2 * MARGIN + len(lines) * (HEIGHT + RISE) - RISE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
        ' font-family="sans-serif" font-size="11">',
        "<title>Rooms of trace-eval: each imports only rooms that stand below it</title>",
    ]
    for row, line in enumerate(lines):
        left = (width - len(line) * (WIDTH + GAP) + GAP) / 2
        for column, name in enumerate(line):
            x, y = left + column * (WIDTH + GAP), MARGIN + row * (HEIGHT + RISE)
            outside = not name.startswith("trace_eval")
            fill = "#e3eef8" if outside else "#f2efe6"
            parts.append(
                f'<rect x="{x:g}" y="{y:g}" width="{WIDTH}" height="{HEIGHT}" rx="4"'
                f' fill="{fill}" stroke="#5b6472"/>'
                f'<text x="{x + WIDTH / 2:g}" y="{y + 17:g}" text-anchor="middle"'
                f' fill="#1c2430">{escape(short(name))}</text>'
            )
    return "\n".join([*parts, "</svg>", ""])


def table() -> str:
    """A row per room: what it is for, and what it imports."""
    known = modules()
    rows = ["| room | what it is for | imports |", "|---|---|---|"]
    for name, below in ROOMS.items():
        imports = " ".join(f"`{short(other)}`" for other in ROOMS if other in below)
        rows.append(f"| `{short(name)}` | {_purpose(name, known)} | {imports} |")
    arrows = sum(map(len, ROOMS.values()))
    summary = f"{len(ROOMS)} rooms on {len(floors())} floors, {arrows} imports between them."
    return "\n".join([summary, "", *rows])


def _purpose(name: str, known: dict[str, Path]) -> str:
    doc = ast.get_docstring(ast.parse(known[name].read_text("utf-8"))) if name in known else None
    return (doc or "").split("\n\n")[0].replace("\n", " ").replace("|", "\\|").rstrip(".")


def page() -> str:
    """The page with its table as the code is now."""
    text = PAGE.read_text("utf-8")
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    return f"{head}{BEGIN}\n{table()}\n{END}{tail}"


def main() -> int:
    """Write both, or check them."""
    wanted = {PAGE: page(), PICTURE: picture()}
    if "--check" not in sys.argv:
        for path, text in wanted.items():
            path.write_text(text, "utf-8")
        return 0
    stale = [path.name for path, text in wanted.items() if path.read_text("utf-8") != text]
    for name in stale:
        sys.stderr.write(
            f"docs/{name} is not what the code says; run: python docs/make_architecture.py\n"
        )
    return int(bool(stale))


if __name__ == "__main__":
    sys.exit(main())
