"""What every judge does that compares the words of an answer with a reference."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from blueprints import UserError
from fusion import ItemKind, likert
from trace_eval.data.items import Single
from trace_eval.data.outcome import Outcome, Reason
from trace_eval.data.pairs import Pair
from trace_eval.data.scores import Score
from trace_eval.judges.base import Case, Judge
from trace_eval.judges.combine.samples import lowest_score
from trace_eval.judges.views.answer.transcript import TranscriptView
from trace_eval.rubrics.single import ScoreRubric


class ReferenceJudge(Judge):
    """Compares what was said with a reference, on 1-5; recordings by what a recogniser heard.

    Raises:
        UserError: the rubric is about sound, or is not on 1-5.
    """

    accepts: ClassVar[frozenset[ItemKind]] = frozenset({"single"})
    uses: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, rubric: ScoreRubric) -> None:
        if not {"reference", "candidate"} <= set(rubric.inputs) or rubric.numbers != likert(1, 5):
            raise UserError(
                f"judge {self.spec.partition(':')[0]}: compares words with a reference on 1-5, and"
                f" rubric {rubric.name} is not of that kind; use correctness or correctness-brief,"
                " or name another judge"
            )
        self.rubric = rubric
        self._words = TranscriptView()

    def roles(self, item: Pair | Single) -> list[str]:
        """The recordings whose words are needed; a question counts where it is spoken alone."""
        assert isinstance(item, Single)
        if not item.has_reference:
            return []
        spoken = item.instruction.has_audio and not item.instruction.text
        return [*(["instruction"] if spoken else []), *self._words.roles(item)]

    async def judge(self, case: Case) -> Outcome:
        """Rate one answer."""
        item = case.single
        references = [(n, text) for n, text in enumerate(item.reference) if text.strip()]
        if not references:
            return self.unscored(
                item, Reason.EVIDENCE_MISSING, "the item has no reference; add a column reference"
            )
        if reason := self._words.missing_evidence(case):
            return self.unscored(item, Reason.EVIDENCE_MISSING, reason)
        if self._words.is_empty(case):
            return self.score_of_nothing(item)
        return await self.compare(case, references)

    def score_of_nothing(self, item: Single) -> Score:
        """The score of an answer without words."""
        return lowest_score(item, self.rubric, self.spec, Reason.EMPTY_CANDIDATE)

    @abstractmethod
    async def compare(self, case: Case, references: Sequence[tuple[int, str]]) -> Outcome:
        """Rate words against references.

        Args:
            case: its answer has words.
            references: (position in ``item.reference``, text), at least one.
        """
