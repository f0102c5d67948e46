"""A selection that dies by SIGKILL, again and again, ends as one that nobody touched."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

from extractors.registry import PROFILES
from tests.audio.cases import said
from tests.judges.servers import Answer, Asked, Server, completion
from tests.select.test_best import candidates
from tests.support.cli import ROOT

CANDIDATES = 7
IN_FLIGHT = 2

#: Calls after which the process is killed: in the bracket, at its end, among the last four.
KILLED_AT = (1, 7, 13)

#: Three matches lead from seven to four, who play six; each in both orders.
CALLS = 2 * (3 + 6)


class Judging:
    """Verdicts that follow from what is asked; kills the process that asks for one too many."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.calls = 0
        self.process: subprocess.Popen[str] | None = None
        self.kill_at: int | None = None

    def answer(self, asked: Asked) -> Answer:
        question = json.dumps(asked.body["messages"], sort_keys=True)
        self.asked[question] += 1
        self.calls += 1
        if self.calls == self.kill_at and self.process:
            os.kill(self.process.pid, signal.SIGKILL)
        first = hashlib.sha256(question.encode()).digest()[0] % 2 == 0
        return Answer(body=completion(said("1" if first else "2")))


def run(judging: Judging, url: str, items: Path, out: Path, kill_at: int | None) -> int:
    """One sitting as typed; returns its exit code."""
    off = [g for g in PROFILES["screen"] if g != "signal"]
    typed = [
        "best", items, "--judge", "audio:openai:m", "--base-url", f"{url}/v1", "--task", "quality",
        "--scheme", "knockout", "--signals", "none",
        "--concurrency", IN_FLIGHT, "--out", out, "--cache", out.parent / f"cache-{out.name}",
        *(part for g in off for part in ("-x", f"{g}=none")),
    ]  # fmt: skip
    judging.kill_at = kill_at
    judging.process = subprocess.Popen(
        [sys.executable, "-m", "trace_eval", *map(str, typed)],
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "OPENAI_API_KEY": "none"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    _, told = judging.process.communicate(timeout=300)
    code = judging.process.returncode
    assert code in (0, -signal.SIGKILL), told
    return code


def test_a_selection_killed_at_any_point_ends_as_an_uninterrupted_one(tmp_path: Path) -> None:
    items = candidates(tmp_path, *(0.1 + 0.1 * n for n in range(CANDIDATES)))
    whole = Judging()
    with Server(whole.answer) as server:
        assert run(whole, server.url, items, tmp_path / "whole", None) == 0
    assert whole.calls == CALLS
    assert set(whole.asked.values()) == {1}
    killed = Judging()
    with Server(killed.answer) as server:
        for number in KILLED_AT:
            code = run(killed, server.url, items, tmp_path / "killed", number)
            assert code == -signal.SIGKILL
        assert run(killed, server.url, items, tmp_path / "killed", None) == 0
    # the same questions, and only what was in flight at a kill was asked once more
    assert set(killed.asked) == set(whole.asked)
    again = sum(times - 1 for times in killed.asked.values())
    assert 0 < again <= IN_FLIGHT * len(KILLED_AT)
    for name in ("best.jsonl", "summary.json"):
        one, other = ((tmp_path / folder / name).read_bytes() for folder in ("whole", "killed"))
        assert one == other
    with contextlib.closing((tmp_path / "killed" / "best.jsonl").open()) as lines:
        (line,) = lines
    assert json.loads(line)["comparisons"] == CALLS // 2
