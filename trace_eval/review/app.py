"""The web application: server-rendered pages over one review."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, get_args

from fastapi import Depends, FastAPI, Form, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.middleware import Middleware

from blueprints import UserError
from trace_eval.data.corrections import CorrectedField
from trace_eval.review import exports, pages
from trace_eval.review.audio import byte_range, wave
from trace_eval.review.enough import Watch, lines_of
from trace_eval.review.events_page import change_event, events_page
from trace_eval.review.forms import check_name
from trace_eval.review.page_scores import score_page, together_page
from trace_eval.review.protocol_files import clips_of
from trace_eval.review.results import results_page
from trace_eval.review.security import Access, Guard, Visitor, set_visitor
from trace_eval.review.sent import (
    FormText,
    Number,
    SentAnswer,
    SentEvent,
    SentScores,
    SentTexts,
    ShownEvent,
)
from trace_eval.review.session import Review
from trace_eval.review.views import Remark


def _visitor(request: Request) -> Visitor:
    visitor: Visitor = request.state.visitor
    return visitor


def _rater(request: Request) -> str:
    """Return the visiting rater; send a browser without one to the first page.

    The first page asks for the rater's name.
    """
    name = _visitor(request).rater
    if not name:
        raise HTTPException(303, headers={"Location": "/"})
    return name


def _form_visitor(request: Request, csrf: Annotated[str, Form()]) -> Visitor:
    """Return the visitor who sends a form that was made for this session."""
    visitor = _visitor(request)
    if not visitor.owns(csrf, request.app.state.access):
        raise HTTPException(
            403, "this form belongs to another session; load the page again"
        )
    return visitor


def _form_rater(request: Request, csrf: Annotated[str, Form()]) -> str:
    _form_visitor(request, csrf)
    return _rater(request)


Visiting = Annotated[Visitor, Depends(_visitor)]
Rater = Annotated[str, Depends(_rater)]
SendingVisitor = Annotated[Visitor, Depends(_form_visitor)]
SendingRater = Annotated[str, Depends(_form_rater)]
Handlers = Mapping[str, Callable[..., Response]]

_MEDIA_TYPES = {
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".csv": "text/csv",
}


def create_app(review: Review, access: Access, watch: Watch | None = None) -> FastAPI:
    """Create the application for one review behind one address."""
    site = _Site(review, access, watch or Watch(review))
    app = FastAPI(
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        middleware=[Middleware(Guard, access)],
    )
    app.state.access = access
    reads: Handlers = {
        "/": site.welcome,
        "/review": site.review_page,
        "/results": site.results,
        "/flags": site.flags,
        "/correct/{task}": site.correct_page,
        "/events/{task}": site.events_page,
        "/export/{name}": site.export,
        "/audio/{clip}": site.audio,
        "/wave/{clip}": site.wave,
        "/static/{name}": site.static,
    }
    actions: Handlers = {
        "/rater": site.sign_in,
        "/leave": site.leave,
        "/answer": site.answer,
        "/scores": site.scores,
        "/undo": site.undo,
        "/next": site.go_on,
        "/correct": site.correct,
        "/event": site.correct_event,
    }
    for methods, handlers in ((["GET", "HEAD"], reads), (["POST"], actions)):
        for path, handler in handlers.items():
            app.add_api_route(path, handler, methods=methods, response_model=None)
    for error in (UserError, RequestValidationError):
        app.add_exception_handler(error, site.refuse)
    return app


class _Site:
    """Handlers of one review; they run in threads, and the store serialises writes."""

    def __init__(self, review: Review, access: Access, watch: Watch) -> None:
        self._review, self._access, self._watch = review, access, watch
        self._clips = clips_of(review)

    def shared(self, visitor: Visitor) -> dict[str, Any]:
        """Return what every page shows: the visitor, the form, the rater's progress."""
        values: dict[str, Any] = {
            "csrf": visitor.csrf(self._access),
            "rater": visitor.rater,
        }
        values |= pages.of_form(self._review.form)
        if visitor.rater:
            done, total = self._review.progress(visitor.rater)
            can_undo = self._review.store.can_undo(visitor.rater)
            values |= {"done": done, "total": total, "can_undo": can_undo}
        return values

    def page(
        self,
        request: Request,
        template: str,
        values: dict[str, Any] | None = None,
        code: int = 200,
    ) -> HTMLResponse:
        visitor = _visitor(request)
        shown = self.shared(visitor) | (values or {})
        text = pages.TEMPLATES.get_template(template).render(shown)
        response = HTMLResponse(text, code)
        if request.state.new_visitor:
            set_visitor(response, visitor, self._access)
        return response

    def sign_in(self, visitor: SendingVisitor, name: FormText = "") -> Response:
        response = see("/review")
        set_visitor(response, Visitor(visitor.id, check_name(name)), self._access)
        return response

    def leave(self, visitor: SendingVisitor) -> Response:
        response = see("/")
        set_visitor(response, Visitor.new(), self._access)
        return response

    def audio(self, visitor: Visiting, request: Request, clip: str) -> Response:
        return clip_response(request, self._recording(visitor, clip))

    def wave(self, visitor: Visiting, clip: str) -> Response:
        return Response(
            wave(self._recording(visitor, clip)), media_type="image/svg+xml"
        )

    def _recording(self, visitor: Visitor, clip: str) -> bytes:
        if not visitor.rater or clip not in self._clips:
            raise HTTPException(404, "no such recording")
        return self._clips.wav(clip)

    def static(self, name: str) -> Response:
        if name not in pages.STATIC:
            raise HTTPException(404, "no such file")
        kind, content = pages.STATIC[name]
        return Response(content, media_type=kind)

    def refuse(self, request: Request, error: Exception) -> Response:
        """Show the error page; nothing of an incomplete form is sent back."""
        is_malformed = isinstance(error, RequestValidationError)
        message = (
            "the form is not complete; load it again" if is_malformed else str(error)
        )
        return self.page(request, "error.html.j2", {"message": message}, 400)

    # --- pages ------------------------------------------------------------------------

    def welcome(self, visitor: Visiting, request: Request) -> Response:
        return (
            see("/review") if visitor.rater else self.page(request, "welcome.html.j2")
        )

    def review_page(self, rater: Rater, request: Request) -> Response:
        """Show the rater's next question, the judge's opinion, or the end."""
        position = self._review.position(rater)
        values = {"fraction": self._review.fraction(position)}
        if position is None:
            rows, _ = self._watch.look()
            done = {**values, "enough": lines_of(rows, blind=True)}
            return self.page(request, "done.html.j2", done)
        if position.step is None:
            values |= pages.judge_page(self._review, position)
            return self.page(request, "judge.html.j2", values)
        if self._review.listening.together:
            values |= together_page(self._review, self._clips, position)
            return self.page(request, "together.html.j2", values)
        values |= pages.item_page(self._review, self._clips, position)
        return self.page(request, "item.html.j2", values)

    def results(self, rater: Rater, request: Request) -> Response:
        """Show progress, agreement of raters and, at the end, the judge's accuracy."""
        unlocked = self._review.may_see_results(rater)
        measured = self._clips.measured(self._review.items)
        values = results_page(self._review, unlocked, measured)
        rows, saving = self._watch.look()
        values |= {"enough": lines_of(rows, blind=not unlocked)}
        values |= {"saving": saving if unlocked else None}
        return self.page(request, "results.html.j2", values)

    def flags(self, rater: Rater, request: Request) -> Response:
        return self.page(request, "flags.html.j2", {"flags": self._review.flags()})

    def correct_page(self, rater: Rater, request: Request, task: int) -> Response:
        values = pages.correct_page(self._review, task)
        if values is None:
            raise HTTPException(404, "no such item")
        return self.page(request, "correct.html.j2", values)

    def events_page(
        self,
        rater: Rater,
        request: Request,
        task: int,
        shown: Annotated[ShownEvent, Depends()],
    ) -> Response:
        """Show a call's events, one of them chosen or a new one given.

        The new one lasts from ``start`` to ``end``.
        """
        values = events_page(
            self._review, self._clips, task=task, shown=shown, rater=rater
        )
        if values is None:
            raise HTTPException(404, "no such call")
        return self.page(request, "events.html.j2", values)

    # --- actions: committed before the answer is sent, which leads to the next page ---

    def answer(
        self, rater: SendingRater, sent: Annotated[SentAnswer, Depends()]
    ) -> Response:
        remark = Remark(sent.comment, sent.code or (), played=sent.played.split())
        self._review.answer(
            rater=rater,
            task=sent.task,
            step=sent.step,
            value=sent.no_score or sent.value,
            remark=remark,
            version=sent.version,
        )
        self._watch.after_rating()
        return see("/review")

    def scores(
        self, rater: SendingRater, sent: Annotated[SentScores, Depends()]
    ) -> Response:
        """Keep scores of a page as they are set, and all of them at its end."""
        remark = Remark(sent.comment, played=sent.played.split())
        given = zip(sent.letter or (), sent.value or (), strict=False)
        scores = {letter: text for letter, text in given if text.strip()}
        score_page(
            review=self._review,
            rater=rater,
            task=sent.task,
            scores=scores,
            remark=remark,
            finish=sent.finish,
            version=sent.version,
        )
        if not sent.finish:
            return Response(status_code=204)
        self._watch.after_rating()
        return see("/review")

    def undo(
        self, rater: SendingRater, task: Number = -1, comment: FormText = ""
    ) -> Response:
        self._review.undo(rater, task, comment)
        return see("/review")

    def go_on(self, rater: SendingRater, task: Number) -> Response:
        """Leave the judge's opinion for the next pair."""
        self._review.go_on(rater, task)
        return see("/review")

    def correct(
        self, rater: SendingRater, task: Number, sent: Annotated[SentTexts, Depends()]
    ) -> Response:
        """Correct an item; its answers are set aside."""
        fields = get_args(CorrectedField)
        values = {name: getattr(sent, name) for name in fields}
        texts = {name: text for name, text in values.items() if text is not None}
        self._review.correct(rater, task, texts)
        return see("/flags")

    def correct_event(
        self, rater: SendingRater, sent: Annotated[SentEvent, Depends()]
    ) -> Response:
        """Correct or add an event of a call, undo that, or confirm all events."""
        chosen = change_event(self._review, rater, sent)
        call = f"&call={sent.call}" if sent.call else ""
        return see(f"/events/{sent.task}?event={chosen}{call}")

    # --- files ------------------------------------------------------------------------

    def export(self, visitor: Visiting, name: str) -> Response:
        """Send the labels of all raters, but only after the visitor's last answer.

        Exports name the systems.
        """
        files = exports.files_of(self._review)
        if name not in files:
            raise HTTPException(404, "no such export")
        if not visitor.rater or not self._review.may_see_results(visitor.rater):
            raise HTTPException(
                403, "exports name the systems: finish your review first"
            )
        kind = _MEDIA_TYPES[name[name.rindex(".") :]]
        disposition = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(files[name](self._review), headers=disposition, media_type=kind)


def clip_response(request: Request, data: bytes) -> Response:
    """Send a recording, whole or the requested byte range."""
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
