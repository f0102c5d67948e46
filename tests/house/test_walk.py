"""A label's walk: stays, files and returns of what a call enters."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

from benchmarks.house.walk import Walk, walk


def module_at(path: Path, text: str) -> ModuleType:
    """Import a file that is written now."""
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_walk_has_a_stay_for_each_change_of_file(tmp_path: Path) -> None:
    cells = module_at(
        tmp_path / "cells.py", "def cell():\n    pass\ndef code():\n    pass\n"
    )
    table = module_at(
        tmp_path / "table.py",
        "def read(cells):\n    cells.cell()\n    rest()\n    cells.cell()\n"
        "    cells.code()\n    value()\n    rest()\n"
        "def rest():\n    pass\ndef value():\n    pass\n",
    )
    walked = walk(lambda: table.read(cells), tmp_path, until=table.value)
    # the second calls of cell and rest are known by then, and value is the end
    assert walked.stays == ("table.py", "cells.py", "table.py", "cells.py")
    assert (walked.files, walked.returns) == (2, 2)


def test_a_walk_within_one_file_never_returns() -> None:
    walked = Walk(("labels.py",))
    assert (walked.files, walked.returns) == (1, 0)
