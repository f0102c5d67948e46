"""Figures as tables of a paper: LaTeX with the package booktabs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from trace_eval.show.table import NOTHING, Table

#: Characters that mean something else to LaTeX.
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    '"': "{''}",
}

#: Signs that no page shows.
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")

#: Texts of a column that stands at the right: a number, perhaps with its interval, or
#: none.
_NUMBER = re.compile(rf"([-+<]? ?[0-9]|{NOTHING}$)")

#: A hyphen before a number that stands for a minus.
_MINUS = re.compile(r"(?<![\w.)%])-(?=\.?[0-9])")


def escaped(text: str) -> str:
    """Write text as LaTeX prints it, on one line."""
    return "".join(_SPECIAL.get(sign, sign) for sign in CONTROL.sub(" ", text))


def document(tables: Iterable[Table], sentence: str) -> str:
    """Write a floating table for each table that has rows, with its note below it.

    The sentence begins the first caption.
    """
    lines = [
        r"% \usepackage{booktabs,textcomp}; names beyond Latin need XeLaTeX or LuaLaTeX"
    ]
    for table in tables:
        if table.rows:
            caption = f"{sentence} {table.title}".strip()
            lines += _float(caption, table)
            sentence = ""
    return "\n".join(lines) + "\n"


def _float(caption: str, table: Table) -> list[str]:
    sides = ""
    for texts in zip(*table.rows, strict=True):
        are_numbers = all(map(_NUMBER.match, texts))
        sides += "r" if are_numbers else "l"
    lines = [
        r"\begin{table}",
        r"\centering\small",
        rf"\caption{{{escaped(caption)}}}",
        rf"\begin{{tabular}}{{@{{}}{sides}@{{}}}}",
        r"\toprule",
        _row(table.columns),
        r"\midrule",
    ]
    lines += map(_row, table.rows)
    lines += [r"\bottomrule", r"\end{tabular}"]
    if table.caption:
        lines.append(rf"\par\smallskip\footnotesize {escaped(table.caption)}")
    lines.append(r"\end{table}")
    return lines


def _row(cells: Sequence[str]) -> str:
    texts = [_MINUS.sub("$-$", escaped(cell)) for cell in cells]
    return " & ".join(texts) + r" \\"
