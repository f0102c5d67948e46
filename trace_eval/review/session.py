"""A review in progress: raters walk through the queue, one question at a time."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from blueprints import UserError
from fusion import Rating
from trace_eval.data import strict_json
from trace_eval.review.material import Material, load_material
from trace_eval.review.protocol import (
    COMMENT_LIMIT,
    Phase,
    Question,
    longest,
    next_step,
    phases,
    rating,
    stored_value,
)
from trace_eval.review.queue import (
    QueueOptions,
    ReviewPlan,
    check_same_pairs,
    make_plan,
    shown_order,
)
from trace_eval.review.store import Store, View

#: Longest name of a rater, characters.
NAME_LIMIT = 60

#: The answers as they are shown, by the keys that play them.
SHOWN = ("a", "b")


@dataclass(frozen=True)
class Position:
    """Where a rater is.

    Attributes:
        task: position in the queue, from 0.
        view: the pair on show.
        answers: what was answered of it, in the pair's own order.
        step: the question; null: the judge's opinion is on show.
    """

    task: int
    view: View
    answers: Mapping[str, str]
    step: Question | None


@dataclass(frozen=True)
class Labelled:
    """A finished view with its ratings, in the pair's own order."""

    view: View
    ratings: Mapping[Phase, Rating]
    answers: Mapping[str, str]


class Review:
    """One review: its pairs, its plan, its answers.

    Args:
        material: the pairs.
        store: the database.
        plan: the queue.
        show_judge: show the judge's opinion of a pair once its rater has finished it.
        allow_unplayed: take ratings of answers that were not both played.
    """

    def __init__(
        self,
        material: Material,
        store: Store,
        plan: ReviewPlan,
        show_judge: bool = False,
        allow_unplayed: bool = False,
    ) -> None:
        self.material, self.store, self.plan = material, store, plan
        self.show_judge = show_judge and material.judged
        self.allow_unplayed = allow_unplayed
        self.tasks = plan.tasks()

    # --- where a rater is --------------------------------------------------------------

    def place(self, rater: str) -> Position | None:
        """The first task that is not done; null: all are."""
        views = {(view.item, view.repeat): view for view in self.store.views(rater)}
        for task, (item, repeat) in enumerate(self.tasks):
            view = views.get((item, repeat))
            if view is None:
                order = shown_order(self.plan.seed, rater, item, repeat)
                view = self.store.start(rater, item, repeat, order)
            elif view.finished is not None and view.judge != "shown":
                continue
            answers = self.store.answers(view)
            step = next_step(answers, view.shown, self.plan.overall_first)
            return Position(task, view, answers, step)
        return None

    def progress(self, rater: str) -> tuple[int, int]:
        """(finished tasks, all tasks) of a rater."""
        wanted = set(self.tasks)
        done = {(v.item, v.repeat) for v in self.store.views(rater) if v.finished is not None}
        return len(done & wanted), len(wanted)

    def fraction(self, place: Position | None) -> float:
        """Share of the way that a rater has gone, 0 to 1; grows with every answer."""
        if place is None:
            return 1.0
        inside = min(1.0, len(place.answers) / longest(self.plan.overall_first))
        return (place.task + inside) / len(self.tasks)

    # --- what a rater does -------------------------------------------------------------

    def must_play(self, place: Position) -> bool:
        """Whether this question asks to have played both answers: the first one of a pair."""
        return not self.allow_unplayed and not place.answers and place.step is not None

    def answer(
        self,
        rater: str,
        task: int,
        step: str,
        value: str,
        comment: str,
        played: Collection[str] | None = None,
    ) -> bool:
        """Record an answer as shown; committed on return.

        False: the page was not the current one (a second key press, an old tab), and
        nothing was stored.

        Args:
            rater: who.
            task, step: which question the page asked.
            value: the answer, as shown.
            comment: on the pair, as far as it is written.
            played: which of the answers, ``a`` and ``b`` as shown, the page has played; null:
                it is not a page that answers, and nothing is asked of it.

        Raises:
            UserError: the question does not offer this answer, or asks to play both first.
        """
        place = self.place(rater)
        if place is None or place.task != task or place.step is None or place.step.key != step:
            return False
        if played is not None and self.must_play(place):
            check_played(played)
        comment = comment[:COMMENT_LIMIT]
        if place.step.kind == "comment":
            return self.store.finish(place.view, comment, self._has_opinion(place.view.item))
        try:
            stored = stored_value(place.step, value, place.view.shown)
        except ValueError as error:
            raise UserError(str(error)) from None
        return self.store.answer(place.view, step, stored, comment)

    def _has_opinion(self, item: str) -> bool:
        return self.show_judge and item in self.material.judgements

    def undo(self, rater: str, task: int, comment: str) -> bool:
        """Take the last answer back, across pairs; False: there is none that may be."""
        place = self.place(rater)
        if place is not None and place.task == task and place.step is not None:
            self.store.keep_comment(place.view, comment[:COMMENT_LIMIT])
        return self.store.undo(rater) is not None

    def go_on(self, rater: str, task: int) -> None:
        """Leave the judge's opinion."""
        place = self.place(rater)
        if place is not None and place.task == task and place.step is None:
            self.store.judge_seen(place.view)

    def may_see_results(self, rater: str) -> bool:
        """Sums over few pairs tell the judge's opinion of each: only after the last answer."""
        done, total = self.progress(rater)
        return done == total

    # --- what came of it -----------------------------------------------------------------

    def labelled(self) -> list[Labelled]:
        """All finished views with their ratings."""
        answers = self.store.all_answers()
        found = []
        for view in self.store.views():
            if view.finished is None or view.item not in self.material.by_id:
                continue
            given = answers.get(view.key, {})
            ratings = {
                phase: value
                for phase in phases(overall_first=True)
                if (value := rating(given, phase)) is not None
            }
            found.append(Labelled(view, ratings, given))
        return found


def check_played(played: Collection[str]) -> None:
    """Refuse a rating of answers that were not both played.

    Raises:
        UserError: names those that were not.
    """
    if missing := [letter.upper() for letter in SHOWN if letter not in played]:
        raise UserError(f"play {' and '.join(missing)} first: a rating asks to have heard both")


def check_name(name: str) -> str:
    """A rater's name as it is stored.

    Raises:
        UserError: it is empty, too long, or holds control characters.
    """
    name = " ".join(name.split())
    if not name or len(name) > NAME_LIMIT or not name.isprintable():
        raise UserError(f"rater {name!r:.80}: give a name of 1 to {NAME_LIMIT} characters")
    return name


def open_review(
    source: Path,
    given: Mapping[str, Any] | None = None,
    *,
    database: Path | None = None,
    audio_root: Path | str | None = None,
    show_judge: bool = False,
    allow_unplayed: bool = False,
) -> Review:
    """Begin a review, or continue the one in the database.

    Args:
        source: run folder or manifest of pairs.
        given: fields of :class:`QueueOptions` that the user asked for; a review that was
            begun keeps its own where they are left out.
        database: SQLite file; default: ``review.sqlite`` in the run, or beside the manifest.
        audio_root: folder of a manifest's relative audio paths.
        show_judge, allow_unplayed: see :class:`Review`.

    Raises:
        UserError: nothing to review, an option is out of range or not that of the review.
    """
    material = load_material(source, audio_root)
    store = Store(database or material.database)
    plan = _plan(store, material, given or {})
    return Review(material, store, plan, show_judge, allow_unplayed)


def _plan(store: Store, material: Material, given: Mapping[str, Any]) -> ReviewPlan:
    stored = store.meta("plan")
    if stored is None:
        plan = make_plan(material, QueueOptions(**given))
        stored = store.set_first("plan", plan.model_dump_json())
        return strict_json.own(ReviewPlan, stored, store.path)
    plan = strict_json.own(ReviewPlan, stored, store.path)
    check_same_pairs(plan, material)
    for name in ("random_share", "overall_first", "seed", "repeat"):
        if given.get(name, getattr(plan, name)) != getattr(plan, name):
            raise UserError(
                f"{store.path}: this review has --{name.replace('_', '-')}"
                f" {getattr(plan, name)}, not {given[name]}; start another one with --db"
            )
    if given.get("budget") is not None:
        plan = plan.extended(given["budget"])
        store.set_meta("plan", plan.model_dump_json())
    return plan
