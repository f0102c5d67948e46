"""Judges' scores of single answers, from run folders of ``rate`` and from files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blueprints import UserError
from fusion import Numbers, numbers
from trace_eval.data.answers import turn_role
from trace_eval.data.columns import Columns
from trace_eval.data.items import Single
from trace_eval.data.label_files import (
    LABEL_FIELDS,
    SCORE_FIELDS,
    columns_of,
    names_in,
    read_columns,
)
from trace_eval.data.names import fields_of
from trace_eval.data.strict_json import BadJson, lines, read_file
from trace_eval.opinions.cells import ids_of, numbers_of, refuse_duplicates
from trace_eval.opinions.codes import LABEL_COLUMNS, SCORE_FACTS
from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.ratings import (
    ITEM_COLUMNS,
    facts_of,
    ratings_of_items,
    read_ratings,
    score_table,
    shared,
)
from trace_eval.opinions.scale import DEFAULT_SCALE, rated
from trace_eval.rubrics.load import load_rubric, rubric_names
from trace_eval.rubrics.single import ScaleSpec

#: What one judge said of one item, by the name of the fact.
_Said = Mapping[str, Any]


def holds_scores(source: Path | Opinions, columns: Columns | None = None) -> bool:
    """Whether a source holds scores of single answers; of what is neither, its reader says why.

    A run folder is of the command that wrote it. A file holds scores if its records are those of
    ``rate``, or if it has a column of scores and none of labels.

    Args:
        source: a run folder or a file, or what was read of one.
        columns: of a file, as the user names them.
    """
    if not isinstance(source, Path):
        return not source.codes
    if source.is_dir():
        return (source / "items.jsonl").is_file()
    if not source.is_file():
        return False
    if source.suffix == ".jsonl" and _holds_records(source):
        return True
    columns = columns or Columns()
    names = {*names_in(source)}
    labels, scores = (fields_of(kind.names, names) for kind in (LABEL_FIELDS, SCORE_FIELDS))
    named = {labels.get(name, name) for name in columns.named} | {
        ours for name, ours in labels.items() if name in names
    }
    labelled = named & {*LABEL_COLUMNS, *SCORE_FACTS} or columns.prediction or columns.truth
    scored = any(scores.get(name) == "score" for name in (*columns.named, *names))
    return scored and not labelled


def read_scores(
    path: Path, rubric: str | None = None, columns: Mapping[str, str] | None = None
) -> Opinions:
    """Read a run folder of ``rate``, score records, or a table with ``id`` and ``score``.

    The rater of a row is its judge. Facts beside ``score``: ``variance``, ``distribution`` (label
    -> share), ``beta`` (alpha and beta [shape=(n, 2)]), ``samples`` (a list), ``clamped``,
    ``caveats``, and ``pooled`` where it is a mixture of judges that have rows of their own.

    Args:
        path: folder or file.
        rubric: name of the rubric.
        columns: field -> column of a table, as ``--column`` says.

    Raises:
        UserError: there are no scores of this rubric, or of several and none is named.
    """
    if path.is_dir():
        return _of_run(path, rubric)
    if path.suffix == ".jsonl" and _holds_records(path):
        name, judges, facts = _of_records(str(path), _records(path), rubric)
        return _by_judge(str(path), judges, facts, name)
    return _of_columns(path, rubric, columns or {})


def read_with_ratings(
    sources: Sequence[Path | Opinions],
    ratings: Path | Opinions | None,
    columns: Columns | None = None,
    rubric: str | None = None,
) -> tuple[list[Opinions], Opinions | None]:
    """Scores, all on one scale, and the ratings beside them.

    Args:
        sources: run folders of ``rate``, files of scores, or what was read of them.
        ratings: a file of ratings or of items with labels, or what was read of one.
        columns: how the files name their columns; those of ratings alone where a source is a run.
        rubric: name or file; None: the only one that the sources have.

    Raises:
        UserError: one cannot be read, or they score different rubrics.
    """
    columns = columns or Columns()
    if replace(columns, named={}, id=None) != Columns():
        raise UserError(
            "--prediction, --truth, --map and --flip-b mean nothing for scores; leave them out"
        )
    name, named = load_rubric(rubric).name if rubric else None, columns.fields
    every = [read_scores(s, name, named) if isinstance(s, Path) else s for s in sources]
    every = _on_one_scale(every, rubric)
    if isinstance(ratings, Path):
        ratings = read_ratings(ratings, every[0].rubric, named)
    elif named and any(isinstance(source, Path) and source.is_dir() for source in sources):
        raise UserError(f"{sources[0]}: --id and --column mean nothing for a run; leave them out")
    if ratings is not None and ratings.codes:
        raise UserError(f"{ratings.source}: holds labels of pairs; give ratings of single answers")
    return every, ratings


def _on_one_scale(sources: Sequence[Opinions], rubric: str | None) -> list[Opinions]:
    """The sources with one rubric and its scale.

    Args:
        sources: scores as they were read.
        rubric: name or file; None: the only one that they have.

    Raises:
        UserError: they score different rubrics.
    """
    scored = {source.rubric for source in sources if source.rubric}
    if len(scored) > 1:
        raise UserError(
            f"the sources score different rubrics ({', '.join(sorted(scored))}); compare one"
        )
    named = load_rubric(rubric) if rubric else None
    name = named.name if named else next(iter(scored), None)
    scale = named.numbers if named else _scale(sources, name)
    return [source.on(name, scale) for source in sources]


def _scale(sources: Sequence[Opinions], rubric: str | None) -> Numbers:
    stored = next((source.scale for source in sources if source.scale is not None), None)
    if stored is not None:
        return stored
    if rubric in rubric_names():
        return load_rubric(rubric).numbers
    every = (one for source in sources for one in source.facts.get("distribution", ()) if one)
    labels = {float(label) for shares in every for label in shares}
    return numbers(labels) if len(labels) > 1 else DEFAULT_SCALE


def _of_run(folder: Path, rubric: str | None) -> Opinions:
    items_path, scores_path = folder / "items.jsonl", folder / "scores.jsonl"
    if not items_path.is_file() or not scores_path.is_file():
        raise UserError(
            f"{folder}: holds no scores of single answers; name a folder that `trace-eval rate`"
            " wrote"
        )
    name, judges, facts = _of_records(str(folder), _records(scores_path), rubric)
    items = list(_parsed(items_path))
    turns = not facts.keys() <= {item.id for item in items}  # of conversations, rated one by one
    if not turns:
        columns = facts_of(items)
        facts = {
            item.id: dict(zip(columns, row, strict=True))
            for item, row in zip(items, zip(*columns.values(), strict=True), strict=True)
        }
    labels = rated(ratings_of_items(f"{folder} (its own labels)", items, turns))
    table = _by_judge(str(folder), judges, facts, name, _run_scale(folder / "manifest.json", name))
    return table.beside(labels if len(labels) else None)


def _parsed(path: Path) -> Iterator[Single]:
    for number, record in lines(path):
        try:
            if isinstance(record, BadJson):
                raise record
            yield Single.model_validate(record)
        except ValueError as error:
            raise UserError(f"{path}, line {number}: {error}") from None


def _run_scale(path: Path, rubric: str | None) -> Numbers | None:
    """The scale of a rubric as the run recorded it."""
    try:
        spec = read_file(path).get("rubrics", {}).get(rubric, {}).get("scale")
        return numbers(ScaleSpec.model_validate(spec).labels) if spec else None
    except (OSError, ValueError, AttributeError):
        return None  # it is looked for elsewhere


def _records(path: Path) -> Iterator[Mapping[str, Any]]:
    for number, record in lines(path):
        if isinstance(record, BadJson):
            raise UserError(f"{path}, line {number}: {record}")
        if not isinstance(record, dict) or not {"item", "judge", "status"} <= set(record):
            raise UserError(f"{path}, line {number}: no score record; run trace-eval schema score")
        yield record


def _holds_records(path: Path) -> bool:
    """Whether the lines of a file are score records, as ``rate`` writes them."""
    try:
        first = next((record for _, record in lines(path)), None)
    except FileNotFoundError:
        raise UserError(f"{path}: no such file; check the path") from None
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error})") from error
    return isinstance(first, dict) and {"item", "status"} <= set(first)


def _of_records(
    source: str, records: Iterator[Mapping[str, Any]], rubric: str | None
) -> tuple[str | None, dict[str, dict[str, _Said]], dict[str, dict[str, Any]]]:
    """(the rubric, judge -> item -> what it said, item -> its facts)."""
    latest: dict[tuple[str, str, str], Mapping[str, Any]] = {}
    for record in records:  # of an item that was tried again, the last line counts
        latest[record["item"], record.get("rubric") or "", record["judge"]] = record
    name = _only_rubric(source, {of for _, of, _ in latest}, rubric)
    judges: dict[str, dict[str, _Said]] = {}
    facts: dict[str, dict[str, Any]] = {}
    chosen = (one for (_, of, _), r in latest.items() if of == name for one in _by_turn(r))
    for record in chosen:
        item = record["item"]
        facts[item] = {
            "instruction_id": record.get("question_id"),
            "system": record.get("system"),
        }
        parts, opinions = record.get("parts") or (), record.get("opinions") or ()
        said = judges.setdefault(record["judge"], {})
        if record.get("status") == "scored" and record.get("value") is not None:
            said[item] = _said(record, () if parts else opinions) | {"pooled": bool(parts)}
        for part in parts:
            own = judges.setdefault(part["judge"], {})
            if part.get("value") is not None:
                mine = [o for o in opinions if o.get("judge") == part["judge"]]
                own[item] = _said({"value": part["value"], "estimate": part}, mine)
    return name or None, judges, facts


def _said(record: Mapping[str, Any], opinions: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What a record says of its item."""
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
    judges: Mapping[str, Mapping[str, _Said]],
    facts: Mapping[str, Mapping[str, Any]],
    rubric: str | None,
    scale: Numbers | None = None,
) -> Opinions:
    """A row for each item of each judge, judge by judge, so that unscored items stay in sight."""
    ids = list(facts)
    said = [of.get(id_, {}) for of in judges.values() for id_ in ids]
    columns: dict[str, Sequence[Any] | NDArray[Any]] = {
        name: np.array([one.get(name) for one in said], float)
        for name in ("score", "variance", "clamped")
    }
    columns["beta"] = np.array([one.get("beta", (None, None)) for one in said], float)
    for name in ("distribution", "samples", "caveats", "pooled"):
        columns[name] = [one.get(name) for one in said]
    names = dict.fromkeys(name for one in facts.values() for name in one)
    for name in names:
        columns[name] = [facts[id_].get(name) for id_ in ids] * len(judges)
    raters = [judge for judge in judges for _ in ids]
    return score_table(source, ids * len(judges), raters, **columns).on(rubric, scale)


def _by_turn(record: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """A record of a conversation whose turns were rated as one record a turn; others as they are.

    Turns of one conversation share its question, so that intervals draw whole conversations.
    """
    turns: dict[int, list[float]] = {}
    for opinion in record.get("opinions") or ():
        if opinion.get("turn") is not None:
            said = turns.setdefault(opinion["turn"], [])
            said += [] if opinion.get("score") is None else [opinion["score"]]
    if not turns:
        yield record
    shared = {"question_id": record.get("question_id") or record["item"], "parts": []}
    for number, said in turns.items():
        yield {
            **{name: record.get(name) for name in ("judge", "system", "rubric", "caveats")},
            **shared,
            "item": turn_role(record["item"], number),
            "status": "scored" if said else "unscored",
            "value": fmean(said) if said else None,
            "opinions": [{"score": score} for score in said],
        }


def _only_rubric(source: str, available: set[str], wanted: str | None) -> str:
    if not available:
        raise UserError(f"{source}: there are no scores yet; run `trace-eval rate` first")
    if wanted is not None:
        if wanted not in available and available != {""}:
            raise UserError(
                f"{source}: has no scores of rubric {wanted}; there are"
                f" {', '.join(sorted(available))}"
            )
        return wanted if wanted in available else ""
    if len(available) > 1:
        raise UserError(
            f"{source}: scores of {len(available)} rubrics ({', '.join(sorted(available))});"
            " choose one by --rubric"
        )
    return next(iter(available))


def _of_columns(path: Path, rubric: str | None, named: Mapping[str, str]) -> Opinions:
    source, table = str(path), read_columns(path, columns_of(named, SCORE_FIELDS), SCORE_FIELDS)
    for name in ("id", "score"):
        if name not in table:
            raise UserError(f"{path}: no column {name!r}; a file of scores has id and score")
    ids = ids_of(source, table, False)
    rubrics = [of or "" for of in table.get("rubric", [None] * len(ids))]
    name = _only_rubric(source, {*rubrics}, rubric)
    raters = [who or path.stem for who in table.get("judge", [None] * len(ids))]
    columns: dict[str, Sequence[Any] | NDArray[Any]] = {
        fact: numbers_of(table[fact], source, fact)
        for fact in ("score", "variance")
        if fact in table
    }
    columns |= {
        ours: shared(table[theirs]) for ours, theirs in ITEM_COLUMNS.items() if theirs in table
    }
    kept = np.array([of == name for of in rubrics])
    whole = score_table(source, ids.tolist(), shared(raters), **columns).take(kept)
    refuse_duplicates(source, whole.ids, whole.rater, whole.repeat, np.flatnonzero(kept))
    return whole.on(name or None)
