"""The verdicts of a judge as one table: of a run folder, or of a file of judgements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from blueprints import UserError
from fusion import DIMENSIONS
from trace_eval.data import jsonl, strict_json
from trace_eval.data.columns import Columns, RowFilter
from trace_eval.data.files import is_file, is_folder
from trace_eval.data.items import Pair
from trace_eval.data.judgement import Judgement, Label, Overall
from trace_eval.data.measures.numbers import number_in, place_named, place_of
from trace_eval.opinions.codes import LABEL_COLUMNS, REASON_FACTS, TEXT_FACTS
from trace_eval.opinions.instructions import sharing_instructions
from trace_eval.opinions.judge_files import read_judge_file
from trace_eval.opinions.label_files import names_in
from trace_eval.opinions.labels import label_table, read_labels, table_labels
from trace_eval.opinions.opinions import DataWarning, Opinions
from trace_eval.opinions.scores import holds_scores, read_with_ratings
from trace_eval.runs.outcomes import VerdictRow, first_position_test, instruction_of
from trace_eval.runs.run import Run

#: Name of a column -> its values, one per row.
RunColumns = dict[str, list[Any]]

#: Numbers of blueprints that are always read.
_NUMBERS = ("duration", "loudness", "mos")


def read_opinions(
    path: Path,
    columns: Columns | None = None,
    numbers: Sequence[str] = (),
    rows_are_items: bool = False,
) -> Opinions:
    """Read a run folder, or a file as :func:`trace_eval.opinions.labels.read_labels`.

    Args:
        columns: of a file, see :func:`trace_eval.opinions.judge_files.read_judge_file`.
        numbers: more numbers per answer to read: of a run's blueprints (``p808``,
            ``utmos``, ``rate.wpm``) or measures (``wer``), of a file's columns
            ``NUMBER_a`` and ``NUMBER_b``.
        rows_are_items: a file may lack ids, because no other labels will be joined to
            it.

    Raises:
        UserError: neither can be read there.
    """
    if is_folder(path):
        if columns not in (None, Columns()):
            raise UserError(
                f"{path}: --prediction, --truth, --id, --map, --flip-b, --where,"
                " --scale and --column mean nothing for a run, whose columns are known;"
                " leave them out"
            )
        return _read_run(path, numbers)
    if not is_file(path):
        raise UserError(
            f"{path}: no such run or file of judgements; trace-eval runs lists the"
            " runs under runs/"
        )
    return read_judge_file(path, columns or Columns(), numbers, rows_are_items)


def read_with_labels(
    sources: Sequence[Path | Opinions],
    labels: Any,
    columns: Columns | None = None,
    numbers: Sequence[str] = (),
    rows_are_items: bool = False,
    rubric: str | None = None,
) -> tuple[list[Opinions], Opinions | None]:
    """Read judgements or scores, and human labels beside them, for any statistic.

    Args:
        sources: runs, or files of judgements or of scores, or what was read of them.
        labels: a file or a table at hand, e.g. a data frame, whose labels may name the
            systems of an item; or what was read of one; None: none.
        columns: how the files name their columns and labels: beside a run those of the
            labels, of two files each has what it has of them. None: the command has no
            options for them.
        numbers, rows_are_items: see :func:`read_opinions`.
        rubric: name or file of what is scored; None: the only one that the sources
            have.

    Raises:
        UserError: one cannot be read, or sources hold labels and scores.
    """
    scored = {holds_scores(source, columns) for source in sources}
    if len(scored) > 1:
        raise UserError(
            "some sources hold labels of pairs and others scores of single answers;"
            " compare those of one kind"
        )
    if True in scored:
        return sharing_instructions(
            *read_with_ratings(sources, labels, columns, rubric)
        )
    mapping = columns.mapping if columns else None
    columns = columns or Columns()
    judged = [
        read_opinions(source, _own(columns, source, labels), numbers, rows_are_items)
        if isinstance(source, Path)
        else source
        for source in sources
    ]
    if isinstance(labels, Path):
        files = [
            source for source in sources if isinstance(source, Path) and is_file(source)
        ]
        named = _there(columns.fields, labels, files)
        where = _conditions(columns, labels, files)
        labels = read_labels(
            labels,
            numbers,
            columns=named,
            mapping=mapping,
            about=judged,
            where=where,
            scale=columns.scale,
        )
    elif labels is not None and not isinstance(labels, Opinions):
        where = columns.where
        labels = table_labels(
            labels,
            columns.fields,
            mapping=mapping,
            about=judged,
            where=where,
            scale=columns.scale,
        )
    return sharing_instructions(judged, labels)


def _own(columns: Columns, source: Path, labels: Any) -> Columns:
    """Keep the column names that are a source's, not those of labels beside it."""
    if labels is None or isinstance(labels, Opinions):
        return columns
    columns = replace(columns, scale=None)  # it is that of the human labels
    if is_folder(source) or not isinstance(labels, Path):
        return replace(columns, named={}, mapping={}, id=None, where=())
    where = _conditions(columns, source, [labels])
    named = _there(columns.fields, source, [labels])
    return replace(columns, named=named, id=None, where=where)


def _conditions(
    columns: Columns, path: Path, others: Sequence[Path]
) -> tuple[RowFilter, ...]:
    """Keep conditions on a file's rows, except on columns that only others have."""
    if not columns.where or not others:
        return columns.where
    own, theirs = (
        {*names_in(path)},
        {name for other in others for name in names_in(other)},
    )
    return tuple(
        one for one in columns.where if one.column in own or one.column not in theirs
    )


def _there(
    named: Mapping[str, str], path: Path, others: Sequence[Path]
) -> Mapping[str, str]:
    """Keep the named columns of a file, but those that only other files have."""
    if not named or not others:
        return named
    own, theirs = (
        {*names_in(path)},
        {name for other in others for name in names_in(other)},
    )
    return {
        field: name
        for field, name in named.items()
        if _names_columns(name, own) or not _names_columns(name, theirs)
    }


def _names_columns(name: str, columns: Collection[str]) -> bool:
    """Say whether a column is there, or each of several raters' columns."""
    return name in columns or all(part.strip() in columns for part in name.split(","))


def _read_run(folder: Path, numbers: Sequence[str]) -> Opinions:
    run = Run.open(folder)
    pairs = list(run.pairs())
    judgements, overall = run.judgements(), run.overall()
    if not judgements:
        raise UserError(
            f"{folder}: the run has no judgements yet; run `trace-eval judge` first"
        )
    by_pair = _facts(run, pairs, numbers)
    row_of_pair = {pair.id: row for row, pair in enumerate(pairs)}
    stray = next((pair for pair in judgements if pair not in row_of_pair), None)
    if stray is not None:
        raise UserError(
            f"{folder}: judgement of pair {stray!r}, which is not in pairs.jsonl"
        )
    judged = [judgements[pair.id] for pair in pairs if pair.id in judgements]
    rows = [row_of_pair[judgement.pair] for judgement in judged]
    facts = _at_rows(by_pair, rows)
    table: RunColumns = {
        "id": [judgement.pair for judgement in judged],
        "rater": [judgement.judge for judgement in judged],
    }
    for dimension in DIMENSIONS:
        table[dimension] = _texts(judgement.label(dimension) for judgement in judged)
    table |= facts
    table |= _certainty(judged, overall)
    table |= _reasons(judged)
    if overall:
        fused = [overall.get(judgement.pair) for judgement in judged]
        # Plain labels are no typed ties that happen to name winners: they have their
        # column.
        plain = any(judgement.label_set in ("plain", "forced") for judgement in judged)
        name = "preference" if plain else "overall"
        # A match is no label of the pair as a whole and has its own column.
        table[name] = _texts(
            record.rating if record and record.rating not in ("true", "false") else None
            for record in fused
        )
    table |= _present(
        {"match": _texts(judgement.label("match") for judgement in judged)}
    )
    place = first_position_test(map(VerdictRow.of, judged), facts["instruction_id"])
    warning = place.warning if place else None
    by_position = (DataWarning("place", f"{folder}: {warning}"),) if warning else ()
    return label_table(str(folder), table, numbers=numbers).beside(
        _pair_labels(folder, pairs, by_pair),
        _calls(folder, judged, facts),
        next((record.policy for record in overall.values()), None),
        (*by_position, *_unmeasured(run, numbers)),
    )


def _unmeasured(run: Run, numbers: Sequence[str]) -> Iterator[DataWarning]:
    """Say why a number was measured for no pair, e.g. for lack of its package."""
    records = (
        run.measures().values() if any(place_of(n) is None for n in numbers) else ()
    )
    for name in dict.fromkeys(numbers):
        sides = {f"{name}_{side}" for side in "ab"}
        tried = [
            m
            for result in records
            for side, m in result.measures.items()
            if side in sides
        ]
        if tried and all(measure.value is None for measure in tried):
            ((reason, _),) = Counter(measure.reason for measure in tried).most_common(1)
            text = (
                f"{run.folder}: {name} was measured of no pair ({reason}); then judge"
                " again"
            )
            yield DataWarning("unmeasured", text)


def _texts(labels: Iterable[Label | None]) -> list[str | None]:
    return [None if label is None else str(label) for label in labels]


def _present(
    columns: Mapping[str, list[Any]], always: Collection[str] = ()
) -> RunColumns:
    """Keep the columns that hold anything, and those that are always there."""
    present: RunColumns = {}
    for name, column in columns.items():
        is_blank = all(value is None for value in column)
        if name in always or not is_blank:
            present[name] = column
    return present


def _total_margin(judgement: Judgement) -> float | None:
    """Return the sum of the margins that a judgement has; None where it has none."""
    verdicts = judgement.dimensions.values()
    margins = [verdict.margin for verdict in verdicts if verdict.margin is not None]
    return sum(margins) if margins else None


def _all_consistent(judgement: Judgement) -> float | None:
    """Return 1 if both orders agree on every dimension, 0 if not, None if unknown."""
    orders = [verdict.consistent for verdict in judgement.dimensions.values()]
    if not orders or None in orders:
        return None
    return float(all(orders))


def _at_rows(columns: RunColumns, rows: Sequence[int]) -> RunColumns:
    """Return the columns of a table at some of its rows."""
    selected: RunColumns = {}
    for name, column in columns.items():
        selected[name] = [column[row] for row in rows]
    return selected


def _certainty(judged: list[Judgement], overall: dict[str, Overall]) -> RunColumns:
    """Return how sure the judge was of each pair, by ``CERTAINTY_FACTS`` columns."""
    fused = [overall.get(judgement.pair) for judgement in judged]
    columns: RunColumns = {}
    for name in DIMENSIONS:
        columns[f"margin_{name}"] = [judgement.margin(name) for judgement in judged]
    columns["margin"] = list(map(_total_margin, judged))
    columns["entropy"] = [one.entropy_bits if one else None for one in fused]
    columns["p_a"] = [
        _p_a(one.distribution) if one and one.distribution else None for one in fused
    ]
    columns["consistent"] = list(map(_all_consistent, judged))
    for name in DIMENSIONS:
        verdicts = [j.dimensions.get(name) for j in judged]
        columns[f"consistent_{name}"] = [
            None if v is None or v.consistent is None else float(v.consistent)
            for v in verdicts
        ]
    return _present(columns)


def _reasons(judged: list[Judgement]) -> RunColumns:
    """Return how the claims in each judgement's reasons fared, by ``REASON_FACTS``."""
    rows = [_claims_in(judgement) for judgement in judged]
    columns: RunColumns = {}
    for name in REASON_FACTS:
        columns[name] = [None if row is None else row[name] for row in rows]
    return _present(columns)


def _claims_in(judgement: Judgement) -> dict[str, float] | None:
    """Count the reasons and claims that could be checked; None if there are none."""
    reasons: dict[tuple[int, str], list[bool]] = {}
    for index, opinion in enumerate(judgement.opinions):
        for claim in opinion.claims:
            if claim.holds is not None:
                reasons.setdefault((index, claim.about), []).append(claim.holds)
    if not reasons:
        return None
    return {
        "reasons": float(len(reasons)),
        "reasons_unsupported": float(sum(not all(each) for each in reasons.values())),
        "claims": float(sum(map(len, reasons.values()))),
        "claims_true": float(sum(map(sum, reasons.values()))),
    }


def _p_a(distribution: Mapping[Label, float]) -> float:
    """Return the judge's own probability of A, ties as halves."""
    shares = {str(label): share for label, share in distribution.items()}
    a, b = shares.get("1", 0.0), shares.get("2", 0.0)
    return a + (1 - a - b) / 2


def _facts(run: Run, pairs: list[Pair], numbers: Sequence[str]) -> RunColumns:
    clips = {source: record.clip for source, record in run.clips().items()}
    stored = [*_NUMBERS, *(name for name in numbers if place_of(name))]
    values = _numbers(run, stored)
    facts: RunColumns = {
        "instruction_id": [*map(instruction_of, pairs)],
        "category": [pair.category for pair in pairs],
        "system_a": [pair.a.system for pair in pairs],
        "system_b": [pair.b.system for pair in pairs],
    }
    for side in ("a", "b"):
        places = [clips.get(getattr(pair, side).source_id) for pair in pairs]
        facts[f"clip_{side}"] = places
        for name in (*stored, "tokens"):
            facts[f"{name}_{side}"] = [
                values.get(str(clip), {}).get(name) for clip in places
            ]
    extra = set(numbers) - set(stored)
    measured = run.measures() if extra else {}
    for name in (f"{number}_{side}" for number in extra for side in "ab"):
        ones = [
            measured[p.id].measures.get(name) if p.id in measured else None
            for p in pairs
        ]
        facts[name] = [one.value if one else None for one in ones]
    return _present(facts, TEXT_FACTS)


def _numbers(run: Run, names: Sequence[str]) -> dict[str, dict[str, float | None]]:
    """Clip -> a few numbers of its blueprint; contours are not built into objects."""
    places = {name: place_named(name) for name in dict.fromkeys(names)}
    numbers: dict[str, dict[str, float | None]] = {}
    path = run.path("blueprints.jsonl")
    for line in jsonl.read(path):
        record = strict_json.record(line, path)
        row = {name: number_in(record, index) for name, index in places.items()}
        words = (record.get("transcript") or {}).get("text")
        numbers[record["clip"]] = row | {
            "tokens": None if words is None else float(len(words.split()))
        }
    return numbers


def _pair_labels(folder: Path, pairs: list[Pair], facts: RunColumns) -> Opinions | None:
    rows = [row for row, pair in enumerate(pairs) if pair.labels]
    labels = [pairs[row].labels for row in rows]
    columns: RunColumns = {}
    for name in LABEL_COLUMNS:
        columns[name] = _texts(getattr(one, name) for one in labels)
    columns = _present(columns)
    if not columns:
        return None
    ids = [pairs[row].id for row in rows]
    return label_table(
        f"labels of {folder}", {"id": ids, **columns, **_at_rows(facts, rows)}
    )


def _calls(folder: Path, judged: list[Judgement], facts: RunColumns) -> Opinions | None:
    """Return a row per call with ratings; None where every pair was asked once."""
    calls = [
        (row, opinion)
        for row, judgement in enumerate(judged)
        for opinion in judgement.opinions
        if opinion.ratings
    ]
    if len(calls) <= len({row for row, _ in calls}):
        return None
    columns: RunColumns = {
        "id": [judged[row].pair for row, _ in calls],
        "rater": [judged[row].judge for row, _ in calls],
        # The parts of a task are questions of their own, not repetitions of one.
        "repeat": [
            f"{o.order}/{o.sample}{'/' + o.part if o.part else ''}" for _, o in calls
        ],
        "order": [opinion.order for _, opinion in calls],
    }
    for name in DIMENSIONS:
        columns[name] = _texts(opinion.ratings.get(name) for _, opinion in calls)
    # tasks that ask for the pair as a whole, or for a match
    whole: RunColumns = {
        "preference": _texts(opinion.ratings.get("overall") for _, opinion in calls),
        "match": _texts(opinion.ratings.get("match") for _, opinion in calls),
    }
    columns |= _present(whole)
    columns |= _at_rows(facts, [row for row, _ in calls])
    return label_table(f"calls of {folder}", columns)
