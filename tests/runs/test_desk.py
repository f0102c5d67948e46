"""The desk of a job on Ray, to which all judges report, as one process sees it."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from trace_eval.runs.events import RunEvent
from trace_eval.runs.ray.desk import Desk
from trace_eval.runs.ray.judger import Reports
from trace_eval.runs.standing import Standing


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(limit=1.0, ledger=tmp_path / "spending.jsonl")


def test_a_shard_that_is_judged_again_counts_once(desk: Desk) -> None:
    desk.begin("2-of-5.1", "node-b")
    desk.tell("2-of-5.1", Standing(done=5, clips=10))
    assert desk.lost("2-of-5.1") == "node-b"
    # The worker's last words arrive after its node was declared dead.
    desk.tell("2-of-5.1", Standing(done=8, clips=16))
    desk.tell("2-of-5.4", Standing(done=8, clips=16))
    assert desk.standing()[0] == Standing(done=8, clips=16)


def test_a_worker_that_was_given_up_gets_no_money(desk: Desk) -> None:
    assert desk.reserve("2-of-5.1", "call-1", 0.6) is None
    desk.lost("2-of-5.1")
    refusal = desk.reserve("2-of-5.1", "call-2", 0.3)
    assert refusal == "its worker was given up, and another judges the shard"
    # The open call may have been charged; the late one holds nothing.
    assert desk.reserve("2-of-5.4", "call-3", 0.4) is None


def test_the_node_of_a_late_start_is_forgotten(desk: Desk) -> None:
    assert desk.lost("2-of-5.1") is None
    desk.begin("2-of-5.1", "node-b")
    assert desk.lost("2-of-5.1") is None


def test_a_shard_whose_worker_was_lost_after_its_end_is_done(desk: Desk) -> None:
    """Its results lie in the place, so that the next try finds nothing to judge."""
    desk.tell("2-of-5.1", Standing(done=8))
    desk.lost("2-of-5.1")
    reports = Reports(partial(desk.tell, "2-of-5.4"), items=8)
    reports.listen(RunEvent(pending=0))
    reports.tell()
    assert desk.standing()[0].done == 8
