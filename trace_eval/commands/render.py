"""A concluding command's output: tables, figures, and exit code 1 for low ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from blueprints import UserError
from trace_eval.commands.console import (
    EXIT_INCOMPLETE,
    MAX_ROWS,
    by_cause,
    complain,
    left_out,
    messages,
    results,
    say,
    say_each,
    visible,
    warn_all,
)
from trace_eval.commands.result_files import give, give_figures
from trace_eval.commands.signatures import ExplainedBy
from trace_eval.data.settings import option_field
from trace_eval.show.table import Table

if TYPE_CHECKING:
    from rich.table import Table as RichTable

    from trace_eval.stats.ranking.report import RankReport
    from trace_eval.stats.report import AgreeReport, ScoreReport

#: Name of a judge or system -> figure -> value; None: it is not known.
ValuesByName = Mapping[str, Mapping[str, float | None]]

#: Spaces between two columns, and at both ends of a line together, as rich draws them.
_GAP, _EDGES = 3, 2


@dataclass(frozen=True)
class Output:
    """The tables and files that a command prints and writes beside its sentences.

    Attributes:
        fail_under: exit with 1 where a figure is lower, e.g. agreement=0.6, kappa=0.2,
            coverage=0.9, of rank the lower end of a system's win rate, e.g. new=0.45;
            may be repeated.
        csv: write a row per figure to this .csv file, or one CSV per table to this
            folder.
        full: print every table after the sentences.
    """

    fail_under: tuple[str, ...] = option_field((), metavar="NAME=NUMBER")
    csv: Path | None = None
    full: bool = False

    def check(self, values: ValuesByName, junit: Path | None = None) -> None:
        """Refuse conditions that cannot be tried, before anything is printed."""
        if self.fail_under:
            from trace_eval.decide.gates import checked

            checked(self.fail_under, values)
        elif junit:
            raise UserError(
                "--junit writes the conditions of --fail-under NAME=NUMBER; give one"
            )

    def close(
        self, values: ValuesByName, junit: Path | None = None, suite: str = ""
    ) -> None:
        """End with exit code 1 where a figure is too low."""
        if not self.fail_under:
            return
        from trace_eval.decide.gates import checked

        checks = checked(self.fail_under, values)
        if junit:
            from trace_eval.compare.gate.junit_xml import junit_conditions, write_junit

            cases = [(check.who, check.name, check.text) for check in checks]
            write_junit(
                junit,
                junit_conditions(suite, cases, [check.failed for check in checks]),
            )
        if failed := [check.text for check in checks if check.failed]:
            for text in failed:
                complain(text)
            raise typer.Exit(EXIT_INCOMPLETE)


#: The options of a file of labels, on the help pages of all commands but ``agree``.
AS_AGREE = ExplainedBy("agree", shown="named")

LabelsOption = Annotated[
    Path | None,
    typer.Option(
        help="Human labels (CSV, JSONL, HCoT JSON). Default: those in the run or file."
    ),
]
Junit = Annotated[
    Path | None,
    typer.Option(
        "--junit", help="Write JUnit XML to this file: a test case per condition."
    ),
]


def print_tables(
    tables: Iterable[Table], everything: Path | None = None, width: int = 240
) -> None:
    """Print tables one under the other; the texts are taken literally, never as markup.

    Args:
        tables: of each, a terminal is shown the first rows.
        everything: the file or folder that has all rows; None: ``--json``.
        width: where they are not printed on a terminal, characters.
    """
    from rich.text import Text

    console = results(width)
    for table in (part for whole in tables for part in by_judge(whole, console.width)):
        parts = fitting(table, console.width)
        for columns in parts:
            shown = _rich_table(table, columns)
            if table.title and columns is parts[0]:
                shown.title = Text(table.title, style="bold")
            if table.caption and columns is parts[-1]:
                shown.caption = Text(table.caption)
            console.print(shown)
        say_each(left_out(len(table.rows), everything))
        say("")


def _rich_table(table: Table, columns: Sequence[int]) -> RichTable:
    """Draw some columns of a table; a name may be broken, a number never."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as RichTable
    from rich.text import Text

    shown = RichTable(
        title_justify="left",
        caption_justify="left",
        box=SIMPLE_HEAD,
        pad_edge=False,
    )
    keys = _keys(table)
    for column in columns:
        title = Text(table.columns[column])
        shown.add_column(title, overflow="fold", no_wrap=column >= keys)
    for row in table.rows[:MAX_ROWS]:
        cells = [Text(visible(row[column])) for column in columns]
        shown.add_row(*cells)
    return shown


def by_judge(table: Table, width: int) -> list[Table]:
    """Split a table that is too wide into one for each judge.

    Only where each judge has several rows; the judge moves into the title.
    """
    if (
        table.columns[:1] != ("judge",)
        or _keys(table) < 2
        or _width(_sizes(table)) <= width
    ):
        return [table]
    judges = list(dict.fromkeys(row[0] for row in table.rows))
    tables: list[Table] = []
    for judge in judges:
        rows = tuple(row[1:] for row in table.rows if row[0] == judge)
        caption = table.caption if judge == judges[-1] else ""
        tables.append(
            Table(f"{table.title}: {judge}", table.columns[1:], rows, caption)
        )
    return tables


def fitting(table: Table, width: int) -> list[list[int]]:
    """Group a table's columns to fit a width; each group begins with the row names.

    >>> fitting(Table("t", ("name", "a", "b"), (("x" * 9, "1" * 9, "2" * 9),)), 24)
    [[0, 1], [0, 2]]
    """
    sizes, keys = _sizes(table), _keys(table)
    if _width(sizes) <= width or len(sizes) <= keys:
        return [list(range(len(sizes)))]
    width -= _EDGES
    # A name is broken only where it would leave no room for the widest number.
    names = sum(sizes[:keys]) + _GAP * (keys - 1)
    names = min(names, max(width // 2, width - _GAP - max(sizes[keys:])))
    groups: list[list[int]] = [list(range(keys))]
    used = names
    for column in range(keys, len(sizes)):
        if len(groups[-1]) > keys and used + _GAP + sizes[column] > width:
            groups.append(list(range(keys)))
            used = names
        groups[-1].append(column)
        used += _GAP + sizes[column]
    return groups


def _keys(table: Table) -> int:
    """Count the first columns that tell the rows apart; 1 where none do."""
    for count in range(1, len(table.columns)):
        keys = {row[:count] for row in table.rows}
        if len(keys) == len(table.rows):
            return count
    return 1


def _sizes(table: Table) -> list[int]:
    """Count the characters of the widest cell of each column."""
    sizes: list[int] = []
    for column, title in enumerate(table.columns):
        cells = [title, *(row[column] for row in table.rows)]
        sizes.append(max(len(str(cell)) for cell in cells))
    return sizes


def _width(sizes: list[int]) -> int:
    return sum(sizes) + _GAP * (len(sizes) - 1) + _EDGES


def print_report(
    report: AgreeReport | ScoreReport | RankReport,
    csv_folder: Path | None = None,
    full: bool = True,
) -> None:
    """Print findings and notes on stderr, answer and tables on stdout; write files.

    Args:
        csv_folder: of ``--csv``; ``--json`` has everything, too.
        full: print the tables and a verdict per dimension, too.
    """
    from trace_eval.decide.answers import answer_of, enough_of, raters_of
    from trace_eval.stats.agreement.checks import warning_line
    from trace_eval.stats.tables import tables_of

    warn_all(map(warning_line, report.warnings))
    for same in by_cause(report.notes):
        more = f" ({len(same)} of this kind)" if len(same) > 1 else ""
        messages().print(f"note{more}: {same[0]}", markup=False)
    sentences = answer_of(report)
    say_each(sentences)
    say_each(raters_of(report))
    say_each(enough_of(report))
    if full or not sentences:
        print_tables(tables_of(report), csv_folder)
        say_each(report.verdicts)
    give(report, sentences)
    give_figures(report, csv_folder)
