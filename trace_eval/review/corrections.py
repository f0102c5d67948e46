"""Corrections of items' texts; see :mod:`trace_eval.data.corrections`.

Raters flag what an item lacks; whoever corrects it writes the field anew. Ratings that were given
before are set aside by the review, which asks for the item again.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import get_args

from blueprints import UserError
from trace_eval.data import jsonl
from trace_eval.data.corrections import CorrectedField, Correction, read_corrections
from trace_eval.data.items import Single

#: Feedback code -> what it asks to correct.
CODES: dict[str, CorrectedField] = {"q": "question", "r": "reference", "a": "rationale"}

#: Between several references in one text field of a form.
SEPARATOR = "\n---\n"

#: Longest text that is taken, characters.
LIMIT = 20_000


@dataclass(frozen=True)
class Flag:
    """An item that raters say should be corrected.

    Attributes:
        task: position in the queue, which names the item on pages.
    """

    task: int
    item: Single
    codes: Mapping[str, int]


class Corrections:
    """The single answers of a review as corrected so far."""

    def __init__(self, path: Path, items: Iterable[Single]) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._made = read_corrections(path, Correction)
        self.items = {item.id: corrected(item, self._made.get(item.id, ())) for item in items}

    def of(self, item: str) -> list[Correction]:
        """The corrections of an item."""
        return list(self._made.get(item, ()))

    def correct(self, item: str, texts: Mapping[CorrectedField, str], who: str) -> int:
        """Store the changes of a form to an item, and return the number of changed fields.

        Raises:
            UserError: a text cannot be taken.
        """
        with self._lock:
            made = corrections_between(self.items[item], dict(texts), who)
            for correction in made:
                jsonl.append(self._path, correction)
            if made:
                self._made.setdefault(item, []).extend(made)
                self.items[item] = corrected(self.items[item], made)
        return len(made)

    def flags(self, rated: Iterable[tuple[str, Iterable[str]]]) -> list[Flag]:
        """Items whose question, rationale or reference raters find wanting, most first.

        Args:
            rated: (item, feedback codes) of each rating; codes that came with an item count
                until it is corrected.
        """
        counted: dict[str, Counter[str]] = {}
        for item, codes in rated:
            requested = [code for code in codes if code in CODES]
            if requested and item in self.items:
                counted.setdefault(item, Counter()).update(requested)
        for single in self.items.values():
            feedback = single.labels.feedback.values() if single.labels else ()
            requested = [code for codes in feedback for code in codes if code in CODES]
            if requested and single.id not in self._made:
                counted.setdefault(single.id, Counter()).update(requested)
        index = {item: number for number, item in enumerate(self.items)}
        order = sorted(counted, key=lambda item: (-sum(counted[item].values()), index[item]))
        return [Flag(index[item], self.items[item], counted[item]) for item in order]


def texts_of(item: Single) -> dict[CorrectedField, str]:
    """The fields that can be corrected, as texts of a form."""
    return {
        "question": item.instruction.text or "",
        "reference": SEPARATOR.join(item.reference),
        "rationale": item.rationale or "",
    }


def corrections_between(
    item: Single, provided: dict[CorrectedField, str], who: str
) -> list[Correction]:
    """The corrections that a form makes to an item.

    Raises:
        UserError: a text is too long, or the reference is emptied.
    """
    when = now()
    corrections = []
    for field, before in texts_of(item).items():
        after = provided.get(field, before).replace("\r\n", "\n").strip()
        if len(after) > LIMIT:
            raise UserError(f"{field}: {len(after)} characters; at most {LIMIT} are kept")
        if after == before.strip():
            continue
        if field == "reference" and not after:
            raise UserError("reference: an item needs one; leave it as it was, or write another")
        corrections.append(
            Correction(item=item.id, field=field, before=before, after=after, who=who, when=when)
        )
    return corrections


def corrected(item: Single, corrections: Iterable[Correction]) -> Single:
    """The item after its corrections, in their order."""
    for correction in corrections:
        if correction.field == "question":
            instruction = item.instruction.model_copy(update={"text": correction.after})
            item = item.model_copy(update={"instruction": instruction})
        elif correction.field == "reference":
            parts = (part.strip() for part in correction.after.split(SEPARATOR.strip("\n")))
            item = item.model_copy(update={"reference": tuple(filter(None, parts))})
        else:
            item = item.model_copy(update={"rationale": correction.after or None})
    return item


def now() -> str:
    """The time that a correction carries."""
    return datetime.now(UTC).isoformat(timespec="seconds")


assert set(CODES.values()) == set(get_args(CorrectedField))
