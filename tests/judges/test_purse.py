"""One limit for several processes: what fits, what waits, what a lost one may cost."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from trace_eval.data.outcome import Reason
from trace_eval.judges.ask.base import CallFailed
from trace_eval.judges.ask.budget import Budget, Ledger
from trace_eval.judges.ask.purse import OpenPurse, Room, SharedBudget


class Held:
    """The purse as one holder sees it."""

    def __init__(self, purse: OpenPurse, holder: str) -> None:
        self._purse, self._holder = purse, holder

    def room(self, worst: float) -> Room:
        return self._purse.room(worst)

    def reserve(self, call: str, worst: float) -> str | None:
        return self._purse.reserve(self._holder, call, worst)

    def settle(self, call: str, cost: float | None) -> None:
        self._purse.settle(self._holder, call, cost)


@pytest.fixture
def purse(tmp_path: Path) -> OpenPurse:
    return OpenPurse(Budget(1.0, ledger=Ledger(tmp_path / "spending.jsonl")))


def _both(purse: OpenPurse) -> tuple[SharedBudget, SharedBudget]:
    one, other = (SharedBudget(1.0, Held(purse, name)) for name in "ab")
    return one, other


def test_two_holders_keep_one_limit(purse: OpenPurse, tmp_path: Path) -> None:
    one, other = _both(purse)
    with one.reserve(0.7) as ticket:
        assert purse.room(0.7) == "later"
        assert purse.room(1.1) == "never"
        refusal = pytest.raises(CallFailed, match=r"not sent: .* the limit of 1")
        with refusal as refused, other.reserve(0.7):
            pass
        assert refused.value.reason is Reason.OVER_BUDGET
        ticket.cost = 0.2
    with other.reserve(0.7) as ticket:
        ticket.cost = 0.6
    assert (one.spending.spent, other.spending.spent) == (0.2, 0.6)
    assert Ledger(tmp_path / "spending.jsonl").spending.spent == pytest.approx(0.8)


def test_a_call_waits_for_those_of_the_other_holder(purse: OpenPurse) -> None:
    one, other = _both(purse)

    async def wait() -> float:
        with one.reserve(0.7) as ticket:
            waiting = asyncio.create_task(other.room(0.7))
            await asyncio.sleep(0.05)
            assert not waiting.done()
            ticket.cost = 0.1
        await waiting
        with other.reserve(0.7) as ticket:
            ticket.cost = 0.3
        return purse.budget.committed

    assert asyncio.run(wait()) == pytest.approx(0.4)


def test_calls_of_a_lost_holder_may_have_been_charged(
    purse: OpenPurse, tmp_path: Path
) -> None:
    purse.reserve("a.0", "1", 0.4)
    purse.reserve("a.0", "2", 0.1)
    purse.settle("a.0", "2", 0.05)
    purse.lost("a.0")
    purse.settle("a.0", "1", 0.0)  # told too late
    assert purse.budget.committed == pytest.approx(0.45)
    assert purse.room(0.6) == "never"
    stored = Ledger(tmp_path / "spending.jsonl").spending
    assert (stored.spent, stored.possible) == (0.05, 0.4)


def test_a_call_that_was_refused_unbilled_costs_nothing(purse: OpenPurse) -> None:
    budget, _ = _both(purse)
    failure = CallFailed(Reason.UNREACHABLE, "refused")
    assert not failure.billed
    with pytest.raises(CallFailed), budget.reserve(0.9):
        raise failure
    assert purse.budget.committed == 0
