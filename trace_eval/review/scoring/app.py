"""The web application of a review of scores: server-rendered pages, plain forms."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import FastAPI, Form, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, Response
from starlette.middleware import Middleware

from blueprints import UserError
from trace_eval.data.items import FEEDBACK_CODES
from trace_eval.review import pages
from trace_eval.review.app import Sender, Text, Visiting, clip_response, see
from trace_eval.review.audio import Clips
from trace_eval.review.scoring import export
from trace_eval.review.scoring.corrections import CODES, CorrectedField, texts_of
from trace_eval.review.scoring.session import NONE, ScoreReview
from trace_eval.review.security import Access, Guard, Visitor, set_visitor
from trace_eval.review.session import check_name

Task = Annotated[int, Form()]
Codes = Annotated[list[str] | None, Form()]
Maybe = Annotated[str | None, Form()]


def create_score_app(review: ScoreReview, access: Access) -> FastAPI:
    """The application for one review behind one address."""
    app = FastAPI(
        openapi_url=None, docs_url=None, redoc_url=None, middleware=[Middleware(Guard, access)]
    )
    app.state.access = access
    site = _Site(review, access)
    for path, handler in (
        ("/", site.welcome),
        ("/review", site.review_page),
        ("/flags", site.flags),
        ("/correct/{task}", site.correct_page),
        ("/audio/{clip}", site.audio),
        ("/export/{name}", site.export),
        ("/static/{name}", site.static),
    ):
        app.add_api_route(path, handler, methods=["GET", "HEAD"], response_model=None)
    for path, action in (
        ("/rater", site.sign_in),
        ("/leave", site.leave),
        ("/answer", site.answer),
        ("/undo", site.undo),
        ("/correct", site.correct),
    ):
        app.add_api_route(path, action, methods=["POST"], response_model=None)
    app.add_exception_handler(UserError, site.user_error)
    app.add_exception_handler(RequestValidationError, site.bad_form)
    return app


class _Site:
    """The handlers. They run in threads; the store serialises what they write."""

    def __init__(self, review: ScoreReview, access: Access) -> None:
        self._review, self._access = review, access
        self._clips = Clips(review.items, review.store.secret)

    # --- pages -------------------------------------------------------------------------

    def welcome(self, visitor: Visiting, request: Request) -> Response:
        """Ask for the rater's name."""
        return see("/review") if visitor.rater else self._page(request, "score_welcome.html.j2")

    def review_page(self, visitor: Visiting, request: Request) -> Response:
        """The rater's next item, or the end."""
        if not visitor.rater:
            return see("/")
        task = self._review.task(visitor.rater)
        if task is None:
            return self._page(request, "score_done.html.j2")
        return self._page(request, "score_item.html.j2", self._item(task))

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
        return self._page(request, "score_flags.html.j2", found)

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
        return self._page(request, "score_correct.html.j2", values)

    def _page(
        self, request: Request, template: str, values: dict[str, Any] | None = None, code: int = 200
    ) -> HTMLResponse:
        visitor: Visitor = request.state.visitor
        done, total = self._review.progress(visitor.rater) if visitor.rater else (0, 0)
        shared = {
            "csrf": visitor.csrf(self._access),
            "rater": visitor.rater,
            "rubric": self._review.rubric,
            "done": done,
            "total": total,
            "can_undo": bool(visitor.rater) and self._review.can_undo(visitor.rater),
        }
        text = pages.TEMPLATES.get_template(template).render(shared | (values or {}))
        response = HTMLResponse(text, code)
        if request.state.new_visitor:
            set_visitor(response, visitor, self._access)
        return response

    # --- actions -----------------------------------------------------------------------

    def sign_in(self, visitor: Sender, name: Text = "") -> Response:
        """Begin or continue as this rater."""
        response = see("/review")
        set_visitor(response, Visitor(visitor.id, check_name(name)), self._access)
        return response

    def leave(self, visitor: Sender) -> Response:
        """Make room for another rater at this browser."""
        response = see("/")
        set_visitor(response, Visitor.new(), self._access)
        return response

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

    def audio(self, visitor: Visiting, request: Request, clip: str) -> Response:
        """A recording of the review, whole or in part."""
        if not visitor.rater or clip not in self._clips:
            raise HTTPException(404, "no such recording")
        return clip_response(request, self._clips.wav(clip))

    def export(self, visitor: Visiting, name: str) -> Response:
        """Ratings of all raters; they name the items, so only after the last one."""
        if name not in export.FILES:
            raise HTTPException(404, "no such export")
        if not visitor.rater or self._review.task(visitor.rater) is not None:
            raise HTTPException(403, "exports name the items: finish your review first")
        disposition = {"Content-Disposition": f'attachment; filename="{name}"'}
        kind = "text/csv" if name.endswith(".csv") else "application/x-ndjson"
        return Response(export.FILES[name](self._review), headers=disposition, media_type=kind)

    def static(self, name: str) -> Response:
        """Style and script."""
        if name not in pages.STATIC:
            raise HTTPException(404, "no such file")
        kind, content = pages.STATIC[name]
        return Response(content, media_type=kind)

    # --- errors ------------------------------------------------------------------------

    def user_error(self, request: Request, error: Exception) -> Response:
        """What the visitor can mend."""
        return self._page(request, "score_error.html.j2", {"message": str(error)}, 400)

    def bad_form(self, request: Request, error: Exception) -> Response:
        """A form with a field missing; nothing of it is sent back."""
        told = {"message": "the form is not complete; load it again"}
        return self._page(request, "score_error.html.j2", told, 400)
