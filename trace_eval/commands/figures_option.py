"""``--plot FILE`` and ``--latex FILE`` of commands whose result is figures, and their ``--csv``.

The two options are added to each of :data:`COMMANDS` as ``--json`` is, and the command hands over
its report by :func:`give_figures`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from blueprints import UserError, require
from trace_eval.commands.json_option import take, want

#: Commands that have figures.
COMMANDS = ("agree", "card", "compare", "rank", "turns")

#: Suffixes of pictures.
SUFFIXES = (".pdf", ".svg", ".png")


def _plots(files: list[str] | None) -> None:
    for each in files or ():
        if _split(each)[1].suffix.lower() not in SUFFIXES:
            raise UserError(f"--plot {each}: name a file that ends in {', '.join(SUFFIXES)}")
    if files:  # before the work, not after it
        require("matplotlib", "matplotlib", "plot", "--plot")
    want("plot", files or ())


def figure_options(
    plot: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[PICTURE=]FILE",
            callback=_plots,
            expose_value=False,
            help="Draw the figures (.pdf, .svg, .png); may be repeated, e.g. confusion=FILE.",
        ),
    ] = None,
    latex: Annotated[
        Path | None,
        typer.Option(
            callback=lambda file: want("latex", [file] if file else ()),
            expose_value=False,
            help="Write the figures as tables of LaTeX (booktabs) to this file.",
        ),
    ] = None,
) -> None:
    """The options alone; they are added to commands."""


def _split(typed: str) -> tuple[str | None, Path]:
    """(name of a picture, file) of what was typed after ``--plot``."""
    name, sign, file = typed.partition("=")
    return (name, Path(file)) if sign and name.isalpha() else (None, Path(typed))


def give_figures(report: Any, csv: Path | None = None, folder: Any = None) -> None:
    """Write the requested figures of a report.

    Args:
        report: of a command of :data:`COMMANDS`; of ``card``, its cards.
        csv: of ``--csv``: a file that ends in .csv holds a row per figure, a folder a file per
            list of records; None: neither.
        folder: the records of that folder; None: those of the report.

    Raises:
        UserError: a file cannot be written, or there is nothing to draw.
    """
    plots, latex, tidy = take("plot"), take("latex"), None
    if csv and csv.suffix.lower() == ".csv" and not csv.is_dir():
        tidy = csv
    elif csv and isinstance(report, list):
        raise UserError(f"--csv {csv}: cards have no tables; name a file that ends in .csv")
    elif csv:
        from trace_eval.show.records import write_csv

        write_csv(csv, report if folder is None else folder)
    if not (tidy or plots or latex):
        return
    from trace_eval.api.pictures import finding_of, picture_of, rows_of
    from trace_eval.data.csv_cells import write_table
    from trace_eval.data.outputs import write_file
    from trace_eval.show.draw import save
    from trace_eval.show.latex import document
    from trace_eval.show.table import Figure

    finding = finding_of(report)
    if tidy:
        rows = ((title, *one) for title, figures in rows_of(finding) for one in figures)
        write_table(tidy, ("table", *Figure._fields), rows)
    for each in latex:
        write_file(Path(each), document(finding.tables, str(finding)))
    for each in plots:
        name, file = _split(each)
        save(picture_of(finding, name), file)
