"""One question to a model, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from trace_eval.data.outcome import Order, Reason, Usage
from trace_eval.data.scores import Choice
from trace_eval.judges.ask.base import ChatClient, Request
from trace_eval.judges.ask.prices import Price

T = TypeVar("T")


class Backend(NamedTuple):
    """A chat client, what its calls cost, and how the judge over it is written."""

    spec: str
    client: ChatClient
    price: Price | None = None


@dataclass(frozen=True)
class Call:
    """One question to the model, and the key of its answer in the reply cache."""

    item: str
    order: Order
    sample: int
    key: str
    request: Request


@dataclass(frozen=True)
class CallOutcome(Generic[T]):
    """What became of one call: an answer, or the reason why there is none.

    Attributes:
        value: the answer as ``read`` made it; None where ``reason`` says why.
        raw: the last reply as it came, bounded.
        repaired: the first reply was unusable, the second counts.
        cached: read from the reply cache, nothing was sent.
        seconds: time of the calls, without waits.
        seed: as it was sent, where it is not the call's own; ``choice``: which reply it was of
            a request for several. Neither is part of :meth:`record`: only ratings have them.
    """

    value: T | None = None
    reason: Reason | None = None
    detail: str | None = None
    raw: str | None = None
    repaired: bool = False
    cached: bool = False
    seconds: float | None = None
    usage: Usage | None = None
    seed: int | None = None
    choice: Choice | None = None

    def record(self) -> dict[str, Any]:
        """Everything but the answer, under the names that opinions have for it."""
        return {
            "reason": self.reason,
            "detail": self.detail,
            "raw": self.raw,
            "repaired": self.repaired,
            "cached": self.cached,
            "seconds": self.seconds,
            "usage": self.usage,
        }
