"""Inputs that a fuzzer finds by the branches that they reach (atheris, libFuzzer).

    python -m benchmarks.drill.guided FOLDER CASES SEED [PARSER ...]

Each parser is fuzzed in a fork of one process that has imported everything, because
libFuzzer ends its process. Without atheris (the extra ``fuzz``) nothing is tried, and
said.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from benchmarks.drill.outcome import Outcome
from benchmarks.report import ROOT
from tests.support.forked import environment

#: Packages whose branches are watched.
WATCHED = ["blueprints", "fusion", "trace_eval"]

#: Longest time that one input may take, seconds; and a parser with all its cases.
HANG_S, PARSER_S = 10, 300

#: Not fuzzed here, for each input is read by native code that no branch is seen of.
NATIVE = (
    *(
        "recordings",
        "cache",
        "manifest.parquet",
        "speechjudge.parquet",
        "paths of recordings",
    ),
    *(
        "containers",
        "review database",
        "schema page of a review",
        "schema page of kept replies",
    ),
)


def drill(cases: int, seed: int, only: Sequence[str] = ()) -> Outcome:
    """So many inputs over all parsers, or over some."""
    outcome = Outcome("inputs found by a coverage-guided fuzzer")
    if find_spec("atheris") is None:
        outcome.notes["left out, for atheris is not installed"] = 1
        return outcome
    with tempfile.TemporaryDirectory() as name:
        line = [
            sys.executable,
            "-m",
            "benchmarks.drill.guided",
            name,
            str(cases),
            str(seed),
        ]
        done = subprocess.run(
            [*line, *only], cwd=ROOT, env=environment(), capture_output=True
        )
        ends = sorted(Path(name).glob("*.log"))
        outcome.check(
            done.returncode == 0 and len(ends) > 0, done.stderr.decode()[-400:]
        )
        for end in ends:
            _look(end, outcome)
        outcome.notes["parsers"] = len(ends)
    return outcome


def _look(end: Path, outcome: Outcome) -> None:
    """Read what libFuzzer said of one parser."""
    message = end.read_bytes().decode("utf-8", "replace")
    ran = re.search(r"Done (\d+) runs", message)
    outcome.cases += int(ran[1]) if ran else 0
    at = max(0, message.find("Uncaught Python exception"))
    outcome.check(ran is not None, f"{end.stem}: {message[at : at + 400]}")


def main() -> None:
    """Fuzz parsers one after the other; a log of each is left in the folder."""
    import atheris

    folder, cases, seed, *only = sys.argv[1:]
    with atheris.instrument_imports(include=WATCHED):
        from benchmarks.drill.readers import parsers
    results = {
        name: parser
        for name, parser in parsers(Path(folder)).items()
        if name not in NATIVE
    }
    chosen = {name: results[name] for name in only or results}
    total = sum(parser.weight for parser in chosen.values())
    for name, parser in chosen.items():
        corpus = Path(folder) / "corpus" / name.replace(" ", "-")
        corpus.mkdir(parents=True)
        for number, data in enumerate(parser.seeds):
            (corpus / str(number)).write_bytes(data)

        def one(data: bytes, parser=parser) -> None:  # type: ignore[no-untyped-def]
            with suppress(*parser.refusals):
                parser.read(data, Path(folder))

        runs = -(-int(cases) * parser.weight // total)
        options = [
            f"-runs={runs}",
            f"-seed={seed}",
            f"-timeout={HANG_S}",
            "-max_len=4096",
        ]
        options += [f"-artifact_prefix={folder}/", "-rss_limit_mb=0", str(corpus)]
        if (child := os.fork()) == 0:
            with (Path(folder) / f"{name}.log").open("wb") as log:
                os.dup2(log.fileno(), 2)
            signal.alarm(PARSER_S)
            atheris.Setup([sys.argv[0], *options], one)
            atheris.Fuzz()
            os._exit(0)
        os.waitpid(child, 0)


if __name__ == "__main__":
    main()
