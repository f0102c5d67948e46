"""The judge over a scripted client: orders, samples, second chances, cache, budget."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from blueprints import Absent, Status, UserError
from fusion import DIMENSIONS, Rating
from tests.support.cases import blueprint, case, verdict
from tests.support.llm_judges import judged, reading_judge
from trace_eval.data.answers import Answer, Instruction
from trace_eval.data.items import Pair
from trace_eval.data.judgement import Judgement
from trace_eval.data.outcome import Reason
from trace_eval.data.rubrics.load import load_rubric
from trace_eval.judges.ask.base import CallFailed, Reply, Request, Tokens
from trace_eval.judges.ask.judge import LLMJudge
from trace_eval.judges.ask.prices import FREE
from trace_eval.judges.ask.scripted import ScriptedClient, ScriptExhausted
from trace_eval.judges.base import Case
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.registry.create import create_judge, create_scorers

PRICE = FREE.model_copy(update={"input": 1.0, "output": 1.0})


def scripted(replies: list[Any], **options: Any) -> LLMJudge:
    chosen = JudgeOptions(backoff_s=0, retries=0, **options)
    return reading_judge("scripted:x", ScriptedClient(replies), chosen, FREE)


def ratings(made: Judgement) -> list[str]:
    return [str(made.rating(name)) for name in DIMENSIONS]


def judge(made: LLMJudge, shown: Case | None = None) -> Judgement:
    return asyncio.run(made.judge(shown or case()))


def test_labels_of_the_second_order_are_mapped_back() -> None:
    one = scripted([verdict("1", "both_good", "2"), verdict("2", "both_good", "1")])
    outcome = judge(one)
    assert ratings(outcome) == ["1", "both_good", "2"]
    assert all(outcome.dimensions[name].consistent for name in DIMENSIONS)
    assert [opinion.order for opinion in outcome.opinions] == ["ab", "ba"]
    assert outcome.opinions[1].ratings["content"] is Rating.A
    assert json.loads(outcome.opinions[1].raw or "")["content"]["rating"] == "2"


def test_a_judge_that_always_says_1_is_inconsistent_and_ties() -> None:
    outcome = judge(scripted([verdict(), verdict()]))
    assert ratings(outcome) == ["both_good"] * 3
    assert [outcome.dimensions[name].consistent for name in DIMENSIONS] == [False] * 3


def test_swap_off_and_random() -> None:
    outcome = judge(scripted([verdict("2", "2", "2")], swap="off"))
    assert ratings(outcome) == ["2", "2", "2"]
    assert outcome.dimensions["content"].consistent is None
    assert outcome.dimensions["content"].distribution is None

    def orders(seed: int = 0) -> list[tuple[str, ...]]:
        options = scripted([], swap="random", seed=seed).options
        return [options.orders(f"p{number}") for number in range(200)]

    assert orders() == orders() != orders(seed=1)
    # 200 fair coins: 60 to 140 heads in all but one of 1e8 runs.
    assert 60 < orders().count(("ba",)) < 140
    pair = f"p{orders().index(('ba',))}"
    outcome = judge(scripted([verdict("2", "2", "2")], swap="random"), case(pair=pair))
    assert ratings(outcome) == ["1", "1", "1"]


def test_samples_get_distinct_seeds_and_become_a_distribution() -> None:
    votes = ["1", "1", "2", "2", "2", "both_bad"]  # the last three are of order ba
    one = scripted([verdict(vote) for vote in votes], samples=3)
    outcome = judge(one)
    assert [request.seed for request in one.client.history] == [0, 1, 2, 0, 1, 2]
    assert {request.temperature for request in one.client.history} == {0.7}
    content = outcome.dimensions["content"]
    # ab: 1, 1, 2; ba mapped back: 1, 1, both_bad
    assert content.distribution == pytest.approx(
        {Rating.A: 4 / 6, Rating.B: 1 / 6, Rating.BOTH_BAD: 1 / 6}, abs=1e-12
    )
    assert (content.rating, content.consistent) == (Rating.A, True)


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("no json", Reason.UNPARSEABLE),
        (verdict("3"), Reason.OFF_LABEL),
        ({"reply": '{"content": ', "finish": "length"}, Reason.REPLY_CUT),
        ({"reply": "", "finish": "content_filter"}, Reason.FILTERED),
    ],
)
def test_one_second_chance_then_unscored(bad: Any, reason: Reason) -> None:
    one = scripted([bad, verdict()], swap="off")
    made = judge(one)
    assert made.status == "scored"
    assert made.opinions[0].repaired
    assert len(one.client.history[1].messages) == 4

    made = judge(scripted([bad, bad], swap="off"))
    assert (made.status, made.reason) == ("unscored", reason)
    (opinion,) = made.opinions
    assert opinion.repaired
    assert opinion.reason is reason
    assert opinion.raw == (
        bad if isinstance(bad, str) else bad.get("reply", json.dumps(bad))
    )
    assert opinion.ratings == {}

    made = judge(scripted([bad], swap="off", repair=False))
    assert (made.status, made.reason) == ("unscored", reason)
    assert not made.opinions[0].repaired


def test_a_failed_call_gets_no_second_chance_and_no_failure_replaces_a_reply() -> None:
    outcome = judge(scripted([{"error": "refused", "detail": "no key"}], swap="off"))
    assert (outcome.status, outcome.reason) == ("unscored", Reason.REFUSED)
    assert "no key" in (outcome.detail or "")
    outcome = judge(scripted(["no json", {"error": "unreachable"}], swap="off"))
    assert (outcome.reason, outcome.opinions[0].raw) == (Reason.UNPARSEABLE, "no json")
    assert "second chance failed" in (outcome.detail or "")


@pytest.mark.parametrize(
    "status", [Status.FAILED, Status.UNAVAILABLE, Status.NOT_REQUESTED]
)
def test_nothing_is_asked_where_our_own_tools_left_no_words(status: Status) -> None:
    one = scripted([])
    absent = Absent(status=status, reason="x")
    shown = Case.of(case().pair, blueprint(), blueprint(transcript=absent))
    outcome = judge(one, shown)
    assert (outcome.status, outcome.reason) == ("unscored", Reason.EVIDENCE_MISSING)
    assert one.client.history == []
    # A silent answer is judged; so is one whose transcript is dropped on purpose.
    assert judge(scripted([verdict()] * 2), case(b=None)).status == "scored"
    assert (
        judge(scripted([verdict()] * 2, drop=("transcript",)), shown).status == "scored"
    )


def test_a_script_that_runs_out_is_an_error() -> None:
    with pytest.raises(ScriptExhausted, match="order ba"):
        judge(scripted([verdict()]))


def test_a_script_may_name_pairs() -> None:
    def reply(pair: str, rating: str, order: str) -> dict[str, Any]:
        return {"pair": pair, "order": order, "reply": json.dumps(verdict(rating))}

    lines = [reply("p2", "2", "ab"), reply("p1", "2", "ba"), reply("p1", "1", "ab")]
    one = scripted([*lines, reply("p2", "1", "ba")])
    assert ratings(judge(one, case(pair="p1")))[0] == "1"
    assert ratings(judge(one, case(pair="p2")))[0] == "2"


def test_scripted_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    path.write_text(
        json.dumps(verdict()) + "\n\n" + json.dumps(json.dumps(verdict("2"))) + "\n"
    )
    one = create_judge(f"scripted:{path}", JudgeOptions(cache=tmp_path / "r.sqlite"))
    assert one.concurrency == 1
    assert ratings(asyncio.run(one.judge(case())))[0] == "1"
    path.write_text("{")
    with pytest.raises(UserError, match="line 1"):
        create_judge(f"scripted:{path}")


COUNTS = Tokens(1000, 100)


class Server:
    """A client with a price and a cache that counts its calls."""

    ordered = False
    usual_concurrency = 8
    server, model = "http://127.0.0.1", "m"

    def __init__(self, tokens: Tokens = COUNTS, text: str | None = None) -> None:
        self.calls = 0
        self.tokens = tokens
        self.text = text
        self.gate: asyncio.Event | None = None
        self.failure: CallFailed | None = None

    def parameters(self) -> dict[str, Any]:
        return {}

    observed = parameters

    async def chat(self, request: Request) -> Reply:
        self.calls += 1
        if self.failure:
            raise self.failure
        if self.gate:
            await self.gate.wait()
        return Reply(self.text or json.dumps(verdict("both_good")), self.tokens)

    async def close(self) -> None:
        pass


def cached(tmp_path: Path, client: Server, **options: Any) -> LLMJudge:
    chosen = JudgeOptions(
        cache=tmp_path / "r.sqlite", backoff_s=0, retries=0, **options
    )
    return reading_judge("openai:m", client, chosen, PRICE)


def test_a_finished_case_is_never_sent_again(tmp_path: Path) -> None:
    client = Server()
    first = judge(cached(tmp_path, client))
    assert client.calls == 2
    # Two calls of 1000 + 100 tokens at $1/M.
    assert first.usage.cost_usd == pytest.approx(0.0022)
    again = judge(cached(tmp_path, client))
    assert client.calls == 2
    assert [opinion.cached for opinion in again.opinions] == [True, True]
    assert again.dimensions == first.dimensions
    assert again.usage is None  # nothing was sent, so nothing was spent
    assert again.opinions[0].usage == first.opinions[0].usage  # what it once cost
    judge(cached(tmp_path, client, seed=7))
    assert client.calls == 4
    judge(cached(tmp_path, client, elicitation="label", drop=("emotion",)))
    assert client.calls == 6
    judge(cached(tmp_path, client), case(a="other words"))
    assert client.calls == 8


def test_failures_are_never_cached(tmp_path: Path) -> None:
    client = Server(text="no json")
    for expected in (4, 8):  # two orders and a second chance each, every time
        assert judge(cached(tmp_path, client)).status == "unscored"
        assert client.calls == expected
    client = Server()
    client.failure = CallFailed(Reason.UNREACHABLE, "down")
    judge(cached(tmp_path, client))
    client.failure = None
    assert judge(cached(tmp_path, client)).status == "scored"


def test_offline_sends_nothing(tmp_path: Path) -> None:
    client = Server()
    outcome = judge(cached(tmp_path, client, offline=True))
    assert (outcome.status, client.calls) == ("unscored", 0)
    judge(cached(tmp_path, client))
    outcome = judge(cached(tmp_path, client, offline=True))
    assert (outcome.status, client.calls) == ("scored", 2)
    with pytest.raises(UserError, match="name one"):
        reading_judge("openai:m", client, JudgeOptions(offline=True), PRICE)


def test_the_budget_stops_before_it_is_passed(tmp_path: Path) -> None:
    client = Server(Tokens(2000, 100))
    one = cached(tmp_path, client, max_cost=0.01)
    outcomes = judged(one, (case(pair=f"p{n}", a=f"words {n}") for n in range(20)))
    scored = [judgement for judgement in outcomes if judgement.status == "scored"]
    assert 0 < len(scored) < 20
    assert one.budget.spending.spent <= 0.01
    assert one.budget.spending.spent == pytest.approx(client.calls * 0.0021)
    assert {judgement.reason for judgement in outcomes[len(scored) :]} == {
        Reason.OVER_BUDGET
    }
    with pytest.raises(UserError, match="no price is known"):
        reading_judge("openai:m", client, JudgeOptions(max_cost=1.0))


def test_interrupting_keeps_what_is_done_and_holds_nothing(tmp_path: Path) -> None:
    client = Server()

    async def main() -> LLMJudge:
        one = cached(tmp_path, client, concurrency=4)
        await one.judge(case())
        client.gate = asyncio.Event()
        tasks = [asyncio.create_task(one.judge(case(a=f"words {n}"))) for n in range(8)]
        limiter = one.sender.asker.caller.limiter
        async with asyncio.timeout(60):
            while client.calls < 6 or limiter.in_flight < 4:
                await asyncio.sleep(0.001)
        await asyncio.sleep(0.05)  # in which a fifth would have begun
        assert limiter.in_flight == 4
        for task in tasks:
            task.cancel()
        done = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(isinstance(outcome, asyncio.CancelledError) for outcome in done)
        assert limiter.in_flight == 0
        await one.close()
        return one

    one = asyncio.run(main())
    # The four calls under way may have been charged; the other twelve were never made.
    assert client.calls == 6
    assert one.budget.spending.possible > 0
    client.gate = None
    assert judge(cached(tmp_path, client)).status == "scored"
    assert client.calls == 6  # the finished case came from the cache


def test_a_very_long_raw_reply_is_kept_in_part() -> None:
    outcome = judge(scripted(["x" * 100_000] * 2, swap="off"))
    raw = outcome.opinions[0].raw or ""
    assert len(raw) < 66_000
    assert raw.endswith("[34464 characters left out]")  # 100000 - 65536


def test_parameters_are_equal_for_equal_options() -> None:
    one = scripted([])
    before = one.parameters()
    assert json.loads(json.dumps(before)) == before
    assert before == scripted([]).parameters()
    # What cannot change the output is not part of it.
    assert scripted([], concurrency=3, timeout_s=5).parameters() == before


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"mode": "audio"}, "mode"),
        ({"swap": "twice"}, "swap"),
        ({"samples": 0}, "samples"),
        ({"samples": 3, "temperature": 0}, "repeat one opinion"),
        ({"temperature": -1}, "temperature"),
        ({"temperature": float("nan")}, "temperature"),
        ({"timeout_s": 0}, "timeout_s"),
        ({"max_cost": 0}, "max_cost"),
        ({"drop": ("tone",)}, "tone"),
        ({"drop": ("emotion",), "mode": "transcript"}, "transcript"),
        (
            {
                "drop": (
                    "signal",
                    "transcript",
                    "quality",
                    "properties",
                    "emotion",
                    "accent",
                )
            },
            "every group",
        ),
    ],
)
def test_bad_options_are_user_errors(options: dict[str, Any], told: str) -> None:
    with pytest.raises(UserError, match=told):
        JudgeOptions(**options)


def test_a_spoken_instruction_without_words_is_missing_evidence() -> None:
    spoken = Pair(
        id="p1",
        instruction=Instruction(audio="i.wav"),
        a=Answer(audio="a.wav"),
        b=Answer(audio="b.wav"),
    )
    failed = blueprint(transcript=Absent(status=Status.FAILED, reason="x"))
    for heard in (None, failed):
        made = judge(scripted([]), Case.of(spoken, blueprint(), blueprint(), heard))
        assert made.reason is Reason.EVIDENCE_MISSING
    # A silent instruction is a fact about the instruction.
    made = judge(
        scripted([verdict()] * 2),
        Case.of(spoken, blueprint(), blueprint(), blueprint(None)),
    )
    assert made.status == "scored"


def test_calls_under_way_do_not_exhaust_the_budget_by_their_worst_case(
    tmp_path: Path,
) -> None:
    # Worst case of a call: over 2,048 reply tokens, US$ 0.004 at $1/M. Eight at once
    # could come to 0.034, but ten cases cost 20 x 0.0011 = 0.022.
    client = Server()
    one = cached(tmp_path, client, max_cost=0.03, concurrency=8)
    outcomes = judged(one, (case(a=f"words {n}") for n in range(10)), at_once=True)
    assert {made.status for made in outcomes} == {"scored"}
    assert one.budget.spending.spent == pytest.approx(0.022)


def test_judges_over_a_chat_model_share_one_frame() -> None:
    local = JudgeOptions(base_url="http://x/v1")
    heard = [
        JudgeOptions(task=task, base_url="http://x/v1")
        for task in ("s2s", "naturalness")
    ]
    outcomes = [
        create_judge("openai:m", local),
        *(create_judge("audio:openai:m", o) for o in heard),
    ]
    for spec in ("openai:m", "audio:openai:m"):
        outcomes += create_scorers(spec, [load_rubric("style")], local)
    assert {type(judge) for judge in outcomes} == {LLMJudge}
    assert not LLMJudge.__subclasses__(), "what differs is a view and an answer form"
