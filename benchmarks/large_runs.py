"""What a million pairs cost, from other results, for docs/how-to/large-runs.md.

Answers last 20 s, a judge of ``gpt-4.1-mini`` reads both orders and replies with 250
tokens, a core costs US$ 0.04 an hour, and a node of a cluster takes 3 minutes to start.
``python -m benchmarks.large_runs --gpu-hour 3`` prints what a local model costs at
another price.
"""

from __future__ import annotations

import argparse

from benchmarks.report import markdown, stored
from trace_eval.judges.ask.prices import find_price

PAIRS, ANSWER_S, REPLY_TOKENS, USD_PER_CORE_HOUR, START_H = (
    1_000_000,
    20.0,
    250,
    0.04,
    0.05,
)

MODEL = ("https://api.openai.com/v1", "gpt-4.1-mini")

TOKENS_PER_MINUTE = 2_000_000

#: Of a model of 8B in half precision on one H100, tokens a second over all calls in
#: flight: read, at 16 GFLOP a token and 400 TFLOP/s of the card's 989; and written, as
#: vLLM publishes it.
READ_PER_S, WRITTEN_PER_S = 25_000, 5_000

USD_PER_GPU_HOUR = 2.5


def extraction() -> str:
    """Tabulate hours and US dollars of extraction by machine.

    A cluster keeps the share that two Ray nodes kept.

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
        rows.append(
            (name, f"{hours:,.0f}", f"{hours * cores * USD_PER_CORE_HOUR:,.0f}")
        )
    return markdown("extraction | hours | US$", rows)


def usd(pairs: int, rendering: str, cached: bool = False) -> float:
    """Return what some pairs cost in both orders, with a cached prefix or not.

    Raises:
        ValueError: the model is in no price table.
    """
    price = find_price(*MODEL)
    if price is None:
        raise ValueError(f"{MODEL} is in no price table")
    call = stored("tokens")["a call"][rendering]
    each = call["mean"] * price.input + REPLY_TOKENS * price.output
    if cached and price.cached is not None:
        each -= call["static part"] * (price.input - price.cached)
    return float(2 * pairs * each / 1e6)


def calls() -> str:
    """Tokens, US dollars and hours of the judge's calls, by rendering."""
    rows = []
    for rendering in ("paper", "compact", "brief"):
        tokens = stored("tokens")["a call"][rendering]["mean"]
        hours = 2 * PAIRS * (tokens + REPLY_TOKENS) / TOKENS_PER_MINUTE / 60
        costs = (usd(PAIRS, rendering, cached) for cached in (False, True))
        numbers = (tokens, *costs, hours)
        rows.append((f"`{rendering}`", *(f"{number:,.0f}" for number in numbers)))
    return markdown(
        (
            "rendering | tokens in a call | US$ | US$, static part cached | hours at 2"
            " M tokens/min"
        ),
        rows,
    )


def local(usd_per_hour: float = USD_PER_GPU_HOUR) -> str:
    """Hours and US dollars of a local model of 8B on one GPU, by rendering.

    The static part of a call is read once, because a served model keeps it.
    """
    number, rows = 2 * PAIRS, []
    for rendering in ("paper", "compact", "brief"):
        call = stored("tokens")["a call"][rendering]
        seconds = (
            call["mean"] - call["static part"]
        ) / READ_PER_S + REPLY_TOKENS / WRITTEN_PER_S
        hours = number * seconds / 3600
        rows.append((f"`{rendering}`", f"{hours:,.0f}", f"{hours * usd_per_hour:,.0f}"))
    return markdown("rendering | GPU hours | US$", rows)


def judged_on_ray() -> str:
    """Tabulate judging of stored blueprints on two nodes, by where results went."""
    rows = []
    for name in ("s3", "folder", "folder_alone"):
        store = name.partition("_")[0]
        for what, row in stored(f"ray_judging_{name}")["rows"].items():
            cost = (row["CPU ms a pair"], row["largest process, GiB"], row["killed"])
            rows.append(
                (f"{store}: {what}", f"{row['pairs']:,}", f"{row['s']:,.0f}", *cost)
            )
    header = (
        "results in: judged by | pairs | s | CPU ms a pair | largest process, GiB |"
        " killed"
    )
    return markdown(header, rows)


def main() -> None:
    """Print the table of a local model at a price of a GPU hour."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument(
        "--gpu-hour", type=float, default=USD_PER_GPU_HOUR, help="US dollars"
    )
    print(local(parser.parse_args().gpu_hour))


if __name__ == "__main__":
    main()
