"""No call is forgotten or paid for twice: kills, lost counts, two runs at once."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from blueprints import DamagedFile, UserError
from tests.support.cases import case, verdict
from tests.support.llm_judges import judged_by
from tests.support.prices import price_table
from tests.support.servers import Answer, Asked, Server, completion, unused_url
from trace_eval.data.judgement import Judgement
from trace_eval.data.outcome import Reason
from trace_eval.judges.ask.base import CallFailed
from trace_eval.judges.ask.budget import Budget, Ledger
from trace_eval.judges.ask.replies import LEASE_S, ReplyCache, new_owner
from trace_eval.judges.base import JudgeUnreachable
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.registry.create import create_judge


def test_a_call_that_a_kill_left_open_counts_as_possibly_spent(tmp_path: Path) -> None:
    path = tmp_path / "spending.jsonl"
    budget = Budget(1.0, ledger=Ledger(path, before=0.25))
    with budget.reserve(0.3) as ticket:
        ticket.cost = 0.1
    call = Ledger(path).sent(0.5)  # and then the process is gone
    again = Budget(1.0, ledger=Ledger(path, before=99.0))
    assert (again.spending.spent, again.spending.possible) == (0.35, 0.5)
    with pytest.raises(CallFailed, match=r"US\$ 0\.8500 is spent"), again.reserve(0.2):
        pass
    Ledger(path).settled(call, 0.45)
    last = Ledger(path).spending
    assert (round(last.spent, 9), last.possible, last.calls) == (0.8, 0, 0)


@pytest.mark.parametrize("spec", ["openai:tiny", "ollama:tiny"])
def test_a_request_that_was_sent_whole_may_be_charged(
    spec: str, tmp_path: Path
) -> None:
    table = price_table(tmp_path, "tiny", "*", input=1.0, output=1.0)
    for url, sure in ((None, True), (unused_url(), False)):
        with Server(lambda _: Answer(reset=True)) as server:
            options: dict[str, Any] = {"retries": 0, "swap": "off", "prices": table}
            judge = create_judge(
                spec, JudgeOptions(base_url=url or server.url, **options)
            )
            with suppress(JudgeUnreachable):
                assert _all(judge, pairs=1)[0].reason is Reason.UNREACHABLE
        budget = judge.budget.spending
        assert budget.spent == 0
        assert (budget.possible > 0) is sure, spec


def test_nothing_is_sent_that_cannot_be_put_down(tmp_path: Path) -> None:
    budget = Budget(None, ledger=Ledger(tmp_path / "no folder" / "x"))
    sent = False
    with pytest.raises(UserError, match="cannot be written"), budget.reserve(0.5):
        sent = True
    assert not sent


def test_a_damaged_line_of_the_ledger_is_named_and_a_torn_one_is_not(
    tmp_path: Path,
) -> None:
    path = tmp_path / "spending.jsonl"
    path.write_text('{"call":"a","worst_usd":1}\n{"call":"b"')
    assert Ledger(path).spending.possible == 1
    path.write_text('{"call":"a","worst_usd":1}\n{"call":"b","cost_usd":-1}\n')
    with pytest.raises(DamagedFile, match=r"spending\.jsonl, line 2"):
        Ledger(path)


def _judge(url: str, cache: Path, **options: Any) -> Any:
    given: dict[str, Any] = {
        "swap": "off",
        "backoff_s": 0,
        "retries": 0,
        "repair": False,
    }
    given |= options
    chosen = JudgeOptions(base_url=f"{url}/v1", cache=cache, **given)
    return create_judge("openai:tiny", chosen)


def _all(*judges: Any, pairs: int = 3) -> list[Judgement]:
    return judged_by(judges, [case(pair=f"p{n}", a=f"a{n}") for n in range(pairs)])


def test_two_runs_with_the_same_questions_pay_once(tmp_path: Path) -> None:
    reply = completion(json.dumps(verdict()))
    with Server(lambda asked: Answer(body=reply, sleep=0.3)) as server:
        judges = [_judge(server.url, tmp_path / "replies.sqlite") for _ in range(2)]
        judgements = _all(*judges)
        assert len(server.asked) == 3
    assert all(judgement.status == "scored" for judgement in judgements)
    assert sum(opinion.cached for j in judgements for opinion in j.opinions) == 3


def test_a_waiting_run_asks_itself_where_the_other_got_nothing(tmp_path: Path) -> None:
    count = iter(range(9))

    def answer(asked: Asked) -> Answer:
        if next(count) == 0:
            return Answer(status=403, body={"error": {"message": "no"}}, sleep=0.3)
        return Answer(body=completion(json.dumps(verdict())))

    with Server(answer) as server:
        judges = [_judge(server.url, tmp_path / "replies.sqlite") for _ in range(2)]
        judgements = _all(*judges, pairs=1)
    assert sorted(judgement.status for judgement in judgements) == [
        "scored",
        "unscored",
    ]


def test_a_lease_ends_with_its_holder_and_survives_clocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1_000_000.0
    monkeypatch.setattr("trace_eval.judges.ask.replies.time.time", lambda: now)
    cache = ReplyCache(tmp_path / "replies.sqlite")
    assert cache.lease("k", "one")
    assert not cache.lease("k", "two")
    assert cache.lease("k", "one")
    now += LEASE_S - 1
    assert not cache.lease("k", "two")
    now += 2  # never renewed: killed, on a machine that cannot be asked
    assert cache.lease("k", "two")
    now -= 10_000  # the clock goes back
    assert cache.lease("k", "one")
    cache.release("k", "two")
    assert not cache.lease("k", "two")
    cache.release("k", "one")
    assert cache.lease("k", "two")
    cache.close()


_HOLDER = """
import sys
from pathlib import Path
from trace_eval.judges.ask.replies import ReplyCache, new_owner
assert ReplyCache(Path(sys.argv[1])).lease("k", new_owner())
print("held", flush=True)
sys.stdin.read()
"""


def test_whoever_was_killed_on_this_machine_holds_no_lease(tmp_path: Path) -> None:
    path = tmp_path / "replies.sqlite"
    holder = subprocess.Popen(
        [sys.executable, "-c", _HOLDER, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert holder.stdout.readline() == b"held\n"
    cache = ReplyCache(path)
    owner = new_owner()
    assert not cache.lease("k", owner)
    holder.kill()
    holder.communicate()
    assert cache.lease("k", owner)
    assert not cache.lease("k", new_owner())  # this process lives
    cache.close()
