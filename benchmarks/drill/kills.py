"""``kill -9`` at random moments: what is resumed must be what an uninterrupted run gives."""

from __future__ import annotations

import json
import random
import shutil
import tempfile
import threading
import time
from pathlib import Path

from benchmarks.drill.commands import command, make_pairs, run
from benchmarks.drill.outcome import Outcome
from tests.judges.cases import verdict
from tests.judges.servers import Answer, Asked, Server, completion

#: Pairs of a run, and its workers.
PAIRS, WORKERS = 12, 2

#: Calls of a run that may be in flight at a kill.
IN_FLIGHT = 4


def drill(kills: int, seed: int) -> Outcome:
    """Kill and resume so often, over extract, judge, rate and report in turn."""
    outcome = Outcome("kill -9 at random moments, resumed")
    source = random.Random(seed)
    started = time.monotonic()
    answers = _Answers(random.Random(seed + 1))
    with tempfile.TemporaryDirectory() as name, Server(answers) as server:
        folder = Path(name)
        lines = _lines(make_pairs(folder / "in", PAIRS, seed), server.url)
        whole = {kind: _whole(folder, kind, lines, answers) for kind in lines}
        for number in range(kills):
            kind = list(lines)[number % len(lines)]
            out = folder / f"{kind}-{number}"
            cache = folder / f"cache-{number}"
            expected, calls, seconds = whole[kind]
            if kind == "report":
                shutil.copytree(folder / "judge-whole", out)
            before = answers.paid
            killed = 0
            while killed < 3:  # a run may be killed again while it resumes
                done = run(
                    [*lines[kind], *_where(kind, out, cache)],
                    folder,
                    source.uniform(0.3, max(0.5, seconds)),
                )
                if done.code >= 0:
                    break
                killed += 1
            outcome.cases += killed
            done = run([*lines[kind], *_where(kind, out, cache)], folder)
            outcome.check(done.clean, f"{kind} {number}: code {done.code}: {done.err[-300:]}")
            found = _result(kind, out)
            outcome.check(found == expected, f"{kind} {number}: the result is another one")
            twice = answers.paid - before - calls
            outcome.check(
                twice <= IN_FLIGHT * killed,
                f"{kind} {number}: {twice} calls were paid twice in {killed} kills",
            )
            outcome.notes["paid twice"] = outcome.notes.get("paid twice", 0) + max(0, twice)
            shutil.rmtree(cache, ignore_errors=True)
            shutil.rmtree(out, ignore_errors=True)
    outcome.seconds = time.monotonic() - started
    return outcome


class _Answers:
    """Fails now and then with what is tried again; counts what would be paid for."""

    def __init__(self, source: random.Random) -> None:
        self.paid = 0
        self._source = source
        self._lock = threading.Lock()
        self._good = completion(json.dumps(verdict()))

    def __call__(self, _: Asked) -> Answer:
        with self._lock:
            if self._source.random() < 0.1:
                return Answer(503, {}, {"retry-after": "0"})
            self.paid += 1
        return Answer(body=self._good, sleep=0.05)


def _lines(pairs: Path, url: str) -> dict[str, list[str]]:
    judge = ("--judge", "openai:tiny", "--base-url", f"{url}/v1", "--swap", "off")
    chat = (*judge, "--concurrency", IN_FLIGHT, "--retries", 20)
    workers = ("--workers", WORKERS)
    return {
        "judge": command("judge", pairs, *chat, *workers, "--drop", "transcript"),
        "extract": command("extract", pairs, *workers),
        "rate": command("rate", pairs.with_name("singles.jsonl"), *workers),
        "report": command("report"),
    }


def _where(kind: str, out: Path, cache: Path) -> list[str]:
    return [str(out)] if kind == "report" else ["--out", str(out), "--cache", str(cache)]


def _whole(
    folder: Path, kind: str, lines: dict[str, list[str]], answers: _Answers
) -> tuple[object, int, float]:
    """(result, calls that were paid, seconds) of the uninterrupted command."""
    out = folder / ("judge-whole" if kind == "report" else f"{kind}-whole")
    before, started = answers.paid, time.monotonic()
    done = run([*lines[kind], *_where(kind, out, folder / f"cache-{kind}")], folder)
    assert done.clean, done.err
    return _result(kind, out), answers.paid - before, time.monotonic() - started


def _result(kind: str, out: Path) -> object:
    if kind == "extract":
        lines = (out / "blueprints.jsonl").read_text().splitlines()
        return sorted(lines)
    if kind == "report":
        page = (out / "report.html").read_text()
        return page.endswith("</html>\n") or page.rstrip().endswith("</html>")
    return next(path.read_bytes() for path in sorted(out.glob("*.csv")))
