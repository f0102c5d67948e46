"""Full disks, damaged caches, little memory, odd names: a clear end each time.

A command may fail in such surroundings, with one line and a code of ours; nothing
finished may be lost, and the same command must give the whole result where all is well
again.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

from benchmarks.drill.commands import Done, make_pairs, run
from benchmarks.drill.outcome import Outcome
from benchmarks.report import ROOT, command

PAIRS = 4

#: Address space of a command with little memory, bytes.
MEMORY = 2 << 30

ONE_THREAD = ("OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1")


def drill(
    seed: int, names: frozenset[str] | None = None, count: int = PAIRS
) -> Outcome:
    """Judge some pairs in each of the surroundings, then again in good ones.

    ``names`` selects among the surroundings; without it all are tried.
    """
    outcome = Outcome("surroundings that break things")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)  # one case runs as another user
        pairs = make_pairs(folder / "in", count, seed)
        done = run(_judge(pairs, folder), folder)
        assert done.clean, done.err
        expected = (folder / "out" / "results.csv").read_bytes()
        for title, surround in SURROUNDINGS.items():
            if names is not None and title not in names:
                continue
            work = folder / title.replace(" ", "-")
            work.mkdir()
            done = surround(pairs, work)
            if done is None:
                outcome.notes[f"not possible here: {title}"] = 1
                continue
            outcome.cases += 1
            outcome.check(done.clean, f"{title}: code {done.code}: {done.err[-400:]}")
            done = run(_judge(pairs, work), folder)
            outcome.check(
                done.clean, f"{title}, again: code {done.code}: {done.err[-400:]}"
            )
            result = work / "out" / "results.csv"
            same = result.is_file() and result.read_bytes() == expected
            outcome.check(same, f"{title}: the result is another one")
            shutil.rmtree(work)
    return outcome


def _judge(pairs: Path, work: Path, name: str = "out") -> list[str]:
    places = ("--out", work / name, "--cache", work / "cache")
    return command("judge", pairs, *places, "--workers", 2)


#: What is tried with a manifest in a folder; None where this machine cannot.
Surround = Callable[[Path, Path], Done | None]


def _mounted(options: str) -> Surround:
    """On a file system of its own, where the kernel lets this user mount one."""

    def surround(pairs: Path, work: Path) -> Done | None:
        disk = work / "disk"
        disk.mkdir()
        mount, line = (
            f"mount -t tmpfs -o {options} tmpfs {disk}",
            " ".join(_judge(pairs, disk)),
        )
        if subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode:
            return None
        return run(["unshare", "-rm", "sh", "-c", f"{mount} && exec {line}"], work)

    return surround


def _bad_cache(damage: Callable[[Path], None]) -> Surround:
    def surround(pairs: Path, work: Path) -> Done:
        run(_judge(pairs, work, "first"), work)
        damage(work / "cache")
        return run(_judge(pairs, work), work)

    return surround


def _cut_values(cache: Path) -> None:
    with closing(sqlite3.connect(cache / "groups.sqlite")) as database, database:
        database.execute("UPDATE groups SET value = substr(value, 1, 200)")


def _overwritten(cache: Path) -> None:
    path = cache / "groups.sqlite"
    data = bytearray(path.read_bytes())
    data[4096:] = os.urandom(max(0, len(data) - 4096))
    path.write_bytes(data)


def _no_database(cache: Path) -> None:
    (cache / "groups.sqlite").write_bytes(b"hello" * 1000)


def _two_at_once(pairs: Path, work: Path) -> Done:
    """Two runs over one cache, and two commands over one run folder."""
    lines = [_judge(pairs, work, name) for name in ("out", "other", "out")]
    with ThreadPoolExecutor(len(lines)) as pool:
        results = list(pool.map(lambda line: run(line, work), lines))
    return next((done for done in results if not done.clean), results[0])


def _variables(**variables: str) -> Surround:
    return lambda pairs, work: run(_judge(pairs, work), work, variables=variables)


def _moved(name: bytes) -> Surround:
    """Judge in a folder of this name, refused in one line if not UTF-8."""

    def surround(pairs: Path, work: Path) -> Done:
        odd = work / os.fsdecode(name)
        shutil.copytree(pairs.parent, odd)
        return run(_judge(odd / pairs.name, odd), work)

    return surround


def _shell(ending: str, *before: str) -> Surround:
    """Its streams as a shell leaves them, below another command."""

    def surround(pairs: Path, work: Path) -> Done:
        line = " ".join(_judge(pairs, work))
        return run([*before, "bash", "-c", f"{line} {ending}"], work)

    return surround


def _foreign(pairs: Path, work: Path) -> Done | None:
    """Judge in a folder in which this user may read only."""
    if os.geteuid() != 0:
        return None
    shutil.copytree(pairs.parent, work / "theirs")
    line = _judge(pairs, work / "theirs", "run")
    user = ["env", "HOME=/", "setpriv", "--reuid=65534", "--clear-groups"]
    return run([*user, *line], Path("/"))


#: Calls the library in a process that was started by a method of the user's.
_CHILD = """
import multiprocessing, sys
from pathlib import Path
from trace_eval import ExtractOptions, Options, judge_manifest
from trace_eval.data.manifests import read_manifest

def work(pairs, out, cache):
    options = Options(extract=ExtractOptions(workers=2, cache=cache))
    judge_manifest(read_manifest(pairs), out, options)

if __name__ == "__main__":
    method, *paths = sys.argv[1:]
    multiprocessing.set_start_method(method)
    process = multiprocessing.Process(target=work, args=tuple(map(Path, paths)))
    process.start()
    process.join()
    raise SystemExit(process.exitcode)
"""


def _started(method: str) -> Surround:
    def surround(pairs: Path, work: Path) -> Done:
        script = work / "script.py"
        script.write_text(_CHILD)
        paths = map(str, (pairs, work / "out", work / "cache"))
        return run([sys.executable, str(script), method, *paths], work)

    return surround


#: Python's clock in every process: ten years on, and 20 years earlier after 3 s.
#: (libfaketime 0.9.10 cannot leave the monotonic clock alone: time.sleep then ends with
#: EINVAL.)
_CLOCK = """
import time
from pathlib import Path
_time, _began = time.time, Path(__file__).stat().st_mtime
_shift = 10 * 365 * 86400
time.time = lambda: _time() + (_shift if _time() - _began < 3 else -_shift)
time.time_ns = lambda: int(time.time() * 1e9)
"""


def _clock_back(pairs: Path, work: Path) -> Done:
    (work / "sitecustomize.py").write_text(_CLOCK)
    path = f"{work}{os.pathsep}{ROOT}"
    return run(_judge(pairs, work), work, variables={"PYTHONPATH": path})


SURROUNDINGS: dict[str, Surround] = {
    "2 GB of address space": _shell(
        "", "env", *ONE_THREAD, "prlimit", f"--as={MEMORY}"
    ),
    "files of 20 kB at most": _shell(
        "", "env", *ONE_THREAD, "prlimit", "--fsize=20000"
    ),
    "a disk of 300 kB": _mounted("size=300k"),
    "a read-only disk": _mounted("ro"),
    "a folder of another user": _foreign,
    "a clock that goes back": _clock_back,
    "called in a forked process": _started("fork"),
    "called in a spawned process": _started("spawn"),
    # As a service starts it: a session of its own, no input at all, no TERM.
    "no terminal": _shell("<&-", "env", "-u", "TERM", "-u", "COLUMNS", "setsid"),
    "cache entries cut": _bad_cache(_cut_values),
    "cache pages overwritten": _bad_cache(_overwritten),
    "cache no database": _bad_cache(_no_database),
    "two runs at once": _two_at_once,
    "LANG=C": _variables(LANG="C", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0"),
    "an ASCII terminal": _variables(PYTHONIOENCODING="ascii"),
    "no home": _variables(HOME="/nonexistent", XDG_CACHE_HOME="/nonexistent"),
    "odd folder names": _moved("a b'c\"d$(x);é\n-日本".encode()),
    "names that are not UTF-8": _moved(b"o\xff"),
    "closed output": _shell(">&- 2>&-"),
    "a reader that leaves": _shell("| head -c 1 >/dev/null; exit ${PIPESTATUS[0]}"),
}
