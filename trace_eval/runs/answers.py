"""The answers of a run that were decoded, by system."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from trace_eval.data.items import Pair, Single
from trace_eval.runs.run import Run


class DecodedAnswer(NamedTuple):
    """An answer whose sound was decoded."""

    system: str
    item: Pair | Single
    clip: str

    @property
    def question(self) -> str:
        """What the answers to one question share."""
        return self.item.question_id or self.item.id


def decoded_answers(run: Run, names: tuple[str, str]) -> Iterator[DecodedAnswer]:
    """Yield every answer of a run that was decoded, in input order.

    Args:
        names: of systems that no item names, by the place of their answers.
    """
    clips = {source: record.clip for source, record in run.clips().items()}
    for item in run.items():
        for answer, system, place in zip(
            item.sides.values(), item.systems, names, strict=False
        ):
            clip = clips.get(answer.source_id) if answer.has_audio else None
            if clip:
                yield DecodedAnswer(system=system or place, item=item, clip=clip)
