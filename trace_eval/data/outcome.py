"""What a judge leaves of one item: opinions, and an outcome with a status.

A comparison of two answers is a :class:`~trace_eval.data.judgement.Judgement`, a number
for one answer a :class:`~trace_eval.data.scores.Score`; both are an :class:`Outcome`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, JsonValue

from blueprints import Strict
from trace_eval.data.answers import is_none
from trace_eval.data.urls import redact_urls

Order = Literal["ab", "ba"]

#: What a gate says of one figure, and of all.
GateVerdict = Literal["pass", "fail", "cannot tell"]

#: What went wrong, in words that any library may have chosen: no URL in it gives
#: access.
ErrorText = Annotated[str, AfterValidator(redact_urls)]


class Reason(StrEnum):
    """Why an item, or one call, has no verdict or score, or was not asked for one."""

    CLIP_FAILED = "clip_failed"  # an answer could not be decoded
    # a recording lacks its end, or holds the question, too
    NOT_THE_ANSWER = "not_the_answer"
    EVIDENCE_MISSING = "evidence_missing"  # a group that the judge needs is absent
    JUDGE_FAILED = "judge_failed"  # the judge raised
    UNREACHABLE = "unreachable"  # server down, connection lost, no answer in time
    # the server answered with an error of its own (500, 503)
    SERVER_ERROR = "server_error"
    REFUSED = "refused"  # the server refused the request (key, model, limits)
    RATE_LIMITED = "rate_limited"  # still 429 after all retries
    PROMPT_CUT = "prompt_cut"  # the server read less than was sent
    REPLY_CUT = "reply_cut"  # the reply hit the token limit
    FILTERED = "filtered"  # a content filter took the reply
    UNPARSEABLE = "unparseable"  # no verdict in the reply
    OFF_LABEL = "off_label"  # a verdict outside the offered labels
    NOT_HEARD = "not_heard"  # a judge that listens says itself that it heard nothing
    OVER_BUDGET = "over_budget"  # --max-cost would have been passed
    SILENT = "silent"  # nobody can be heard; scores end as the rubric says
    EMPTY_CANDIDATE = "empty_candidate"  # there are no words to rate
    IS_EXAMPLE = "is_example"  # the judge was shown this comparison with its label
    TOO_LARGE = "too_large"  # the request would be larger than -J max_request_mb
    # the user does not say the same in both conversations
    NOT_PARALLEL = "not_parallel"
    ORDERS_DISAGREE = "orders_disagree"  # match in one order, none in the other


class Usage(Strict):
    """Tokens as the server counted them, and their price."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = Field(
        0, description="input tokens served from the server's cache"
    )
    audio_tokens: int = Field(
        0,
        description="input tokens that are sound",
        exclude_if=lambda value: value == 0,
    )
    cost_usd: float | None = Field(
        None, description="US dollars; null: no price is known"
    )


class Opinion(Strict):
    """One call of a judge; what it said stands in the subclasses."""

    sample: int = Field(0, ge=0, description="index of the repetition")
    reason: Reason | None = Field(
        None, description="why it says nothing that can be used"
    )
    detail: ErrorText | None = Field(None, description="one sentence beside the reason")
    raw: str | None = Field(None, description="the last reply as it came")
    repaired: bool = Field(
        False, description="the first reply was unusable, the second counts"
    )
    cached: bool = Field(
        False, description="read from the reply cache, nothing was sent"
    )
    seed: int | None = Field(
        None, description="as it was sent; choices of one request share it"
    )
    seconds: float | None = Field(None, description="time of the call, seconds")
    usage: Usage | None = None
    sent: dict[str, JsonValue] | None = Field(
        None,
        description="what was heard: parts, seconds, SHA-256; null: text alone",
        exclude_if=is_none,
    )


class Outcome(Strict):
    """The opinion of a judge on one item under one rubric, or why there is none."""

    judge: str = Field(
        description="judge spec, e.g. rules or ollama:qwen3:8b; several: ' + '"
    )
    status: Literal["scored", "unscored"]
    reason: Reason | None = Field(
        None,
        description="why it is unscored; silent: it was scored without being asked",
    )
    detail: ErrorText | None = Field(None, description="one sentence beside the reason")
    usage: Usage | None = Field(None, description="sum over the calls that were sent")
    caveats: list[str] = Field(
        default_factory=list, description="what every reader must know"
    )

    @property
    @abstractmethod
    def key(self) -> tuple[str, str]:
        """(item, rubric): unique in a run."""


def total_cost(opinions: Sequence[Opinion]) -> float | None:
    """Sum all calls in US dollars, cached ones at their price; None if unknown."""
    priced: list[float] = []
    for opinion in opinions:
        if opinion.usage is None or opinion.usage.cost_usd is None:
            return None
        priced.append(opinion.usage.cost_usd)
    return sum(priced) if priced else None


def commonest_failure(failed: Sequence[Opinion]) -> tuple[Reason, str | None]:
    """Return failed opinions' commonest reason, the first of equals, in a sentence."""
    ((reason, _),) = Counter(one.reason for one in failed if one.reason).most_common(1)
    return reason, next(
        opinion.detail for opinion in failed if opinion.reason is reason
    )


def failures(opinions: Sequence[Opinion], what: str) -> list[str]:
    """Count failed opinions by reason, as a caveat; empty where none failed."""
    counts = Counter(str(opinion.reason) for opinion in opinions if opinion.reason)
    if not counts:
        return []
    reasons = ", ".join(f"{count} {code}" for code, count in sorted(counts.items()))
    return [f"{counts.total()} of {len(opinions)} {what} failed: {reasons}"]
