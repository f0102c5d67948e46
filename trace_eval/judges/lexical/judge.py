"""``lexical``: the embedded judge of single answers. No network, no key, no understanding."""

from __future__ import annotations

from typing import ClassVar

from pydantic import JsonValue

from blueprints import UserError
from fusion import ItemKind, likert
from trace_eval.data import Outcome, Pair, Reason, Single
from trace_eval.judges.base import Case, Judge
from trace_eval.judges.rating import lowest_score, stated_score
from trace_eval.judges.views import TranscriptView
from trace_eval.rubrics import ScoreRubric
from trace_eval.scores import CAVEAT, lexical_score, of_distribution, shipped


class LexicalJudge(Judge):
    """Rates words against a reference through a shipped logistic model.

    Raises:
        UserError: the rubric is about sound, or is not on 1-5.
    """

    spec = "lexical"
    accepts: ClassVar[frozenset[ItemKind]] = frozenset({"single"})
    uses: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, rubric: ScoreRubric) -> None:
        needed = {"reference", "candidate"}
        if not needed <= set(rubric.inputs) or rubric.numbers != likert(1, 5):
            raise UserError(
                f"judge lexical: compares words with a reference on 1-5, and rubric {rubric.name}"
                " is not of that kind; use correctness or correctness-brief, or name another judge"
            )
        self.rubric = rubric
        self._words = TranscriptView()

    def parameters(self) -> dict[str, JsonValue]:
        """The model's coefficients, and the rubric."""
        return {"model": shipped().sha256, "rubric": self.rubric.sha256}

    def roles(self, item: Pair | Single) -> list[str]:
        """The recordings whose words are needed; a spoken question is one of its features."""
        assert isinstance(item, Single)
        if not item.has_reference:
            return []
        spoken = item.instruction.has_audio and not item.instruction.text
        return [*(["instruction"] if spoken else []), *self._words.roles(item)]

    async def judge(self, case: Case) -> Outcome:
        """Rate one answer."""
        item = case.single
        references = [text for text in item.reference if text.strip()]
        if not references:
            return self.unscored(
                item, Reason.EVIDENCE_MISSING, "the item has no reference; add a column reference"
            )
        if lacking := self._words.lacking(case):
            return self.unscored(item, Reason.EVIDENCE_MISSING, lacking)
        if self._words.is_empty(case):
            empty = lowest_score(item, self.rubric, self.spec, Reason.EMPTY_CANDIDATE)
            return empty.model_copy(update={"caveats": [CAVEAT, *empty.caveats]})
        found = lexical_score(
            self._words.question(case), references, self._words.words(case), item.rationale
        )
        scale = self.rubric.numbers
        distribution = {float(label): share for label, share in found.distribution.items()}
        score = stated_score(item, self.rubric, self.spec, of_distribution(distribution, scale))
        assert score.estimate is not None
        index = item.reference.index(references[found.reference])
        estimate = score.estimate.model_copy(update={"reference": index})
        caveats = [CAVEAT, *self._words.caveats(case)]
        return score.model_copy(update={"estimate": estimate, "caveats": caveats})
