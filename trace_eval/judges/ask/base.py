"""One chat call: the request, the reply, and the two ways in which it can fail."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from pydantic import JsonValue

from trace_eval.data.outcome import Reason
from trace_eval.judges.ask.message import Message
from trace_eval.judges.ask.unread_reply import MAX_REPLY_CHARS, too_long

#: No tokenizer in use packs this many characters into one token on average: a server
#: that counts fewer tokens has cut the prompt.
CHARS_PER_TOKEN_AT_MOST = 8

#: No encoder in use makes fewer tokens of a second of sound: a server that counts fewer
#: has dropped the sound.
AUDIO_TOKENS_AT_LEAST = 5


@dataclass(frozen=True)
class Request:
    """One call of a model, independent of the provider."""

    messages: tuple[Message, ...]
    schema: Mapping[str, JsonValue]
    seed: int
    temperature: float
    max_tokens: int
    top_p: float | None = None  # None: not sent
    top_k: int | None = None  # None: not sent
    choices: int = 1  # replies that this one request wants
    unsent: frozenset[str] = (
        frozenset()
    )  # of temperature, seed, max_tokens: left to the server
    about: tuple[str, str] = ("", "ab")  # item and order, for scripts; never sent

    @property
    def sampling(self) -> dict[str, float]:
        """The sampling parameters that are sent; the server decides the others."""
        names = ("max_tokens", "temperature", "seed", "top_p", "top_k")
        values = {
            name: getattr(self, name) for name in names if name not in self.unsent
        }
        return {name: value for name, value in values.items() if value is not None}

    @property
    def audio_s(self) -> float:
        """Seconds of sound in all turns."""
        return sum(message.audio_s for message in self.messages)


@dataclass(frozen=True)
class Tokens:
    """Counts by the server; None: it gave none."""

    input: int | None = None
    output: int | None = None
    cached: int = 0
    audio: int | None = None  # sound, a part of the input
    cached_audio: int = 0  # sound, a part of the cached
    audio_s: float = 0.0  # seconds of sound that were sent


@dataclass(frozen=True)
class Reply:
    """A complete reply."""

    text: str
    tokens: Tokens = Tokens()


@dataclass(eq=False)
class CallFailed(Exception):
    """The call brought no reply. The message never holds a key."""

    reason: Reason
    detail: str
    _: KW_ONLY
    retry: bool = False  # another attempt may succeed
    retry_after: float | None = None  # seconds, as the server wishes
    billed: bool = False  # the server may have worked, and charge for it
    unreachable: bool = False  # no server listens at that address
    timed_out: bool = False  # no answer in the time of one call
    deaf: bool = False  # the model takes no sound, so every call with sound will fail

    @classmethod
    def after(cls, seconds: float, where: str = "") -> CallFailed:
        """Describe the failure of a call that had no answer after some seconds."""
        detail = f"{where}no answer in {seconds:g} s; raise -J timeout_s"
        return cls(Reason.UNREACHABLE, detail, retry=True, billed=True, timed_out=True)

    def __str__(self) -> str:
        return self.detail


@dataclass(eq=False)
class Unusable(Exception):
    """A response that is empty, cut, filtered or not a reply at all."""

    reason: Reason
    detail: str
    raw: str | None = None
    tokens: Tokens = Tokens()

    def __str__(self) -> str:
        return self.detail


@dataclass(frozen=True)
class Choices:
    """The replies of one request, one at least; their tokens add up to its own."""

    replies: tuple[Reply | Unusable, ...]
    tokens: Tokens

    @property
    def first(self) -> Reply:
        """The first reply; raises Unusable where it cannot be used."""
        if isinstance(self.replies[0], Unusable):
            raise self.replies[0]
        return self.replies[0]


class ChatClient(ABC):
    """A server and a model on it."""

    server: str  # address without credentials; part of the reply cache's key
    model: str
    ordered: ClassVar[bool] = False  # the order of the calls decides the replies
    usual_concurrency: ClassVar[int] = 8  # calls in flight by default
    uses: ClassVar[frozenset[str]] = (
        frozenset()
    )  # options that have an effect on it alone
    ignores: ClassVar[frozenset[str]] = (
        frozenset()
    )  # options of all clients that it has no use for
    # it can ask for several replies in one request
    gives_choices: ClassVar[bool] = False
    # it can ask the server for the model's context
    reports_context: ClassVar[bool] = False
    # it brings its own server along, so that it costs hours, not dollars; behind
    # another address of this machine may be a proxy to a provider, which is paid
    brings_server: ClassVar[bool] = False
    # environment variable of its key; None: it takes none
    key_variable: str | None = None

    @abstractmethod
    def parameters(self) -> dict[str, JsonValue]:
        """Return its settings, for the run's record; never a secret."""

    def load(self) -> None:  # noqa: B027 - most clients call a server that runs already
        """Start the server, where the client brings it along.

        Raises:
            UserError: it does not start.
        """

    def observed(self) -> dict[str, JsonValue]:
        """Return what the server turned out to do, e.g. the structured-output mode."""
        return {}

    @property
    def no_batches(self) -> str | None:
        """Why its calls cannot be written into batch files; None: they can."""
        return "use openai:MODEL"

    @property
    def model_context(self) -> int | None:
        """The model's own context in tokens; None where it is not known yet."""
        return None

    @abstractmethod
    async def chat(self, request: Request) -> Reply:
        """Make one call, without retries.

        Raises:
            CallFailed: no reply.
            Unusable: a reply that cannot be read.
        """

    @property
    def takes_choices(self) -> bool:
        """Whether the server gives several replies to one request, as far as known."""
        return False

    async def choices(self, request: Request) -> Choices:
        """Make one call for up to ``request.choices`` replies; raises as ``chat``."""
        raise NotImplementedError

    async def shutdown_date(self) -> str | None:
        """Return the date on which the provider ends the model; None if not stated."""
        return None

    async def close(self) -> None:  # noqa: B027 - a client without connections has none
        """Release connections."""


def check_text(text: str, tokens: Tokens) -> str:
    """Return a reply's text; raises Unusable if it is empty or endless."""
    text = text.encode("utf-8", "replace").decode("utf-8")
    if detail := too_long(text):
        raise Unusable(Reason.UNPARSEABLE, detail, text[:MAX_REPLY_CHARS], tokens)
    if not text.strip():
        raise Unusable(Reason.UNPARSEABLE, "the reply is empty", text, tokens)
    return text


def check_read(request: Request, tokens: Tokens) -> None:
    """Compare the server's count of what it read, if it gives one, with what was sent.

    Of several messages the first does not count: it is static, and a server may leave
    out what it had in its cache. Sound with a count of its own is checked by that.

    Raises:
        CallFailed: the prompt was cut; the verdict would rest on half the evidence.
    """
    sound = max(1, int(request.audio_s * AUDIO_TOKENS_AT_LEAST))
    if request.audio_s and tokens.audio is not None and tokens.audio < sound:
        raise CallFailed(
            Reason.PROMPT_CUT,
            f"the server counted {tokens.audio} tokens of sound for"
            f" {request.audio_s:.1f} s, which are at least {sound}: it did not hear"
            " the recordings; name a model that listens, or see trace-eval doctor --judge",
            billed=True,
        )
    if not tokens.input:
        return
    sent = sum(
        len(message.text) for message in request.messages[1:] or request.messages
    )
    least = sent // CHARS_PER_TOKEN_AT_MOST + int(
        request.audio_s * AUDIO_TOKENS_AT_LEAST
    )
    if tokens.input + tokens.cached < least:
        raise CallFailed(
            Reason.PROMPT_CUT,
            f"the server read {tokens.input} tokens of a prompt of at least {least};"
            " give the server or the model a larger context",
            billed=True,
        )
