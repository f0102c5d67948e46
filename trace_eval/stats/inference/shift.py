"""Do the labelled pairs look like the run? Where they do not, no promise carries over."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trace_eval.stats.inference.labelled_run import LabelledRun

#: A difference counts when chance gives it less often than this, over all that are looked at.
SIGNIFICANT = 0.001

#: Cells of a table with fewer expected items are put together.
LEAST_EXPECTED = 5.0


def differences(run: LabelledRun) -> list[str]:
    """In what labelled and other judged pairs differ, in words: label, systems, certainty."""
    scored = run.scored
    requested, rest = scored & run.asked, scored & ~run.asked
    if requested.sum() < LEAST_EXPECTED or rest.sum() < LEAST_EXPECTED:
        return []
    p_values = {"the judge's label": _categories(run.codes, requested, rest)}
    systems = [run.table.facts.get(f"system_{side}") for side in "ab"]
    if systems[0] is not None and systems[1] is not None and None not in systems[0].tolist():
        pairs = np.array([f"{a}\0{b}" for a, b in zip(*systems, strict=True)], object)
        p_values["the systems"] = _categories(pairs, requested, rest)
    for name, values in run.signals.items():
        p_values[name] = _order(values, requested, rest)
    level = SIGNIFICANT / len(p_values)
    return [f"{name} differs, p = {p:.1g}" for name, p in p_values.items() if p < level]


def _categories(
    values: NDArray[np.int8] | NDArray[np.object_],
    requested: NDArray[np.bool_],
    rest: NDArray[np.bool_],
) -> float:
    """Chi-squared test of homogeneity, rare values put together."""
    from scipy.stats import chi2_contingency

    _, code = np.unique(values.astype(str), return_inverse=True)
    table = np.stack(
        [np.bincount(code[side], minlength=code.max() + 1) for side in (requested, rest)]
    )
    share = min(requested.sum(), rest.sum()) / (requested.sum() + rest.sum())
    rare = table.sum(0) * share < LEAST_EXPECTED
    kept = table[:, ~rare]
    if rare.any():
        kept = np.concatenate([kept, table[:, rare].sum(1, keepdims=True)], 1)
    kept = kept[:, kept.sum(0) > 0]
    return float(chi2_contingency(kept).pvalue) if kept.shape[1] > 1 else 1.0


def _order(
    values: NDArray[np.float64], requested: NDArray[np.bool_], rest: NDArray[np.bool_]
) -> float:
    """Mann-Whitney test: are labelled pairs surer or less sure?"""
    from scipy.stats import mannwhitneyu

    return float(mannwhitneyu(values[requested], values[rest]).pvalue)
