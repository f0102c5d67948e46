"""What a million pairs cost, from the results of other benchmarks, for docs/how-to/large-runs.md.

Answers last 20 s, a judge of ``gpt-4.1-mini`` reads both orders and replies with 250 tokens, a core
costs US$ 0.04 an hour, and a node of a cluster takes 3 minutes to start.
"""

from __future__ import annotations

from benchmarks.report import markdown, stored
from trace_eval.judges.ask.prices import find_price

PAIRS, ANSWER_S, REPLY_TOKENS, USD_PER_CORE_HOUR, START_H = 1_000_000, 20.0, 250, 0.04, 0.05

MODEL = ("https://api.openai.com/v1", "gpt-4.1-mini")

TOKENS_PER_MINUTE = 2_000_000


def extraction() -> str:
    """Hours and US dollars by machine; a cluster keeps the share that two Ray nodes kept.

    ``ray.json`` was measured once, at e241c4c2.
    """
    core_h = 2 * PAIRS * ANSWER_S * stored("extract")["cpu_s_per_audio_s"]["all"] / 3600
    rows = []
    for name, cores, share, start in (
        ("2 cores", 2, 1.0, 0.0),
        ("one machine of 64 cores", 64, 1.0, 0.0),
        ("Ray, 8 nodes of 16 cores", 128, stored("ray")["kept of two nodes"], START_H),
    ):
        hours = core_h / share / cores + start
        rows.append((name, f"{hours:,.0f}", f"{hours * cores * USD_PER_CORE_HOUR:,.0f}"))
    return markdown("extraction | hours | US$", rows)


def calls() -> str:
    """Tokens, US dollars and hours of the judge's calls, by rendering.

    Raises:
        ValueError: the model is in no price table.
    """
    price = find_price(*MODEL)
    if price is None:
        raise ValueError(f"{MODEL} is in no price table")
    number, rows = 2 * PAIRS, []
    for rendering in ("paper", "compact", "brief"):
        call = stored("tokens")["a call"][rendering]
        tokens, static = call["mean"], call["static part"]
        usd = number * (tokens * price.input + REPLY_TOKENS * price.output) / 1e6
        cached = price.input if price.cached is None else price.cached
        saved = number * static * (price.input - cached) / 1e6
        hours = number * (tokens + REPLY_TOKENS) / TOKENS_PER_MINUTE / 60
        numbers = (tokens, usd, usd - saved, hours)
        rows.append((f"`{rendering}`", *(f"{number:,.0f}" for number in numbers)))
    return markdown(
        "rendering | tokens in a call | US$ | US$, static part cached | hours at 2 M tokens/min",
        rows,
    )
