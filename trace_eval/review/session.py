"""A review in progress: raters walk through the queue, one question at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from blueprints import UserError, counted
from fusion import Rating
from trace_eval.data import jsonl
from trace_eval.data.corrections import CorrectedField
from trace_eval.data.items import Pair, Single, items_of_pair
from trace_eval.data.outcome import Order
from trace_eval.review.corrections import Corrections, EventLog, Flag, item_version
from trace_eval.review.forms import (
    COMMENT_LIMIT,
    Form,
    Phase,
    ReviewQuestion,
    ReviewScoreForm,
    TieForm,
    phases,
    rating,
)
from trace_eval.review.material import Material, load_material
from trace_eval.review.options import QueueOptions, ReviewOptions
from trace_eval.review.queue import ReviewPlan, make_plan, shown_order, stored_plan
from trace_eval.review.store import JudgeState, Remark, Store, StoreView


@dataclass(frozen=True)
class Position:
    """A rater's place in the queue."""

    task: int
    view: StoreView
    answers: Mapping[str, str]  # of its item so far, in the pair's own order
    step: ReviewQuestion | None  # None: the judge's opinion is on show


@dataclass(frozen=True)
class Labelled:
    """A finished view with its ratings, in the pair's own order."""

    view: StoreView
    ratings: Mapping[Phase, Rating]
    answers: Mapping[str, str]


@dataclass(frozen=True)
class ReviewCall:
    """A call whose events can be corrected."""

    name: str  # of its events and corrections: the item's, of a pair ID/a or ID/b
    letter: str | None  # as the rater knows it; None: it is the only one
    item: str
    side: str  # of the item, where its sound is from


class Review:
    """One review: its items, its plan, its form, its answers."""

    def __init__(
        self,
        material: Material,
        store: Store,
        plan: ReviewPlan,
        show_judge: bool = False,
        allow_unplayed: bool = False,
    ) -> None:
        self.material, self.store, self.plan = material, store, plan
        self.form: Form = TieForm(plan.overall_first, plan.confidence)
        if material.rubric:
            self.form = ReviewScoreForm(material.rubric)
        self.show_judge = show_judge and material.judged
        self.allow_unplayed = allow_unplayed
        self.tasks = plan.tasks()
        singles = {item.id: item for item in material.singles}
        wanted = [singles[item] for item in plan.items if item in singles]
        pairs = [material.by_id[item] for item in plan.items if item in material.by_id]
        # What is judged turn by turn is a part of a call, and no call that has events.
        halves = [half for pair in pairs if pair.turn is None for half in items_of_pair(pair)]
        called = any(half.answer.conversation for half in halves)
        if (wanted or called) and jsonl.is_torn(material.corrections):
            jsonl.repair(material.corrections)  # else the next line would be written onto it
        self.corrections = Corrections(material.corrections, wanted) if wanted else None
        events = EventLog(material.corrections, [*wanted, *halves])
        self.events = events if events.conversations else None

    def item(self, name: str) -> Pair | Single:
        """Return an item of the queue, as it was corrected so far."""
        return self.corrections.items[name] if self.corrections else self.material.by_id[name]

    @property
    def items(self) -> list[Pair | Single]:
        """The items in the order of the queue."""
        return [self.item(name) for name in self.plan.items]

    def summary(self) -> str:
        """One sentence on what is reviewed and where it is stored."""
        plan, path = self.plan, self.store.path
        if self.corrections:
            return f"{counted(len(plan.items), 'answer')} by {self.form.name}, ratings in {path}"
        return (
            f"{len(plan.items)} of {counted(len(plan.population), 'pair')}"
            f" ({counted(len(plan.needed), 'needs', 'need')} review,"
            f" {plan.drawn} at random), answers in {path}"
        )

    # --- where a rater is --------------------------------------------------------------

    def position(self, rater: str) -> Position | None:
        """Return the first task that is not done; None if all are."""
        views = {(view.item, view.repeat): view for view in self.store.views(rater)}
        for task, (item, repeat) in enumerate(self.tasks):
            view = views.get((item, repeat))
            if view is None:
                order = self._order(rater, item, repeat)
                view = self.store.start(rater, item, repeat, order)
            elif view.finished is not None and view.judge != "shown":
                continue
            answers = self.store.answers(view)
            step = self.form.next_step(self.item(item), answers, view.shown)
            return Position(task, view, answers, step)
        return None

    def _order(self, rater: str, item: str, repeat: int) -> Order:
        single = isinstance(self.item(item), Single)
        return "ab" if single else shown_order(self.plan.seed, rater, item, repeat)

    def progress(self, rater: str) -> tuple[int, int]:
        """(finished tasks, all tasks) of a rater."""
        wanted = set(self.tasks)
        done = {(v.item, v.repeat) for v in self.store.views(rater) if v.finished is not None}
        return len(done & wanted), len(wanted)

    def fraction(self, position: Position | None) -> float:
        """Share of the way that a rater has gone, 0 to 1; grows with every answer."""
        if position is None:
            return 1.0
        longest = self.form.longest(self.item(position.view.item))
        return (position.task + min(1.0, len(position.answers) / longest)) / len(self.tasks)

    # --- what a rater does -------------------------------------------------------------

    def must_play(self, position: Position) -> bool:
        """Whether both answers must be played before this question: the first one of a pair."""
        asks = self.form.of_pairs and not self.allow_unplayed
        return asks and not position.answers and position.step is not None

    def answer(
        self,
        rater: str,
        task: int,
        step: str,
        value: str,
        remark: Remark | None = None,
        version: str | None = None,
    ) -> bool:
        """Record an answer to a step of a task as shown; committed on return.

        False: the page was not the current one (a second key press, an old tab, an item that was
        corrected meanwhile), and nothing was stored. Raises UserError for an answer or code that
        is not offered, and while both answers must be played first.

        Args:
            version: :func:`item_version` of the item that the page showed; None: it is not checked.
        """
        with self.store.exclusive():
            return self._answer(rater, task, step, value, remark or Remark(), version)

    def _answer(
        self, rater: str, task: int, step: str, value: str, remark: Remark, version: str | None
    ) -> bool:
        position = self.position(rater)
        if position is None or position.step is None:
            return False
        if (position.task, position.step.key) != (task, step):
            return False
        if version not in (None, item_version(self.item(position.view.item))):
            return False
        if remark.played is not None and self.must_play(position):
            missing = [letter.upper() for letter in "ab" if letter not in remark.played]
            if missing:
                both = " and ".join(missing)
                raise UserError(f"play {both} first: a rating asks to have heard both")
        if unknown := [code for code in remark.codes if code not in self.form.codes]:
            raise UserError(f"code {unknown[0]!r:.20}: use {', '.join(self.form.codes) or 'none'}")
        remark = Remark(
            remark.comment[:COMMENT_LIMIT], sorted(set(remark.codes)), self.form.of_pairs
        )
        try:
            kept = self.form.stored(position.step, value, position.view.shown)
        except ValueError as error:
            raise UserError(str(error)) from None
        end = self._end(position, step, kept)
        return self.store.answer(position.view, step, kept, remark, end)

    def _end(self, position: Position, step: str, value: str) -> JudgeState | None:
        """With the last answer about an item: whether the judge's opinion follows."""
        name, answers = position.view.item, {**position.answers, step: value}
        if self.form.next_step(self.item(name), answers, position.view.shown):
            return None
        return "shown" if self.show_judge and name in self.material.judgements else "hidden"

    def undo(self, rater: str, task: int = -1, comment: str = "") -> bool:
        """Take the last answer back, across items; False: there is none that may be."""
        position = self.position(rater)
        if position is not None and position.task == task and position.step is not None:
            self.store.keep_comment(position.view, comment[:COMMENT_LIMIT])
        return self.store.undo(rater)

    def go_on(self, rater: str, task: int) -> None:
        """Leave the judge's opinion."""
        position = self.position(rater)
        if position is not None and position.task == task and position.step is None:
            self.store.judge_seen(position.view)

    def may_see_results(self, rater: str) -> bool:
        """Tell whether a rater may see sums, which of few pairs reveal the judge's opinions."""
        done, total = self.progress(rater)
        return done == total

    # --- the correction loop -------------------------------------------------------------

    def flags(self) -> list[Flag]:
        """Items whose question, rationale or reference raters find wanting, most first."""
        provided = ((answer.item, answer.codes) for answer in self.store.stored())
        return self.corrections.flags(provided) if self.corrections else []

    def correct(self, rater: str, task: int, fields: Mapping[CorrectedField, str]) -> int:
        """Correct an item; its earlier answers are set aside and it is asked for again.

        Returns how many fields have changed; raises UserError for no such item, or a bad text.
        """
        if self.corrections is None or not 0 <= task < len(self.tasks):
            raise UserError(f"item {task + 1}: there are {len(self.tasks)}")
        item, _ = self.tasks[task]
        with self.store.exclusive():
            changed = self.corrections.correct(item, fields, rater)
            if changed:
                self.store.set_aside(item, "corrected")
        return changed

    def calls(self, rater: str, task: int) -> list[ReviewCall]:
        """List the calls of a task that have events; of a pair in the order shown."""
        if self.events is None or not 0 <= task < len(self.tasks):
            return []
        name, repeat = self.tasks[task]
        if isinstance(self.item(name), Single):
            results = [ReviewCall(name, None, name, "answer")]
        else:
            shown = self._order(rater, name, repeat)
            letters = zip("AB", shown, strict=True)
            results = [ReviewCall(f"{name}/{side}", letter, name, side) for letter, side in letters]
        return [call for call in results if call.name in self.events.conversations]

    # --- what came of it -----------------------------------------------------------------

    def labelled(self) -> list[Labelled]:
        """All finished views of pairs with their ratings."""
        answers: dict[int, dict[str, str]] = {}
        for one in self.store.stored():
            answers.setdefault(one.view, {})[one.step] = one.value
        rows = []
        for view in self.store.views():
            if view.finished is None or view.item not in self.material.by_id:
                continue
            provided = answers.get(view.number, {})
            ratings = {
                phase: value
                for phase in phases(overall_first=True)
                if (value := rating(provided, phase)) is not None
            }
            rows.append(Labelled(view, ratings, provided))
        return rows


def open_review(
    source: Path,
    provided: Mapping[str, Any] | None = None,
    options: ReviewOptions | None = None,
) -> Review:
    """Begin a review, or continue the one in the database.

    The user asked for ``provided`` fields of :class:`QueueOptions`; a review that was begun keeps
    its own where they are left out.

    Raises UserError for nothing to review, or an option out of range or not that of the review.
    """
    provided, options = provided or {}, options or ReviewOptions()
    material = load_material(source, options.audio_root, options.rubric)
    database = options.database or material.database
    if material.rubric:
        requested = [name for name in ("show_judge", "allow_unplayed") if getattr(options, name)]
        if ignored := [*requested, *(name for name in provided if name != "budget")]:
            raise UserError(f"{', '.join(ignored)}: belong to reviews of pairs; leave them out")
        store = Store(database, material.rubric.name)
        return Review(material, store, make_plan(material, QueueOptions(**provided)))
    store = Store(database)
    plan = stored_plan(store, material, provided)
    return Review(
        material=material,
        store=store,
        plan=plan,
        show_judge=options.show_judge,
        allow_unplayed=options.allow_unplayed,
    )
