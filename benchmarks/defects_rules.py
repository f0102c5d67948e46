"""Pairs of which one answer has a planted defect: how often ``rules`` prefers the clean one.

    python -m benchmarks.defects_rules [--clips 16] [--seed 3]

Both answers are the same clip of a voice on which no limit was set, through the same codec; voice
quality alone is judged, with the group ``defects`` and without it. ``unacceptable`` is how often
``rules`` says that the answer with the defect is not acceptable because of it, with its span.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections import Counter
from pathlib import Path

import soundfile

from benchmarks.defects_planted import KINDS, planted
from benchmarks.defects_voices import coded, voices
from benchmarks.report import data_folder, save, table
from blueprints import Blueprint
from trace_eval.estimate.share import Share
from trace_eval.extracting.options import ExtractOptions
from trace_eval.extracting.start import extract
from trace_eval.judges.rules.thresholds import RuleThresholds
from trace_eval.judges.rules.voice_quality import judge_voice_quality

#: What voice quality reads.
ONLY = {"defects": "defects"} | dict.fromkeys(
    ("transcript", "pitch", "rate", "loudness", "emotion", "accent"), "none"
)


#: A defect as the reason, with its span, or no voice at all.
REASON = re.compile(r"is not acceptable: .*(?:from [\d.]+ to [\d.]+ s|there is no voice)")


def blueprints_of(kind: str, clips: int, seed: int, data: Path) -> list[Blueprint]:
    """The clean and the planted answer of each pair, one after the other."""
    everybody = voices(data)
    held_out = {name: everybody[name] for name in list(everybody)[1::2]}
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for number, one in enumerate(planted(kind, held_out, clips, seed)):
            for name, samples in (("clean", one.clean), ("with", one.samples)):
                heard, rate = coded(samples, one.rate, one.codec)
                paths.append(Path(folder) / f"{number}{name}.wav")
                soundfile.write(paths[-1], heard, rate, subtype="FLOAT")
        results = extract(paths, ExtractOptions(overrides=dict(ONLY)))
        return [one.blueprint for one in results if one.blueprint is not None]


def without(blueprint: Blueprint) -> Blueprint:
    """The same without the group."""
    return blueprint.model_copy(update={"extensions": {}})


def main() -> None:
    """Plant, judge, print, save."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clips", type=int, default=16, help="pairs of each kind")
    parser.add_argument("--seed", type=int, default=3)
    args = parser.parse_args()
    data = data_folder()
    results = {}
    for kind in KINDS:
        made = blueprints_of(kind, args.clips, args.seed, data)
        counts: Counter[str] = Counter()
        for number, (clean, planted_one) in enumerate(zip(made[::2], made[1::2], strict=True)):
            sign = 1 if number % 2 else -1
            for name, two in (
                ("with the group", (clean, planted_one)),
                ("without it", (without(clean), without(planted_one))),
            ):
                verdict = judge_voice_quality(*two[::sign], RuleThresholds())
                rating = str(verdict.rating)
                names = (
                    {"1": "clean", "2": "planted"} if sign == 1 else {"2": "clean", "1": "planted"}
                )
                counts[f"{name}: {names.get(rating, rating)}"] += 1
                if name == "with the group" and REASON.search(verdict.reasoning):
                    counts["unacceptable"] += 1
        number = len(made) // 2
        results[kind] = {
            "pairs": number,
            **{
                f"{name}: {verdict}": counts[f"{name}: {verdict}"]
                for name in ("with the group", "without it")
                for verdict in ("clean", "planted", "both_good", "both_bad")
            },
            "unacceptable": counts["unacceptable"],
        }
    header = ["planted", "pairs", "prefers the clean one", "without the group", "unacceptable"]
    rows = [
        [
            kind,
            row["pairs"],
            *(
                str(Share(row[name], row["pairs"]))
                for name in ("with the group: clean", "without it: clean", "unacceptable")
            ),
        ]
        for kind, row in results.items()
    ]
    table("rules on pairs with one planted answer", header, rows)
    save("defects_rules", {"pairs": results})


if __name__ == "__main__":
    main()
