"""Ratings of people as tables that ``agree --scores --labels`` reads."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from pathlib import Path

from trace_eval.data.csv_cells import SafeWriter
from trace_eval.review.scoring.session import ScoreReview
from trace_eval.review.scoring.store import GivenScore

COLUMNS = ("id", "rater", "rubric", "score", "feedback", "comment", "at", "set_aside")


def _table(ratings: Iterable[GivenScore]) -> str:
    buffer = io.StringIO()
    writer = SafeWriter(buffer, lineterminator="\n")
    writer.writerow(COLUMNS)
    for given in ratings:
        writer.writerow(
            [
                given.item,
                given.rater,
                given.rubric,
                "" if given.score is None else f"{given.score:g}",
                " ".join(given.codes),
                given.comment,
                f"{given.at:.0f}",
                given.set_aside or "",
            ]
        )
    return buffer.getvalue()


def labels_csv(review: ScoreReview) -> str:
    """Ratings that count."""
    return _table(review.ratings())


def set_aside_csv(review: ScoreReview) -> str:
    """Ratings that were taken back, or given before a correction."""
    return _table(given for given in review.ratings(all_=True) if given.set_aside)


#: File name -> what it holds.
FILES: dict[str, Callable[[ScoreReview], str]] = {
    "labels.csv": labels_csv,
    "set_aside.csv": set_aside_csv,
}


def write_score_exports(review: ScoreReview, folder: Path) -> list[Path]:
    """Write all files, and return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, make in FILES.items():
        path = folder / name
        path.write_text(make(review), encoding="utf-8")
        paths.append(path)
    return paths
