"""What :mod:`benchmarks.languages` asks of the weights: their hashes, damage, joining, absence."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import distribution
from pathlib import Path
from unittest.mock import patch

from benchmarks.languages_tables import Row, share
from extractors import default_asr, packaged
from extractors.folders import CACHE_VARIABLE
from extractors.models import file_sha256

#: As published, of the model in two packages.
PUBLISHED = packaged.SOURCES[packaged.MULTILINGUAL][0]

#: So many processes join the parts at once.
PROCESSES = 8

_JOIN = "from extractors import packaged; print(packaged.folder_of(packaged.MULTILINGUAL))"


def weights() -> Iterator[Row]:
    """Rows (what, goal, measured, whether it holds)."""
    folder = packaged.folder_of(packaged.MULTILINGUAL)
    right = [
        file
        for file, wanted in PUBLISHED.hashes.items()
        if folder and (folder / file).is_file() and file_sha256(folder / file) == wanted
    ]
    yield _row("weights of base: hashes", "4 of 4", share(len(right), 4), len(right) == 4)
    if not all(_installed(package) for package in PUBLISHED.packages):
        yield "weights of base: damage, joining", "", "not measured: other packages", "unknown"
        return
    files = [(p, file) for p in PUBLISHED.packages for file in p.files]
    refused = sum(
        _refused(package, file, missing=missing)
        for package, file in files
        for missing in (False, True)
    )
    told = f"{share(refused, 2 * len(files))} by name"
    goal = "a flipped byte or a missing file is refused"
    yield _row("weights of base: damage", goal, told, refused == 2 * len(files))
    places, made = _joined_at_once()
    told = f"{places} place{'s' * (places != 1)}, {made} folder{'s' * (made != 1)}"
    goal = f"joined once by {PROCESSES} processes"
    yield _row("weights of base: joining", goal, told, (places, made) == (1, 1))
    line = _without()
    yield _row("without the extra base", "one line says what is missing", line, "[base]" in line)


def _row(what: str, goal: str, told: str, holds: bool) -> Row:
    return what, goal, told, "yes" if holds else "NO"


def _installed(package: packaged.Package) -> bool:
    try:
        return distribution(package.name).version == package.version
    except ImportError:
        return False


@contextmanager
def _damaged(package: packaged.Package, file: str, *, missing: bool) -> Iterator[None]:
    """The package with a byte flipped in a file, or without it, and nothing joined yet."""
    with tempfile.TemporaryDirectory() as folder:
        found = distribution(package.name)
        installed = Path(str(found.locate_file("")))
        data = Path(folder) / package.folder
        data.mkdir(parents=True)
        for name in package.files:
            source = installed / package.folder / name
            if name != file:
                (data / name).symlink_to(source)
            elif not missing:
                shutil.copyfile(source, data / name)
                with (data / name).open("r+b") as copy:
                    copy.seek(source.stat().st_size // 2)
                    byte = copy.read(1)[0]
                    copy.seek(-1, os.SEEK_CUR)
                    copy.write(bytes([byte ^ 1]))
        for info in installed.glob(f"{package.name.replace('-', '_')}-*.dist-info"):
            (Path(folder) / info.name).symlink_to(info)
        with (
            patch.object(sys, "path", [folder, *sys.path]),
            patch.dict(os.environ, {CACHE_VARIABLE: f"{folder}/cache"}),
        ):
            yield


def _refused(package: packaged.Package, file: str, *, missing: bool) -> bool:
    with _damaged(package, file, missing=missing):
        told = packaged.problem(packaged.MULTILINGUAL) or ""
    return package.name in told and file in told


def _joined_at_once() -> tuple[int, int]:
    """Places that the processes name, and folders that are there."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, CACHE_VARIABLE: cache}
        started = [
            subprocess.Popen([sys.executable, "-c", _JOIN], env=environment, stdout=subprocess.PIPE)
            for _ in range(PROCESSES)
        ]
        places = {one.communicate()[0] for one in started}
        return len(places), len(list(Path(cache, "weights").iterdir()))


def _without() -> str:
    """What the default says of itself where nothing brings base."""
    absent = packaged.Package("not-" + PUBLISHED.packages[0].name, "0", "", {})
    sources = {**packaged.SOURCES, packaged.MULTILINGUAL: (PUBLISHED._replace(packages=(absent,)),)}
    with (
        patch.object(packaged, "SOURCES", sources),
        patch("extractors.faster_whisper.model_folder", lambda *_: None),
    ):
        return default_asr.choose().why.rpartition("; ")[2]
