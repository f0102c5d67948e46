"""``lexical``: the embedded judge of single answers. No network, no key, no understanding."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import JsonValue

from extractors import guessed
from trace_eval.data.items import Single
from trace_eval.data.outcome import Outcome
from trace_eval.data.scores import Score
from trace_eval.judges.base import Case
from trace_eval.judges.lexical.words import WordJudge
from trace_eval.scores.lexical import CAVEAT, lexical_score, shipped


class LexicalJudge(WordJudge):
    """Rates words against a reference through a shipped logistic model."""

    spec = "lexical"

    def parameters(self) -> dict[str, JsonValue]:
        """The model's coefficients, and the rubric."""
        return {"model": shipped().sha256, "rubric": self.rubric.sha256}

    def score_of_nothing(self, item: Single) -> Score:
        """The lowest score, with the judge's caveat."""
        empty = super().score_of_nothing(item)
        return empty.model_copy(update={"caveats": [CAVEAT, *empty.caveats]})

    async def rate(self, case: Case, references: Sequence[tuple[int, str]]) -> Outcome:
        """Rate one answer against the reference that it matches best."""
        texts = [text for _, text in references]
        # Guesses of the recogniser say nothing of the question.
        spoken = None if case.item.instruction.text else case.instruction
        question = "" if spoken and guessed(spoken) else case.instruction_text or ""
        result = lexical_score(question, texts, self.words(case), case.single.rationale)
        distribution = {float(label): share for label, share in result.distribution.items()}
        index, _ = references[result.reference]
        return self.score(case, distribution, [CAVEAT], reference=index)
