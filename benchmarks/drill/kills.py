"""``kill -9`` at random moments: a resumed run must equal an uninterrupted one."""

from __future__ import annotations

import json
import random
import shutil
import tempfile
import threading
import time
from pathlib import Path
from typing import NamedTuple

from benchmarks.drill.commands import make_pairs, run
from benchmarks.drill.outcome import Outcome
from benchmarks.drill.reviews import Reviews
from benchmarks.report import command, timed
from tests.support.cases import verdict
from tests.support.servers import Answer, Asked, Server, completion

#: Pairs of a run, and its workers.
PAIRS, WORKERS = 8, 2

#: Calls of a run that may be in flight at a kill.
IN_FLIGHT = 4

#: Commands that are killed in turn; the review is in its own module.
COMMANDS = ("judge", "extract", "rate", "report")
KINDS = (*COMMANDS, "review")

#: Times that a round is begun when its command ends before the kill.
TRIES = 5

#: Share of the resumed commands that are killed again.
AGAIN = 0.2


def drill(kills: int, seed: int, kinds: tuple[str, ...] = KINDS) -> Outcome:
    """So many rounds of killing and resuming, over the kinds in turn."""
    outcome = Outcome("kill -9 at random moments, resumed")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pairs = make_pairs(folder / "in", PAIRS, seed)
        whole = {kind: _whole(kind, folder, pairs) for kind in COMMANDS}
        reviews = Reviews(folder, folder / "judge-whole") if "review" in kinds else None
        for number in range(kills):
            kind = kinds[number % len(kinds)]
            source = random.Random(f"{seed} {number}")
            for _ in range(TRIES):
                if kind == "review" and reviews is not None:
                    killed = reviews.round(number, source, outcome)
                else:
                    killed = _round(
                        kind, number, folder, pairs, whole[kind], source, outcome
                    )
                if killed:
                    break
            outcome.check(
                killed > 0, f"{kind} {number}: ended before each of {TRIES} kills"
            )
            outcome.cases += killed
            outcome.note(kind, killed)
    return outcome


class _Whole(NamedTuple):
    """An uninterrupted command: its result, the calls it paid, and its time."""

    result: object
    calls: int
    seconds: float


_TRIED_AGAIN = (
    Answer(503, {}, {"retry-after": "0"}),
    Answer(429, {"error": {"message": "slow down"}}, {"retry-after": "0"}),
    Answer(500, b"<html>"),
)


class _Answers:
    """Fails now and then with what is tried again; counts what would be paid for."""

    def __init__(self, source: random.Random) -> None:
        self.paid = 0
        self._source = source
        self._lock = threading.Lock()
        self._good = completion(json.dumps(verdict()))

    def __call__(self, _: Asked) -> Answer:
        with self._lock:
            if self._source.random() < 0.2:
                return self._source.choice(_TRIED_AGAIN)
            self.paid += 1
        return Answer(body=self._good, sleep=0.05)


def _round(
    kind: str,
    number: int,
    folder: Path,
    pairs: Path,
    whole: _Whole,
    source: random.Random,
    outcome: Outcome,
) -> int:
    """Kill a command, resume it, check its end, and return the kills.

    Sometimes it is killed again while it resumes.
    """
    out, cache = folder / f"{kind}-{number}", folder / f"cache-{number}"
    if kind == "report":
        shutil.copytree(folder / "judge-whole", out)
    killed = 0
    answers = _Answers(random.Random(source.random()))
    with Server(answers) as server:
        line = _line(kind, pairs, server.url, out, cache)
        while killed == 0 or (killed == 1 and source.random() < AGAIN):
            if run(line, folder, source.uniform(0.1, 0.9) * whole.seconds).code >= 0:
                break
            killed += 1
        done = run(line, folder)
        paid = answers.paid
    outcome.check(done.clean, f"{kind} {number}: code {done.code}: {done.err[-300:]}")
    same = done.clean and _result(kind, out) == whole.result
    outcome.check(same, f"{kind} {number}: the result is another one")
    twice = max(0, paid - whole.calls)
    message = f"{kind} {number}: {twice} calls were paid twice in {killed} kills"
    outcome.check(twice <= IN_FLIGHT * killed, message)
    outcome.note("paid twice", twice)
    for left in (cache, out):
        shutil.rmtree(left, ignore_errors=True)
    return killed


def _line(kind: str, pairs: Path, url: str, out: Path, cache: Path) -> list[str]:
    if kind == "report":
        return command("report", out)
    where = ("--out", out, "--cache", cache, "--workers", WORKERS)
    if kind == "judge":
        judge = ("--judge", "openai:tiny", "--base-url", f"{url}/v1", "-J", "swap=off")
        calls = (
            "-J",
            f"concurrency={IN_FLIGHT}",
            "-J",
            "retries=20",
            "-J",
            "drop=transcript",
        )
        return command("judge", pairs, *judge, *calls, *where)
    if kind == "rate":
        return command("rate", pairs.with_name("singles.jsonl"), *where)
    return command("extract", pairs, *where)


def _whole(kind: str, folder: Path, pairs: Path) -> _Whole:
    out = folder / ("judge-whole" if kind == "report" else f"{kind}-whole")
    answers = _Answers(random.Random(0))
    with Server(answers) as server:
        line = _line(kind, pairs, server.url, out, folder / f"cache-{kind}")
        done, seconds = timed(lambda: run(line, folder), time.monotonic)
    assert done.clean, done.err
    return _Whole(_result(kind, out), answers.paid, seconds)


def _result(kind: str, out: Path) -> object:
    if kind == "extract":
        return sorted((out / "blueprints.jsonl").read_text().splitlines())
    if kind == "report":
        return (out / "report.html").read_text().rstrip().endswith("</html>")
    return next(path.read_bytes() for path in sorted(out.glob("*.csv")))
