"""``scorer:DIR``: a trained scorer rates single answers by their words."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np
from pydantic import JsonValue

from extractors import resolve
from trace_eval.data.outcome import Outcome, Reason
from trace_eval.data.rubrics.single import ScoreRubric
from trace_eval.data.scores import Clamped, Score
from trace_eval.judges.base import Case
from trace_eval.judges.lexical.judge import WordJudge
from trace_eval.judges.scorer import checkpoint
from trace_eval.judges.scorer.batcher import Batcher
from trace_eval.judges.scorer.checkpoint import locate
from trace_eval.judges.scorer.clamp import clamped
from trace_eval.judges.scorer.model import Prediction, dtype_of, load
from trace_eval.judges.scorer.text import ScorerFields, fields_of
from trace_eval.judges.views.answer.text import recognised_words

#: Texts per forward pass on a CPU and on a GPU; the outcome does not depend on it.
BATCH = 8

#: The rationale lost its middle, because the model takes no longer text.
CONTEXT_CUT = "context_cut"

#: Said of every score where ``scorer.json`` is missing or has no digests.
UNCHECKED = "scorer: its files have no digests, so damage to them would not be seen"

CAVEAT = (
    "scorer: knows the ratings it was trained on, which punish length"
    " (correctness-brief)"
)


def fields_of_case(case: Case, reference: str) -> ScorerFields:
    """Return what a scorer reads of a case: recordings by their recognised words."""
    return fields_of(
        case.single, reference, case.instruction_text, recognised_words(case)
    )


class ScorerJudge(WordJudge):
    """Rates words against references by a :mod:`trace_eval.judges.scorer` checkpoint.

    ``folder`` has our layout, or the released one; ``base`` is the path or hub id of
    the base, where the adapter names one that is elsewhere. UserError where a package
    or a part of the checkpoint is missing, or the rubric does not fit.
    """

    uses: ClassVar[frozenset[str]] = frozenset({"base", "device"})

    def __init__(
        self,
        folder: Path,
        rubric: ScoreRubric,
        base: str | None = None,
        device: str = "auto",
    ) -> None:
        self.spec = f"scorer:{folder}"
        super().__init__(rubric)
        checkpoint.check_packages()
        self.files = locate(folder, base)
        self._device = device
        self._batcher: Batcher[tuple[list[int], bool], Prediction] = Batcher(
            lambda batch: load(self.files, device).predict(batch),
            BATCH,
            lambda ids: len(ids[0]),
        )

    @property
    def concurrency(self) -> int:
        """Answers in flight: those of one forward pass and those of the next."""
        return 2 * BATCH

    def parameters(self) -> dict[str, JsonValue]:
        """Return the identity of files, text format and rubric; not of their place."""
        record = self.files.record
        clamp = record.clamp.threshold if record.clamp else None
        return {
            "files": self.files.sha256,
            "head": record.head,
            "text_format": record.text_format,
            "clamp": clamp,
            "dtype": dtype_of(resolve("scorer", self._device)),
            "rubric": self.rubric.sha256,
        }

    def observed(self) -> dict[str, JsonValue]:
        """Record what it was trained on, and whether damaged files would be seen."""
        record = self.files.record
        return {
            "base": record.base,
            "training": dict(record.training),
            "files_checked": bool(record.files),
        }

    def load(self) -> None:
        load(self.files, self._device)

    async def rate(self, case: Case, references: Sequence[tuple[int, str]]) -> Outcome:
        """Rate one answer against each reference; the largest mean counts."""
        scorer = await asyncio.to_thread(load, self.files, self._device)
        encoded = [scorer.fit(fields_of_case(case, text)) for _, text in references]
        fitting = [
            (n, ids) for (n, _), ids in zip(references, encoded, strict=True) if ids
        ]
        if not fitting:
            detail = (
                f"question, reference and answer alone have over {scorer.limit} tokens"
            )
            return self.unscored(case.single, Reason.PROMPT_CUT, detail)
        predictions = await asyncio.gather(
            *(self._batcher.ask(ids) for _, ids in fitting)
        )
        best = max(range(len(fitting)), key=lambda position: predictions[position].mean)
        return self._score(case, predictions[best], fitting[best][0])

    def _score(self, case: Case, prediction: Prediction, reference: int) -> Score:
        record = self.files.record
        threshold = record.clamp.threshold if record.clamp else None
        mean = clamped(
            np.array([prediction.mean]), np.array([prediction.variance]), threshold
        )[0]
        params: dict[str, float | list[float]] = {"logits": list(prediction.params)}
        if record.head == "beta":
            alpha, beta = map(math.exp, prediction.params)
            params = {"alpha": alpha, "beta": beta}
        clamp = None
        if threshold is not None:
            clamp = Clamped(mean=float(mean), threshold=threshold)
        made = self.score(
            case,
            {
                float(label): share
                for label, share in enumerate(prediction.distribution, start=1)
            },
            [CAVEAT],
            mean=prediction.mean,
            variance=prediction.variance,
            within=prediction.variance,
            params=params,
            reference=reference,
            clamped=clamp,
        )
        doubts = [UNCHECKED] * (not record.files) + [CONTEXT_CUT] * prediction.cut
        update = {"value": 1 + 4 * prediction.mean, "caveats": made.caveats + doubts}
        return made.model_copy(update=update)
