"""Judges of conversations against EVA's human labels, beside the majority and published figures.

    python -m benchmarks.eva_labels FOLDER [--judge SPEC] [--out FOLDER]

FOLDER holds EVA's judge-validation files (MIT). Without --judge the classes and the majority are
printed; with one, faithfulness, progression and conciseness are rated and compared.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from trace_eval.conversations.items import conversations_manifest
from trace_eval.data.answers import turn_role
from trace_eval.data.items import Single
from trace_eval.options import RateOptions
from trace_eval.runs.job import rate_manifest
from trace_eval.runs.run import Run

#: File -> rubric, and accuracy and macro-F1 of the published judge on the whole file.
FILES = {
    "faithfulness": ("faithfulness", 0.839, 0.807),
    "conversation_progression": ("progression", 0.799, 0.782),
    "conciseness": ("conciseness", 0.923, 0.838),
    "agent_speech_fidelity": (None, 0.896, 0.856),
}


def labels_of(items: Sequence[Single]) -> dict[str, float]:
    """Id of an item, or of a turn -> the label of people."""
    found: dict[str, float] = {}
    for item in items:
        if item.labels is None:
            continue
        for score in item.labels.given.values():
            found[item.id] = score
        for number, scores in item.labels.turns.items():
            for score in scores.values():
                found[turn_role(item.id, int(number))] = score
    return found


def rated(folder: Path) -> Iterator[tuple[str, float]]:
    """(id of an item or turn, rating to the nearest label) of a run."""
    for score in Run.open(folder).score_outcomes().values():
        turns = [opinion for opinion in score.opinions if opinion.turn is not None]
        for opinion in turns:
            if opinion.score is not None:
                yield turn_role(score.item, opinion.turn or 0), float(opinion.score)
        if not turns and score.value is not None:
            yield score.item, float(round(score.value))


def agreement(said: Sequence[float], truth: Sequence[float]) -> tuple[float, float]:
    """Accuracy and macro-F1 over the labels of people."""
    right = sum(s == t for s, t in zip(said, truth, strict=True)) / len(truth)
    scores = []
    for label in sorted(set(truth)):
        both = sum(s == t == label for s, t in zip(said, truth, strict=True))
        scores.append(2 * both / (said.count(label) + truth.count(label)))
    return right, sum(scores) / len(scores)


def main() -> None:
    """Print classes, the majority, the published judge, and the judge that was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--judge")
    parser.add_argument("--out", type=Path, default=Path("eva-runs"))
    chosen = parser.parse_args()
    for name, (rubric, *published) in FILES.items():
        manifest = conversations_manifest(chosen.folder / f"{name}.jsonl")
        labels = labels_of(manifest.singles)
        truth = list(labels.values())
        classes = Counter(truth)
        common = classes.most_common(1)[0][0]
        print(f"{name}: {len(manifest.items)} records, {len(truth)} labels, {dict(classes)}")
        print(
            "  majority   {:.4f}  macro-F1 {:.4f}".format(*agreement([common] * len(truth), truth))
        )
        print("  published  {:.4f}  macro-F1 {:.4f} (whole file)".format(*published))
        if chosen.judge and rubric:
            options = RateOptions(judge=(chosen.judge,), rubrics=(rubric,))
            rate_manifest(manifest, chosen.out / name, options)
            said = dict(rated(chosen.out / name))
            both = [id_ for id_ in labels if id_ in said]
            figures = agreement([said[i] for i in both], [labels[i] for i in both])
            told = "  {}  {:.4f}  macro-F1 {:.4f} ({} of {} rated)"
            print(told.format(chosen.judge, *figures, len(both), len(labels)))


if __name__ == "__main__":
    main()
