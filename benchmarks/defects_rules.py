"""Pairs with a planted defect, and how often ``rules`` prefers the clean answer.

    python -m benchmarks.defects_rules [--clips 16] [--seed 3]

Both answers are the same clip of a voice on which no limit was set, through the same
codec; voice quality alone is judged, with the group ``defects`` and without it.
``unacceptable`` is how often ``rules`` says that the answer with the defect is not
acceptable because of it, with its span.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from benchmarks.defects_planted import KINDS, planted
from benchmarks.defects_voices import coded, held_out
from benchmarks.extract import extracted
from benchmarks.report import arguments, data_folder, save, table_of
from blueprints import Blueprint
from trace_eval.estimate.share import Share
from trace_eval.extracting.options import ExtractOptions
from trace_eval.judges.rules.thresholds import RuleThresholds
from trace_eval.judges.rules.voice_quality import judge_voice_quality

#: What voice quality reads.
ONLY = {"defects": "defects"} | dict.fromkeys(
    ("transcript", "pitch", "rate", "loudness", "emotion", "accent"), "none"
)


#: A defect as the reason, with its span, or no voice at all.
REASON = re.compile(
    r"is not acceptable: .*(?:from [\d.]+ to [\d.]+ s|there is no voice)"
)


def blueprints_of(kind: str, clips: int, seed: int, data: Path) -> list[Blueprint]:
    """Extract the clean and the planted answer of each pair, one after the other."""
    sounds = (
        coded(samples, one.rate, one.codec)
        for one in planted(kind, held_out(data), clips, seed)
        for samples in (one.clean, one.samples)
    )
    return extracted(sounds, ExtractOptions(overrides=dict(ONLY)), "FLOAT")


def judged(made: list[Blueprint]) -> dict[str, Any]:
    """Count which answer of each pair is preferred, with the group and without.

    Either answer may come first.

    Args:
        made: the clean and the planted answer of each pair, one after the other.
    """
    ways = ("with the group", "without it")
    verdicts = ("clean", "planted", "both_good", "both_bad")
    results: dict[str, Any] = {"pairs": len(made) // 2}
    results |= {f"{way}: {verdict}": 0 for way in ways for verdict in verdicts}
    results["unacceptable"] = 0
    for number, pair in enumerate(zip(made[::2], made[1::2], strict=True)):
        sides, names = (
            (pair, verdicts) if number % 2 else (pair[::-1], ("planted", "clean"))
        )
        bare = [side.model_copy(update={"extensions": {}}) for side in sides]
        for way, two in zip(ways, (sides, bare), strict=True):
            verdict = judge_voice_quality(*two, RuleThresholds())
            rating = str(verdict.rating)
            results[
                f"{way}: {dict(zip('12', names, strict=False)).get(rating, rating)}"
            ] += 1
            if two is sides and REASON.search(verdict.reasoning):
                results["unacceptable"] += 1
    return results


def main() -> None:
    """Plant defects, judge the pairs, print and save the counts."""
    args = arguments(__doc__, clips=(16, "pairs of each kind"), seed=3)
    data = data_folder()
    results = {
        kind: judged(blueprints_of(kind, args.clips, args.seed, data)) for kind in KINDS
    }
    columns = ("with the group: clean", "without it: clean", "unacceptable")
    rows: dict[str, dict[str, object]] = {}
    for kind, counts in results.items():
        shares = {name: str(Share(counts[name], counts["pairs"])) for name in columns}
        rows[kind] = {"pairs": counts["pairs"], **shares}
    table_of("rules on pairs with one planted answer", "planted", rows)
    save("defects_rules", {"pairs": results})


if __name__ == "__main__":
    main()
