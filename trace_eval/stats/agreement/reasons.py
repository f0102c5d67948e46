"""How often a judge's reasons state what the blueprints do not bear out."""

from __future__ import annotations

import numpy as np

from blueprints import counted
from trace_eval.estimate.share import Share
from trace_eval.stats.agreement.judges import JudgeOpinions


def reasons_note(judge: JudgeOpinions) -> str | None:
    """Write a sentence on a judge's reasons; None if none names evidence to check.

    A reason is unsupported where a number, a comparison or a quotation in it is false, or where
    the verdict does not follow from it. Reasons without a checkable claim do not count.
    """
    facts = judge.own.facts
    if "reasons" not in facts:
        return None
    reasons, unsupported, claims, true = (
        int(np.nansum(facts[name]))
        for name in ("reasons", "reasons_unsupported", "claims", "claims_true")
    )
    low, high = Share(unsupported, reasons).interval()
    return (
        f"{judge.name}: unsupported reasons: {unsupported / reasons:.0%} (n={reasons},"
        f" 95 % interval {low:.0%} to {high:.0%}; {true} of {counted(claims, 'claim')} true)"
    )
