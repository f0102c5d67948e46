"""Draws the pictures of the page on architecture, and its tables, from the layers.

    python docs/make_architecture.py            # writes all
    python docs/make_architecture.py --check    # exits 1 where they are not what the code says

The table of rooms stands in ``tests/support/layers.py``; what a room is for is the
first line of its own docstring.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.support.imports import arrows, modules  # noqa: E402
from tests.support.layers import ROOMS, short  # noqa: E402

PAGE = ROOT / "docs" / "contributors" / "architecture.md"
PICTURE = ROOT / "docs" / "rooms.svg"

#: Rooms so large that they have a picture of their own.
FOLDERS = ("trace_eval.judges", "trace_eval.stats")

BEGIN, END = "<!-- rooms: python docs/make_architecture.py -->", "<!-- rooms: end -->"

#: Pixels of a box, between boxes, between floors, and of the margin.
WIDTH, HEIGHT, GAP, RISE, MARGIN = 118, 26, 8, 20, 12

#: Boxes on a line of a floor.
PER_LINE = 7


def halls() -> dict[str, set[str]]:
    """Count the rooms of a folder as that folder's room, and ``judges`` as one."""
    merged: dict[str, set[str]] = {}
    for name, below in ROOMS.items():
        merged.setdefault(_hall(name), set()).update(map(_hall, below))
    return {name: below - {name} for name, below in merged.items()}


def _hall(name: str) -> str:
    hall = ".".join(name.split(".")[:2])
    return "trace_eval.commands" if hall == "trace_eval.__main__" else hall


def inside(folder: str) -> dict[str, set[str]]:
    """Return a large room's parts, and what each imports of the others."""
    graph: dict[str, set[str]] = {}
    for arrow in arrows():
        if not arrow.source.startswith(f"{folder}."):
            continue
        part = _part(arrow.source, folder)
        graph.setdefault(part, set())
        if (
            arrow.target.startswith(f"{folder}.")
            and _part(arrow.target, folder) != part
        ):
            graph[part].add(_part(arrow.target, folder))
    return graph


def _part(module: str, folder: str) -> str:
    return ".".join(module.split(".")[: folder.count(".") + 2])


def floors(graph: dict[str, set[str]]) -> list[list[str]]:
    """Rooms by floor, lowest first: each stands above all that it imports.

    Rooms that import each other through a room of a folder stand on one floor.
    """
    height: dict[str, int] = {}

    def raise_to(name: str, path: tuple[str, ...]) -> int:
        if name not in height:
            below = [o for o in sorted(graph[name]) if o in graph and o not in path]
            level = 1 + max(
                (raise_to(other, (*path, name)) for other in below), default=-1
            )
            height[name] = max(level, height.get(name, 0))
        return height[name]

    for name in graph:
        raise_to(name, ())
    return [
        [n for n in graph if height[n] == level]
        for level in range(max(height.values()) + 1)
    ]


def picture(graph: dict[str, set[str]], title: str) -> str:
    """Draw the floors as boxes, the highest on top."""
    lines = [
        level[start : start + PER_LINE]
        for level in reversed(floors(graph))
        for start in range(0, len(level), PER_LINE)
    ]
    width = 2 * MARGIN + PER_LINE * (WIDTH + GAP) - GAP
    height = 2 * MARGIN + len(lines) * (HEIGHT + RISE) - RISE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
        ' font-family="sans-serif" font-size="11">',
        f"<title>{title}</title>",
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
                f' fill="#1c2430">{escape(_called(name))}</text>'
            )
    return "\n".join([*parts, "</svg>", ""])


def _called(name: str) -> str:
    return short(name).removeprefix("judges.").removeprefix("stats.")


def table() -> str:
    """Write a row per room: what it is for, and what it imports."""
    known, graph = modules(), halls()
    rows = ["| room | what it is for | imports |", "|---|---|---|"]
    for name, below in graph.items():
        imports = " ".join(f"`{short(other)}`" for other in graph if other in below)
        rows.append(f"| `{short(name)}` | {_purpose(name, known)} | {imports} |")
    crossed = sum(map(len, graph.values()))
    summary = (
        f"{len(graph)} rooms on {len(floors(graph))} floors, {crossed} imports between"
        " them."
    )
    return "\n".join([summary, "", *rows, "", *_inside_tables(known)])


def _inside_tables(known: dict[str, Path]) -> list[str]:
    lines: list[str] = []
    for folder in FOLDERS:
        lines += [
            f"### Inside `{short(folder)}`",
            f"![its parts by floor](../{short(folder)}.svg)",
            "",
        ]
        lines += ["| part | what it is for |", "|---|---|"]
        lines += [
            f"| `{_called(part)}` | {_purpose(part, known)} |"
            for part in inside(folder)
        ]
        lines.append("")
    return lines[:-1]


def _purpose(name: str, known: dict[str, Path]) -> str:
    doc = (
        ast.get_docstring(ast.parse(known[name].read_text("utf-8")))
        if name in known
        else None
    )
    return (
        (doc or "").split("\n\n")[0].replace("\n", " ").replace("|", "\\|").rstrip(".")
    )


def page() -> str:
    """Return the page with its table as the code is now."""
    text = PAGE.read_text("utf-8")
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    return f"{head}{BEGIN}\n{table()}\n{END}{tail}"


def main() -> int:
    """Write all, or check them."""
    rooms = "Rooms of trace-eval: each imports only rooms that stand below it"
    wanted = {PAGE: page(), PICTURE: picture(halls(), rooms)}
    for folder in FOLDERS:
        path = ROOT / "docs" / f"{short(folder)}.svg"
        wanted[path] = picture(inside(folder), f"Parts of {short(folder)}, by floor")
    if "--check" not in sys.argv:
        for path, text in wanted.items():
            path.write_text(text, "utf-8")
        return 0
    stale = [
        path.name
        for path, text in wanted.items()
        if not path.is_file() or path.read_text("utf-8") != text
    ]
    for name in stale:
        sys.stderr.write(
            f"{name} is not what the code says; run: python docs/make_architecture.py\n"
        )
    return int(bool(stale))


if __name__ == "__main__":
    sys.exit(main())
