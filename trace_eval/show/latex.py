"""Figures as tables of a paper: LaTeX with the package booktabs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from trace_eval.estimate.interval import IntervalEstimate
from trace_eval.estimate.share import digits
from trace_eval.show.table import NOTHING, Figure, cell

#: Characters that mean something else to LaTeX.
_SPECIAL = {
    "\\": r"\textbackslash{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    **{"~": r"\textasciitilde{}", "^": r"\textasciicircum{}"},
    **{"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "`": r"\textasciigrave{}"},
    **{"[": "{[}", "]": "{]}", "*": "{*}", '"': "{''}"},
}

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")


def escaped(text: str) -> str:
    """Text as LaTeX prints it, in one line."""
    return "".join(_SPECIAL.get(sign, sign) for sign in _CONTROL.sub(" ", text))


def document(parts: Iterable[tuple[str, Iterable[Figure]]], sentence: str) -> str:
    """A floating table per part that has figures, a row each.

    Args:
        parts: (title, figures).
        sentence: begins the first caption.
    """
    lines = [r"% \usepackage{booktabs,textcomp}; names beyond Latin need XeLaTeX or LuaLaTeX"]
    for title, figures in parts:
        if rows := list(_rows(figures)):
            lines += _float(" ".join(part for part in (sentence, title) if part), rows)
            sentence = ""
    return "\n".join(lines) + "\n"


def _float(caption: str, rows: list[str]) -> list[str]:
    return [
        r"\begin{table}",
        r"\centering\small",
        rf"\caption{{{escaped(caption)}}}",
        r"\begin{tabular}{@{}llrrl@{}}",
        r"\toprule",
        r"name & figure & value & $n$ & unit \\",
        r"\midrule",
        *rows,
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]


def _rows(figures: Iterable[Figure]) -> Iterator[str]:
    for one in figures:
        limits = None if one.low is None or one.high is None else (one.low, one.high)
        value = cell(IntervalEstimate(one.value, limits), digits(one.n))
        number = NOTHING if one.n is None else str(one.n)
        cells = (one.name, one.column, value, number, one.unit)
        yield " & ".join(map(escaped, cells)) + r" \\"
