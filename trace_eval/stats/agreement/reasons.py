"""How often a judge's reasons state what the blueprints do not bear out."""

from __future__ import annotations

import numpy as np

from blueprints import counted
from trace_eval.estimate.figures import share_interval
from trace_eval.estimate.interval import SCORE
from trace_eval.stats.agreement.judges import JudgeOpinions


def reasons_note(judge: JudgeOpinions) -> str | None:
    """Write a sentence on a judge's reasons; None if none names evidence to check.

    A reason is unsupported where a number, a comparison or a quotation in it is false,
    or where the verdict does not follow from it. Reasons without a checkable claim do
    not count.
    """
    facts = judge.own.facts
    if "reasons" not in facts:
        return None
    reasons = int(np.nansum(facts["reasons"]))
    unsupported = int(np.nansum(facts["reasons_unsupported"]))
    claims = int(np.nansum(facts["claims"]))
    true = int(np.nansum(facts["claims_true"]))
    return (
        f"{judge.name}: unsupported reasons: {unsupported / reasons:.0%} (n={reasons},"
        f" {_limits(judge)}; {true} of {counted(claims, 'claim')} true)"
    )


def _limits(judge: JudgeOpinions) -> str:
    """Write the share's interval; reasons of one instruction or pair go together."""
    facts = judge.own.facts
    rows = np.nan_to_num(facts["reasons"])
    unit = judge.own.units()
    unit = np.arange(len(rows)) if unit is None else unit
    reasons = np.bincount(unit, rows)
    unsupported = np.bincount(unit, np.nan_to_num(facts["reasons_unsupported"]))
    has_reasons = reasons > 0
    limits = share_interval(
        unsupported[has_reasons].astype(np.float64),
        reasons[has_reasons].astype(np.float64),
    )
    if isinstance(limits, str):
        return limits
    drawn = counted(
        int(has_reasons.sum()), "pair or instruction", "pairs or instructions"
    )
    return f"95 % {SCORE} {limits[0]:.0%} to {limits[1]:.0%} over {drawn}"
