"""Runs that die by SIGKILL in the midst of their calls, as typed, against a server of ours."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable

from extractors.registry import PROFILES
from tests.support.cli import ROOT
from tests.support.servers import Answer, Asked, completion

#: Nothing but identity and level is measured: judges that listen need no more.
NO_EXTRACTORS = [
    part for group in PROFILES["screen"] if group != "signal" for part in ("-x", f"{group}=none")
]


class Killer:
    """A server's answers, which follow from what is asked; it kills who asks one call too many.

    Attributes:
        asked: how often each question came.
        calls: how many came in all.
    """

    def __init__(self, reply: Callable[[bool], str]) -> None:
        self.asked: Counter[str] = Counter()
        self.calls = 0
        self._reply = reply
        self._process: subprocess.Popen[str] | None = None
        self._kill_at: int | None = None

    def answer(self, asked: Asked) -> Answer:
        question = json.dumps(asked.body["messages"], sort_keys=True)
        self.asked[question] += 1
        self.calls += 1
        if self.calls == self._kill_at and self._process:
            os.kill(self._process.pid, signal.SIGKILL)
        even = hashlib.sha256(question.encode()).digest()[0] % 2 == 0
        return Answer(body=completion(self._reply(even)))

    def sitting(self, typed: list[object], kill_at: int | None = None) -> None:
        """Type a command; it is killed when so many calls came in all, or ends well."""
        self._kill_at = kill_at
        self._process = subprocess.Popen(
            [sys.executable, "-m", "trace_eval", *map(str, typed)],
            text=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT), "OPENAI_API_KEY": "none"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        _, told = self._process.communicate(timeout=300)
        assert self._process.returncode == (0 if kill_at is None else -signal.SIGKILL), told

    @property
    def again(self) -> int:
        """Calls whose question had come before."""
        return sum(times - 1 for times in self.asked.values())
