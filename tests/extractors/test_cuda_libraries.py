"""Libraries in wheels are found by name by whoever looks for them later."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from extractors import cuda_libraries
from extractors.cuda_libraries import FOLDER, LIBRARIES
from tests.support.processes import python

CODE = """
import ctypes, sys
sys.path.insert(0, {site!r})
from extractors.cuda_libraries import preload
def known():
    try:
        return bool(ctypes.CDLL("libcublas.so.12"))
    except OSError:
        return False
before = known()
print(before, [path.name for path in preload()], known())
"""


def test_a_library_of_a_wheel_is_found_by_its_name(tmp_path: Path) -> None:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler builds the stand-ins for CUDA's libraries")
    folder = tmp_path / "nvidia" / FOLDER
    folder.mkdir(parents=True)
    for name in LIBRARIES:
        line = [compiler, "-shared", "-x", "c", os.devnull, f"-Wl,-soname,{name}"]
        subprocess.run([*line, "-o", folder / name], check=True)
    told = python(CODE.format(site=str(tmp_path)))
    assert told == f"False {list(LIBRARIES)} True\n"


def test_without_wheels_nothing_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda_libraries, "find_spec", lambda _: None)
    assert cuda_libraries.preload() == []
