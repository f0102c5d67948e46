"""Checks of the files that a command will write, made before it begins to work.

The library refuses to replace what is not ours, but late: after hours of judging. And it does not
know what else the command line names: no input is ever an output, whatever links or names lie
between.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from blueprints import UserError
from trace_eval.commands.json_option import unwritten

#: Options of all commands that name what is written: a folder, or a file.
WRITTEN = {
    **{"out": "--out", "csv": "--csv", "csv_folder": "--csv", "export": "--export"},
    **{"label_studio": "--label-studio", "csv_file": "--csv", "html": "--html"},
    **{"junit": "--junit", "json_file": "--json", "batch_file": "--batch-file"},
    **{"save_policy": "--save-policy", "plot": "--plot", "latex": "--latex"},
}


def checked(command: Any) -> Any:
    """A command, or a group with its commands, that refuses outputs before it works."""
    for below in getattr(command, "commands", {}).values():
        checked(below)
    if not hasattr(command, "commands"):
        work = command.invoke

        def invoke(context: Any) -> Any:
            check(context.params | unwritten())
            return work(context)

        command.invoke = invoke
    return command


def check(values: Mapping[str, Any]) -> None:
    """Refuse outputs that are inputs, or files that the program did not write.

    Raises:
        UserError: names the first one.
    """
    from trace_eval.data.outputs import check_folder, check_output

    inputs = [path for name, v in values.items() if name not in WRITTEN for path in _paths(v)]
    for name in WRITTEN:
        value = values.get(name)
        if "-" in map(str, value if isinstance(value, list) else [value]):
            raise UserError(f"{WRITTEN[name]} -: no result goes to a stream; name a file")
        for path in _paths(values.get(name)):
            if path.is_dir():
                check_folder(path, None, f"{WRITTEN[name]} ")
            if not path.is_file():
                continue
            for read in inputs:
                with suppress(OSError):
                    if path.samefile(read):
                        raise UserError(f"{path}: is read by this call; name another file to write")
            check_output(path)


def _paths(value: Any) -> Iterator[Path]:
    """The paths that a value names: ``PATH``, ``NAME=PATH``, ``PATH:COLUMN``, or several."""
    if isinstance(value, list | tuple):
        for one in value:
            yield from _paths(one)
    elif isinstance(value, str | Path) and (text := str(value)):
        for part in dict.fromkeys((text, text.partition("=")[2], text.rpartition(":")[0])):
            with suppress(OSError, ValueError):
                if part and Path(part).exists():
                    yield Path(part)
