"""Fields of the forms and addresses of pages, as FastAPI reads them."""
# Annotations are not postponed here: FastAPI reads those of a class as they are.

from dataclasses import dataclass
from typing import Annotated

from fastapi import Form, Query

Number = Annotated[int, Form()]
FormText = Annotated[str, Form()]
Seconds = Annotated[float | None, Query(allow_inf_nan=False)]
Maybe = Annotated[str | None, Form()]


@dataclass(frozen=True)
class SentAnswer:
    """An answer of a rater.

    ``played`` names the answers that were played, ``a`` and ``b``; ``version`` is a
    hash of the item that the page showed; a client without pages may leave it out.
    """

    task: Number
    step: FormText
    version: Maybe = None
    value: FormText = ""
    # it counts in place of the value, which a slider sends along
    no_score: FormText = ""
    comment: FormText = ""
    played: FormText = ""
    code: Annotated[list[str] | None, Form()] = None


@dataclass(frozen=True)
class SentScores:
    """Scores of answers that are rated together, each with the letter of its answer.

    ``finish`` ends the page, ``none`` without the scores that are missing; where it is
    empty, they are kept as far as they are there.
    """

    task: Number
    version: Maybe = None
    letter: Annotated[list[str] | None, Form()] = None
    value: Annotated[list[str] | None, Form()] = None
    comment: FormText = ""
    played: FormText = ""
    finish: FormText = ""


@dataclass(frozen=True)
class SentTexts:
    """An item's fields as somebody corrected them; those left out stay as they are."""

    question: Maybe = None
    reference: Maybe = None
    rationale: Maybe = None


@dataclass(frozen=True)
class ShownEvent:
    """The events of a task that an address names."""

    call: int = 0
    event: int = 0
    start: Seconds = None  # of an event to add, as its end; None: none is
    end: Seconds = None


@dataclass(frozen=True)
class SentEvent:
    """The form of an event; times are texts as they were typed."""

    task: Number
    do: FormText  # keep, delete, add, undo or right
    chosen: Number = 0
    call: Number = 0
    was: FormText = ""  # the event as the page showed it, in JSON
    kind: FormText = ""  # as it shall be, with start and end
    start: FormText = ""
    end: FormText = ""
