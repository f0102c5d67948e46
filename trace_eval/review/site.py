"""What the pages stand on: sessions, forms, recordings, files, errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Form, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.middleware import Middleware

from blueprints import UserError
from trace_eval.review import pages
from trace_eval.review.audio import Clips, byte_range, wave
from trace_eval.review.checks import check_name
from trace_eval.review.security import Access, Guard, Visitor, set_visitor


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

Handlers = Mapping[str, Callable[..., Response]]


class Site:
    """Handlers of one review. They run in threads; the store serialises what they write."""

    def __init__(self, access: Access, clips: Clips) -> None:
        self._access, self._clips = access, clips

    def shared(self, visitor: Visitor) -> dict[str, Any]:
        """What every page shows beside its own values."""
        return {"csrf": visitor.csrf(self._access), "rater": visitor.rater}

    def application(self, reads: Handlers, actions: Handlers) -> FastAPI:
        """The application: the pages and actions given by path, and those below."""
        app = FastAPI(
            openapi_url=None,
            docs_url=None,
            redoc_url=None,
            middleware=[Middleware(Guard, self._access)],
        )
        app.state.access = self._access
        own: Handlers = {"/audio/{clip}": self.audio, "/wave/{clip}": self.wave}
        reads = {**reads, **own, "/static/{name}": self.static}
        for path, handler in reads.items():
            app.add_api_route(path, handler, methods=["GET", "HEAD"], response_model=None)
        for path, action in {"/rater": self.sign_in, "/leave": self.leave, **actions}.items():
            app.add_api_route(path, action, methods=["POST"], response_model=None)
        app.add_exception_handler(UserError, self.user_error)
        app.add_exception_handler(RequestValidationError, self.bad_form)
        return app

    def page(
        self, request: Request, template: str, values: dict[str, Any] | None = None, code: int = 200
    ) -> HTMLResponse:
        """A rendered template."""
        visitor = _visitor(request)
        shown = self.shared(visitor) | (values or {})
        text = pages.TEMPLATES.get_template(template).render(shown)
        response = HTMLResponse(text, code)
        if request.state.new_visitor:
            set_visitor(response, visitor, self._access)
        return response

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

    def audio(self, visitor: Visiting, request: Request, clip: str) -> Response:
        """A recording of the review, whole or in part."""
        return clip_response(request, self._recording(visitor, clip))

    def wave(self, visitor: Visiting, clip: str) -> Response:
        """The outline of a recording as a picture."""
        return Response(wave(self._recording(visitor, clip)), media_type="image/svg+xml")

    def _recording(self, visitor: Visitor, clip: str) -> bytes:
        if not visitor.rater or clip not in self._clips:
            raise HTTPException(404, "no such recording")
        return self._clips.wav(clip)

    def static(self, name: str) -> Response:
        """Style and script."""
        if name not in pages.STATIC:
            raise HTTPException(404, "no such file")
        kind, content = pages.STATIC[name]
        return Response(content, media_type=kind)

    def user_error(self, request: Request, error: Exception) -> Response:
        """What the visitor can mend."""
        return self.page(request, "error.html.j2", {"message": str(error)}, 400)

    def bad_form(self, request: Request, error: Exception) -> Response:
        """A form with a field missing; nothing of it is sent back."""
        message = "the form is not complete; load it again"
        return self.page(request, "error.html.j2", {"message": message}, 400)


def clip_response(request: Request, data: bytes) -> Response:
    """A recording, whole or the requested byte range."""
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
