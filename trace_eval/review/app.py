"""The web application: server-rendered pages over one review."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI, HTTPException, Request
from fastapi.responses import Response

from trace_eval.review import exports, pages
from trace_eval.review.audio import Clips
from trace_eval.review.security import Access, Visitor
from trace_eval.review.session import Review
from trace_eval.review.site import Sender, Site, Task, Text, Visiting, see

_MEDIA_TYPES = {".json": "application/json", ".jsonl": "application/jsonl", ".csv": "text/csv"}


def create_app(review: Review, access: Access) -> FastAPI:
    """The application for one review behind one address."""
    site = _Site(review, access)
    return site.application(
        {
            "/": site.welcome,
            "/review": site.review_page,
            "/results": site.results,
            "/export/{name}": site.export,
        },
        {"/answer": site.answer, "/undo": site.undo, "/next": site.go_on},
    )


class _Site(Site):
    error_template = "error.html.j2"

    def __init__(self, review: Review, access: Access) -> None:
        super().__init__(access, Clips(review.material.pairs, review.store.secret))
        self._review = review

    def shared(self, visitor: Visitor) -> dict[str, Any]:
        """Nothing."""
        return {}

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
        place = self._review.place(visitor.rater)
        done, total = self._review.progress(visitor.rater)
        values: dict[str, Any] = {
            "done": done,
            "total": total,
            "fraction": self._review.fraction(place),
            "can_undo": self._review.store.can_undo(visitor.rater),
        }
        if place is None:
            return self.page(request, "done.html.j2", values)
        if place.step is None:
            return self.page(
                request, "judge.html.j2", values | pages.judge_page(self._review, place)
            )
        return self.page(
            request, "item.html.j2", values | pages.item_page(self._review, self._clips, place)
        )

    def results(self, visitor: Visiting, request: Request) -> Response:
        """Progress, agreement between raters and, at the end, the judge's accuracy."""
        if not visitor.rater:
            return see("/")
        unlocked = self._review.may_see_results(visitor.rater)
        return self.page(request, "results.html.j2", pages.results_page(self._review, unlocked))

    # --- actions: committed before the answer is sent, which leads to the next page -------

    def answer(
        self,
        visitor: Sender,
        task: Task,
        step: Text,
        value: Text = "",
        comment: Text = "",
        played: Text = "",
    ) -> Response:
        """Record one answer."""
        if visitor.rater:
            self._review.answer(visitor.rater, task, step, value, comment, played.split())
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

    # --- files -------------------------------------------------------------------------

    def export(self, visitor: Visiting, name: str) -> Response:
        """Labels of all raters; they name the systems, so only after the last answer."""
        if name not in exports.FILES:
            raise HTTPException(404, "no such export")
        if not visitor.rater or not self._review.may_see_results(visitor.rater):
            raise HTTPException(403, "exports name the systems: finish your review first")
        kind = _MEDIA_TYPES[name[name.rindex(".") :]]
        disposition = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(exports.FILES[name](self._review), headers=disposition, media_type=kind)
