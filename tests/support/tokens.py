"""Tokens of blueprints in each rendering, counted in GPT-2's vocabulary."""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from blueprints import (
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
_GPT2_PIECES = (
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
)

EMOTIONS = (
    *("angry", "disgusted", "fearful", "happy", "neutral"),
    *("other", "sad", "surprised", "unknown"),
)
ACCENTS = (
    *(
        "us",
        "england",
        "australia",
        "indian",
        "canada",
        "bermuda",
        "scotland",
        "african",
    ),
    *(
        "ireland",
        "newzealand",
        "wales",
        "malaysia",
        "philippines",
        "singapore",
        "hongkong",
    ),
    "southatlandtic",
)


def gpt2_counter() -> Count | None:
    """Tokens of a text in GPT-2's vocabulary; None where a package is missing."""
    whisper = find_spec("whisper")
    if (
        whisper is None
        or not whisper.submodule_search_locations
        or not find_spec("tiktoken")
    ):
        return None
    vocabulary = Path(whisper.submodule_search_locations[0], "assets", "gpt2.tiktoken")
    if not vocabulary.is_file():
        return None
    import tiktoken

    ranks = {}
    for line in vocabulary.read_text().splitlines():
        if line:
            token, rank = line.split()
            ranks[base64.b64decode(token)] = int(rank)
    encoding = tiktoken.Encoding(
        "gpt2", pat_str=_GPT2_PIECES, mergeable_ranks=ranks, special_tokens={}
    )
    return lambda text: len(encoding.encode_ordinary(text))


def renderings(pair: list[Blueprint]) -> tuple[str, str, str]:
    """(paper indented, paper without whitespace, compact), both clips in each."""
    paper = [render_paper(bp) for bp in pair]
    return (
        "\n".join(json.dumps(p, indent=2, allow_nan=False) for p in paper),
        "\n".join(
            json.dumps(p, separators=(",", ":"), ensure_ascii=False) for p in paper
        ),
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
        "accent": Accent(
            similarities=cosines, top=max(cosines, key=lambda a: cosines[a])
        ),
    }
    kept = {name: getattr(bp, name) for name in update if bp.group(name).status == "ok"}
    return bp.model_copy(update=update | kept)
