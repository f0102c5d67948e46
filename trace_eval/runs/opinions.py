"""The verdicts of a judge as one table: of a run folder, or of a file of judgements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

from blueprints import UserError
from fusion import DIMENSIONS, Dimension
from trace_eval.data import jsonl, strict_json
from trace_eval.data.columns import Columns, RowFilter
from trace_eval.data.files import is_file, is_folder
from trace_eval.data.items import Pair
from trace_eval.data.judgement import Judgement, Label, Overall, VerdictOpinion
from trace_eval.data.measures.numbers import number_in, place_named, place_of
from trace_eval.data.spelling import Declared
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
    fused_again: bool = False,
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
        fused_again: a policy makes another overall label of the sources', so that a
            file may stand beside itself.

    Raises:
        UserError: one cannot be read, sources hold labels and scores, or a source is
            the file of the labels.
    """
    if not fused_again:
        _refuse_own_labels(sources, labels, columns)
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
    judged: list[Opinions] = []
    files: list[Path] = []
    for source in sources:
        if not isinstance(source, Path):
            judged.append(source)
            continue
        own = _own(columns, source, labels)
        judged.append(read_opinions(source, own, numbers, rows_are_items))
        if is_file(source):
            files.append(source)
    if isinstance(labels, Path):
        labels = read_labels(
            labels,
            numbers,
            columns=_there(columns.fields, labels, files),
            mapping=mapping,
            about=judged,
            where=_conditions(columns, labels, files),
            scale=columns.scale,
        )
    elif labels is not None and not isinstance(labels, Opinions):
        labels = table_labels(
            labels,
            columns.fields,
            mapping=mapping,
            about=judged,
            where=columns.where,
            scale=columns.scale,
        )
    return sharing_instructions(judged, labels)


def _refuse_own_labels(
    sources: Sequence[Path | Opinions], labels: object, columns: Columns | None
) -> None:
    """Raise UserError for a file beside itself, which would agree with all its labels.

    A file that names a column of its judge holds both.
    """
    if not isinstance(labels, Path) or (columns and columns.prediction):
        return
    for source in sources:
        if isinstance(source, Path) and source.resolve() == labels.resolve():
            raise UserError(
                f"{labels}: these labels would be compared with themselves, and always"
                " agree; name the judge's run or file first: trace-eval agree RUN"
                f" --labels {labels}"
            )


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
    own = set(names_in(path))
    theirs = set(chain.from_iterable(map(names_in, others)))
    kept: list[RowFilter] = []
    for condition in columns.where:
        if condition.column in own or condition.column not in theirs:
            kept.append(condition)
    return tuple(kept)


def _there(
    named: Mapping[str, str], path: Path, others: Sequence[Path]
) -> Mapping[str, str]:
    """Keep the named columns of a file, but those that only other files have."""
    if not named or not others:
        return named
    own = set(names_in(path))
    theirs = set(chain.from_iterable(map(names_in, others)))
    kept: dict[str, str] = {}
    for field, name in named.items():
        if _names_columns(name, own) or not _names_columns(name, theirs):
            kept[field] = name
    return kept


def _names_columns(name: str, columns: Collection[str]) -> bool:
    """Say whether a column is there, or each of several raters' columns."""
    return name in columns or all(part.strip() in columns for part in name.split(","))


def _read_run(folder: Path, numbers: Sequence[str]) -> Opinions:
    run = Run.open(folder)
    pairs = list(run.pairs())
    judgements = run.judgements()
    overall = run.overall()
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
        table["preference" if plain else "overall"] = _texts(map(_rating, fused))
    table |= _present(
        {"match": _texts(judgement.label("match") for judgement in judged)}
    )
    place = first_position_test(map(VerdictRow.of, judged), facts["instruction_id"])
    warnings = list(_unmeasured(run, numbers))
    if place and place.warning:
        warnings.insert(0, DataWarning("place", f"{folder}: {place.warning}"))
    policies = [record.policy for record in overall.values()]
    return label_table(str(folder), table, numbers=numbers).beside(
        _pair_labels(folder, pairs, by_pair),
        _calls(folder, judged, facts),
        policies[0] if policies else None,
        tuple(warnings),
    )


def _rating(fused: Overall | None) -> Label | None:
    """Return the overall label; a match is none, and has its own column."""
    if fused is None or fused.rating in ("true", "false"):
        return None
    return fused.rating


def _unmeasured(run: Run, numbers: Sequence[str]) -> Iterator[DataWarning]:
    """Say why a number was measured for no pair, e.g. for lack of its package."""
    measures = [name for name in dict.fromkeys(numbers) if place_of(name) is None]
    if not measures:
        return
    pairs = list(run.measures().values())
    for name in measures:
        reasons: Counter[str | None] = Counter()
        is_measured = False
        for pair in pairs:
            for side in (f"{name}_a", f"{name}_b"):
                measure = pair.measures.get(side)
                if measure is None:
                    continue
                reasons[measure.reason] += 1
                is_measured = is_measured or measure.value is not None
        if reasons and not is_measured:
            reason = reasons.most_common(1)[0][0]
            text = (
                f"{run.folder}: {name} was measured of no pair ({reason}); then judge"
                " again"
            )
            yield DataWarning("unmeasured", text)


def _texts(labels: Iterable[Label | None]) -> list[str | None]:
    """Return labels as texts that name no system, though one may be called 1 or tie."""
    return [None if label is None else _declared(str(label)) for label in labels]


@cache
def _declared(label: str) -> Declared:
    return Declared(label)


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
    columns["p_a"] = list(map(_p_a, fused))
    columns["consistent"] = list(map(_all_consistent, judged))
    for name in DIMENSIONS:
        columns[f"consistent_{name}"] = [_consistent(one, name) for one in judged]
    return _present(columns)


def _consistent(judgement: Judgement, dimension: Dimension) -> float | None:
    """Return 1 if both orders agree on a dimension, 0 if not, None if unknown."""
    verdict = judgement.dimensions.get(dimension)
    if verdict is None or verdict.consistent is None:
        return None
    return float(verdict.consistent)


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


def _p_a(fused: Overall | None) -> float | None:
    """Return the judge's own probability of A, ties as halves; None if unknown."""
    if fused is None or not fused.distribution:
        return None
    shares = {str(label): share for label, share in fused.distribution.items()}
    a = shares.get("1", 0.0)
    b = shares.get("2", 0.0)
    return a + (1 - a - b) / 2


def _facts(run: Run, pairs: list[Pair], numbers: Sequence[str]) -> RunColumns:
    """Return what is known of each pair: who answered what, and numbers of both."""
    clips = {source: record.clip for source, record in run.clips().items()}
    stored = list(_NUMBERS)
    measured: list[str] = []
    for name in numbers:
        if place_of(name):
            stored.append(name)
        else:
            measured.append(name)
    values = _numbers(run, stored)
    facts: RunColumns = {
        "instruction_id": list(map(instruction_of, pairs)),
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
    measures = run.measures() if measured else {}
    for number in dict.fromkeys(measured):
        for name in (f"{number}_a", f"{number}_b"):
            facts[name] = [
                measures[pair.id].value(name) if pair.id in measures else None
                for pair in pairs
            ]
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
    rows: list[int] = []
    calls: list[VerdictOpinion] = []
    for row, judgement in enumerate(judged):
        for opinion in judgement.opinions:
            if opinion.ratings:
                rows.append(row)
                calls.append(opinion)
    if len(calls) <= len(set(rows)):
        return None
    columns: RunColumns = {
        "id": [judged[row].pair for row in rows],
        "rater": [judged[row].judge for row in rows],
        "repeat": list(map(_repetition, calls)),
        "order": [call.order for call in calls],
    }
    for name in DIMENSIONS:
        columns[name] = _texts(call.ratings.get(name) for call in calls)
    # Tasks that ask for the pair as a whole, or for a match.
    whole: RunColumns = {
        "preference": _texts(call.ratings.get("overall") for call in calls),
        "match": _texts(call.ratings.get("match") for call in calls),
    }
    columns |= _present(whole)
    columns |= _at_rows(facts, rows)
    return label_table(f"calls of {folder}", columns)


def _repetition(call: VerdictOpinion) -> str:
    """Tell apart the calls of a pair; a task's parts are questions of their own."""
    repetition = f"{call.order}/{call.sample}"
    if call.part:
        repetition += f"/{call.part}"
    return repetition
