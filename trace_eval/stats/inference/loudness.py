"""Whether the judge prefers the louder answer where human labels are ties."""

from __future__ import annotations

from dataclasses import dataclass

from trace_eval.opinions.opinions import Opinions
from trace_eval.stats.agreement.bias.length import length_bias
from trace_eval.stats.inference.labelled_run import gather


@dataclass(frozen=True)
class LoudnessBias:
    """Among the pairs that raters call a tie: what the judge said; exact sign test."""

    human_ties: int
    louder: int
    quieter: int
    tied: int
    p: float


def loudness_bias(source: Opinions, labels: Opinions) -> LoudnessBias | None:
    """Count and test; None where the levels are unknown."""
    run = gather(source, labels)
    facts = run.table.facts
    if "loudness_a" not in facts or "loudness_b" not in facts:
        return None
    result = length_bias(run.truth, run.codes, facts["loudness_a"], facts["loudness_b"])
    return LoudnessBias(result.human_ties, result.longer, result.shorter, result.tied, result.p)
