"""Ratings of people: tables that ``agree --labels`` reads, items that ``train`` reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from trace_eval.data import ScoreLabels, Single, make_folder, replace_file, table_lines
from trace_eval.review.scoring.session import ScoreReview
from trace_eval.review.scoring.store import StoredScore

COLUMNS = ("id", "rater", "rubric", "score", "feedback", "comment", "at", "set_aside")


def _table(ratings: Iterable[StoredScore]) -> str:
    rows = (
        (
            given.item,
            given.rater,
            given.rubric,
            "" if given.score is None else f"{given.score:g}",
            " ".join(given.codes),
            given.comment,
            f"{given.at:.0f}",
            given.set_aside or "",
        )
        for given in ratings
    )
    return "".join(f"{told}\n" for told in table_lines(COLUMNS, rows))


def labels_csv(review: ScoreReview) -> str:
    """Ratings that count."""
    return _table(review.ratings())


def set_aside_csv(review: ScoreReview) -> str:
    """Ratings that were taken back, or given before a correction."""
    return _table(given for given in review.ratings(all_=True) if given.set_aside)


def ratings_jsonl(review: ScoreReview) -> str:
    """The items as corrected, with every rating that counts: those they came with, and ours.

    What people said of an item before it was corrected is left out.
    """
    given: dict[str, list[StoredScore]] = {}
    for rating in review.ratings():
        given.setdefault(rating.item, []).append(rating)
    lines = (
        _labelled(
            item.model_copy(update={"labels": None}) if review.corrections_of(item.id) else item,
            given.get(item.id, ()),
        ).model_dump_json(exclude_none=True)
        for item in review.items
    )
    return "".join(f"{line}\n" for line in lines)


def _labelled(item: Single, given: Iterable[StoredScore]) -> Single:
    known = item.labels or ScoreLabels()
    codes = {rating.rater: list(rating.codes) for rating in given if rating.codes}
    labels = ScoreLabels(
        scores={**known.scores, **{rating.rater: rating.score for rating in given}},
        feedback={**known.feedback, **codes},
    )
    return item.model_copy(update={"labels": labels})


#: File name -> what it holds.
FILES: dict[str, Callable[[ScoreReview], str]] = {
    "labels.csv": labels_csv,
    "set_aside.csv": set_aside_csv,
    "ratings.jsonl": ratings_jsonl,
}


def write_score_exports(review: ScoreReview, folder: Path) -> list[Path]:
    """Write all files, and return their paths."""
    make_folder(folder)
    paths = []
    for name, make in FILES.items():
        path = folder / name
        replace_file(path, make(review))
        paths.append(path)
    return paths
