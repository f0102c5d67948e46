"""The verdicts of a run folder as one table: labels, facts and calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

from blueprints import UserError
from fusion import DIMENSIONS, Dimension
from trace_eval.data import jsonl, strict_json
from trace_eval.data.answers import Answer
from trace_eval.data.columns import of_both_sides
from trace_eval.data.items import Pair, instruction_of
from trace_eval.data.judgement import Judgement, Label, Overall, VerdictOpinion
from trace_eval.data.measures.numbers import number_in, place_named, place_of
from trace_eval.data.spelling import Declared
from trace_eval.opinions.checked_labels import label_table
from trace_eval.opinions.codes import LABEL_COLUMNS, REASON_FACTS, TEXT_FACTS
from trace_eval.opinions.opinions import DataWarning, Opinions
from trace_eval.runs.formats import formats_line
from trace_eval.runs.outcomes import VerdictRow, first_position_test
from trace_eval.runs.run import Run

#: Name of a column -> its values, one per row.
RunColumns = dict[str, list[Any]]


#: Numbers of blueprints that are always read.
_NUMBERS = ("duration", "loudness", "mos")


def read_run(folder: Path, numbers: Sequence[str]) -> Opinions:
    """Read a run's judgements, with its own labels and its calls beside them.

    Args:
        numbers: more numbers per answer, see :func:`trace_eval.runs.opinions.read_opinions`.

    Raises:
        UserError: nothing has been judged, or a judgement is of no pair.
    """
    run = Run.open(folder)
    pairs = list(run.pairs())
    judgements = run.judgements()
    overall = run.overall()
    if not judgements:
        raise UserError(
            f"{folder}: the run has no judgements yet; run `trace-eval judge` first"
        )
    _refuse_strays(folder, judgements, pairs)
    facts_of_pairs = _facts(run, pairs, numbers)
    rows: list[int] = []
    judged: list[Judgement] = []
    for row, pair in enumerate(pairs):
        if pair.id in judgements:
            rows.append(row)
            judged.append(judgements[pair.id])
    facts = _at_rows(facts_of_pairs, rows)
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
    matches = _texts(judgement.label("match") for judgement in judged)
    table |= _present({"match": matches})
    place = first_position_test(map(VerdictRow.of, judged), facts["instruction_id"])
    warnings = list(_unmeasured(run, numbers))
    if place and place.warning:
        warnings.insert(0, DataWarning("place", f"{folder}: {place.warning}"))
    if formats := formats_line(pairs):
        warnings.append(DataWarning("formats", f"{folder}: {formats}"))
    opinions = label_table(str(folder), table, numbers=numbers)
    return opinions.beside(
        labels=_pair_labels(folder, pairs, facts_of_pairs),
        calls=_calls(folder, judged, facts),
        policy=next((record.policy for record in overall.values()), None),
        warnings=tuple(warnings),
    )


def _refuse_strays(
    folder: Path, judgements: Iterable[str], pairs: Iterable[Pair]
) -> None:
    """Refuse a judgement, given by the id of its pair, of no pair of the run."""
    ids = {pair.id for pair in pairs}
    for name in judgements:
        if name not in ids:
            raise UserError(
                f"{folder}: judgement of pair {name!r}, which is not in pairs.jsonl"
            )


def _rating(fused: Overall | None) -> Label | None:
    """Return the overall label; None for a match, which has a column of its own."""
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
    columns["entropy"] = list(map(_entropy, fused))
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
    """Count the reasons and claims that could be checked; None if there are none.

    What one opinion claims about one dimension is one reason.
    """
    reasons: dict[tuple[int, str], list[bool]] = {}
    for index, opinion in enumerate(judgement.opinions):
        for claim in opinion.claims:
            if claim.holds is not None:
                reasons.setdefault((index, claim.about), []).append(claim.holds)
    if not reasons:
        return None
    unsupported = 0
    claims = 0
    true_claims = 0
    for holds in reasons.values():
        unsupported += not all(holds)
        claims += len(holds)
        true_claims += sum(holds)
    return {
        "reasons": float(len(reasons)),
        "reasons_unsupported": float(unsupported),
        "claims": float(claims),
        "claims_true": float(true_claims),
    }


def _entropy(fused: Overall | None) -> float | None:
    """Return the entropy of an overall label in bits; None if unknown."""
    if fused is None:
        return None
    return fused.entropy_bits


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
    numbers_of_clips = _numbers(run, stored)
    instructions = [_one_recording(instruction_of(pair), clips) for pair in pairs]
    facts: RunColumns = {
        "instruction_id": instructions,
        "category": [pair.category for pair in pairs],
        "system_a": [pair.a.system for pair in pairs],
        "system_b": [pair.b.system for pair in pairs],
    }
    for side in ("a", "b"):
        clips_of_side: list[str | None] = []
        for pair in pairs:
            answer: Answer = getattr(pair, side)
            clips_of_side.append(clips.get(answer.source_id))
        facts[f"clip_{side}"] = clips_of_side
        numbers_of_side = [
            numbers_of_clips.get(str(clip), {}) for clip in clips_of_side
        ]
        for name in chain(stored, ["tokens"]):
            facts[f"{name}_{side}"] = [one.get(name) for one in numbers_of_side]
    if measured:
        facts |= _measures(run, pairs, measured)
    return _present(facts, TEXT_FACTS)


def _one_recording(
    instruction: str | None, clips: Mapping[str, str | None]
) -> str | None:
    """Name a spoken instruction by its sound, so that copies of a file are one."""
    return clips.get(instruction or "") or instruction


def _measures(run: Run, pairs: list[Pair], names: Sequence[str]) -> RunColumns:
    """Return measures of both answers of each pair; None where there is none."""
    measures = run.measures()
    columns: RunColumns = {}
    for name in of_both_sides(list(dict.fromkeys(names))):
        column: list[float | None] = []
        for pair in pairs:
            is_measured = pair.id in measures
            column.append(measures[pair.id].value(name) if is_measured else None)
        columns[name] = column
    return columns


def _numbers(run: Run, names: Sequence[str]) -> dict[str, dict[str, float | None]]:
    """Return a few numbers of each clip's blueprint, by clip and name.

    Contours are not built into objects.
    """
    places = {name: place_named(name) for name in names}
    numbers_of_clips: dict[str, dict[str, float | None]] = {}
    path = run.path("blueprints.jsonl")
    for line in jsonl.read(path):
        record = strict_json.record(line, path)
        numbers: dict[str, float | None] = {}
        for name, place in places.items():
            numbers[name] = number_in(record, place)
        transcript = record.get("transcript") or {}
        text = transcript.get("text")
        numbers["tokens"] = None if text is None else float(len(text.split()))
        numbers_of_clips[record["clip"]] = numbers
    return numbers_of_clips


def _pair_labels(folder: Path, pairs: list[Pair], facts: RunColumns) -> Opinions | None:
    """Return the human labels that the pairs brought along; None without any."""
    rows = [row for row, pair in enumerate(pairs) if pair.labels]
    labels = [pairs[row].labels for row in rows]
    columns: RunColumns = {}
    for name in LABEL_COLUMNS:
        columns[name] = _texts(getattr(one, name) for one in labels)
    columns = _present(columns)
    if not columns:
        return None
    columns["id"] = [pairs[row].id for row in rows]
    columns |= _at_rows(facts, rows)
    return label_table(f"labels of {folder}", columns)


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
