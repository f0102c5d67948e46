"""Human corrections of events: ``corrections.jsonl``, appended, read back in order.

Nothing is ever corrected in place. A line holds what was before and what is after; to
take a correction back is a line of its own, the other way round.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeVar

from pydantic import Field, model_validator

from blueprints import Strict, UserError
from trace_eval.data import jsonl, strict_json
from trace_eval.data.conversation import Time

#: What of an item's texts can be corrected.
CorrectedField = Literal["question", "reference", "rationale"]


class _Correction(Strict):
    item: str
    who: str
    when: str = Field(description="UTC, ISO 8601")


class Correction(_Correction):
    """One text of one item, before and after."""

    field: CorrectedField
    before: str
    after: str


class SetEvent(Strict):
    """The type of an event and its start and end."""

    kind: str
    start_s: Time
    end_s: Time

    @model_validator(mode="after")
    def _runs_forwards(self) -> SetEvent:
        if self.end_s < self.start_s:
            raise ValueError(
                f"ends at {self.end_s:g} s, before its start at {self.start_s:g} s"
            )
        return self


class EventCorrection(_Correction):
    """One event of a conversation, before and after.

    ``after`` null: it was deleted; ``before`` null: it was put back, or added because
    it had not been measured. Both: the events were looked at and are right as they are.
    """

    field: Literal["event"] = "event"
    definitions: str = Field(description="name and version of the set that measured it")
    before: SetEvent | None
    after: SetEvent | None


OneKind = TypeVar("OneKind", Correction, EventCorrection)


def read_corrections(path: Path, kind: type[OneKind]) -> dict[str, list[OneKind]]:
    """Read the corrections of one kind by item, in order; a missing file is empty.

    A line that is no correction of any kind is refused.
    """
    corrections: dict[str, list[OneKind]] = {}
    for number, line in jsonl.numbered(path):
        try:
            value = strict_json.loads(line)
            is_event = isinstance(value, dict) and value.get("field") == "event"
            one = strict_json.parse(EventCorrection if is_event else Correction, line)
        except strict_json.BadJson as error:
            raise UserError(
                f"{path}, line {number}: no correction ({error}); mend it"
            ) from None
        if isinstance(one, kind):
            corrections.setdefault(one.item, []).append(one)
    return corrections
