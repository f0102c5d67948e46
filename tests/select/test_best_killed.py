"""A selection that dies by SIGKILL, again and again, ends as one that nobody touched."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.audio_cases import said
from tests.support.candidates import candidates
from tests.support.killed import NO_EXTRACTORS, Killer
from tests.support.servers import Server

CANDIDATES = 7
IN_FLIGHT = 2

#: Calls after which the process is killed: in the bracket, at its end, among the last four.
KILLED_AT = (1, 7, 13)

#: Three matches lead from seven to four, who play six; each in both orders.
CALLS = 2 * (3 + 6)


def selection(url: str, items: Path, out: Path) -> list[object]:
    return [
        "best", items, "--judge", "audio:openai:m", "--base-url", f"{url}/v1", "-J", "task=quality",
        "--scheme", "knockout", "-J", "signals=none", "-J", f"concurrency={IN_FLIGHT}",
        "--out", out, "--cache", out.parent / f"cache-{out.name}", *NO_EXTRACTORS,
    ]  # fmt: skip


def verdict(first: bool) -> str:
    return said("1" if first else "2")


@pytest.mark.slow
def test_a_selection_killed_at_any_point_ends_as_an_uninterrupted_one(tmp_path: Path) -> None:
    items = candidates(tmp_path, *(0.1 + 0.1 * n for n in range(CANDIDATES)))
    whole = Killer(verdict)
    with Server(whole.answer) as server:
        whole.sitting(selection(server.url, items, tmp_path / "whole"))
    assert (whole.calls, whole.again) == (CALLS, 0)
    killed = Killer(verdict)
    with Server(killed.answer) as server:
        typed = selection(server.url, items, tmp_path / "killed")
        for number in (*KILLED_AT, None):
            killed.sitting(typed, number)
    # the same questions, and only what was in flight at a kill was asked once more
    assert set(killed.asked) == set(whole.asked)
    assert 0 < killed.again <= IN_FLIGHT * len(KILLED_AT)
    for name in ("best.jsonl", "summary.json"):
        one, other = ((tmp_path / folder / name).read_bytes() for folder in ("whole", "killed"))
        assert one == other
    (line,) = (tmp_path / "killed" / "best.jsonl").read_text().splitlines()
    assert json.loads(line)["comparisons"] == CALLS // 2
