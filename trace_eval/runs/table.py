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
from trace_eval.data.items import Labels, Pair, Single
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
    **dict.fromkeys(
        ("item", "question_id", "system", "rubric", "status", "reason"), str
    ),
    **dict.fromkeys(("value", "sd"), float),
    **dict.fromkeys(("used", "samples"), int),
    **dict.fromkeys(("mean", "variance"), float),
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
        return ([*map(self._text, row)] for row in self.rows)

    def records(self) -> Iterator[dict[str, Cell]]:
        """Yield the cells of each row by column."""
        return (dict(zip(self.columns, row, strict=True)) for row in self.rows)

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
        return f"{cell:.{self.digits}g}" if isinstance(cell, float) else str(cell)


def _measured(measures: PairMeasures | None, name: str) -> float | None:
    """Return the value of a pair's measure; None where it was not measured."""
    measure = measures.measures.get(name) if measures else None
    return measure.value if measure else None


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
    judged = run.stored_judgements() if judged is None else judged
    if margins is None:
        margins = any(map(has_margin, judged.values()))
    far = DIMENSIONS if margins else ()
    measured = run.stored_measures()
    measures, languages, labelled = _some_runs_have(run, measured)
    columns = (
        dict.fromkeys(("pair", "system_a", "system_b", "status"), str)
        | dict.fromkeys((*DIMENSIONS, "overall", "policy", "why"), str)
        | dict.fromkeys((f"margin_{name}" for name in far), float)
        | dict.fromkeys(measures, float)
        | dict.fromkeys((f"language_{name}" for name in languages), str)
        | {
            "consistent": bool,
            "inconsistent": str,
            "confidence": float,
            "entropy_bits": float,
        }
        | dict.fromkeys((f"label_{name}" for name in labelled), str)
        | dict.fromkeys(("reason", "category"), str)
        | dict.fromkeys((f"reasoning_{name}" for name in DIMENSIONS), str)
    )

    def row(pair: Pair) -> list[Cell]:
        judgement = judged.get(pair.id)
        outcome = VerdictRow.of(judgement) if judgement else NOT_JUDGED
        verdicts = judgement.dimensions if judgement else {}
        fused = overall.get(pair.id)
        rating = fused.rating if fused else None
        spread = fused.distribution if fused else None
        result = measured.get(pair.id)
        return [
            *(
                pair.id,
                pair.a.system,
                pair.b.system,
                "scored" if rating else outcome.status,
            ),
            *map(_text, (*outcome.ratings, rating)),
            *((fused.policy, fused.why) if fused else (None, None)),
            *(outcome.margins[DIMENSIONS.index(name)] for name in far),
            *(_measured(result, name) for name in measures),
            *(result.languages.get(name) if result else None for name in languages),
            judgement.consistent if judgement else None,
            " ".join(outcome.inconsistent) if judgement else None,
            spread.get(rating, 0.0) if spread and rating else None,
            fused.entropy_bits if fused else None,
            *(_text(getattr(pair.labels, name, None)) for name in labelled),
            *(None if rating else outcome.reason, pair.category),
            *(
                verdicts[name].reasoning if name in verdicts else None
                for name in DIMENSIONS
            ),
        ]

    return CellTable(columns, map(row, run.pairs()))


def _some_runs_have(
    run: RunReader, measured: Mapping[str, PairMeasures]
) -> tuple[Sequence[str], Sequence[str], Sequence[str]]:
    """Return measures, whose languages, and labels that a run has any of."""
    names: set[str] = set()
    spoken: set[str] = set()
    for result in measured.values():
        names.update(result.measures)
        spoken.update(result.languages)
    labels = {
        name
        for pair in run.pairs()
        if pair.labels
        for name, value in pair.labels
        if value is not None
    }
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

    def row(item: Single, name: str) -> list[Cell]:
        result = outcomes.get((item.id, name), NOT_SCORED)
        return [
            *(
                item.id,
                item.question_id,
                item.system,
                name,
                result.status,
                _text(result.reason),
            ),
            *(
                result.value,
                result.sd,
                result.used,
                result.samples,
                result.mean,
                result.variance,
            ),
        ]

    return CellTable(
        _SCORES, (row(item, name) for item in run.singles() for name in names), 6
    )


def result_html(judgement: Judgement, fused: Overall) -> str:
    """Show the overall rating, why, and a row per dimension with its reasoning."""
    orders = {
        None: "",
        True: "both orders agree",
        False: "INCONSISTENT: orders disagree",
    }
    rows = [
        (name, str(result.rating), orders[result.consistent], result.reasoning)
        for name, result in judgement.dimensions.items()
    ]
    head = f"<p><b>{escape(fused.rating or 'unscored')}</b>: {escape(fused.why)}</p>"
    notes = "".join(
        f"<p><small>{escape(text)}</small></p>" for text in judgement.caveats
    )
    return (
        head + _html_table(("dimension", "rating", "order", "reasoning"), rows) + notes
    )


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
    titles = (
        table.columns if run.holds_scores else ("pair", *DIMENSIONS, "overall", "why")
    )
    places = [list(table.columns).index(title) for title in titles]
    shown: list[list[str]] = []
    for row in islice(table.texts(), _MAX_ROWS):
        shown.append([row[place] or "-" for place in places])
    more = sum(1 for _ in run.items()) - len(shown)
    foot = f"<p>... {more} more; see to_pandas()</p>" if more else ""
    return head + _html_table(titles, shown) + foot


def table_html(
    title: str,
    sentences: Iterable[str],
    tables: Iterable[tuple[str, Iterable[str], Iterable[Iterable[str]], str]],
) -> str:
    """Show a heading, sentences, and tables with a caption and a note each."""
    lines = "".join(f"<p>{escape(text)}</p>" for text in sentences)
    shown = "".join(
        f"<p><b>{escape(name)}</b></p>{_html_table(head, rows)}<p><small>{escape(note)}</small></p>"
        for name, head, rows, note in tables
    )
    return f"<p><b>{escape(title)}</b></p>{lines}{shown}"


def _html_table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    titles = "".join(f"<th>{escape(title)}</th>" for title in head)
    body = ""
    for row in rows:
        cells = "".join(f"<td>{escape(cell)}</td>" for cell in row)
        body += f"<tr>{cells}</tr>"
    return f"<table><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>"
