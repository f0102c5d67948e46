"""Human ratings beside those of vstyle's judge: one file per annotator, with a column ``mos``.

Rows are joined with the answers by ``id_instruct_id``: the answer's id and its instruction's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from trace_eval.datasets.base import Converted
from trace_eval.datasets.figures import Figure
from trace_eval.datasets.rows import ANY, Columns, Row, Rows
from trace_eval.stats.ranking.correlation import correlate

_MOS: Columns = {"mos": ANY}

#: Answers that two must share for a correlation.
_LEAST = 3

#: Answer (``ID_INSTRUCT``) -> mark.
Marks = dict[str, float]


def key_of(row: Row) -> str:
    """The key that joins human ratings and answers."""
    joined = row.get("id_instruct_id")
    return f"{row.get('id')}_{row.get('instruct_id')}" if joined is None else str(joined)


def add_people(result: Converted, rows: Rows, judged: Mapping[str, Mapping[str, float]]) -> None:
    """Correlate annotators with each other and with the judge, over all and by group of abilities.

    Args:
        result: gets figures and labels.
        rows: of the source; every file with a column ``mos`` is an annotator's.
        judged: group of abilities -> answer -> mark of the judge.
    """
    people = _annotators(rows)
    if not people:
        return
    result.labels = (
        ("id_instruct_id", "rater", "score"),
        [(key, name, mark) for name, marks in people.items() for key, mark in marks.items()],
    )
    every = {key: mark for marks in judged.values() for key, mark in marks.items()}
    groups: dict[str, Mapping[str, float]] = {"": every, **judged}
    for group, machine in groups.items():
        kept = {n: _within(m, machine if group else None) for n, m in people.items()}
        keys = {key for marks in kept.values() for key in marks}
        means = {
            key: sum(provided) / len(provided)
            for key in keys
            if (provided := [marks[key] for marks in kept.values() if key in marks])
        }
        about = f", {group}" if group else ""
        for one, other in combinations(sorted(kept), 2):
            _correlation(result, f"Spearman, {one} and {other}{about}", kept[one], kept[other])
        for name in sorted(kept):
            _correlation(result, f"Spearman, {name} and the judge{about}", kept[name], machine)
        _correlation(result, f"Spearman, mean of people and the judge{about}", means, machine)


def _annotators(rows: Rows) -> dict[str, Marks]:
    people: dict[str, Marks] = {}
    for path in (*rows.source.files("*.jsonl"), *rows.source.files("*.csv")):
        if path.name.startswith("metadata"):
            continue
        marks: Marks = {}
        for row in rows.read(path, _MOS):
            try:
                marks[key_of(row)] = float(row["mos"])
            except (TypeError, ValueError):
                rows.tell(row, f"mos is {row['mos']!r:.40}; expected a number")
        people[path.stem] = marks
    return people


def _within(marks: Marks, keys: Mapping[str, float] | None) -> Marks:
    return marks if keys is None else {key: mark for key, mark in marks.items() if key in keys}


def _correlation(
    result: Converted, name: str, one: Mapping[str, float], other: Mapping[str, float]
) -> None:
    shared: Sequence[str] = sorted(one.keys() & other.keys())
    rho = None
    if len(shared) >= _LEAST:
        first, second = ({key: marks[key] for key in shared} for marks in (one, other))
        rho = correlate("first", first, "second", second).spearman
    result.figures.append(Figure(name, decimals=4, ours=rho, n=len(shared)))
