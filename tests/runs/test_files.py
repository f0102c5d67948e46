"""Files that we write: whole or absent, and open to those who may enter the folder."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

import pytest

from blueprints import UserError
from tests.support import reviewed as support
from tests.support.cli import ROOT
from tests.support.processes import python
from trace_eval.data.files import replace_file
from trace_eval.data.outputs import RECORD, claimed, write_file

_FULL = """
import resource, sys
from dataclasses import dataclass
from pathlib import Path
from blueprints import UserError
from trace_eval.show.records import write_csv, write_json
from trace_eval.decide.card_files import write_pages
from trace_eval.data.csv_cells import write_table
from trace_eval.report.write import write_report
from trace_eval.runs.exports import export_table
from trace_eval.data.fused_scores import FusionModel, Map

@dataclass
class Found:
    rows: tuple

folder, run, line = Path(sys.argv[1]), Path(sys.argv[2]), Map((0.0, 1.0), (0.0, 1.0))
model = FusionModel("correctness", (1.0, 2.0), (), line, 0.5)
resource.setrlimit(resource.RLIMIT_FSIZE, (60, 60))  # as a disk that is full after 60 bytes
for name, write in {
    "json": lambda: write_json(folder / "x.json", {"a": "b" * 100}),
    "table": lambda: write_table(folder / "x.csv", ["a"], [["b" * 100]]),
    "csv": lambda: write_csv(folder, Found(({"a": "b" * 100},))),
    "report": lambda: write_report(run, folder / "x.html"),
    "export": lambda: export_table(run, "csv", folder / "e.csv"),
    "parquet": lambda: export_table(run, "parquet", folder / "e.parquet"),
    "fused judge": lambda: model.save(folder),
    "card": lambda: write_pages([], folder),
}.items():
    try:
        write()
    except UserError as error:
        print(name, "|", error)
"""


def test_a_full_disk_leaves_every_output_as_it_was(tmp_path: Path) -> None:
    run = support.write_run(tmp_path / "run", support.pairs(tmp_path, 1))
    folder = tmp_path / "out"
    names = ("x.json", "x.csv", "rows.csv", "x.html", "e.csv", "e.parquet")
    with claimed(folder):
        for name in names:
            write_file(folder / name, "old\n")
    shown = dict(line.split(" | ") for line in python(_FULL, folder, run).splitlines())
    kinds = {
        "json",
        "table",
        "csv",
        "report",
        "export",
        "parquet",
        "fused judge",
        "card",
    }
    assert shown.keys() == kinds
    assert all("cannot be written (" in stated for stated in shown.values()), shown
    assert all("File too large" in stated for stated in shown.values()), shown
    assert all((folder / name).read_text() == "old\n" for name in names)
    assert not [path for path in folder.rglob("*") if path.suffix == ".part"]


def test_what_is_replaced(tmp_path: Path) -> None:
    """A link to an output stays a link, a mode stays a mode; a device is written to."""
    path, link = tmp_path / "x", tmp_path / "link"
    write_file(path, "old")
    path.chmod(0o640)
    link.symlink_to(path)
    write_file(link, "new")
    assert link.is_symlink()
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    replace_file(Path(os.devnull), "x")
    assert not Path(os.devnull).is_file()
    with pytest.raises(UserError, match="No space left"):
        replace_file(Path("/dev/full"), "x")
    with pytest.raises(UserError, match="cannot be written"):
        replace_file(tmp_path / "nowhere" / "x", "x")
    assert {p.name for p in tmp_path.iterdir()} == {"x", "link", RECORD}


def test_a_run_is_open_to_those_who_may_enter_its_folder(tmp_path: Path) -> None:
    old = os.umask(0o022)
    try:
        (tmp_path / "old").mkdir(mode=0o755)
        for name, folder_mode, file_mode in (
            ("new", 0o700, 0o600),
            ("old", 0o755, 0o644),
        ):
            run = support.write_run(tmp_path / name, support.pairs(tmp_path, 1))
            assert stat.S_IMODE(run.stat().st_mode) == folder_mode
            result = {stat.S_IMODE(path.stat().st_mode) for path in run.glob("*.json*")}
            assert result == {file_mode}
    finally:
        os.umask(old)


def test_outputs_are_written_in_one_place() -> None:
    """Where something else writes a file, it is a temporary one, a lock or a log."""
    others = {"files.py", "manifests.py", "ends.py", "driver.py", "folders.py"}
    others |= {"run.py", "cache.py", "audio.py"}
    for path in (ROOT / "trace_eval").rglob("*.py"):
        if path.name not in others and "scorer" not in path.parts:
            text = path.read_text()
            assert not re.search(
                r"\.write_(text|bytes)\(|(?<!part)\.open\(\"[wx]", text
            ), path
