"""What benchmarks share: options, commands, tables, and files of results."""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from trace_eval.data.system import cores

ROOT = Path(__file__).resolve().parents[1]
RESULTS, DOCS = ROOT / "benchmarks" / "results", ROOT / "docs"

T = TypeVar("T")


def data_folder() -> Path:
    """Return the folder of recordings and ratings."""
    return Path(os.environ.get("TRACE_EVAL_DATA") or sys.exit("set TRACE_EVAL_DATA"))


def people_folder() -> Path:
    """Return the folder of sets with human labels of sound."""
    return data_folder() / "people"


def options_of(doc: str | None) -> argparse.ArgumentParser:
    """Make a parser that says the first line of a script's docstring."""
    return argparse.ArgumentParser(description=(doc or "").partition("\n")[0])


def arguments(doc: str | None, **options: Any) -> argparse.Namespace:
    """Parse options that have a default each, or a default and what it is of.

    An option whose default is False is a switch.
    """
    parser = options_of(doc)
    for name, described in options.items():
        default, about = (
            described if isinstance(described, tuple) else (described, None)
        )
        kind = {"action": "store_true"} if default is False else {"type": type(default)}
        parser.add_argument(f"--{name}", default=default, help=about, **kind)
    return parser.parse_args()


def command(*arguments: object) -> list[str]:
    """``trace-eval ARGUMENTS`` as a user types it, in this environment."""
    return [sys.executable, "-m", "trace_eval", *map(str, arguments)]


def machine() -> dict[str, Any]:
    """Processor, cores, memory and Python."""
    names = [
        line.split(":", 1)[1].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith("model name")
    ]
    pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    return {
        "processor": names[0] if names else platform.processor(),
        "cores": cores(),
        "memory_gib": round(pages * size / 2**30, 1),
        "python": platform.python_version(),
        "platform": platform.platform(),
    }


def timed(
    work: Callable[[], T], clock: Callable[[], float] = time.process_time
) -> tuple[T, float]:
    """Time some work; return its result and seconds, of CPU or another clock."""
    started = clock()
    return work(), clock() - started


def restart_with(variables: Mapping[str, str]) -> None:
    """Run this command again where these variables differ.

    Libraries read them only once.
    """
    if not variables.items() <= os.environ.items():
        arguments = [sys.executable, *sys.orig_argv[1:]]
        os.execve(sys.executable, arguments, {**os.environ, **variables})


def table(title: str, header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a Markdown table; numbers to three significant digits."""
    lines = [list(map(_text, row)) for row in (header, *rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    print(f"\n{title}\n")
    for number, line in enumerate(lines):
        cells = [text.ljust(width) for text, width in zip(line, widths, strict=True)]
        print(f"| {' | '.join(cells)} |")
        if number == 0:
            print("|" + "|".join("-" * (width + 2) for width in widths) + "|")


def table_of(
    title: str, first: str, records: Mapping[str, Mapping[str, object]]
) -> None:
    """Print records by their names; the columns are the keys of the first record."""
    lines_of(title, [{first: name, **record} for name, record in records.items()])


def lines_of(title: str, records: Sequence[Mapping[str, object]]) -> None:
    """Print records; the columns are the keys of the first one."""
    table(title, [*next(iter(records), {})], [[*record.values()] for record in records])


def _text(cell: object) -> str:
    return f"{cell:.3g}" if isinstance(cell, float) else str(cell)


def markdown(header: str, rows: Iterable[Sequence[object]]) -> str:
    """Write a table; its headings stand between bars, as ``what | value``."""
    lines = [f"| {header} |", "|---" * (header.count("|") + 1) + "|"]
    return "\n".join([*lines, *(f"| {' | '.join(map(str, row))} |" for row in rows)])


def renewed(text: str, name: str, table: str) -> str:
    """Put a table between its marks on a page.

    The marks are ``<!-- NAME: python ... -->`` and ``<!-- NAME: end -->``.

    Raises:
        ValueError: the page does not have its marks, or has them twice.
    """
    marks = rf"(<!-- {re.escape(name)}: python [^>]*-->).*?(<!-- {re.escape(name)}: end -->)"
    new, count = re.subn(
        marks, lambda mark: f"{mark[1]}\n{table}\n{mark[2]}", text, flags=re.DOTALL
    )
    if count != 1:
        raise ValueError(
            f"expected the marks of {name!r} once, found them {count} times"
        )
    return new


def renew(tables: Iterable[tuple[str, str, str]], script: str) -> None:
    """Write tables into pages; with ``--check`` name stale ones and exit with 1.

    Args:
        tables: (page below the repository, name of the table in its marks, the table).
        script: what writes them.
    """
    stale, check = [], "--check" in sys.argv[1:]
    for page, name, table in tables:
        path = ROOT / page
        text = path.read_text(encoding="utf-8")
        new = renewed(text, name, table)
        if new != text:
            stale.append(f"{page}: {name}")
            if not check:
                path.write_text(new, encoding="utf-8")
    if stale and check:
        message = ", ".join(stale)
        sys.exit(f"{message}: not what comes out; run: python -m benchmarks.{script}")


def stored(name: str) -> dict[str, Any]:
    """Read what a benchmark saved."""
    result: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text("utf-8"))
    return result


def save(name: str, result: dict[str, Any]) -> None:
    """Write ``results/NAME.json`` with the machine's description."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    path.write_text(
        json.dumps({"machine": {}} | result | {"machine": machine()}, indent=2) + "\n"
    )
    print(f"\n-> {path}")
