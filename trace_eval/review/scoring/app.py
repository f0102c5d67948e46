"""The web application of a review of scores: server-rendered pages, plain forms."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import FastAPI, Form, HTTPException, Request
from fastapi.responses import Response

from trace_eval.data import FEEDBACK_CODES
from trace_eval.review.audio import Clips
from trace_eval.review.scoring import export
from trace_eval.review.scoring.corrections import CODES, CorrectedField, texts_of
from trace_eval.review.scoring.session import NONE, ScoreReview
from trace_eval.review.security import Access, Visitor
from trace_eval.review.site import Sender, Site, Task, Text, Visiting, see

Codes = Annotated[list[str] | None, Form()]
Maybe = Annotated[str | None, Form()]


def create_score_app(review: ScoreReview, access: Access) -> FastAPI:
    """The application for one review behind one address."""
    site = _Site(review, access)
    return site.application(
        {
            "/": site.welcome,
            "/review": site.review_page,
            "/flags": site.flags,
            "/correct/{task}": site.correct_page,
            "/export/{name}": site.export,
        },
        {"/answer": site.answer, "/undo": site.undo, "/correct": site.correct},
    )


class _Site(Site):
    error_template = "score_error.html.j2"

    def __init__(self, review: ScoreReview, access: Access) -> None:
        super().__init__(access, Clips(review.items, review.store.secret))
        self._review = review

    def shared(self, visitor: Visitor) -> dict[str, Any]:
        """The rubric, and how far the rater is."""
        done, total = self._review.progress(visitor.rater) if visitor.rater else (0, 0)
        return {
            "rubric": self._review.rubric,
            "done": done,
            "total": total,
            "can_undo": bool(visitor.rater) and self._review.can_undo(visitor.rater),
        }

    # --- pages -------------------------------------------------------------------------

    def welcome(self, visitor: Visiting, request: Request) -> Response:
        """Ask for the rater's name."""
        return see("/review") if visitor.rater else self.page(request, "score_welcome.html.j2")

    def review_page(self, visitor: Visiting, request: Request) -> Response:
        """The rater's next item, or the end."""
        if not visitor.rater:
            return see("/")
        task = self._review.task(visitor.rater)
        if task is None:
            return self.page(request, "score_done.html.j2")
        return self.page(request, "score_item.html.j2", self._item(task))

    def _item(self, task: int) -> dict[str, Any]:
        item, rubric = self._review.items[task], self._review.rubric
        shown = set(rubric.inputs)
        labels = [f"{label:g}" for label in rubric.numbers.labels]
        return {
            "task": task,
            "question": item.instruction.text if {"question", "instruction"} & shown else None,
            "context": item.context if "context" in shown else None,
            "references": item.reference if "reference" in shown else (),
            "rationale": item.rationale if "rationale" in shown else None,
            "candidate": item.answer.text,
            "sounds": [(role, self._clips.clip_id(item.id, role)) for role in item.recordings()],
            "points": [(label, rubric.points[label]) for label in labels],
            "codes": FEEDBACK_CODES,
            "no_score": NONE,
            "corrected": bool(self._review.corrections_of(item.id)),
        }

    def flags(self, visitor: Visiting, request: Request) -> Response:
        """What raters say should be corrected."""
        if not visitor.rater:
            return see("/")
        found = {"flags": self._review.flags(), "codes": FEEDBACK_CODES}
        return self.page(request, "score_flags.html.j2", found)

    def correct_page(self, visitor: Visiting, request: Request, task: int) -> Response:
        """The form that corrects an item."""
        if not visitor.rater:
            return see("/")
        if not 0 <= task < len(self._review.items):
            raise HTTPException(404, "no such item")
        item = self._review.items[task]
        values = {
            "task": task,
            "fields": texts_of(item),
            "candidate": item.answer.text,
            "codes": {field: FEEDBACK_CODES[code] for code, field in CODES.items()},
            "history": self._review.corrections_of(item.id),
        }
        return self.page(request, "score_correct.html.j2", values)

    # --- actions -----------------------------------------------------------------------

    def answer(
        self,
        visitor: Sender,
        task: Task,
        value: Text,
        code: Codes = None,
        comment: Text = "",
    ) -> Response:
        """Keep one rating."""
        if visitor.rater:
            self._review.rate(visitor.rater, task, value, code or (), comment)
        return see("/review")

    def undo(self, visitor: Sender) -> Response:
        """Take the last rating back."""
        if visitor.rater:
            self._review.undo(visitor.rater)
        return see("/review")

    def correct(
        self,
        visitor: Sender,
        task: Task,
        question: Maybe = None,
        reference: Maybe = None,
        rationale: Maybe = None,
    ) -> Response:
        """Correct an item; its ratings are set aside. What the form leaves out stays."""
        fields: dict[CorrectedField, str | None] = {
            "question": question,
            "reference": reference,
            "rationale": rationale,
        }
        if visitor.rater:
            given = {field: text for field, text in fields.items() if text is not None}
            self._review.correct(visitor.rater, task, given)
        return see("/flags")

    # --- files -------------------------------------------------------------------------

    def export(self, visitor: Visiting, name: str) -> Response:
        """Ratings of all raters; they name the items, so only after the last one."""
        if name not in export.FILES:
            raise HTTPException(404, "no such export")
        if not visitor.rater or self._review.task(visitor.rater) is not None:
            raise HTTPException(403, "exports name the items: finish your review first")
        disposition = {"Content-Disposition": f'attachment; filename="{name}"'}
        kind = "text/csv" if name.endswith(".csv") else "application/x-ndjson"
        return Response(export.FILES[name](self._review), headers=disposition, media_type=kind)
