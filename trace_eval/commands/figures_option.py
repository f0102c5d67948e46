"""``--plot FILE`` and ``--latex FILE`` of commands whose result is figures, and their ``--csv``.

The two options are added to each of :data:`COMMANDS` as ``--json`` is, and the command hands over
its report by :func:`give_figures`.
"""

from __future__ import annotations

from contextvars import ContextVar
from pathlib import Path
from typing import Annotated, Any

import typer

from blueprints import UserError, require

#: Commands that have figures.
COMMANDS = ("agree", "card", "compare", "rank", "turns")

#: Suffixes of pictures.
SUFFIXES = (".pdf", ".svg", ".png")

#: Files that are to be written yet: option -> files as they were typed.
_WANTED: ContextVar[dict[str, tuple[str, ...]]] = ContextVar("wanted_figures")


def _plots(files: list[str] | None) -> None:
    for each in files or ():
        if split(each)[1].suffix.lower() not in SUFFIXES:
            raise UserError(f"--plot {each}: name a file that ends in {', '.join(SUFFIXES)}")
    if files:  # before the work, not after it
        require("matplotlib", "matplotlib", "plot", "--plot")
    _WANTED.set({**_WANTED.get({}), "--plot": tuple(files or ())})


def _latex(file: Path | None) -> None:
    _WANTED.set({**_WANTED.get({}), "--latex": (str(file),) if file else ()})


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
            callback=_latex,
            expose_value=False,
            help="Write the figures as tables of LaTeX (booktabs) to this file.",
        ),
    ] = None,
) -> None:
    """The options alone; they are added to commands."""


def split(typed: str) -> tuple[str | None, Path]:
    """(name of a picture, file) of what was typed after ``--plot``."""
    name, sign, file = typed.partition("=")
    return (name, Path(file)) if sign and name.isalpha() else (None, Path(typed))


def figure_files() -> dict[str, list[Path]]:
    """Name of an option -> files that are to be written yet."""
    return {
        option.removeprefix("--"): [
            split(each)[1] if option == "--plot" else Path(each) for each in files
        ]
        for option, files in _WANTED.get({}).items()
    }


def check_figures() -> None:
    """Refuse ``--plot`` and ``--latex`` where a call came to no figures.

    Raises:
        UserError: a file was asked for and has not been written.
    """
    for option, files in _WANTED.get({}).items():
        for file in files:
            raise UserError(f"{option} {file}: this call has no figures to write; leave it out")


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
    wanted, tidy = _WANTED.get({}), None
    if csv and csv.suffix.lower() == ".csv" and not csv.is_dir():
        tidy = csv
    elif csv and isinstance(report, list):
        raise UserError(f"--csv {csv}: cards have no tables; name a file that ends in .csv")
    elif csv:
        from trace_eval.show.records import write_csv

        write_csv(csv, report if folder is None else folder)
    if tidy or any(wanted.values()):
        _write(report, wanted, tidy)
    _WANTED.set({})


def _write(report: Any, wanted: dict[str, tuple[str, ...]], tidy: Path | None) -> None:
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
    for each in wanted.get("--latex", ()):
        write_file(Path(each), document(rows_of(finding), str(finding)))
    for each in wanted.get("--plot", ()):
        name, file = split(each)
        save(picture_of(finding, name), file)
