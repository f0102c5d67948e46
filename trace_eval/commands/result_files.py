"""A call's output files, ``--json``, ``--csv`` and others, checked before the work.

A command hands over its result by :func:`give`, and its report by :func:`give_figures`;
the JSON document is made from the result's own type, whose schema ``trace-eval schema``
prints.

Outputs are checked before the work, because the library refuses to replace what is not
ours after hours of judging, and does not know what else the command line names: no
input is ever an output, whatever links or names lie between.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Annotated, Any

import typer

from blueprints import UserError, require

#: Commands that have figures.
COMMANDS = ("ablate", "agree", "card", "compare", "gate", "rank", "turns")

#: Suffixes of pictures.
SUFFIXES = (".pdf", ".svg", ".png")

#: Options of all commands that name what is written: a folder, or a file.
WRITTEN = {
    "out": "--out",
    "csv": "--csv",
    "csv_folder": "--csv",
    "export": "--export",
    "label_studio": "--label-studio",
    "csv_file": "--csv",
    "html": "--html",
    "junit": "--junit",
    "json_file": "--json",
    "batch_file": "--batch-file",
    "save_policy": "--save-policy",
    "plot": "--plot",
    "latex": "--latex",
    "markdown": "--markdown",
}

#: Set by ``--quiet``: neither progress nor warnings nor notes are printed.
QUIET: ContextVar[bool] = ContextVar("quiet", default=False)

#: Name of a parameter -> files that it names, as they were typed, and that are not
#: written yet.
_UNWRITTEN: ContextVar[Mapping[str, list[str]]] = ContextVar("unwritten")


def unwritten() -> Mapping[str, list[str]]:
    """Name of a parameter -> files that it names and that are not written yet."""
    return _UNWRITTEN.get({})


def want(name: str, files: Iterable[object]) -> None:
    """Remember files that a call is to write."""
    _UNWRITTEN.set({**unwritten(), name: list(map(str, files))})


def take(name: str) -> list[str]:
    """Hand the files that a parameter names to their writer."""
    files = unwritten().get(name, [])
    want(name, ())
    return files


def _one_file(name: str, help_text: str, *flags: str) -> Any:
    """Describe the option of a file that :func:`take` hands over under this name."""
    return typer.Option(
        *flags,
        callback=lambda file: want(name, [file] if file else ()),
        expose_value=False,
        help=help_text,
    )


def json_options(
    json_file: Annotated[
        Path | None,
        _one_file(
            "json_file",
            (
                "Write the result to this JSON file; trace-eval schema COMMAND"
                " describes it."
            ),
            "--json",
        ),
    ] = None,
    quiet: Annotated[
        bool,
        typer.Option(
            "--quiet",
            callback=lambda on: QUIET.set(on),
            expose_value=False,
            help="Print results and errors alone, without progress and warnings.",
        ),
    ] = False,
) -> None:
    """Hold the options that are added to commands."""


def give(result: Any, sentences: Sequence[str] | None = None) -> None:
    """Write a command's result if ``--json`` was given.

    Args:
        result: a dataclass, a pydantic model, or a list or mapping of them.
        sentences: what it comes to in words; written first.

    Raises:
        UserError: the file cannot be written.
    """
    for file in take("json_file"):
        from trace_eval.decide.answers import answered
        from trace_eval.show.records import write_json

        write_json(
            Path(file), result if sentences is None else answered(result, sentences)
        )


def check_written() -> None:
    """Refuse ``--json``, ``--plot`` and the like for a call that has nothing to write.

    Raises:
        UserError: a requested file has not been written.
    """
    for name, files in unwritten().items():
        for file in files:
            option = f"--{name.partition('_')[0]}"
            raise UserError(
                f"{option} {file}: this call has nothing to write there; leave it out"
            )


def _plots(files: list[str] | None) -> None:
    for each in files or ():
        if _split(each)[1].suffix.lower() not in SUFFIXES:
            raise UserError(
                f"--plot {each}: name a file that ends in {', '.join(SUFFIXES)}"
            )
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
            help=(
                "Draw the figures (.pdf, .svg, .png); may be repeated, e.g."
                " confusion=FILE."
            ),
        ),
    ] = None,
    latex: Annotated[
        Path | None,
        _one_file(
            "latex", "Write the figures as tables of LaTeX (booktabs) to this file."
        ),
    ] = None,
    markdown: Annotated[
        Path | None,
        _one_file(
            "markdown",
            "Write the sentences and the tables as Markdown, e.g. for a summary of CI.",
        ),
    ] = None,
) -> None:
    """Hold the options that are added to commands."""


def _split(typed: str) -> tuple[str | None, Path]:
    """Split what was typed after ``--plot`` into (name of a picture, file)."""
    name, sign, file = typed.partition("=")
    return (name, Path(file)) if sign and name.isalpha() else (None, Path(typed))


def give_figures(report: Any, csv: Path | None = None, folder: Any = None) -> None:
    """Write the requested figures of a report.

    Args:
        report: of a command of :data:`COMMANDS`; of ``card``, its cards.
        csv: of ``--csv``: a file that ends in .csv holds a row per figure, a folder a
            file per list of records; None: neither.
        folder: the records of that folder; None: those of the report.

    Raises:
        UserError: a file cannot be written, or there is nothing to draw.
    """
    plots, latex, markdown, tidy = take("plot"), take("latex"), take("markdown"), None
    if csv and csv.suffix.lower() == ".csv" and not csv.is_dir():
        tidy = csv
    elif csv and isinstance(report, list):
        raise UserError(
            f"--csv {csv}: cards have no tables; name a file that ends in .csv"
        )
    elif csv:
        from trace_eval.show.records import write_csv

        write_csv(csv, report if folder is None else folder)
    if not (tidy or plots or latex or markdown):
        return
    from trace_eval.commands.work.figures import write_figures

    write_figures(
        report,
        tidy,
        latex=map(Path, latex),
        markdown=map(Path, markdown),
        pictures=map(_split, plots),
    )


def check_outputs(parameters: Mapping[str, Any]) -> None:
    """Refuse outputs that are inputs, or files that the program did not write.

    Raises:
        UserError: names the first one.
    """
    from trace_eval.data.outputs import check_folder, check_output

    values = {**parameters, **unwritten()}
    inputs: list[Path] = []
    for name, value in values.items():
        if name not in WRITTEN:
            inputs.extend(_paths(value))
    for name in WRITTEN:
        value = values.get(name)
        if "-" in map(str, value if isinstance(value, list) else [value]):
            raise UserError(
                f"{WRITTEN[name]} -: standard output is not supported; name a file"
            )
        for path in _paths(value):
            if path.is_dir():
                check_folder(path, None, f"{WRITTEN[name]} ")
            if path.is_file():
                _refuse_input(path, inputs)
                check_output(path)


def _refuse_input(output: Path, inputs: Iterable[Path]) -> None:
    """Refuse to write a file that the call reads, by whatever link or name."""
    for read in inputs:
        with suppress(OSError):
            if output.samefile(read):
                raise UserError(
                    f"{output}: is read by this call; name another file to write"
                )


def _paths(value: Any) -> Iterator[Path]:
    """Yield existing paths: ``PATH``, ``NAME=PATH``, ``PATH:COLUMN``, or several."""
    if isinstance(value, list | tuple):
        for one in value:
            yield from _paths(one)
    elif isinstance(value, str | Path) and (text := str(value)):
        for part in dict.fromkeys(
            (text, text.partition("=")[2], text.rpartition(":")[0])
        ):
            with suppress(OSError, ValueError):
                if part and Path(part).exists():
                    yield Path(part)
