"""How many tokens a pair of blueprints costs in each rendering.

    TRACE_EVAL_DATA=... python -m benchmarks.tokens [--profile screen]

Every pair of ``speakbench_pairs`` and ``rate_pairs`` is extracted for real, then counted
three ways: as extracted, without emotion and accent, and with invented scores of 9 emotions
and 16 accents, which is what the models of profile ``paper`` give. Tokens are GPT-2's, from
the vocabulary inside the openai-whisper wheel; nothing is downloaded. Exit code 1: a pair
is over a bound. Exit code 2: something that the benchmark needs is missing.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import random
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

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

Count = Callable[[str], int]

#: Most tokens of the compact rendering, as a share of the paper rendering's.
BOUND_INDENTED = 0.50
BOUND_MINIMAL = 0.75

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


def extracted(folder: Path, profile: str) -> dict[str, list[Blueprint]]:
    """Pair id -> blueprints of its two answers; a clip in several pairs is extracted once."""
    from extractors.audio import decode
    from extractors.registry import plan_extractors

    extractors = plan_extractors(profile, {})
    for extractor in extractors:
        extractor.load()
    done: dict[str, Blueprint] = {}
    pairs = {}
    for line in (folder / "pairs.jsonl").read_text(encoding="utf-8").splitlines():
        pair = json.loads(line)
        clips = [decode(folder / pair[side]["audio"]) for side in ("a", "b")]
        for clip in clips:
            if clip.sha256 in done:
                continue
            bp = Blueprint(clip=clip.sha256)
            for extractor in extractors:
                group = extractor.extract(clip, bp)
                bp = bp.with_group(extractor.group, group, extractor.provenance())
            done[clip.sha256] = bp
        pairs[f"{folder.name}/{pair['id']}"] = [done[clip.sha256] for clip in clips]
    return pairs


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
    pairs: dict[str, list[Blueprint]] = {}
    for folder in ("speakbench_pairs", "rate_pairs"):
        pairs |= extracted(Path(data) / folder, profile)
    variants = {
        f"profile {profile}, as extracted": pairs,
        "without emotion and accent": {k: [*map(without_models, v)] for k, v in pairs.items()},
        "with 9 emotions and 16 accents": {k: [*map(with_models, v)] for k, v in pairs.items()},
    }
    found = {title: report(title, variant, count) for title, variant in variants.items()}
    print(f"\nlegend, once per prompt: {count(COMPACT_LEGEND)} tokens")
    print(f"bounds: {BOUND_INDENTED:.2f} of indent=2, {BOUND_MINIMAL:.2f} of minimal")
    if profile == "screen":
        save("tokens", {"tokens of compact": found})
    within = all(
        share["of indent=2, worst pair"] <= BOUND_INDENTED
        and share["of minimal, worst pair"] <= BOUND_MINIMAL
        for share in found.values()
    )
    return 0 if within else 1


if __name__ == "__main__":
    sys.exit(main())
