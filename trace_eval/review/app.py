"""The web application: server-rendered pages over one review."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, FastAPI, Form, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.middleware import Middleware

from blueprints import UserError
from trace_eval.review import exports, pages
from trace_eval.review.audio import Clips, byte_range
from trace_eval.review.security import Access, Guard, Visitor, set_visitor
from trace_eval.review.session import Review, check_name

_MEDIA_TYPES = {".json": "application/json", ".jsonl": "application/jsonl", ".csv": "text/csv"}


def create_app(review: Review, access: Access) -> FastAPI:
    """The application for one review behind one address."""
    app = FastAPI(
        openapi_url=None, docs_url=None, redoc_url=None, middleware=[Middleware(Guard, access)]
    )
    app.state.access = access
    site = _Site(review, access)
    for path, handler in (
        ("/", site.welcome),
        ("/review", site.review_page),
        ("/results", site.results),
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
        ("/next", site.go_on),
    ):
        app.add_api_route(path, action, methods=["POST"], response_model=None)
    app.add_exception_handler(UserError, site.user_error)
    app.add_exception_handler(RequestValidationError, site.bad_form)
    return app


def _visitor(request: Request) -> Visitor:
    visitor: Visitor = request.state.visitor
    return visitor


def _checked(request: Request, csrf: Annotated[str, Form()]) -> Visitor:
    """The visitor of a form that was made for this session."""
    visitor = _visitor(request)
    if not visitor.owns(csrf, request.app.state.access):
        raise HTTPException(403, "this form is not of your session; load the page again")
    return visitor


Visiting = Annotated[Visitor, Depends(_visitor)]
Sender = Annotated[Visitor, Depends(_checked)]
Task = Annotated[int, Form()]
Text = Annotated[str, Form()]


class _Site:
    """The handlers. They run in threads; the store serialises what they write."""

    def __init__(self, review: Review, access: Access) -> None:
        self._review, self._access = review, access
        self._clips = Clips(review.material.pairs, review.store.secret)

    # --- pages -------------------------------------------------------------------------

    def welcome(self, visitor: Visiting, request: Request) -> Response:
        """Ask for the rater's name."""
        if visitor.rater:
            return see("/review")
        return self._page(request, "welcome.html.j2")

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
            return self._page(request, "done.html.j2", values)
        if place.step is None:
            return self._page(
                request, "judge.html.j2", values | pages.judge_page(self._review, place)
            )
        return self._page(
            request, "item.html.j2", values | pages.item_page(self._review, self._clips, place)
        )

    def results(self, visitor: Visiting, request: Request) -> Response:
        """Progress, agreement between raters and, at the end, the judge's accuracy."""
        if not visitor.rater:
            return see("/")
        unlocked = self._review.may_see_results(visitor.rater)
        return self._page(request, "results.html.j2", pages.results_page(self._review, unlocked))

    def _page(
        self, request: Request, template: str, values: dict[str, Any] | None = None, code: int = 200
    ) -> HTMLResponse:
        visitor = _visitor(request)
        shared = {"csrf": visitor.csrf(self._access), "rater": visitor.rater}
        text = pages.TEMPLATES.get_template(template).render(shared | (values or {}))
        response = HTMLResponse(text, code)
        if request.state.new_visitor:
            set_visitor(response, visitor, self._access)
        return response

    # --- actions: committed before the answer is sent, which leads to the next page -------

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

    def audio(self, visitor: Visiting, request: Request, clip: str) -> Response:
        """A recording of the review, whole or in part."""
        if not visitor.rater or clip not in self._clips:
            raise HTTPException(404, "no such recording")
        return clip_response(request, self._clips.wav(clip))

    def export(self, visitor: Visiting, name: str) -> Response:
        """Labels of all raters; they name the systems, so only after the last answer."""
        if name not in exports.FILES:
            raise HTTPException(404, "no such export")
        if not visitor.rater or not self._review.may_see_results(visitor.rater):
            raise HTTPException(403, "exports name the systems: finish your review first")
        kind = _MEDIA_TYPES[name[name.rindex(".") :]]
        disposition = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(exports.FILES[name](self._review), headers=disposition, media_type=kind)

    def static(self, name: str) -> Response:
        """Style and script."""
        if name not in pages.STATIC:
            raise HTTPException(404, "no such file")
        kind, content = pages.STATIC[name]
        return Response(content, media_type=kind)

    # --- errors ------------------------------------------------------------------------

    def user_error(self, request: Request, error: Exception) -> Response:
        """What the visitor can mend."""
        return self._page(request, "error.html.j2", {"message": str(error)}, 400)

    def bad_form(self, request: Request, error: Exception) -> Response:
        """A form with a field missing; nothing of it is sent back."""
        return self._page(
            request, "error.html.j2", {"message": "the form is not complete; load it again"}, 400
        )


def clip_response(request: Request, data: bytes) -> Response:
    """A recording, whole or the part that was asked for."""
    headers = {"Accept-Ranges": "bytes"}
    try:
        part = byte_range(request.headers.get("range"), len(data))
    except ValueError:
        headers["Content-Range"] = f"bytes */{len(data)}"
        return Response(status_code=416, headers=headers)
    if part is None:
        return Response(data, media_type="audio/wav", headers=headers)
    first, last = part
    headers["Content-Range"] = f"bytes {first}-{last}/{len(data)}"
    return Response(data[first : last + 1], 206, headers, "audio/wav")


def see(path: str) -> RedirectResponse:
    """Go on to another page after an action."""
    return RedirectResponse(path, 303)
