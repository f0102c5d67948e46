"""Records of ``rate`` as opinions: from run folders, and lines of scores.jsonl."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blueprints import InputError
from fusion import Numbers, numbers
from trace_eval.data.answers import turn_role
from trace_eval.data.items import Single
from trace_eval.data.rubrics.single import ScaleSpec
from trace_eval.data.strict_json import BadJson, lines, read_file
from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.ratings import facts_of, rated, ratings_of_items, score_table

#: What one judge said of one item, by the name of the fact.
_Stated = Mapping[str, Any]

#: What every record of a score has.
_FIELDS = frozenset(("item", "judge", "status"))


def read_run(folder: Path, rubric: str | None) -> Opinions:
    """Read a run folder of ``rate``: its scores, with human ratings as ``labels``.

    Raises:
        UserError: it holds no scores of single answers, or of several rubrics and none
            is named.
    """
    items_path = folder / "items.jsonl"
    scores_path = folder / "scores.jsonl"
    if not items_path.is_file() or not scores_path.is_file():
        raise InputError(
            f"{folder}: holds no scores of single answers; name a folder that"
            " `trace-eval rate` wrote"
        )
    name, judges, facts = _of_records(str(folder), _records(scores_path), rubric)
    items = list(_parsed(items_path))
    are_turns = not facts.keys() <= {item.id for item in items}
    if not are_turns:
        columns = facts_of(items)
        rows = zip(*columns.values(), strict=True)
        facts = {}
        for item, row in zip(items, rows, strict=True):
            facts[item.id] = dict(zip(columns, row, strict=True))
    ratings = ratings_of_items(f"{folder} (its own labels)", items, are_turns)
    labels = rated(ratings)
    table = _by_judge(
        str(folder),
        judges,
        facts=facts,
        rubric=name,
        scale=_run_scale(folder / "manifest.json", name),
    )
    return table.beside(labels if len(labels) else None)


def read_records(path: Path, rubric: str | None) -> Opinions:
    """Read the scores of a file of records, as ``rate`` writes them."""
    name, judges, facts = _of_records(str(path), _records(path), rubric)
    return _by_judge(str(path), judges, facts, name)


def _parsed(path: Path) -> Iterator[Single]:
    for number, record in lines(path):
        try:
            if isinstance(record, BadJson):
                raise record
            yield Single.model_validate(record)
        except ValueError as error:
            raise InputError(f"{path}, line {number}: {error}") from None


def _run_scale(path: Path, rubric: str | None) -> Numbers | None:
    """Return the scale of a rubric as the run recorded it."""
    try:
        spec = read_file(path).get("rubrics", {}).get(rubric, {}).get("scale")
        if not spec:
            return None
        return numbers(ScaleSpec.model_validate(spec).labels)
    except (OSError, ValueError, AttributeError):
        return None  # it is looked for elsewhere


def _records(path: Path) -> Iterator[Mapping[str, Any]]:
    for number, record in lines(path):
        if isinstance(record, BadJson):
            raise InputError(f"{path}, line {number}: {record}")
        if not isinstance(record, dict) or not record.keys() >= _FIELDS:
            raise InputError(
                f"{path}, line {number}: no score record; run trace-eval schema score"
            )
        yield record


def holds_records(path: Path) -> bool:
    """Whether the lines of a file are score records, as ``rate`` writes them."""
    try:
        first = next((record for _, record in lines(path)), None)
    except FileNotFoundError:
        raise InputError(f"{path}: no such file; check the path") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error})") from error
    return isinstance(first, dict) and {"item", "status"} <= set(first)


def _of_records(
    source: str, records: Iterator[Mapping[str, Any]], rubric: str | None
) -> tuple[str | None, dict[str, dict[str, _Stated]], dict[str, dict[str, Any]]]:
    """Return the rubric, the scores by judge and item, and the facts by item."""
    latest: dict[tuple[str, str, str], Mapping[str, Any]] = {}
    for record in records:  # of an item that was tried again, the last line counts
        key = record["item"], record.get("rubric") or "", record["judge"]
        latest[key] = record
    rubrics = {record_rubric for _, record_rubric, _ in latest}
    name = only_rubric(source, rubrics, rubric)
    judges: dict[str, dict[str, _Stated]] = {}
    facts: dict[str, dict[str, Any]] = {}
    for (_, record_rubric, _), whole in latest.items():
        if record_rubric != name:
            continue
        for record in _by_turn(whole):
            facts[record["item"]] = {
                "instruction_id": record.get("question_id"),
                "system": record.get("system"),
            }
            _add_scores(judges, record)
    return name or None, judges, facts


def _add_scores(
    judges: dict[str, dict[str, _Stated]], record: Mapping[str, Any]
) -> None:
    """Add the score of a record to its judge's, and those of the judges it pools."""
    item = record["item"]
    parts = record.get("parts") or ()
    opinions = record.get("opinions") or ()
    scores = judges.setdefault(record["judge"], {})
    if record.get("status") == "scored" and record.get("value") is not None:
        score = _stated(record, () if parts else opinions)
        score["pooled"] = bool(parts)
        scores[item] = score
    for part in parts:
        scores = judges.setdefault(part["judge"], {})
        if part.get("value") is None:
            continue
        of_part = [one for one in opinions if one.get("judge") == part["judge"]]
        scores[item] = _stated({"value": part["value"], "estimate": part}, of_part)


def _stated(
    record: Mapping[str, Any], opinions: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Return the score of a record, and how sure it is."""
    estimate = record.get("estimate") or {}
    parameters = estimate.get("params") or {}
    clamped = estimate.get("clamped") or {}
    samples = [opinion.get("score") for opinion in opinions]
    return {
        "score": record["value"],
        "variance": estimate.get("variance"),
        "distribution": record.get("distribution") or None,
        "beta": [parameters.get(name) for name in ("alpha", "beta")],
        "clamped": clamped.get("mean"),
        "samples": samples if len(samples) > 1 else None,
        "caveats": frozenset(record.get("caveats") or ()) or None,
    }


def _by_judge(
    source: str,
    judges: Mapping[str, Mapping[str, _Stated]],
    facts: Mapping[str, Mapping[str, Any]],
    rubric: str | None,
    scale: Numbers | None = None,
) -> Opinions:
    """Make a row for each item of each judge, so that unscored items stay in sight."""
    stated: list[_Stated] = []
    raters: list[str] = []
    for judge, scores in judges.items():
        stated += [scores.get(id_, {}) for id_ in facts]
        raters += [judge] * len(facts)

    def cells(name: str, absent: object = None) -> list[Any]:
        return [one.get(name, absent) for one in stated]

    columns: dict[str, Sequence[Any] | NDArray[Any]] = {}
    for name in ("score", "variance", "clamped"):
        columns[name] = np.array(cells(name), float)
    columns["beta"] = np.array(cells("beta", absent=(None, None)), float)
    for name in ("distribution", "samples", "caveats", "pooled"):
        columns[name] = cells(name)
    for name in dict.fromkeys(chain.from_iterable(facts.values())):
        of_items = [item_facts.get(name) for item_facts in facts.values()]
        columns[name] = of_items * len(judges)
    ids = list(facts) * len(judges)
    return score_table(source, ids, raters, **columns).on(rubric, scale)


def _by_turn(record: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Split a conversation with rated turns into a record a turn; pass on any other.

    Turns of one conversation share its question, so that intervals draw whole
    conversations.
    """
    turns: dict[int, list[float]] = {}
    for opinion in record.get("opinions") or ():
        if opinion.get("turn") is None:
            continue
        scores = turns.setdefault(opinion["turn"], [])
        if opinion.get("score") is not None:
            scores.append(opinion["score"])
    if not turns:
        yield record
    for number, scores in turns.items():
        yield {
            "judge": record.get("judge"),
            "system": record.get("system"),
            "rubric": record.get("rubric"),
            "caveats": record.get("caveats"),
            "question_id": record.get("question_id") or record["item"],
            "parts": [],
            "item": turn_role(record["item"], number),
            "status": "scored" if scores else "unscored",
            "value": fmean(scores) if scores else None,
            "opinions": [{"score": score} for score in scores],
        }


def only_rubric(source: str, rubrics: set[str], wanted: str | None) -> str:
    """Return the rubric whose scores are read; empty if the source names none.

    Raises:
        UserError: it has no scores, none of the rubric that is wanted, or several to
            choose from.
    """
    if not rubrics:
        raise InputError(
            f"{source}: there are no scores yet; run `trace-eval rate` first"
        )
    if wanted in rubrics:
        return wanted
    if wanted is not None and rubrics != {""}:
        raise InputError(
            f"{source}: has no scores of rubric {wanted}; there are"
            f" {', '.join(sorted(rubrics))}"
        )
    if wanted is None and len(rubrics) > 1:
        raise InputError(
            f"{source}: scores of {len(rubrics)} rubrics"
            f" ({', '.join(sorted(rubrics))}); choose one by --rubric"
        )
    return next(iter(rubrics))
