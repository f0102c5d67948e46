"""How many tokens a pair of blueprints and a judge's call take, by rendering.

    TRACE_EVAL_DATA=... python -m benchmarks.tokens

Every pair of ``speakbench_pairs`` and ``rate_pairs`` is extracted and rendered as the
paper does (JSON, indented) and as ``compact``; a call is of the first five. Tokens are
GPT-2's, from the vocabulary inside the openai-whisper wheel: ``pip install --no-deps
openai-whisper tiktoken regex``.
"""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.report import data_folder, save, table
from blueprints import Blueprint, render_compact, render_paper
from trace_eval.data.manifests import read_manifest
from trace_eval.extracting.options import ExtractOptions
from trace_eval.extracting.start import extract
from trace_eval.judges.base import Case
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.views.pair.text import PairTextView

Count = Callable[[str], int]

#: How GPT-2 cuts text before it merges bytes.
_PIECES = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"

#: Most tokens of a call with ``brief``.
MOST_BRIEF = 1050

RENDERINGS = ("paper", "compact", "brief")


def main() -> None:
    """Extract, count, print and store; exit 1 when calls of ``brief`` are too long."""
    count = gpt2()
    real = cases_of(data_folder() / "speakbench_pairs" / "pairs.jsonl")
    cases = real + cases_of(data_folder() / "rate_pairs" / "pairs.jsonl")
    shares = pair_shares(cases, count)
    calls = {name: tokens_of_calls(real, name, count) for name in RENDERINGS}
    table(
        "a pair in compact, as a share of paper", ["what", "share"], [*shares.items()]
    )
    rows = [[name, *sizes.values()] for name, sizes in calls.items()]
    table("tokens of a call on the real pairs", ["rendering", *calls["paper"]], rows)
    save("tokens", {"compact of paper": shares, "a call": calls})
    if calls["brief"]["most"] > MOST_BRIEF:
        sys.exit(f"a call of brief has over {MOST_BRIEF} tokens")


def gpt2() -> Count:
    """Return what counts the tokens of a text in GPT-2's vocabulary."""
    whisper = find_spec("whisper")
    if (
        whisper is None
        or not whisper.submodule_search_locations
        or not find_spec("tiktoken")
    ):
        sys.exit("pip install --no-deps openai-whisper tiktoken regex")
    import tiktoken

    vocabulary = Path(whisper.submodule_search_locations[0], "assets", "gpt2.tiktoken")
    rows = (line.split() for line in vocabulary.read_text().splitlines() if line)
    ranks = {base64.b64decode(token): int(rank) for token, rank in rows}
    encoding = tiktoken.Encoding(
        "gpt2", pat_str=_PIECES, mergeable_ranks=ranks, special_tokens={}
    )
    return lambda text: len(encoding.encode_ordinary(text))


def cases_of(manifest: Path) -> list[Case]:
    """Return a manifest's pairs with blueprints; no clip is extracted twice."""
    pairs = read_manifest(manifest).pairs
    recordings = [one for pair in pairs for one in (pair.a, pair.b, pair.instruction)]
    paths = sorted({one.audio for one in recordings if one.audio})
    results = extract(paths, ExtractOptions(workers=0))
    blueprints = {
        path: result.blueprint
        for path, result in zip(paths, results, strict=True)
        if result.blueprint
    }
    cases = []
    for pair in pairs:
        clips = {
            "a": pair.a.audio,
            "b": pair.b.audio,
            "instruction": pair.instruction.audio,
        }
        cases.append(
            Case(pair, {role: blueprints[path] for role, path in clips.items() if path})
        )
    return cases


def pair_shares(cases: Sequence[Case], count: Count) -> dict[str, float]:
    """Return the tokens of ``compact`` as a share of ``paper``.

    The share is of all pairs, and of the worst one; a pair is both answers.
    """
    compact = paper = 0
    worst = 0.0
    for case in cases:
        in_compact = count(render_compact(case.a)) + count(render_compact(case.b))
        in_paper = count(_paper(case.a)) + count(_paper(case.b))
        compact += in_compact
        paper += in_paper
        worst = max(worst, in_compact / in_paper)
    return {"all pairs": compact / paper, "worst pair": worst}


def _paper(blueprint: Blueprint) -> str:
    return json.dumps(render_paper(blueprint), indent=2, allow_nan=False)


def tokens_of_calls(
    cases: Sequence[Case], rendering: Any, count: Count
) -> dict[str, float]:
    """Return tokens of whole calls: the static part, the mean and the most."""
    view = PairTextView(JudgeOptions(rendering=rendering))
    sizes = []
    for case in cases:
        messages = view.messages(view.prepare(case), "ab")
        sizes.append(sum(count(message.text) for message in messages))
    return {
        "static part": count(view.system.text),
        "mean": sum(sizes) / len(sizes),
        "most": max(sizes),
    }


if __name__ == "__main__":
    main()
