"""The pairs on which runs say the most different things."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

from trace_eval.opinions.codes import LABELS, MATCHES, MISSING, SPLIT, TIE, UNTYPED
from trace_eval.opinions.opinions import Opinions
from trace_eval.stats.agreement.judges import with_preference

#: Label -> its position between A (0) and B (1).
_POSITION = {"1": 0.0, "2": 1.0, "true": 0.0, "false": 1.0}

#: Weight of the pair as a whole against one dimension.
_WHOLE = 3.0


@dataclass(frozen=True)
class Disagreement:
    """A pair with what each run says of it.

    Attributes:
        distance: opposite winners of the pair as a whole count 3, of one dimension 1, a
            winner and a tie half of that; the largest over any two runs.
        verdicts: run -> dimension -> label, where there is one.
        people: dimension -> label of the people.
    """

    pair: str
    distance: float
    verdicts: dict[str, dict[str, str]]
    people: dict[str, str]


def disagreements(tables: Mapping[str, Opinions], labels: Opinions | None) -> list[Disagreement]:
    """Pairs with any difference, furthest first; equal ones in the order of the input."""
    people = _people(labels)
    results = []
    names = list(tables)
    for row, pair in enumerate(tables[names[0]].ids.tolist()):
        verdicts = {name: _verdicts(table, row) for name, table in tables.items()}
        distance = max(
            _distance(verdicts[one], verdicts[other]) for one, other in combinations(names, 2)
        )
        if distance:
            results.append(Disagreement(str(pair), distance, verdicts, people.get(str(pair), {})))
    return sorted(results, key=lambda item: -item.distance)


def _verdicts(table: Opinions, row: int) -> dict[str, str]:
    return {
        name: label_text(name, int(codes[row]))
        for name, codes in table.codes.items()
        if codes[row] != MISSING
    }


def label_text(dimension: str, code: int) -> str:
    """A label by its code; matches have their own words."""
    if code >= SPLIT:
        return "split"
    if dimension == "match":
        return {code: word for word, code in MATCHES.items()}[code]
    if dimension == "preference":
        return UNTYPED[min(code, TIE)]
    return LABELS[code]


def _people(labels: Opinions | None) -> dict[str, dict[str, str]]:
    if labels is None:
        return {}
    items = labels.per_item
    available = with_preference(items.codes)
    return {
        str(pair): {
            name: label_text(name, int(codes[row]))
            for name, codes in available.items()
            if codes[row] != MISSING
        }
        for row, pair in enumerate(items.ids.tolist())
    }


def _distance(one: Mapping[str, str], other: Mapping[str, str]) -> float:
    shared = set(one) & set(other)
    return sum(
        (_WHOLE if name in ("overall", "preference", "match") else 1.0)
        * abs(_POSITION.get(one[name], 0.5) - _POSITION.get(other[name], 0.5))
        for name in shared
    )
