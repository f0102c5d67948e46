"""Scores of single answers from run folders and files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

from blueprints import UserError
from fusion import Numbers, numbers
from trace_eval.data.answers import turn_role
from trace_eval.data.items import Single
from trace_eval.data.label_files import SCORE_FIELDS, columns_of, read_columns
from trace_eval.data.strict_json import BadJson, lines, read_file
from trace_eval.opinions.opinions import Opinions
from trace_eval.rubrics.load import load_rubric, rubric_names
from trace_eval.rubrics.single import ScaleSpec
from trace_eval.stats.agreement.ratings import (
    number_of,
    rated,
    ratings_of_items,
    read_ratings,
    written,
)
from trace_eval.stats.agreement.score_columns import (
    DEFAULT_SCALE,
    Facts,
    ScoreColumn,
    Texts,
    columns_of_scores,
)


@dataclass
class ScoreFile:
    """Scores as they are read.

    Attributes:
        source: where they are from.
        columns: by judge.
        rubric: that was scored; None: the file does not say.
        facts, texts: of the items, by id.
        labels: human ratings that came with them.
        scale: of the run's own rubric; None: the file does not say.
    """

    source: str
    columns: list[ScoreColumn]
    rubric: str | None = None
    facts: Facts = field(default_factory=dict)
    texts: Texts = field(default_factory=dict)
    labels: Opinions | None = None
    scale: Numbers | None = None


def merged_sources(files: Sequence[ScoreFile], rubric: str | None) -> tuple[ScoreFile, Numbers]:
    """Several sources as one, with all judges, facts and texts of items; and the scale.

    Raises:
        UserError: they score different rubrics.
    """
    scored = {file.rubric for file in files if file.rubric}
    if len(scored) > 1:
        raise UserError(
            f"the sources score different rubrics ({', '.join(sorted(scored))}); compare one"
        )
    name = load_rubric(rubric).name if rubric else next(iter(scored), None)
    scale = load_rubric(rubric).numbers if rubric else _scale(files, name)
    facts, texts = _items(files)
    source = ", ".join(file.source for file in files)
    return ScoreFile(source, _distinct(files), name, facts, texts), scale


def read_scores(
    path: Path, rubric: str | None = None, columns: Mapping[str, str] | None = None
) -> ScoreFile:
    """Read a run folder of ``rate``, score records, or a table with ``id`` and ``score``.

    ``columns``: field -> column of a table, as ``--column`` says.

    Raises:
        UserError: there are no scores of this rubric, or of several and none is named.
    """
    if path.is_dir():
        return _read_run(path, rubric)
    if path.suffix == ".jsonl" and holds_records(path):
        return _of_records(str(path), _records(path), rubric)
    return _of_columns(path, rubric, columns or {})


def read_with_ratings(
    sources: Sequence[Path | ScoreFile],
    ratings: Path | Opinions | None,
    rubric: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> tuple[list[ScoreFile], Opinions | None]:
    """Scores, and the ratings beside them.

    Args:
        sources: run folders of ``rate``, files of scores, or what was read of them.
        ratings: a file of ratings or of items with labels, or what was read of one.
        rubric: name or file; None: the only one that the sources have.
        columns: field -> column of the files; of ratings alone where a source is a run.

    Raises:
        UserError: one cannot be read.
    """
    name = load_rubric(rubric).name if rubric else None
    files = [read_scores(s, name, columns) if isinstance(s, Path) else s for s in sources]
    if isinstance(ratings, Path):
        ratings = read_ratings(ratings, merged_sources(files, rubric)[0].rubric, columns)
    elif columns and any(isinstance(s, Path) and s.is_dir() for s in sources):
        raise UserError(f"{sources[0]}: --id and --column mean nothing for a run; leave them out")
    if ratings is not None and ratings.codes:
        raise UserError(f"{ratings.source}: holds labels of pairs; give ratings of single answers")
    return files, ratings


def _read_run(folder: Path, rubric: str | None) -> ScoreFile:
    items_path, scores_path = folder / "items.jsonl", folder / "scores.jsonl"
    if not items_path.is_file() or not scores_path.is_file():
        raise UserError(
            f"{folder}: holds no scores of single answers; name a folder that `trace-eval rate`"
            " wrote"
        )
    score_file = _of_records(str(folder), _records(scores_path), rubric)
    items = list(_parsed(items_path))
    facts: Facts = {item.id: (item.question_id, item.system, item.split) for item in items}
    turns = not score_file.facts.keys() <= facts.keys()  # of conversations, rated one by one
    if turns:
        facts = score_file.facts
    score_file.facts = facts
    score_file.texts = written(items)
    score_file.labels = ratings_of_items(f"{folder} (its own labels)", items, turns)
    score_file.scale = _run_scale(folder / "manifest.json", score_file.rubric)
    return score_file


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


def holds_records(path: Path) -> bool:
    """Whether the lines of a file are score records, as ``rate`` writes them."""
    try:
        first = next((record for _, record in lines(path)), None)
    except FileNotFoundError:
        raise UserError(f"{path}: no such file; check the path") from None
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error})") from error
    return isinstance(first, dict) and {"item", "status"} <= set(first)


def _of_records(source: str, records: Iterator[Mapping[str, Any]], rubric: str | None) -> ScoreFile:
    latest: dict[tuple[str, str, str], Mapping[str, Any]] = {}
    for record in records:  # of an item that was tried again, the last line counts
        latest[record["item"], record.get("rubric") or "", record["judge"]] = record
    name = _only_rubric(source, {rubric_ for _, rubric_, _ in latest}, rubric)
    chosen = [
        one for (_, rubric_, _), r in latest.items() if rubric_ == name for one in _by_turn(r)
    ]
    facts: Facts = {r["item"]: (r.get("question_id"), r.get("system"), None) for r in chosen}
    return ScoreFile(source, columns_of_scores(chosen), name or None, facts)


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


def _of_columns(path: Path, rubric: str | None, named: Mapping[str, str]) -> ScoreFile:
    columns = read_columns(path, columns_of(named, SCORE_FIELDS), SCORE_FIELDS)
    for name in ("id", "score"):
        if name not in columns:
            raise UserError(f"{path}: no column {name!r}; a file of scores has id and score")
    empty: list[str | None] = [None] * len(columns["id"])
    rubrics = columns.get("rubric", empty)
    name = _only_rubric(str(path), {r or "" for r in rubrics}, rubric)
    judges = columns.get("judge", empty)
    results: dict[str, ScoreColumn] = {}
    variances = columns.get("variance", empty)
    rows = zip(columns["id"], rubrics, judges, columns["score"], variances, strict=True)
    source, unnamed = str(path), path.stem  # a path takes its time over each
    for number, (id_, of, judge, score, variance) in enumerate(rows, start=1):
        if (of or "") != name:
            continue
        where = f"{source}, row {number}"
        if not id_:
            raise UserError(f"{where}: there is no id")
        column = results.get(judge or unnamed)
        if column is None:
            column = results[judge or unnamed] = ScoreColumn(judge or unnamed)
        if id_ in column.value:
            raise UserError(f"{where}: {column.judge} scored {id_!r} twice; keep one")
        if (value := number_of(score, source, number, "score")) is not None:
            column.value[id_] = value
        if (spread := number_of(variance, source, number, "variance")) is not None:
            column.variance[id_] = spread
    questions, systems, splits = (
        columns.get(fact, empty) for fact in ("question_id", "system", "split")
    )
    same: dict[str | None, str | None] = {}  # a million items name fewer questions and systems
    facts: Facts = {
        id_: (
            same.setdefault(question, question),
            same.setdefault(system, system),
            same.setdefault(split, split),
        )
        for id_, question, system, split in zip(
            columns["id"], questions, systems, splits, strict=True
        )
        if id_
    }
    return ScoreFile(str(path), list(results.values()), name or None, facts)


def own_labels(files: Sequence[ScoreFile]) -> Opinions:
    """The ratings that came with the first file that has some."""
    for file in files:
        if file.labels is not None and len(rated(file.labels)):
            return file.labels
    raise UserError(
        f"{files[0].source}: nobody's ratings are inside; pass --labels FILE with the columns id,"
        " rater and score"
    )


def _scale(files: Sequence[ScoreFile], rubric: str | None) -> Numbers:
    for file in files:
        if file.scale is not None:
            return file.scale
    if rubric in rubric_names():
        return load_rubric(rubric).numbers
    labels = {
        float(label)
        for file in files
        for column in file.columns
        for shares in column.shares.values()
        for label in shares
    }
    return numbers(labels) if len(labels) > 1 else DEFAULT_SCALE


def _items(files: Sequence[ScoreFile]) -> tuple[Facts, Texts]:
    facts: Facts = {}
    texts: Texts = {}
    for file in files:
        for id_, own in file.facts.items():
            before = facts.get(id_)
            facts[id_] = (
                own
                if before is None
                else (before[0] or own[0], before[1] or own[1], before[2] or own[2])
            )
        texts |= file.texts
    return facts, texts


def _distinct(files: Sequence[ScoreFile]) -> list[ScoreColumn]:
    """All judges; equal names of several sources are told apart by the source."""
    names = [column.judge for file in files for column in file.columns]
    columns = []
    for file in files:
        for column in file.columns:
            if names.count(column.judge) > 1:
                column.judge = f"{column.judge} ({file.source})"
            columns.append(column)
    return columns
