"""A review of single answers in progress: the queue, ratings, flags and corrections."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from blueprints import UserError
from trace_eval.data import FEEDBACK_CODES, MANIFEST_SUFFIXES, Single, jsonl, read_items
from trace_eval.review.protocol import COMMENT_LIMIT
from trace_eval.review.scoring.corrections import (
    CODES,
    CorrectedField,
    Correction,
    corrected,
    corrections_between,
    read_corrections,
)
from trace_eval.review.scoring.store import ScoreStore, StoredScore
from trace_eval.rubrics import ScoreRubric, load_rubric
from trace_eval.runs import Run, rubrics_of

#: What a rater sends who gives no score.
NONE = "none"

#: Names of the files beside the run or the manifest.
DATABASE = "review-scores.sqlite"
CORRECTIONS = "corrections.jsonl"


@dataclass(frozen=True)
class Flag:
    """An item that raters say should be corrected.

    Attributes:
        codes: code -> raters who gave it.
        task: place in the queue, which names the item on pages.
    """

    task: int
    item: Single
    codes: Mapping[str, int]


class ScoreReview:
    """One review: its items, its rubric, its ratings.

    Args:
        items: in the order of the queue, uncorrected.
        rubric: what is asked.
        store: the database.
        corrections: file of corrections.
    """

    def __init__(
        self, items: Sequence[Single], rubric: ScoreRubric, store: ScoreStore, corrections: Path
    ) -> None:
        self.rubric, self.store, self.corrections_path = rubric, store, corrections
        self._lock = threading.Lock()
        self._corrections = read_corrections(corrections)
        self.items = [corrected(item, self._corrections.get(item.id, ())) for item in items]
        self._places = {item.id: place for place, item in enumerate(self.items)}

    # --- where a rater is --------------------------------------------------------------

    def task(self, rater: str) -> int | None:
        """The first item that this rater has not rated; null: all are."""
        done = self._done(rater)
        return next((n for n, item in enumerate(self.items) if item.id not in done), None)

    def progress(self, rater: str) -> tuple[int, int]:
        """(rated, all) items of a rater."""
        return len(self._done(rater)), len(self.items)

    def can_undo(self, rater: str) -> bool:
        """Whether there is a rating to take back."""
        return bool(self.store.ratings(rater))

    def _done(self, rater: str) -> set[str]:
        given = (g.item for g in self.store.ratings(rater) if g.rubric == self.rubric.name)
        return {item for item in given if item in self._places}

    # --- what a rater does -------------------------------------------------------------

    def rate(
        self, rater: str, task: int, value: str, codes: Sequence[str] = (), comment: str = ""
    ) -> bool:
        """Keep a rating; False: the page was not the current one, and nothing was stored.

        Codes never erase a score, and a score is null only where the rater gave none.

        Raises:
            UserError: a value off the scale, or an unknown code.
        """
        if self.task(rater) != task:
            return False
        if unknown := [code for code in codes if code not in FEEDBACK_CODES]:
            raise UserError(f"code {unknown[0]!r:.20}: use {', '.join(FEEDBACK_CODES)}")
        score = None
        if value != NONE:
            try:
                score = float(self.rubric.numbers.parse(value))
            except ValueError as error:
                raise UserError(f"score: {error}") from None
        item = self.items[task].id
        words = comment[:COMMENT_LIMIT]
        return self.store.add(rater, item, self.rubric.name, score, sorted(set(codes)), words)

    def undo(self, rater: str) -> bool:
        """Set the last rating aside; False: there is none."""
        return self.store.undo(rater) is not None

    # --- the correction loop -----------------------------------------------------------

    def flags(self) -> list[Flag]:
        """Items whose question, rationale or reference raters find wanting, most first."""
        counted: dict[str, Counter[str]] = {}
        for given in self.store.ratings():
            asked = [code for code in given.codes if code in CODES]
            if asked and given.item in self._places:
                counted.setdefault(given.item, Counter()).update(asked)
        for item in self.items:  # codes that came with the items
            feedback = item.labels.feedback.values() if item.labels else ()
            asked = [c for entries in feedback for c in entries if c in CODES]
            if asked and item.id not in self._corrections:
                counted.setdefault(item.id, Counter()).update(asked)
        found = [Flag(self._places[n], self.items[self._places[n]], c) for n, c in counted.items()]
        return sorted(found, key=lambda flag: (-sum(flag.codes.values()), flag.task))

    def correct(self, rater: str, task: int, given: Mapping[CorrectedField, str]) -> int:
        """Correct an item; its earlier ratings are set aside and it is asked for again.

        Returns:
            How many fields have changed.

        Raises:
            UserError: no such item, or a text cannot be taken.
        """
        if not 0 <= task < len(self.items):
            raise UserError(f"item {task + 1}: there are {len(self.items)}")
        with self._lock:
            item = self.items[task]
            made = corrections_between(item, dict(given), rater)
            for correction in made:
                jsonl.append(self.corrections_path, correction)
            if made:
                self._corrections.setdefault(item.id, []).extend(made)
                self.items[task] = corrected(item, made)
                self.store.set_aside(item.id, "corrected")
        return len(made)

    def corrections_of(self, item: str) -> list[Correction]:
        """What was corrected of an item."""
        return list(self._corrections.get(item, ()))

    def ratings(self, all_: bool = False) -> list[StoredScore]:
        """Ratings by this rubric; those set aside on request."""
        return [g for g in self.store.ratings(all_=all_) if g.rubric == self.rubric.name]


def open_score_review(
    source: Path,
    *,
    rubric: str | None = None,
    budget: int | None = None,
    database: Path | None = None,
    audio_root: Path | str | None = None,
) -> ScoreReview:
    """Begin a review of single answers, or continue the one in the database.

    Items come by falling variance of the judge's scores, then flagged ones first, then as given.

    Args:
        source: run folder of ``rate``, or a manifest of single answers.
        rubric: which one; default: the run's only one.
        budget: items at most.
        database: default: ``review-scores.sqlite`` in the run, or beside the manifest.
        audio_root: folder of a manifest's relative audio paths.

    Raises:
        UserError: nothing to review, or no rubric is named where there are several.
    """
    if source.is_dir():
        run = Run.open(source)
        known = rubrics_of(run)
        name = rubric or (next(iter(known)) if len(known) == 1 else None)
        if name not in known:
            raise UserError(f"{source}: rated by {', '.join(known)}; name one with --rubric")
        chosen, home, items = known[name], source, list(run.singles())
        outcomes = run.score_outcomes()
        variances = {item: o.variance for (item, by), o in outcomes.items() if by == name}
    elif source.suffix in MANIFEST_SUFFIXES and rubric:
        chosen, home = load_rubric(rubric), source.parent
        items, variances = read_items(source, audio_root).singles, {}
    else:
        raise UserError(
            f"{source}: name a run of rate, or a manifest of single answers with --rubric"
        )
    ordered = sorted(items, key=lambda item: (-(variances.get(item.id) or 0), -_flagged(item)))
    if not ordered:
        raise UserError(f"{source}: no items to review")
    store = ScoreStore(database or home / DATABASE)
    return ScoreReview(ordered[:budget], chosen, store, home / CORRECTIONS)


def _flagged(item: Single) -> int:
    feedback = item.labels.feedback.values() if item.labels else ()
    return sum(code in FEEDBACK_CODES for entries in feedback for code in entries)
