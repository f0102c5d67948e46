"""``lexical``: the embedded judge of single answers. No network, no key, no understanding."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import JsonValue

from trace_eval.data.items import Single
from trace_eval.data.outcome import Outcome
from trace_eval.data.scores import Score
from trace_eval.judges.base import Case
from trace_eval.judges.combine.samples import stated_score
from trace_eval.judges.lexical.reference import ReferenceJudge
from trace_eval.scores.estimate import of_distribution
from trace_eval.scores.lexical import CAVEAT, lexical_score, shipped


class LexicalJudge(ReferenceJudge):
    """Rates words against a reference through a shipped logistic model."""

    spec = "lexical"

    def parameters(self) -> dict[str, JsonValue]:
        """The model's coefficients, and the rubric."""
        return {"model": shipped().sha256, "rubric": self.rubric.sha256}

    def score_of_nothing(self, item: Single) -> Score:
        """The lowest score, with the judge's caveat."""
        empty = super().score_of_nothing(item)
        return empty.model_copy(update={"caveats": [CAVEAT, *empty.caveats]})

    async def compare(self, case: Case, references: Sequence[tuple[int, str]]) -> Outcome:
        """Rate one answer against the reference that it matches best."""
        item, texts = case.single, [text for _, text in references]
        result = lexical_score(
            self._words.question(case), texts, self._words.words(case), item.rationale
        )
        distribution = {float(label): share for label, share in result.distribution.items()}
        reduced = of_distribution(distribution, self.rubric.numbers)
        score = stated_score(item, self.rubric, self.spec, reduced)
        assert score.estimate is not None
        index, _ = references[result.reference]
        estimate = score.estimate.model_copy(update={"reference": index})
        caveats = [CAVEAT, *self._words.caveats(case)]
        return score.model_copy(update={"estimate": estimate, "caveats": caveats})
