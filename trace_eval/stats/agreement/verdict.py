"""How a judge stands against the baselines, in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from trace_eval.stats.agreement.figures import AgreementFigure
from trace_eval.stats.agreement.spread import ALWAYS_ZERO, FROM_MEAN

#: Figures that are compared -> (title, whether more is better).
COMPARED: dict[str, tuple[str, bool]] = {
    "rho": ("rho", True),
    "mae": ("MAE", False),
    "crps": ("CRPS", False),
}

#: Differences below this are none.
_SAME = 1e-9


def verdict(judge: str, baselines: Sequence[str], figures: Sequence[AgreementFigure]) -> str:
    """A sentence: above all baselines, or below which of them and by how much."""
    values = {(f.who, f.name): f.estimate.value for f in figures if f.group == "agreement"}
    worse, compared = [], []
    for name, (title, more_is_better) in COMPARED.items():
        mine = values.get((judge, name))
        rivals = [
            (value, rule) for rule in baselines if (value := values.get((rule, name))) is not None
        ]
        if mine is None or not rivals:
            continue
        compared.append(title)
        best, rule = max(rivals) if more_is_better else min(rivals)
        gap = best - mine if more_is_better else mine - best
        if gap > _SAME:
            worse.append(f"{title} {mine:.4f} against {best:.4f} of {rule}")
    if not compared:
        return f"{judge}: nothing could be compared with a baseline."
    worse += _variance(judge, figures)
    undefined = [
        title for name, (title, _) in COMPARED.items() if values.get((judge, name)) is None
    ]
    tail = f"; it has no {' and no '.join(undefined)}" if undefined else ""
    if worse:
        return f"{judge} is below a baseline that needs no judge: {'; '.join(worse)}{tail}."
    return f"{judge} is at or above every baseline in {', '.join(compared)}{tail}."


def _variance(judge: str, figures: Sequence[AgreementFigure]) -> list[str]:
    """Where a forecast of variance that knows nothing of the answers is better."""
    errors = {f.who: f.estimate.value for f in figures if f.name == "mae_of_variance"}
    mine = errors.get(judge)
    rivals = [
        (value, who)
        for who in (ALWAYS_ZERO, FROM_MEAN.format(judge))
        if (value := errors.get(who)) is not None
    ]
    if mine is None or not rivals or mine - min(rivals)[0] <= _SAME:
        return []
    best, who = min(rivals)
    return [f"MAE of variance {mine:.4f} against {best:.4f} of {who}"]
