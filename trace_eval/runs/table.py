"""A run's results as one table, for results.csv, exports, data frames and HTML."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import islice
from typing import TYPE_CHECKING

from blueprints import require
from fusion import DIMENSIONS
from trace_eval.data.csv_cells import table_lines
from trace_eval.data.items import Labels, Pair
from trace_eval.data.judgement import Judgement, Overall
from trace_eval.data.measures.numbers import PairMeasures
from trace_eval.runs.outcomes import NOT_JUDGED, NOT_SCORED, VerdictRow, has_margin
from trace_eval.runs.reader import RunReader

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

Cell = str | float | int | bool | None

CellTypes = dict[str, type[str] | type[float] | type[int] | type[bool]]

#: Whose languages a table has, where any was identified: that of the request, and the
#: answers.
LANGUAGES = ("asked", "a", "b")

#: Rows of a table that are held at once on their way into a Parquet file.
_BATCH = 1000

#: Rows of a run that a notebook is shown.
_MAX_ROWS = 50

#: Columns of scores.
_SCORES: CellTypes = {
    "item": str,
    "question_id": str,
    "system": str,
    "rubric": str,
    "status": str,
    "reason": str,
    "value": float,
    "sd": float,
    "used": int,
    "samples": int,
    "mean": float,
    "variance": float,
}


@dataclass(frozen=True)
class CellTable:
    """Named columns and rows that are made once, when read; any cell may be None.

    Attributes:
        columns: name -> type of its cells.
        digits: of its numbers, as CSV.
    """

    columns: CellTypes
    rows: Iterable[list[Cell]]
    digits: int = 4

    def csv_lines(self) -> Iterator[str]:
        """Write the table as CSV."""
        return table_lines(self.columns, self.texts())

    def texts(self) -> Iterator[list[str]]:
        """Yield the rows as CSV has them; None is an empty text."""
        for row in self.rows:
            yield [self._text(cell) for cell in row]

    def records(self) -> Iterator[dict[str, Cell]]:
        """Yield the cells of each row by column."""
        for row in self.rows:
            yield dict(zip(self.columns, row, strict=True))

    def arrow_batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the table in parts of bounded size, with one schema."""
        import pyarrow as pa

        kinds = {
            str: pa.string(),
            float: pa.float64(),
            int: pa.int64(),
            bool: pa.bool_(),
        }
        schema = pa.schema([(name, kinds[kind]) for name, kind in self.columns.items()])
        records = self.records()
        while True:
            batch = list(islice(records, _BATCH))
            yield pa.RecordBatch.from_pylist(batch, schema=schema)
            if len(batch) < _BATCH:
                return

    def to_pandas(self) -> pd.DataFrame:
        """Return the table as a data frame.

        Raises:
            UserError: pandas is not installed.
        """
        require("pandas", "pandas", "agree", "a data frame")
        import pyarrow as pa

        frame: pd.DataFrame = pa.Table.from_batches(
            list(self.arrow_batches())
        ).to_pandas()
        return frame

    def _text(self, cell: Cell) -> str:
        if cell is None:
            return ""
        if isinstance(cell, bool):
            return "true" if cell else "false"
        if isinstance(cell, float):
            return f"{cell:.{self.digits}g}"
        return str(cell)


def results_table(
    run: RunReader,
    overall: Mapping[str, Overall],
    judged: Mapping[str, Judgement] | None = None,
    margins: bool | None = None,
) -> CellTable:
    """Return one row per pair, in input order.

    Args:
        judged: the judgements of the run, if they are at hand.
        margins: whether any of them has one, if that is known.

    ``status`` is ``scored`` where there is an overall rating; without one the ratings
    that are known stand in their columns all the same. ``confidence`` is the
    probability of the overall rating, where several opinions were asked. Where the two
    orders contradict each other on any dimension ``consistent`` is false, and
    ``inconsistent`` names those dimensions: such a rating is no verdict on the answers.
    """
    if judged is None:
        judged = run.stored_judgements()
    if margins is None:
        margins = any(map(has_margin, judged.values()))
    measured = run.stored_measures()
    measures, languages, labelled = _some_runs_have(run, measured)
    columns: CellTypes = {}
    columns |= dict.fromkeys(("pair", "system_a", "system_b", "status"), str)
    columns |= dict.fromkeys((*DIMENSIONS, "overall", "policy", "why"), str)
    if margins:
        columns |= dict.fromkeys((f"margin_{name}" for name in DIMENSIONS), float)
    columns |= dict.fromkeys(measures, float)
    columns |= dict.fromkeys((f"language_{name}" for name in languages), str)
    columns |= {"consistent": bool, "inconsistent": str}
    columns |= {"confidence": float, "entropy_bits": float}
    columns |= dict.fromkeys((f"label_{name}" for name in labelled), str)
    columns |= {"reason": str, "category": str}
    columns |= dict.fromkeys((f"reasoning_{name}" for name in DIMENSIONS), str)

    def row(pair: Pair) -> list[Cell]:
        cells = _outcome_cells(judged.get(pair.id))
        cells |= {"pair": pair.id, "category": pair.category}
        cells |= {"system_a": pair.a.system, "system_b": pair.b.system}
        if pair.id in overall:
            cells |= _overall_cells(overall[pair.id])
        for name in labelled:
            cells[f"label_{name}"] = _text(getattr(pair.labels, name, None))
        if pair.id in measured:
            for name in measures:
                cells[name] = measured[pair.id].value(name)
            for name in languages:
                cells[f"language_{name}"] = measured[pair.id].languages.get(name)
        return [cells.get(column) for column in columns]

    return CellTable(columns, map(row, run.pairs()))


def _outcome_cells(judgement: Judgement | None) -> dict[str, Cell]:
    """Return what the judge said of a pair, by column."""
    outcome = VerdictRow.of(judgement) if judgement else NOT_JUDGED
    cells: dict[str, Cell] = {"status": outcome.status, "reason": outcome.reason}
    for place, name in enumerate(DIMENSIONS):
        cells[name] = _text(outcome.ratings[place])
        cells[f"margin_{name}"] = outcome.margins[place]
    if judgement is None:
        return cells
    cells["consistent"] = judgement.consistent
    cells["inconsistent"] = " ".join(outcome.inconsistent)
    for dimension, verdict in judgement.dimensions.items():
        cells[f"reasoning_{dimension}"] = verdict.reasoning
    return cells


def _overall_cells(fused: Overall) -> dict[str, Cell]:
    """Return the overall rating of a pair and what is known of it, by column."""
    cells: dict[str, Cell] = {
        "policy": fused.policy,
        "why": fused.why,
        "entropy_bits": fused.entropy_bits,
    }
    if not fused.rating:
        return cells
    cells |= {"overall": str(fused.rating), "status": "scored", "reason": None}
    if fused.distribution:
        cells["confidence"] = fused.distribution.get(fused.rating, 0.0)
    return cells


def _some_runs_have(
    run: RunReader, measured: Mapping[str, PairMeasures]
) -> tuple[Sequence[str], Sequence[str], Sequence[str]]:
    """Return measures, whose languages, and labels that a run has any of."""
    names: set[str] = set()
    spoken: set[str] = set()
    for result in measured.values():
        names.update(result.measures)
        spoken.update(result.languages)
    labels: set[str] = set()
    for pair in run.pairs():
        for name, value in pair.labels or ():
            if value is not None:
                labels.add(name)
    return (
        sorted(names),
        [name for name in LANGUAGES if name in spoken],
        [name for name in Labels.model_fields if name in labels],
    )


def _text(label: object) -> str | None:
    return None if label is None else str(label)


def table_of(run: RunReader, rubrics: Iterable[str] | None = None) -> CellTable:
    """Make a run's table of results: pairs as fused last, or scores by item and rubric.

    The rubrics are those of the run's record where none are named.
    """
    if not run.holds_scores:
        return results_table(run, run.stored_overall())
    names = list(run.record().rubrics if rubrics is None else rubrics)
    outcomes = run.score_outcomes()

    def rows() -> Iterator[list[Cell]]:
        for item in run.singles():
            for name in names:
                outcome = outcomes.get((item.id, name), NOT_SCORED)
                cells: dict[str, Cell] = {
                    "item": item.id,
                    "question_id": item.question_id,
                    "system": item.system,
                    "rubric": name,
                    "status": outcome.status,
                    "reason": _text(outcome.reason),
                    "value": outcome.value,
                    "sd": outcome.sd,
                    "used": outcome.used,
                    "samples": outcome.samples,
                    "mean": outcome.mean,
                    "variance": outcome.variance,
                }
                yield [cells[column] for column in _SCORES]

    return CellTable(_SCORES, rows(), digits=6)


def result_html(judgement: Judgement, fused: Overall) -> str:
    """Show the overall rating, why, and a row per dimension with its reasoning."""
    orders = {
        None: "",
        True: "both orders agree",
        False: "INCONSISTENT: orders disagree",
    }
    rows: list[list[str]] = []
    for name, verdict in judgement.dimensions.items():
        order = orders[verdict.consistent]
        rows.append([name, str(verdict.rating), order, verdict.reasoning])
    page = f"<p><b>{escape(fused.rating or 'unscored')}</b>: {escape(fused.why)}</p>"
    page += _html_table(("dimension", "rating", "order", "reasoning"), rows)
    for text in judgement.caveats:
        page += f"<p><small>{escape(text)}</small></p>"
    return page


def summary_of(run: RunReader) -> str:
    """Name the judge, and how many items were scored."""
    record = run.record()
    done = record.coverage
    scored = f"{done.scored} of {done.total} scored" if done else "not finished"
    return f"{record.judge.spec}, {scored}"


def run_html(run: RunReader, sentences: Iterable[str] = ()) -> str:
    """Show the judge, how many items were scored, and the first rows of the results."""
    head = f"<p><b>{escape(str(run.folder))}</b>: {escape(summary_of(run))}</p>"
    head += "".join(f"<p>{escape(text)}</p>" for text in sentences)
    table = replace(table_of(run), digits=3)
    columns = list(table.columns)
    titles = columns
    if not run.holds_scores:
        titles = ["pair", *DIMENSIONS, "overall", "why"]
    places = [columns.index(title) for title in titles]
    rows: list[list[str]] = []
    for row in islice(table.texts(), _MAX_ROWS):
        rows.append([row[place] or "-" for place in places])
    page = head + _html_table(titles, rows)
    more = sum(1 for _ in run.items()) - len(rows)
    if more:
        page += f"<p>... {more} more; see to_pandas()</p>"
    return page


def table_html(
    title: str,
    sentences: Iterable[str],
    tables: Iterable[tuple[str, Iterable[str], Iterable[Iterable[str]], str]],
) -> str:
    """Show a heading, sentences, and tables with a caption and a note each."""
    page = f"<p><b>{escape(title)}</b></p>"
    for text in sentences:
        page += f"<p>{escape(text)}</p>"
    for name, head, rows, note in tables:
        page += f"<p><b>{escape(name)}</b></p>{_html_table(head, rows)}"
        page += f"<p><small>{escape(note)}</small></p>"
    return page


def _html_table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    titles = "".join(f"<th>{escape(title)}</th>" for title in head)
    body = ""
    for row in rows:
        cells = "".join(f"<td>{escape(cell)}</td>" for cell in row)
        body += f"<tr>{cells}</tr>"
    return f"<table><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>"
