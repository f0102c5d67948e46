"""Pairs against a server that fails one call in five, in every way that the tests know.

Every pair must come out scored or unscored, every dollar must be counted once, and no
key may be in anything that was kept, although the server sends it back in its errors.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import random
import tempfile
from pathlib import Path

from benchmarks.drill.outcome import Outcome
from tests.support.cases import case, verdict
from tests.support.openai_faults import FAULTS, made
from tests.support.servers import Answer, Asked, Server, completion
from trace_eval.data.judgement import Judgement
from trace_eval.judges.ask.budget import Ledger
from trace_eval.judges.ask.judge import LLMJudge

#: Share of calls that fail.
FAILING = 0.2

#: Pairs in flight.
AT_ONCE = 64

#: Lengths of keys, characters: one judge each.
KEY_LENGTHS = (6, 7, 20, 64, 200)

PRICES = """
[[price]]
server = "*"
model = "tiny"
input = 1.0
output = 2.0
as_of = 2026-01-01
source = "the drill"
"""


def drill(pairs: int, seed: int) -> Outcome:
    """Judge a number of pairs, split over keys of several lengths."""
    outcome = Outcome("pairs against a failing server", pairs)
    kinds = [
        answers[0] for name, (answers, _, _) in FAULTS.items() if "slow" not in name
    ]
    outcome.notes["kinds of faults"] = len(kinds)
    for number, length in enumerate(KEY_LENGTHS):
        share = len(range(number, pairs, len(KEY_LENGTHS)))
        _drill_key(outcome, kinds, share, length, random.Random(f"{seed} {length}"))
    return outcome


def _drill_key(
    outcome: Outcome,
    kinds: list[Answer],
    pairs: int,
    length: int,
    source: random.Random,
) -> None:
    key = "".join(source.choices("abcdefghkmnpqrstuvwxyzABCDEFGH23456789", k=length))
    good = completion(json.dumps(verdict()))

    def answer(requested: Asked) -> Answer:
        if source.random() >= FAILING:
            return Answer(body=good)
        said = f"wrong key {key}, {requested.headers.get('authorization')}"
        error = {"error": {"message": said}}
        echo = Answer(source.choice((401, 429, 500)), error, {"retry-after": "0"})
        return source.choice([*kinds, echo])

    with tempfile.TemporaryDirectory() as name, Server(answer) as server:
        folder = Path(name)
        (folder / "prices.toml").write_text(PRICES)
        os.environ["TRACE_EVAL_DRILL_KEY"] = key
        judge = made(
            server.url,
            swap="both",
            key_env="TRACE_EVAL_DRILL_KEY",
            prices=folder / "prices.toml",
            ledger=folder / "spending.jsonl",
            max_cost=1e6,
            retries=3,
            max_wait_s=0.2,
            concurrency=AT_ONCE,
            seed=source.randrange(1000),
        )
        judgements = asyncio.run(_judged(judge, pairs))
        ledger = Ledger(folder / "spending.jsonl")
        kept = [judgement.model_dump_json() for judgement in judgements]
        kept += [json.dumps(judge.observed()), (folder / "spending.jsonl").read_text()]
        calls = len(server.asked)
    names = [judgement.pair for judgement in judgements]
    outcome.check(
        names == [f"p{n}" for n in range(pairs)], f"{pairs - len(names)} pairs are lost"
    )
    bare = sum(
        j.status == "unscored" and not (j.reason and j.detail) for j in judgements
    )
    outcome.check(not bare, f"{bare} unscored pairs without a reason")
    budget, logged = judge.budget.spending, ledger.spending
    outcome.check(
        math.isclose(budget.spent, logged.spent, rel_tol=0, abs_tol=1e-9)
        and math.isclose(budget.possible, logged.possible, rel_tol=0, abs_tol=1e-9),
        f"the ledger has {logged}, the budget {budget}",
    )
    used = sum((j.usage.cost_usd or 0.0) for j in judgements if j.usage)
    outcome.check(
        used <= logged.spent + 1e-9,
        f"judgements cost {used}, only {logged.spent} were counted",
    )
    leaks = sum(key in text for text in kept)
    outcome.check(not leaks, f"a key of {length} characters is in {leaks} records")
    outcome.note("scored", sum(one.status == "scored" for one in judgements))
    outcome.note("calls", calls)


async def _judged(judge: LLMJudge, pairs: int) -> list[Judgement]:
    slots = asyncio.Semaphore(AT_ONCE)

    async def one(number: int) -> Judgement:
        async with slots:
            return await judge.judge(case(pair=f"p{number}", a=f"words {number}"))

    try:
        return list(await asyncio.gather(*map(one, range(pairs))))
    finally:
        await judge.close()
