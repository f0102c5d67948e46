"""The stopping rule, after each rating, and how many pairs the judge saves raters."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from blueprints import UserError, counted
from trace_eval.data.rubrics.single import ScoreRubric
from trace_eval.data.spelling import Declared
from trace_eval.decide.screen import screen
from trace_eval.opinions.checked_labels import label_table
from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.units import index_of
from trace_eval.review.estimate import LEVEL
from trace_eval.review.forms import PairForm
from trace_eval.review.protocol_files import counted_scores, first_views, plain_label
from trace_eval.review.session import Review
from trace_eval.runs.opinions import read_opinions
from trace_eval.stats.inference.labelled_run import gather
from trace_eval.stats.inference.stopping import (
    MOST_SYSTEMS,
    Stopping,
    cannot_say,
    every_two_means,
)
from trace_eval.stats.inference.stopping_labels import (
    NEEDED_FIRST,
    WHO_IS_BETTER,
    of_annotators,
    of_judged,
)
from trace_eval.stats.options import LabelChoice
from trace_eval.stats.sentences import MOST

#: Why an order that nobody drew tells nothing before its end.
GIVEN_ORDER = (
    "answers are rated in the order of the queue, which nobody drew; use a protocol"
    " with"
    ' order = "random"'
)


def stopping_of(review: Review) -> tuple[Stopping, ...]:
    """Look at the ratings as after each of them; return a row per two systems."""
    if why_not := no_random_order(review):
        return (cannot_say(WHO_IS_BETTER, why_not),)
    if isinstance(review.form, PairForm):
        return _of_pairs(review, review.form)
    return _of_scores(review, review.form.rubric)


def lines_of(rows: Sequence[Stopping], blind: bool = False) -> list[str]:
    """Say whether enough was rated, open comparisons first; if blind, not who won."""
    ordered = sorted(rows, key=lambda row: row.enough)
    if blind and len(ordered) > 1:
        done = sum(row.enough for row in ordered)
        of = counted(len(ordered), "comparison")
        hardest = max(ordered, key=_distance)
        return [f"{done} of {of} of two systems decided. {hardest.next_step}"]
    lines = [row.next_step if blind else row.verdict for row in ordered]
    rest = len(lines) - MOST
    more = [f"{counted(rest, 'more comparison')} of two systems."] if rest > 0 else []
    return lines[:MOST] + more


def _distance(row: Stopping) -> float:
    if row.enough:
        return 0.0
    return np.inf if row.more_units is None else float(row.more_units)


def no_random_order(review: Review) -> str | None:
    """Say why the items rated so far are no random sample of all; None: they are."""
    plan, form = review.plan, review.form
    is_shuffled = review.listening.order == "random"
    is_whole = len(plan.items) == len(plan.population)
    if is_shuffled and is_whole:
        return None
    if isinstance(form, PairForm):
        return NEEDED_FIRST if plan.needed else None  # all others are in random order
    return None if form.rubric.listening is not None and not is_whole else GIVEN_ORDER


# --- pairs ----------------------------------------------------------------------------


def labels_of(review: Review, form: PairForm) -> Opinions | None:
    """Return a review's overall labels, in order of arrival; None without labels."""
    names = [part.name for part in form.parts]
    part = "overall" if "overall" in names else names[0]
    views = sorted(first_views(review).values(), key=lambda view: view.finished or 0.0)
    inclusion = review.plan.inclusion({view.item for view in views})
    rows: list[dict[str, Any]] = []
    for view in views:
        label = form.label(review.store.answers(view), part)
        if label is None:
            continue
        pair, chance = review.material.by_id[view.item], inclusion.get(view.item)
        row = {
            "id": view.item,
            "overall": Declared(plain_label(form, label)),
            "rater": view.rater,
            "instruction_id": pair.instruction_id,
            "system_a": pair.a.system,
            "system_b": pair.b.system,
            "inclusion": None if chance is None else str(chance),
        }
        rows.append(row)
    if not rows:
        return None
    columns: dict[str, list[str | None]] = {}
    for row in rows:
        for name, cell in row.items():
            columns.setdefault(name, []).append(cell)
    return label_table(str(review.store.path), columns)


def _of_pairs(review: Review, form: PairForm) -> tuple[Stopping, ...]:
    labels = labels_of(review, form)
    if labels is None:
        return ()
    facts = {
        name: column for name, column in labels.facts.items() if name != "inclusion"
    }
    labels = Opinions(
        labels.source, labels.ids, labels.codes, labels.rater, facts=facts
    )
    judged = _judged(review)
    if judged is None:
        return of_annotators(labels.with_sides() or labels, "overall", LEVEL)
    try:
        return of_judged(judged.with_sides() or judged, labels, "overall", LEVEL)
    except UserError as error:
        return (cannot_say(WHO_IS_BETTER, str(error)),)


def _judged(review: Review) -> Opinions | None:
    """Return the judge's labels of a run; None without a judge or overall labels."""
    if not review.material.judged:
        return None
    table = read_opinions(review.material.source)
    return table if "overall" in table.codes and len(table.raters()) == 1 else None


def saved_by_judge(review: Review) -> str | None:
    """Say how many pairs the judge saves raters, if anything can be said.

    Returns None without a judge or labels, and when every pair is labelled.
    """
    form = review.form
    if not isinstance(form, PairForm) or not review.material.judged:
        return None
    judged, labels = _judged(review), labels_of(review, form)
    if judged is None or labels is None:
        return None
    try:
        result = screen(gather(judged, labels, LabelChoice()))
    except UserError as error:
        return f"Nobody can say what the judge saves: {error}."
    assert result.saving is not None
    if result.saving.labelled == result.saving.pairs:
        return None
    if result.saving.decided:
        return result.saving.sentence
    return f"{result.saving.sentence} {result.verdict}"


# --- scores ---------------------------------------------------------------------------


def _of_scores(review: Review, rubric: ScoreRubric) -> tuple[Stopping, ...]:
    """Look at each two systems on questions that both answer, first rated first."""
    low = rubric.scale.labels[0]
    width = rubric.scale.labels[-1] - low
    names: list[str] = []
    questions: list[str] = []
    scores: list[float] = []
    for item, score in counted_scores(review):
        if item.system is None or item.question_id is None:
            continue
        names.append(item.system)
        questions.append(item.question_id)
        scores.append((score - low) / width)
    system, systems = index_of(names)
    question, number = index_of(questions)
    if len(systems) > MOST_SYSTEMS:
        return ()
    shape = len(number), len(systems)
    cell = question * len(systems) + system
    size = shape[0] * shape[1]
    with np.errstate(invalid="ignore"):
        mean = np.bincount(cell, scores, size) / np.bincount(cell, minlength=size)
    return every_two_means(systems, mean.reshape(shape), LEVEL, width)


# --- while a review is served ---------------------------------------------------------


class Watch:
    """What was said about the ratings so far, worked out once after each of them.

    Args:
        tell: takes each line that was not said before on a question that is decided.
    """

    def __init__(
        self, review: Review, tell: Callable[[str], None] | None = None
    ) -> None:
        self._review, self._tell = review, tell
        self._lock = threading.Lock()
        # state of the store that the rows are about
        self._of: tuple[int, ...] | None = None
        self._rows: tuple[Stopping, ...] = ()
        self._saving: str | None = None
        self._decided: set[str] = set()

    def look(self) -> tuple[tuple[Stopping, ...], str | None]:
        """Return whether enough was rated, and what the judge saves."""
        with self._lock:
            state = self._review.store.state()
            if state != self._of:
                self._rows = stopping_of(self._review)
                self._saving = saved_by_judge(self._review)
                self._of = state
                self._say()
            return self._rows, self._saving

    def after_rating(self) -> None:
        """Look without keeping the rater waiting."""
        if self._tell is not None:
            threading.Thread(target=self.look, daemon=True).start()

    def _say(self) -> None:
        for row in self._rows:
            if row.enough and row.question not in self._decided:
                self._decided.add(row.question)
                if self._tell is not None:
                    self._tell(row.verdict)
