"""Rated answers for training a scorer, split by question."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from blueprints import JudgeError
from trace_eval.data.items import Single
from trace_eval.data.manifests import read_items
from trace_eval.judges.lexical.judge import references_of
from trace_eval.judges.scorer.text import ScorerFields, fields_of

#: Ratings that count.
LOW, HIGH = 1, 5

#: Feedback that keeps a row out until somebody has corrected the question or the
#: reference.
BLOCKING = {"q": "question incomplete", "r": "reference wrong"}


@dataclass(frozen=True)
class TrainingRow:
    """One answer with its human ratings."""

    id: str
    question: str  # rows of one question stay in one split
    fields: ScorerFields
    ratings: tuple[int, ...]  # 1 to 5, one per rater who gave one
    split: str | None  # train, dev or test; None where the file names none


@dataclass(frozen=True)
class ScorerRatings:
    """A file of rated answers."""

    rows: list[TrainingRow]  # those that can be used, in the order of the file
    dropped: Counter[str] = field(
        default_factory=Counter
    )  # why others cannot -> how many
    sha256: str | None = None  # of the file


def read_ratings(path: Path) -> ScorerRatings:
    """Read human ratings of answers that are given as text.

    Rows are dropped, and counted by reason: unreadable, without a rating of 1 to 5,
    without a reference, spoken (answer or question) without its words, or flagged as a
    wrong question or reference.

    Raises:
        UserError: the file cannot be read, a rating is outside of 1 to 5, or a question
            is in two splits.
    """
    manifest = read_items(path)
    if manifest.problems:
        dropped = Counter({"unreadable": len(manifest.problems)})
    else:
        dropped = Counter()
    rows: list[TrainingRow] = []
    for item in manifest.singles:
        row = _row(item, path)
        if isinstance(row, TrainingRow):
            rows.append(row)
        else:
            dropped[row] += 1
    splits: dict[str, str | None] = {}
    for used in rows:  # else the scorer would be tested on what it has seen
        if splits.setdefault(used.question, used.split) != used.split:
            raise JudgeError(
                f"{path}: question {used.question!r} is in split"
                f" {splits[used.question]} and in {used.split}; put all answers to a"
                " question into one split"
            )
    return ScorerRatings(rows, dropped, manifest.sha256)


def _row(item: Single, path: Path) -> TrainingRow | str:
    labels = item.labels
    if not labels or not labels.ratings:
        return "no rating"
    for rater, rating in labels.ratings.items():
        if not (LOW <= rating <= HIGH and rating == int(rating)):
            raise JudgeError(
                f"{path}, item {item.id}: rater {rater} gave {rating:g}; ratings are"
                f" whole numbers from {LOW} to {HIGH}"
            )
    if not (references := references_of(item)):
        return "no reference"
    if item.answer.text is None:
        return "spoken, without its words"
    if item.instruction.has_audio and not item.instruction.text:
        return "question spoken, without its words"
    codes = {code for codes in labels.feedback.values() for code in codes}
    for code, meaning in BLOCKING.items():
        if code in codes:
            return meaning
    fields = fields_of(item, references[0][1])
    ratings = tuple(map(int, labels.ratings.values()))
    question = item.question_id or fields.question or item.id
    return TrainingRow(
        id=item.id, question=question, fields=fields, ratings=ratings, split=item.split
    )


def train_and_dev(
    rows: Sequence[TrainingRow], share: float, seed: int
) -> tuple[list[TrainingRow], list[TrainingRow]]:
    """Split rows into train and dev, as the file says or else by question.

    Test rows are never used. Where the file names no dev rows, a share of the questions
    becomes dev; the seed decides which. UserError where one side would be empty.
    """
    pool = [row for row in rows if row.split in (None, "train")]
    dev = [row for row in rows if row.split == "dev"]
    if not dev:
        chosen = {row.question for row in pool if _draw(row.question, seed) < share}
        dev = [row for row in pool if row.question in chosen]
        pool = [row for row in pool if row.question not in chosen]
    if not pool or not dev:
        raise JudgeError(
            f"train: {len(pool)} rows to train on and {len(dev)} to choose by; give"
            " more rows, a column split, or another --dev-share"
        )
    return pool, dev


def _draw(question: str, seed: int) -> float:
    """Draw a number in [0, 1) that depends on the question and the seed only."""
    digest = hashlib.sha256(f"{seed}\x00{question}".encode("utf-8", "replace")).digest()
    return int.from_bytes(digest[:8]) / 2**64
