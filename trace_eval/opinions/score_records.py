"""Records of ``rate`` as opinions: from run folders, and lines of scores.jsonl."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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


def read_run(folder: Path, rubric: str | None) -> Opinions:
    """Read a run folder of ``rate``: its scores, with human ratings as ``labels``.

    Raises:
        UserError: it holds no scores of single answers, or of several rubrics and none
            is named.
    """
    items_path, scores_path = folder / "items.jsonl", folder / "scores.jsonl"
    if not items_path.is_file() or not scores_path.is_file():
        raise InputError(
            f"{folder}: holds no scores of single answers; name a folder that"
            " `trace-eval rate` wrote"
        )
    name, judges, facts = _of_records(str(folder), _records(scores_path), rubric)
    items = list(_parsed(items_path))
    turns = not facts.keys() <= {
        item.id for item in items
    }  # of conversations, rated one by one
    if not turns:
        columns = facts_of(items)
        facts = {
            item.id: dict(zip(columns, row, strict=True))
            for item, row in zip(
                items, zip(*columns.values(), strict=True), strict=True
            )
        }
    labels = rated(ratings_of_items(f"{folder} (its own labels)", items, turns))
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
        return numbers(ScaleSpec.model_validate(spec).labels) if spec else None
    except (OSError, ValueError, AttributeError):
        return None  # it is looked for elsewhere


def _records(path: Path) -> Iterator[Mapping[str, Any]]:
    for number, record in lines(path):
        if isinstance(record, BadJson):
            raise InputError(f"{path}, line {number}: {record}")
        if not isinstance(record, dict) or not {"item", "judge", "status"} <= set(
            record
        ):
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
        latest[record["item"], record.get("rubric") or "", record["judge"]] = record
    name = only_rubric(source, {of for _, of, _ in latest}, rubric)
    judges: dict[str, dict[str, _Stated]] = {}
    facts: dict[str, dict[str, Any]] = {}
    chosen = (
        one for (_, of, _), r in latest.items() if of == name for one in _by_turn(r)
    )
    for record in chosen:
        item = record["item"]
        facts[item] = {
            "instruction_id": record.get("question_id"),
            "system": record.get("system"),
        }
        parts, opinions = record.get("parts") or (), record.get("opinions") or ()
        stated = judges.setdefault(record["judge"], {})
        if record.get("status") == "scored" and record.get("value") is not None:
            stated[item] = _stated(record, () if parts else opinions) | {
                "pooled": bool(parts)
            }
        for part in parts:
            own = judges.setdefault(part["judge"], {})
            if part.get("value") is not None:
                mine = [o for o in opinions if o.get("judge") == part["judge"]]
                own[item] = _stated({"value": part["value"], "estimate": part}, mine)
    return name or None, judges, facts


def _stated(
    record: Mapping[str, Any], opinions: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Return the score of a record, and how sure it is."""
    estimate = record.get("estimate") or {}
    parameters, clamped = estimate.get("params") or {}, estimate.get("clamped") or {}
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
    ids = list(facts)
    stated = [of.get(id_, {}) for of in judges.values() for id_ in ids]
    columns: dict[str, Sequence[Any] | NDArray[Any]] = {}
    for name in ("score", "variance", "clamped"):
        columns[name] = np.array([one.get(name) for one in stated], float)
    columns["beta"] = np.array([one.get("beta", (None, None)) for one in stated], float)
    for name in ("distribution", "samples", "caveats", "pooled"):
        columns[name] = [one.get(name) for one in stated]
    names = dict.fromkeys(name for one in facts.values() for name in one)
    for name in names:
        columns[name] = [facts[id_].get(name) for id_ in ids] * len(judges)
    raters = [judge for judge in judges for _ in ids]
    return score_table(source, ids * len(judges), raters, **columns).on(rubric, scale)


def _by_turn(record: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Split a conversation with rated turns into a record a turn; pass on any other.

    Turns of one conversation share its question, so that intervals draw whole
    conversations.
    """
    turns: dict[int, list[float]] = {}
    for opinion in record.get("opinions") or ():
        if opinion.get("turn") is not None:
            stated = turns.setdefault(opinion["turn"], [])
            stated += [] if opinion.get("score") is None else [opinion["score"]]
    if not turns:
        yield record
    shared = {"question_id": record.get("question_id") or record["item"], "parts": []}
    for number, stated in turns.items():
        yield {
            **{
                name: record.get(name)
                for name in ("judge", "system", "rubric", "caveats")
            },
            **shared,
            "item": turn_role(record["item"], number),
            "status": "scored" if stated else "unscored",
            "value": fmean(stated) if stated else None,
            "opinions": [{"score": score} for score in stated],
        }


def only_rubric(source: str, available: set[str], wanted: str | None) -> str:
    """Return the rubric whose scores are read; empty if the source names none.

    Raises:
        UserError: it has no scores, none of the rubric that is wanted, or several to
            choose from.
    """
    if not available:
        raise InputError(
            f"{source}: there are no scores yet; run `trace-eval rate` first"
        )
    if wanted is not None:
        if wanted not in available and available != {""}:
            raise InputError(
                f"{source}: has no scores of rubric {wanted}; there are"
                f" {', '.join(sorted(available))}"
            )
        return wanted if wanted in available else ""
    if len(available) > 1:
        raise InputError(
            f"{source}: scores of {len(available)} rubrics"
            f" ({', '.join(sorted(available))}); choose one by --rubric"
        )
    return next(iter(available))
