"""The base class of judges that rate words alone, and ``lexical``, which is offline."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pydantic import JsonValue

from blueprints import JudgeError, UserError
from extractors import guessed
from fusion import ItemKind, Numbers, likert
from trace_eval.data.items import Pair, Single
from trace_eval.data.measures import meaning as meanings
from trace_eval.data.measures.lexical import CAVEAT, lexical_score, shipped
from trace_eval.data.outcome import Outcome, Reason
from trace_eval.data.rubrics.single import ScoreRubric
from trace_eval.data.score_estimates import of_distribution
from trace_eval.data.scores import Score
from trace_eval.judges.base import Case, Judge
from trace_eval.judges.combine.samples import lowest_score, stated_score
from trace_eval.judges.views.answer.prompt import doubtful_words
from trace_eval.judges.views.answer.text import missing_words, roles_of_words, words_of


def references_of(item: Single) -> list[tuple[int, str]]:
    """Return the right answers that are not empty, each with its place in the item."""
    return [
        (position, text) for position, text in enumerate(item.reference) if text.strip()
    ]


class WordJudge(Judge):
    """Rates the words of an answer; of recordings, a recogniser's transcript.

    Attributes:
        scale: of the rubrics that it takes, e.g. ``fusion.BINARY`` for yes or no.
        inputs: that these rubrics must have; with ``reference``, items need one.

    Raises:
        UserError: the rubric has another scale, or other inputs.
    """

    accepts: ClassVar[frozenset[ItemKind]] = frozenset({"single"})
    uses: ClassVar[frozenset[str]] = frozenset()
    scale: ClassVar[Numbers] = likert(1, 5)
    inputs: ClassVar[frozenset[str]] = frozenset({"candidate", "reference"})

    def __init__(self, rubric: ScoreRubric) -> None:
        if not self.inputs <= set(rubric.inputs) or rubric.numbers != self.scale:
            scale = self.scale
            raise UserError(
                f"judge {self.spec.partition(':')[0]}: reads"
                f" {' and '.join(sorted(self.inputs))} and rates on"
                f" {scale.low:g}-{scale.high:g}, and rubric {rubric.name} is not of"
                " that kind; name another rubric, such as correctness, or another judge"
            )
        self.rubric = rubric

    def words(self, case: Case) -> str:
        """Return the answer's words, harmless and on one line."""
        return words_of(case)

    def roles(self, item: Pair | Single) -> list[str]:
        """Name the recordings whose words are needed; questions without text, too."""
        assert isinstance(item, Single)
        if "reference" in self.inputs and not item.has_reference:
            return []
        roles = list(roles_of_words(item))
        if item.instruction.has_audio and not item.instruction.text:
            roles.insert(0, "instruction")
        return roles

    async def judge(self, case: Case) -> Outcome:
        item = case.single
        references = references_of(item)
        if "reference" in self.inputs and not references:
            return self.unscored(
                item,
                Reason.EVIDENCE_MISSING,
                "the item has no reference; add a column reference, or choose a rubric"
                " that needs none (trace-eval rubrics list) and an LLM as --judge",
            )
        if reason := missing_words(case):
            return self.unscored(item, Reason.EVIDENCE_MISSING, reason)
        if not words_of(case):
            return self.score_of_nothing(item)
        return await self.rate(case, references)

    def score_of_nothing(self, item: Single) -> Score:
        """Make the score of an answer without words."""
        return lowest_score(item, self.rubric, self.spec, Reason.EMPTY_CANDIDATE)

    @abstractmethod
    async def rate(self, case: Case, references: Sequence[tuple[int, str]]) -> Outcome:
        """Rate words; :meth:`score` makes the outcome.

        Args:
            case: its answer has words, ``self.words(case)``.
            references: (position in ``item.reference``, text); empty where none is
                needed.
        """

    def score(
        self,
        case: Case,
        distribution: Mapping[float, float],
        caveats: Sequence[str] = (),
        **estimate: Any,
    ) -> Score:
        """Make the score of a distribution over labels, e.g. ``{1.0: 1.0}`` for yes.

        Args:
            distribution: label -> probability.
            caveats: of the judge, ahead of those of the words.
            estimate: further fields of :class:`~trace_eval.data.scores.ScoreEstimate`.
        """
        reduced = of_distribution(dict(distribution), self.scale)
        score = stated_score(case.single, self.rubric, self.spec, reduced)
        assert score.estimate is not None
        more = {
            "estimate": score.estimate.model_copy(update=estimate),
            "caveats": list(caveats) + list(doubtful_words(case)),
        }
        return score.model_copy(update=more)


class LexicalJudge(WordJudge):
    """Rates words against a reference through a shipped logistic model.

    ``lexical:meaning`` also measures how near the meaning of the texts is, see
    :mod:`trace_eval.data.measures.meaning`.

    Raises:
        JudgeError: the packages that meaning needs are missing.
    """

    spec = "lexical"

    def __init__(self, rubric: ScoreRubric, *, meaning: bool = False) -> None:
        super().__init__(rubric)
        self._meaning = meaning
        if not meaning:
            return
        self.spec = "lexical:meaning"
        if reason := meanings.unavailable():
            raise JudgeError(f"judge {self.spec}: {reason}")

    def parameters(self) -> dict[str, JsonValue]:
        return {"model": shipped(self._meaning).sha256, "rubric": self.rubric.sha256}

    @property
    def _caveat(self) -> str:
        return meanings.CAVEAT if self._meaning else CAVEAT

    def score_of_nothing(self, item: Single) -> Score:
        empty = super().score_of_nothing(item)
        return empty.model_copy(update={"caveats": [self._caveat] + empty.caveats})

    async def rate(self, case: Case, references: Sequence[tuple[int, str]]) -> Outcome:
        texts = [text for _, text in references]
        # A question that the recogniser guessed is left out.
        spoken = None if case.item.instruction.text else case.instruction
        question = "" if spoken and guessed(spoken) else case.instruction_text or ""
        words, rationale = self.words(case), case.single.rationale
        result = lexical_score(question, texts, words, rationale, meaning=self._meaning)
        distribution = {
            float(label): share for label, share in result.distribution.items()
        }
        index, _ = references[result.reference]
        return self.score(case, distribution, [self._caveat], reference=index)
