"""Which printed figures of benchmarks come out of their released files.

    TRACE_EVAL_DATA=... python -m benchmarks.published [--check]

Reads every benchmark under $TRACE_EVAL_DATA, reruns the authors' rules, and writes the
tables of docs/how-to/benchmarks.md; ``--check`` compares them instead. Boards need no
data. A benchmark of one's own clone: ``trace-eval convert NAME PATH OUT`` prints the
same figures.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.report import data_folder, markdown, renew
from trace_eval.datasets import (
    Conversion,
    Figure,
    dataset_names,
    find_dataset,
    read_dataset,
)
from trace_eval.datasets.figures import URO_EN, URO_ZH, VOCALBENCH, VOICEBENCH

PAGE = "docs/how-to/benchmarks.md"

#: Name -> its folder below $TRACE_EVAL_DATA; the others are not there.
FOLDERS = {
    "hcot": "hcot",
    "mtalk-bench": "benchmarks/mtalk",
    "orca": "orca",
    "uro-bench": "benchmarks/uro-bench",
    "vocalbench": "benchmarks/vocalbench",
    "voicebench": "benchmarks/voicebench",
    "vstyle": "benchmarks/vstyle",
}

#: Name -> the figures of the first table; the second has them all.
HEADLINES = {
    "hcot": ("speakbench, policy content_first", "s2sarena, policy acceptability_cap"),
    "uro-bench": ("Repeat, repeat_wer", "GaokaoEval, qa"),
    "vocalbench": ("knowledge, heard",),
    "voicebench": ("openbookqa, own",),
}

#: Files that were made for tests in the layout of a benchmark, not released by its
#: authors.
MADE = ("uro-bench", "voicebench")


def sets_table(done: dict[str, Conversion]) -> str:
    """Write the table of sets, with the figures that stand for them."""
    rows = []
    for name in dataset_names():
        row = find_dataset(name)
        shown = [
            f for f in _figures(done.get(name)) if f.name in HEADLINES.get(name, ())
        ]
        printed = "; ".join(f"{f.name} {_number(f, f.published)}" for f in shown) or "-"
        ours = "; ".join(_ours(f) for f in shown) or "-"
        mark = " (made files)" if name in MADE else ""
        title = f"`{name}` ({row.title})"
        rows.append(
            (
                title,
                row.items,
                row.judged,
                row.by,
                f"{printed}{mark}",
                ours,
                row.licence,
            )
        )
    return markdown(
        "name | items | what is judged | rule or judge | printed | ours | licence", rows
    )


def figures_table(done: dict[str, Conversion]) -> str:
    """Every figure of the released files."""
    rows = []
    for name, conversion in done.items():
        for one in _figures(conversion):
            bounds = (one.worst, one.best) if one.unscored else (None, None)
            printed, ours, *limits = (
                _number(one, v) for v in (one.published, one.ours, *bounds)
            )
            counts = (one.n or "-", one.unscored)
            rows.append((name, one.name, printed, ours, *counts, *limits, one.verdict))
    return markdown(
        "set | figure | printed | ours | n | unscored | worst | best |", rows
    )


def boards_table() -> str:
    """Write the table of boards' overall columns, computed from their other columns."""
    rows = []
    for board in (VOCALBENCH, VOICEBENCH, URO_EN, URO_ZH):
        figures = board.figures()
        odd = [f for f in figures if f.verdict != "equal"]
        message = "; ".join(
            (
                f"{f.system}: printed {_number(f, f.published)}, columns give"
                f" {_number(f, f.ours)}"
            )
            + (f" ({f.note})" if f.note else "")
            for f in odd
        )
        equal = f"{len(figures) - len(odd)} within {board.tolerance:g}"
        rows.append(
            (f"`{board.file}`, {board.where}", len(figures), equal, message or "-")
        )
    return markdown("board | rows | come out | do not", rows)


def _figures(conversion: Conversion | None) -> list[Figure]:
    return conversion.converted.figures if conversion else []


def _number(figure: Figure, value: float | None) -> str:
    return "-" if value is None else f"{value:.{figure.decimals}f}"


def _ours(figure: Figure) -> str:
    text = _number(figure, figure.ours)
    if figure.unscored:
        text += (
            " of those read,"
            f" {_number(figure, figure.worst)}-{_number(figure, figure.best)}"
        )
    return text


def tables(data: Path) -> Iterator[tuple[str, str, str]]:
    """(page, name, table) of the tables of the page."""
    done = {name: read_dataset(name, data / folder) for name, folder in FOLDERS.items()}
    yield PAGE, "sets", sets_table(done)
    yield PAGE, "figures", figures_table(done)
    yield PAGE, "boards", boards_table()


def main() -> None:
    """Write, or compare."""
    renew(tables(data_folder()), "published")
    print(boards_table())


if __name__ == "__main__":
    main()
