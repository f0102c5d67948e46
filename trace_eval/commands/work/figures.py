"""The figures of a report as files: rows of CSV, LaTeX, Markdown, pictures."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from trace_eval.api.pictures import finding_of, picture_of, rows_of
from trace_eval.data.csv_cells import write_table
from trace_eval.data.outputs import write_file
from trace_eval.show import latex as in_latex
from trace_eval.show import markdown as in_markdown
from trace_eval.show.draw import save
from trace_eval.show.table import TableNumber


def write_figures(
    report: Any,
    tidy: Path | None,
    *,
    latex: Iterable[Path],
    markdown: Iterable[Path],
    pictures: Iterable[tuple[str | None, Path]],
) -> None:
    """Write the figures of a report to the files that were named.

    Args:
        report: of a command that has figures; of ``card``, its cards.
        tidy: CSV file of a row per figure.
        pictures: name of each picture and its file; None: the report's only one.

    Raises:
        UserError: a file cannot be written, or there is nothing to draw.
    """
    finding = finding_of(report)
    if tidy:
        rows = ((title, *one) for title, figures in rows_of(finding) for one in figures)
        write_table(tidy, ("table", *TableNumber._fields), rows)
    for file in latex:
        write_file(file, in_latex.document(finding.tables, str(finding)))
    warnings = [f"warning: {text}" for text in finding.warnings]
    sentences = list(finding.sentences) + warnings
    for file in markdown:
        text = in_markdown.document(finding.title, sentences, finding.tables)
        write_file(file, text)
    for name, file in pictures:
        save(picture_of(finding, name), file)
