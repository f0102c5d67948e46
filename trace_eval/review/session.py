"""A review in progress: raters walk through the queue, one question at a time."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from blueprints import UserError, counted
from fusion import Rating
from trace_eval.data import jsonl
from trace_eval.data.corrections import CorrectedField
from trace_eval.data.items import Pair, Single, items_of_pair
from trace_eval.data.outcome import Order
from trace_eval.data.rubrics.listening import Listening
from trace_eval.review.corrections import Corrections, EventLog, Flag, item_version
from trace_eval.review.forms import (
    COMMENT_LIMIT,
    Form,
    PairForm,
    Phase,
    form_of,
    phases,
    rating,
)
from trace_eval.review.material import Material
from trace_eval.review.orders import (
    disputed_items,
    full_items,
    rater_order,
    shown_order,
)
from trace_eval.review.queue import ReviewPlan
from trace_eval.review.seen import (
    ShownHere,
    corrected_now,
    remember,
    set_changed_aside,
)
from trace_eval.review.store import Store
from trace_eval.review.together import STIMULUS_KEYS, Page, Reviewed
from trace_eval.review.views import JudgeState, Labelled, Position, Remark, ReviewCall

#: Why an answer that came after the end of a review does not count.
LATE = "late"


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
        self.form: Form = form_of(
            material.protocol, plan.overall_first, plan.confidence
        )
        self.show_judge = show_judge and material.judged
        self.allow_unplayed = allow_unplayed
        self.tasks = plan.tasks()
        by_id = {item.id: item for item in material.singles}
        names = plan.items + plan.apart
        singles = [by_id[item] for item in names if item in by_id]
        halves: list[Single] = []
        for item in names:
            pair = material.by_id.get(item)
            # What is judged turn by turn is a part of a call, and has no events.
            if pair is not None and pair.turn is None:
                halves.extend(items_of_pair(pair))
        has_calls = any(half.answer.conversation for half in halves)
        if (singles or has_calls) and jsonl.is_torn(material.corrections):
            # Else the next line would be written onto the torn one.
            jsonl.repair(material.corrections)
        self.corrections = None
        if singles:
            self.corrections = Corrections(material.corrections, singles)
        self._followed: Mapping[str, Single] | None = None
        self._shown = ShownHere(self.store)
        events = EventLog(material.corrections, singles + halves)
        self.events = events if events.conversations else None

    def item(self, name: str) -> Reviewed:
        """Return an item of the queue, as it was corrected so far."""
        if self.corrections:
            return self.corrections.items[name]
        return self.material.pages_by_id.get(name) or self.material.by_id[name]

    @property
    def items(self) -> list[Reviewed]:
        """The items in the order of the queue, then the traps and the training."""
        return [self.item(name) for name in self.plan.items + self.plan.apart]

    @property
    def listening(self) -> Listening:
        """How people rate by its protocol."""
        return self.form.listening

    @property
    def has_protocol(self) -> bool:
        """Whether its protocol says how people listen; a rubric for judges does not."""
        return self.material.protocol.listening is not None

    @property
    def is_hcot(self) -> bool:
        """Tell whether pairs are rated as in HCoT, to compare judges of typed ties."""
        return isinstance(self.form, PairForm) and self.form.protocol.is_hcot

    def summary(self) -> str:
        """Say in one sentence what is reviewed and where it is stored."""
        plan, path = self.plan, self.store.path
        if not self.material.pairs:
            rated = counted(len(plan.items), self.form.unit)
            return f"{rated} by {self.form.name}, ratings in {path}"
        return (
            f"{len(plan.items)} of {counted(len(plan.population), 'pair')}"
            f" ({counted(len(plan.needed), 'needs', 'need')} review,"
            f" {plan.drawn} at random), answers in {path}"
        )

    # --- where a rater is -------------------------------------------------------------

    def sequence(self, rater: str) -> list[int]:
        """Return a rater's tasks in order, without items that enough others rate.

        Everybody begins with the training.
        """
        order = list(range(len(self.tasks)))
        if self.listening.order == "random":
            first = len(self.plan.training)
            training = order[:first]
            shuffled = rater_order(self.plan.seed, rater, self.tasks)
            order = training + [task for task in shuffled if task >= first]
        if self.listening.raters is None:
            return order
        views = self.store.views()
        mine = {view.item for view in views if view.rater == rater}
        full = full_items(views, rater, self.listening.raters, self.disputed())
        closed = full - mine - set(self.plan.apart)
        return [task for task in order if self.tasks[task][0] not in closed]

    def is_training(self, item: str) -> bool:
        """Tell whether what is said of an item never counts."""
        return item in self.plan.training

    def disputed(self) -> set[str]:
        """Return the items on which raters differ, where a protocol asks one more."""
        if not self.listening.third_rater:
            return set()
        views, answers = self.store.views(), self.store.stored()
        return disputed_items(views, answers, self.form.name)

    def position(self, rater: str) -> Position | None:
        """Return the first task that is not done; None if all are."""
        self.follow()
        views = {(view.item, view.repeat): view for view in self.store.views(rater)}
        sequence = self.sequence(rater)
        for place, task in enumerate(sequence):
            item, repeat = self.tasks[task]
            view = views.get((item, repeat))
            if view is None:
                order = self._order(rater, item, repeat)
                remember(self.store, self.item(item))
                view = self.store.start(rater, item, repeat, order)
            elif view.finished is not None and view.judge != "shown":
                continue
            self._shown.refuse_stale(self.item(item))
            answers = self.store.answers(view)
            step = self.form.next_step(self.item(item), answers, view.shown)
            return Position(
                task=task,
                view=view,
                answers=answers,
                step=step,
                place=place,
                total=len(sequence),
            )
        return None

    def _order(self, rater: str, item: str, repeat: int) -> Order:
        if item not in self.material.by_id or self.listening.sides == "given":
            return "ab"
        return shown_order(self.plan.seed, rater, item, repeat)

    def progress(self, rater: str) -> tuple[int, int]:
        """Count (finished tasks, all tasks) of a rater."""
        tasks = {self.tasks[task] for task in self.sequence(rater)}
        finished = set()
        for view in self.store.views(rater):
            if view.finished is not None:
                finished.add((view.item, view.repeat))
        return len(finished & tasks), len(tasks)

    def fraction(self, position: Position | None) -> float:
        """Share of the way that a rater has gone, 0 to 1; grows with every answer."""
        if position is None:
            return 1.0
        longest = self.form.longest(self.item(position.view.item))
        of_this_task = min(1.0, len(position.answers) / longest)
        return (position.place + of_this_task) / position.total

    # --- what a rater does ------------------------------------------------------------

    def must_play(self, position: Position) -> bool:
        """Whether all answers must be played before this question.

        It is the first one about an item; of a page the one that finishes it.
        """
        if not self.listening.played or self.allow_unplayed or position.step is None:
            return False
        return self.listening.together or not position.answers

    def players(self, position: Position) -> str:
        """Return the letters of the answers that can be played, as they are shown."""
        item = self.item(position.view.item)
        if isinstance(item, Pair):
            return "ab"
        if isinstance(item, Page):
            return STIMULUS_KEYS[: len(item.members)]
        answers = item.recordings().keys() - {"instruction"}
        return "p" if answers else ""

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

        False: the page was not the current one (a second key press, an old tab, an item
        that was corrected meanwhile), and nothing was stored. Raises UserError for an
        answer or code that is not offered, while both answers must be played first, and
        after the end of the review, when the answer is set aside.

        Args:
            version: :func:`item_version` of the item that the page showed; None: it is
                not checked.
        """
        with self.store.exclusive():
            done = self._answer(rater, task, step, value, remark or Remark(), version)
        if done is None:
            self.refuse_late()
        return bool(done)

    def _answer(
        self,
        rater: str,
        task: int,
        step: str,
        value: str,
        remark: Remark,
        version: str | None,
    ) -> bool | None:
        """Record an answer, see :meth:`answer`; None: it came after the end."""
        position = self.position(rater)
        if position is None or position.step is None:
            return False
        if (position.task, position.step.key) != (task, step):
            return False
        if version not in (None, item_version(self.item(position.view.item))):
            return False
        self.check_played(position, remark)
        for code in remark.codes:
            if code not in self.form.codes:
                codes = ", ".join(self.form.codes) or "none"
                raise UserError(f"code {code!r:.20}: use {codes}")
        remark = Remark(
            remark.comment[:COMMENT_LIMIT],
            sorted(set(remark.codes)),
            self.form.of_pairs,
        )
        try:
            kept = self.form.stored(position.step, value, position.view.shown)
        except ValueError as error:
            raise UserError(str(error)) from None
        if self.is_late(position, {step: kept}, remark):
            return None
        end = self._end(position, step, kept)
        return self.store.answer(position.view, step, kept, remark=remark, end=end)

    def check_played(self, position: Position, remark: Remark) -> None:
        """Raise UserError while answers that must be played first were not."""
        if remark.played is None or not self.must_play(position):
            return
        letters = self.players(position)
        missing = [letter.upper() for letter in letters if letter not in remark.played]
        if missing:
            every = {1: "it", 2: "both"}.get(len(letters), "all of them")
            raise UserError(
                f"play {' and '.join(missing)} first: a rating asks to have heard"
                f" {every}"
            )

    def is_late(
        self, position: Position, answers: Mapping[str, str], remark: Remark
    ) -> bool:
        """Tell whether the review has ended; if so, keep the answers, set aside."""
        until = self.listening.until
        if until is None or datetime.now(UTC) <= until:
            return False
        for step, value in answers.items():
            self.store.keep_aside(position.view, step, value, remark=remark, why=LATE)
        return True

    def refuse_late(self) -> None:
        """Tell a rater that the review has ended, by a UserError."""
        raise UserError(
            f"this review ended on {self.listening.until:%Y-%m-%d at %H:%M %Z}; your"
            " answer is kept, and does not count"
        )

    def _end(self, position: Position, step: str, value: str) -> JudgeState | None:
        """End an item with its last answer: the judge's opinion may follow."""
        name, answers = position.view.item, {**position.answers, step: value}
        if self.form.next_step(self.item(name), answers, position.view.shown):
            return None
        return (
            "shown"
            if self.show_judge and name in self.material.judgements
            else "hidden"
        )

    def undo(self, rater: str, task: int = -1, comment: str = "") -> bool:
        """Take the last answer back, across items; False: there is none that may be."""
        position = self.position(rater)
        if position is not None and position.task == task and position.step is not None:
            self.store.keep_comment(position.view, comment[:COMMENT_LIMIT])
        return self.store.undo(rater)

    def go_on(self, rater: str, task: int) -> None:
        """Go on from the judge's opinion on a task to the next task."""
        position = self.position(rater)
        if position is not None and position.task == task and position.step is None:
            self.store.judge_seen(position.view)

    def may_see_results(self, rater: str) -> bool:
        """Tell whether a rater may see sums.

        Sums of few pairs reveal the judge's opinions.
        """
        done, total = self.progress(rater)
        return done == total

    # --- the correction loop ----------------------------------------------------------

    def flags(self) -> list[Flag]:
        """List items whose texts raters find wanting, those with most flags first.

        A text is a question, a rationale or a reference.
        """
        codes_of_items = ((answer.item, answer.codes) for answer in self.store.stored())
        return self.corrections.flags(codes_of_items) if self.corrections else []

    def correct(
        self, rater: str, task: int, fields: Mapping[CorrectedField, str]
    ) -> int:
        """Correct an item; its earlier answers are set aside and it is asked for again.

        Returns how many fields have changed; raises UserError for no such item, or a
        bad text.
        """
        if self.corrections is None or not 0 <= task < len(self.tasks):
            raise UserError(
                f"item {task + 1} does not exist; the queue has {len(self.tasks)}"
            )
        item, _ = self.tasks[task]
        with self.store.exclusive():
            changed = self.corrections.correct(item, fields, rater)
            if changed:
                self.store.set_aside(item, "corrected")
                corrected_now(self.store, self.item(item))
        return changed

    def follow(self, *, listen: bool = False) -> list[str]:
        """Set ratings of items aside that were changed elsewhere; return their ids.

        Corrections may come from the review of another manifest in this folder, or be
        taken away; texts and recordings (``listen``) are changed between two servings.
        """
        items = None if self.corrections is None else self.corrections.items
        if items is self._followed and not listen:
            return []
        self._followed = items
        return set_changed_aside(self.store, self.items, listen=listen)

    def calls(self, rater: str, task: int) -> list[ReviewCall]:
        """List the calls of a task that have events; of a pair in the order shown."""
        if self.events is None or not 0 <= task < len(self.tasks):
            return []
        name, repeat = self.tasks[task]
        if isinstance(self.item(name), Single):
            results = [ReviewCall(name, None, name, "answer")]
        else:
            shown = self._order(rater, name, repeat)
            results = []
            for letter, side in zip("AB", shown, strict=True):
                results.append(ReviewCall(f"{name}/{side}", letter, name, side))
        return [call for call in results if call.name in self.events.conversations]

    # --- what came of it --------------------------------------------------------------

    def labelled(self) -> list[Labelled]:
        """List all finished views of pairs with their ratings, without the training."""
        answers: dict[int, dict[str, str]] = {}
        for one in self.store.stored():
            answers.setdefault(one.view, {})[one.step] = one.value
        rows = []
        for view in self.store.views():
            if view.finished is None or view.item not in self.material.by_id:
                continue
            if self.is_training(view.item):
                continue
            answers_of_view = answers.get(view.number, {})
            ratings: dict[Phase, Rating] = {}
            for phase in phases(overall_first=True):
                value = rating(answers_of_view, phase)
                if value is not None:
                    ratings[phase] = value
            rows.append(Labelled(view, ratings, answers_of_view))
        return rows
