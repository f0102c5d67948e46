"""Tables of ours: cells break no row, are no formula, and come back as they were."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import csv as arrow

from tests.support import reviewed as support
from tests.support.cli import ROOT
from trace_eval.data.csv_cells import RAW, safe, unquoted, write_table
from trace_eval.decide.rank import read_human_ranking
from trace_eval.opinions.labels import read_labels
from trace_eval.review.exports import COLUMNS, to_csv
from trace_eval.runs.fuse import fuse_again
from trace_eval.runs.table import CellTable

#: Every end of a line that Unicode knows, and those of two characters.
BREAKS = ("\n", "\r", "\r\n", "\n\r", *"\v\f\x1c\x1d\x1e\x85\u2028\u2029")

CELLS = (
    *(f"al{end}=1+1" for end in BREAKS),
    *(f"{end}=1+1" for end in BREAKS),
    *(
        "=x",
        "'=x",
        "''=x",
        "'x",
        "'",
        "-3",
        "'-3",
        'say "q", q',
        "' =1",
        "'\n=1",
        "a;b",
        "+",
        "'+",
    ),
    *("+x", "-y", "@z", "\t=1"),
)


def _by_table(columns: list[str], rows: list[list[str]]) -> str:
    lines = CellTable(
        dict.fromkeys(columns, str), (list(row) for row in rows)
    ).csv_lines()
    return "".join(f"{line}\n" for line in lines)


def _by_review(columns: list[str], rows: list[list[str]]) -> str:
    return to_csv(
        [dict.fromkeys(COLUMNS) | dict(zip(columns, row, strict=True)) for row in rows]
    )


@pytest.mark.parametrize("written", [_by_table, _by_review])
def test_every_reader_gets_every_row_of_every_writer(
    written: type[str], tmp_path: Path
) -> None:
    rows = [[f"id{number}", cell] for number, cell in enumerate(CELLS)]
    text = written(["id", "system_a"], rows)
    path = tmp_path / "x.csv"
    path.write_bytes(text.encode())
    stored = [str(safe(cell)) for cell in CELLS]
    assert not any(re.match(r"[=+@]|-\D", cell) for cell in stored)
    with path.open(encoding="utf-8", newline="") as file:
        assert [row["system_a"] for row in csv.DictReader(file)] == stored
    assert pd.read_csv(path, dtype=str)["system_a"].tolist() == stored
    table = arrow.read_csv(
        path,
        parse_options=arrow.ParseOptions(newlines_in_values=True),
        convert_options=arrow.ConvertOptions(column_types={"system_a": pa.string()}),
    )
    assert table["system_a"].to_pylist() == stored
    # A reader that ends rows at any break outside of quotes sees as many.
    outside = re.sub(r'"(?:[^"]|"")*"', "", text)
    assert len(outside.splitlines()) == len(CELLS) + 1


def test_a_terminal_and_a_spreadsheet_are_told_nothing(tmp_path: Path) -> None:
    """Words of a judge or manifest in a table: no escape sequence, no wide formula."""
    pair = support.pairs(tmp_path, 1)[0]
    verdict = support.scored(pair.id).dimensions["content"]
    stated = {
        "content": verdict.model_copy(
            update={"reasoning": "\x1b[2J\x9b2J\x07 clears\0"}
        )
    }
    result = support.scored(pair.id).model_copy(update={"dimensions": stated})
    run = support.write_run(tmp_path / "run", [pair], {pair.id: result})
    fuse_again(run, "content_first")
    text = (run / "results.csv").read_text()
    assert not re.search("[\x00-\x08\x0e-\x1f\x7f-\x9f]", text)
    assert r"\x1b[2J\x9b2J\x07 clears\x00" in text
    for sign in "\uff1d\uff0b\uff0d\uff20":
        assert safe(f"{sign}1+1") == f"'{sign}1+1"
        assert unquoted(f"'{sign}1+1") == f"{sign}1+1"


@pytest.mark.parametrize("cell", CELLS)
def test_our_readers_give_back_what_was_written(cell: str, tmp_path: Path) -> None:
    assert unquoted(str(safe(cell))) == cell
    path = tmp_path / "x.csv"
    write_table(path, ["id", "overall"], [[cell, "1"], ["y", "2"]])
    assert read_labels(path).ids.tolist() == [cell, "y"]
    write_table(path, ["system", "score"], [[cell, "1"], ["y", "2"]])
    assert read_human_ranking(path) == {cell: 1.0, "y": 2.0}


def test_formulas_are_quoted_and_numbers_and_words_left_alone() -> None:
    for cell in ("=1", "+x", "-y", "@z", "\t=1", "\r=1"):
        assert safe(cell) == f"'{cell}"
        token = RAW.set(True)
        assert safe(cell) == cell
        RAW.reset(token)
    alone = (-1.5, "-1.5", "+2e3", "a=b", "", None)
    assert [safe(cell) for cell in alone] == list(alone)


def test_one_module_makes_csv() -> None:
    for path in (ROOT / "trace_eval").rglob("*.py"):
        if path.name != "csv_cells.py":
            assert not re.search(r"csv\.(writer|DictWriter)\(", path.read_text()), path
            assert "splitlines()))" not in path.read_text(), path
