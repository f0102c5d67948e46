"""The web application: server-rendered pages over one review."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import FastAPI, Form, HTTPException, Query, Request
from fastapi.responses import Response

from trace_eval.data.corrections import CorrectedField
from trace_eval.review import exports, pages
from trace_eval.review.audio import Clips
from trace_eval.review.events_page import EventChange, ShownEvent, change_event, events_page
from trace_eval.review.results_page import results_page
from trace_eval.review.security import Access, Visitor
from trace_eval.review.session import Review
from trace_eval.review.site import Sender, Site, Task, Text, Visiting, see

Codes = Annotated[list[str] | None, Form()]
Maybe = Annotated[str | None, Form()]

_MEDIA_TYPES = {".json": "application/json", ".jsonl": "application/jsonl", ".csv": "text/csv"}


def create_app(review: Review, access: Access) -> FastAPI:
    """The application for one review behind one address."""
    site = _Site(review, access)
    return site.application(
        {
            "/": site.welcome,
            "/review": site.review_page,
            "/results": site.results,
            "/flags": site.flags,
            "/correct/{task}": site.correct_page,
            "/events/{task}": site.events_page,
            "/export/{name}": site.export,
        },
        {
            "/answer": site.answer,
            "/undo": site.undo,
            "/next": site.go_on,
            "/correct": site.correct,
            "/event": site.correct_event,
        },
    )


class _Site(Site):
    def __init__(self, review: Review, access: Access) -> None:
        super().__init__(access, Clips(review.items, review.store.secret))
        self._review = review

    def shared(self, visitor: Visitor) -> dict[str, Any]:
        """Who visits, what is reviewed, and how far the rater is."""
        values = super().shared(visitor) | pages.of_form(self._review.form)
        if visitor.rater:
            done, total = self._review.progress(visitor.rater)
            can_undo = self._review.store.can_undo(visitor.rater)
            values |= {"done": done, "total": total, "can_undo": can_undo}
        return values

    # --- pages -------------------------------------------------------------------------

    def welcome(self, visitor: Visiting, request: Request) -> Response:
        """Ask for the rater's name."""
        if visitor.rater:
            return see("/review")
        return self.page(request, "welcome.html.j2")

    def review_page(self, visitor: Visiting, request: Request) -> Response:
        """The rater's next question, the judge's opinion, or the end."""
        if not visitor.rater:
            return see("/")
        position = self._review.position(visitor.rater)
        values = {"fraction": self._review.fraction(position)}
        if position is None:
            return self.page(request, "done.html.j2", values)
        if position.step is None:
            return self.page(
                request, "judge.html.j2", values | pages.judge_page(self._review, position)
            )
        return self.page(
            request, "item.html.j2", values | pages.item_page(self._review, self._clips, position)
        )

    def results(self, visitor: Visiting, request: Request) -> Response:
        """Progress, agreement between raters and, at the end, the judge's accuracy."""
        if not visitor.rater:
            return see("/")
        unlocked = self._review.may_see_results(visitor.rater)
        return self.page(request, "results.html.j2", results_page(self._review, unlocked))

    def flags(self, visitor: Visiting, request: Request) -> Response:
        """What raters say should be corrected."""
        if not visitor.rater:
            return see("/")
        return self.page(request, "flags.html.j2", {"flags": self._review.flags()})

    def correct_page(self, visitor: Visiting, request: Request, task: int) -> Response:
        """The form that corrects an item."""
        if not visitor.rater:
            return see("/")
        if (values := pages.correct_page(self._review, task)) is None:
            raise HTTPException(404, "no such item")
        return self.page(request, "correct.html.j2", values)

    def events_page(
        self,
        visitor: Visiting,
        request: Request,
        task: int,
        event: int = 0,
        call: int = 0,
        start: Annotated[float | None, Query(allow_inf_nan=False)] = None,
        end: Annotated[float | None, Query(allow_inf_nan=False)] = None,
    ) -> Response:
        """The events of a call, one of them chosen, or a new one from ``start`` to ``end``."""
        if not visitor.rater:
            return see("/")
        shown = ShownEvent(call, event, start, end)
        values = events_page(self._review, self._clips, task, shown, visitor.rater)
        if values is None:
            raise HTTPException(404, "no such call")
        return self.page(request, "events.html.j2", values)

    # --- actions: committed before the answer is sent, which leads to the next page -------

    def answer(
        self,
        visitor: Sender,
        task: Task,
        step: Text,
        value: Text = "",
        comment: Text = "",
        played: Text = "",
        code: Codes = None,
    ) -> Response:
        """Record one answer."""
        if visitor.rater:
            recognised, codes = played.split(), code or ()
            self._review.answer(visitor.rater, task, step, value, comment, recognised, codes)
        return see("/review")

    def undo(self, visitor: Sender, task: Task = -1, comment: Text = "") -> Response:
        """Take the last answer back."""
        if visitor.rater:
            self._review.undo(visitor.rater, task, comment)
        return see("/review")

    def go_on(self, visitor: Sender, task: Task) -> Response:
        """Leave the judge's opinion for the next pair."""
        if visitor.rater:
            self._review.go_on(visitor.rater, task)
        return see("/review")

    def correct(
        self,
        visitor: Sender,
        task: Task,
        question: Maybe = None,
        reference: Maybe = None,
        rationale: Maybe = None,
    ) -> Response:
        """Correct an item; its answers are set aside. What the form leaves out stays."""
        fields: dict[CorrectedField, str | None] = {
            "question": question,
            "reference": reference,
            "rationale": rationale,
        }
        if visitor.rater:
            provided = {field: text for field, text in fields.items() if text is not None}
            self._review.correct(visitor.rater, task, provided)
        return see("/flags")

    def correct_event(
        self,
        visitor: Sender,
        task: Task,
        do: Text,
        chosen: Task = 0,
        call: Task = 0,
        was: Text = "",
        kind: Text = "",
        start: Text = "",
        end: Text = "",
    ) -> Response:
        """Correct or add an event of a call, take that back, or say that all are right."""
        if visitor.rater:
            shown, change = ShownEvent(call, chosen), EventChange(do, was, kind, start, end)
            chosen = change_event(self._review, visitor.rater, task, shown, change)
        return see(f"/events/{task}?event={chosen}" + (f"&call={call}" if call else ""))

    # --- files -------------------------------------------------------------------------

    def export(self, visitor: Visiting, name: str) -> Response:
        """Labels of all raters; they name systems and items, so only after the last answer."""
        files = exports.files_of(self._review)
        if name not in files:
            raise HTTPException(404, "no such export")
        if not visitor.rater or not self._review.may_see_results(visitor.rater):
            raise HTTPException(403, "exports name the systems: finish your review first")
        kind = _MEDIA_TYPES[name[name.rindex(".") :]]
        disposition = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(files[name](self._review), headers=disposition, media_type=kind)
