"""One judging of items, from a run folder or a table of verdicts, ready to be put beside another.

Labels and scores get one form: points from 0 to 1. A win of answer A is 1, a tie 1/2, a loss 0; a
score is its place on the rubric's scale. Unscored is no number but a reason.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blueprints import UserError
from trace_eval.agreement.source import read_source
from trace_eval.data import jsonl, strict_json
from trace_eval.data.items import Single
from trace_eval.data.judgement import Judgement
from trace_eval.data.label_files import read_columns
from trace_eval.data.labels import LABELS, MISSING, Codes, Texts
from trace_eval.data.pairs import Pair
from trace_eval.data.scores import Score
from trace_eval.data.spelling import WORDS, plain
from trace_eval.rubrics.single import ScaleSpec
from trace_eval.runs.record import RunRecord
from trace_eval.runs.run import Run

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

#: Points of answer A by label code, see :data:`trace_eval.data.labels.LABELS`.
_POINTS = np.array([1.0, 0.0, 0.5, 0.5, 0.5, np.nan])

#: What a table says of an item that nobody asked the judge about.
ABSENT = "absent"

#: Why an item of a table has no verdict.
NO_VERDICT = "unparseable"

#: Columns of a table that are read beside the verdicts.
_FACTS = ("instruction_id", "category", "system_a", "system_b")


@dataclass(frozen=True)
class Metric:
    """One thing that was judged of every item.

    Attributes:
        codes: labels, see :data:`trace_eval.data.labels.LABELS` [shape=(n,)]; None: a score.
        points: 0 to 1, see the module; NaN where unscored [shape=(n,)].
        reasons: why an item is unscored; None where it is scored [shape=(n,)].
    """

    codes: Codes | None
    points: Array
    reasons: Texts

    def take(self, rows: NDArray[np.int64]) -> Metric:
        """Some of the items, in that order."""
        codes = None if self.codes is None else self.codes[rows]
        return Metric(codes, self.points[rows], self.reasons[rows])


@dataclass(frozen=True)
class Judging:
    """What one judge said of items.

    Attributes:
        name: of the run or table.
        ids: of the items [shape=(n,)].
        metrics: ``RUBRIC.DIMENSION`` -> what was said.
        facts: ``instruction_id``, ``category``, ``system_a``, ``system_b``, and of runs also
            ``asked`` (hash of the instruction), ``answer_a``, ``answer_b`` (hashes of the answers)
            [shape=(n,) each]; a fact that is not known is not there.
        people: labels of people, by ``preference`` or dimension [shape=(n,) each].
        replies: hash of an item's raw replies; None: none were kept [shape=(n,)].
        copies: hash of all that is kept of an item, times included: equal for copies only; None: a
            table, which keeps verdicts alone [shape=(n,)].
        cached: a reply came from a cache [shape=(n,)].
        sure: several samples, and all equal [shape=(n,)].
        severe: the item is tagged as one that must not fail [shape=(n,)].
        length: seconds of the longer answer, NaN where unknown [shape=(n,)]; None: not known.
        record: of the run; None: a table, which says nothing of itself.
        evidence: clip -> hash of its blueprint.
    """

    name: str
    ids: Texts
    metrics: Mapping[str, Metric]
    facts: Mapping[str, Texts]
    people: Mapping[str, Codes]
    replies: Texts
    copies: Texts
    cached: Mask
    sure: Mask
    severe: Mask
    length: Array | None = None
    record: RunRecord | None = None
    label_sets: tuple[str, ...] = ()
    evidence: Mapping[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.ids)

    def take(self, rows: NDArray[np.int64]) -> Judging:
        """Some of the items, in that order."""
        return replace(
            self,
            ids=self.ids[rows],
            metrics={name: metric.take(rows) for name, metric in self.metrics.items()},
            facts={name: column[rows] for name, column in self.facts.items()},
            people={name: codes[rows] for name, codes in self.people.items()},
            replies=self.replies[rows],
            copies=self.copies[rows],
            cached=self.cached[rows],
            sure=self.sure[rows],
            severe=self.severe[rows],
            length=None if self.length is None else self.length[rows],
        )

    @property
    def cluster(self) -> NDArray[np.int64] | None:
        """Number of each item's instruction, from 0; None: every item has its own."""
        column = self.facts.get("instruction_id")
        if column is None or None in column.tolist():
            return None
        _, place = np.unique(column.astype(str), return_inverse=True)
        return None if place.max(initial=-1) + 1 == len(column) else place


@dataclass(frozen=True)
class Joined:
    """Two judgings of the same items, row by row.

    Attributes:
        only_first, only_second: items that the other one does not have.
    """

    first: Judging
    second: Judging
    only_first: int
    only_second: int

    @property
    def metrics(self) -> list[str]:
        """What both judged, in the order of the first."""
        return [name for name in self.first.metrics if name in self.second.metrics]


def join(first: Judging, second: Judging) -> Joined:
    """Put two judgings side by side by the ids of their items.

    Raises:
        UserError: they have no item, or no metric, in common.
    """
    place = {key: row for row, key in enumerate(second.ids.tolist())}
    rows = [(row, place[key]) for row, key in enumerate(first.ids.tolist()) if key in place]
    if not rows:
        raise UserError(
            f"{first.name} and {second.name} have no item in common; judge the same manifest"
        )
    mine, other = (np.array(column, np.int64) for column in zip(*rows, strict=True))
    joined = Joined(
        first.take(mine), second.take(other), len(first) - len(rows), len(second) - len(rows)
    )
    if not joined.metrics:
        raise UserError(
            f"{first.name} judged {', '.join(first.metrics)} and {second.name}"
            f" {', '.join(second.metrics)}; compare judgings by one rubric"
        )
    return joined


def aligned(first: Judging, other: Judging) -> Judging:
    """Another judging in the rows of the first; items that it does not have are unscored."""
    place = {key: row for row, key in enumerate(other.ids.tolist())}
    rows = np.array([place.get(key, -1) for key in first.ids.tolist()], np.int64)
    gone = rows < 0
    found = other.take(np.maximum(rows, 0))

    def blank(column: Texts, value: object = None) -> Texts:
        return texts([value if g else v for g, v in zip(gone, column.tolist(), strict=True)])

    metrics = {
        name: Metric(
            None if own.codes is None else np.where(gone, MISSING, own.codes).astype(np.int8),
            np.where(gone, np.nan, own.points),
            blank(own.reasons, ABSENT),
        )
        for name, own in found.metrics.items()
    }
    return replace(
        found,
        ids=first.ids,
        metrics=metrics,
        facts={name: blank(column) for name, column in found.facts.items()},
        people={
            name: np.where(gone, MISSING, c).astype(np.int8) for name, c in found.people.items()
        },
        replies=blank(found.replies),
        copies=blank(found.copies),
        cached=found.cached & ~gone,
        sure=found.sure & ~gone,
        severe=found.severe & ~gone,
    )


def split_column(source: str) -> tuple[Path, str | None]:
    """``FILE:COLUMN`` as both; a path that is there is taken as a whole."""
    path, colon, column = source.rpartition(":")
    if not colon or Path(source).exists():
        return Path(source), None
    return Path(path), column


def read_judging(source: str | Path, truth: str | None = None) -> Judging:
    """Read a run folder, or one column of verdicts of a table.

    Args:
        source: a folder; or ``FILE:COLUMN``, a CSV, JSONL or JSON table with a row per item:
            ``item`` (or ``id``), the column with ``1``, ``2``, ``tie``, ``both_good``,
            ``both_bad``, nothing (the reply held no verdict) or ``absent`` (not judged), and
            maybe ``system_a``, ``system_b``, ``instruction_id``, ``category``, ``severe``.
        truth: of tables, the column of people's labels.

    Raises:
        UserError: neither can be read there.
    """
    path, column = split_column(str(source))
    if column is not None:
        return _table(path, column, truth)
    if path.is_dir():
        run = Run.open(path)
        return _scores(run) if run.holds_scores else _pairs(run)
    if not path.exists():
        raise UserError(f"{path}: no such run or table; name a run folder, or FILE:COLUMN")
    raise UserError(f"{path}: which column holds the verdicts? write {path}:COLUMN")


def texts(values: Sequence[Any]) -> Texts:
    """A column of objects."""
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


def labelled(codes: Codes, reasons: Texts) -> Metric:
    """A metric of labels."""
    return Metric(codes, _POINTS[codes], reasons)


# --- tables ------------------------------------------------------------------------------


def _table(path: Path, column: str, truth: str | None) -> Judging:
    asked = {column: "verdict", "severe": "severe"} | ({truth: "truth"} if truth else {})
    found = read_columns(path, asked)
    for name, ours in asked.items():
        if ours not in found and ours != "severe":
            raise UserError(f"{path}: no column {name!r}; name one that it has")
    if "id" not in found:
        raise UserError(f"{path}: no column 'item' (or id, pair, index); add one")
    ids = [text or "" for text in found["id"]]
    if len(set(ids)) < len(ids):
        twice = next(name for row, name in enumerate(ids) if name in ids[:row])
        raise UserError(f"{path}: item {twice!r} has two rows; keep one")
    given = found["verdict"]
    asked_of = np.array([text != ABSENT for text in given], bool)
    codes = _encoded(given, path, column, ids)
    reasons = [
        None if code != MISSING else NO_VERDICT if known else ABSENT
        for code, known in zip(codes.tolist(), asked_of.tolist(), strict=True)
    ]
    kept = np.flatnonzero(asked_of)
    people = {"people": _encoded(found["truth"], path, str(truth), ids)} if truth else {}
    number = len(ids)
    flags = [(text or "").lower() in ("1", "true", "yes") for text in found.get("severe", ())]
    return Judging(
        name=f"{path.stem}:{column}",
        ids=texts(ids),
        metrics={"verdict": labelled(codes, texts(reasons))},
        facts={name: texts(found[name]) for name in _FACTS if name in found},
        people=people,
        replies=texts([None] * number),
        copies=texts([None] * number),
        cached=np.zeros(number, bool),
        sure=np.zeros(number, bool),
        severe=np.array(flags or [False] * number, bool),
    ).take(kept)


def _encoded(values: Sequence[str | None], path: Path, column: str, ids: Sequence[str]) -> Codes:
    codes: dict[str | None, int] = {label: number for number, label in enumerate(LABELS)}
    codes |= {name: LABELS.index(label) for name, label in WORDS.items()}
    codes |= {None: MISSING, "": MISSING, ABSENT: MISSING}
    values = [value if value in codes else plain(value) for value in values]
    wrong = next((row for row, value in enumerate(values) if value not in codes), None)
    if wrong is not None:
        raise UserError(
            f"{path}, item {ids[wrong]}: {column} is {values[wrong]!r:.80}; use one of"
            f" {', '.join(LABELS)}, nothing (no verdict) or {ABSENT}"
        )
    return np.array([codes[value] for value in values], np.int8)


# --- runs --------------------------------------------------------------------------------


def _pairs(run: Run) -> Judging:
    source = read_source(run.folder)
    table = source.judgements
    judged = run.judgements()
    pairs = {pair.id: pair for pair in run.pairs()}
    ids = table.ids.tolist()
    found = [judged[name] for name in ids]
    metrics = {}
    reasons = texts(
        [str(j.reason or "incomplete") if j.status != "scored" else None for j in found]
    )
    for name, codes in table.codes.items():
        if (codes != MISSING).any() or name in ("overall", "preference"):
            told = texts(
                [
                    None if c != MISSING else r or "no_rating"
                    for c, r in zip(codes, reasons, strict=True)
                ]
            )
            metrics[f"pair.{name}"] = labelled(codes, told)
    facts = {name: table.facts[name] for name in _FACTS if name in table.facts}
    facts = {name: column for name, column in facts.items() if any(v for v in column.tolist())}
    facts["asked"] = texts([_asked(pairs[name]) for name in ids])
    for side in "ab":
        clips = table.facts.get(f"clip_{side}", [None] * len(ids))
        answers = [getattr(pairs[name], side).source_id for name in ids]
        facts[f"answer_{side}"] = texts([c or a for c, a in zip(clips, answers, strict=True)])
    people: dict[str, Codes] = {}
    if source.labels is not None:
        rows = {name: row for row, name in enumerate(source.labels.ids.tolist())}
        at = np.array([rows.get(name, -1) for name in ids], np.int64)
        for name, codes in source.labels.codes.items():
            people[name] = np.where(at >= 0, codes[at], MISSING).astype(np.int8)
    return Judging(
        name=_name(run.folder),
        ids=table.ids,
        metrics=metrics,
        facts=facts,
        people=people,
        replies=texts([_raw(j) for j in found]),
        copies=texts([_hash(j.model_dump(mode="json")) for j in found]),
        cached=np.array([any(o.cached for o in j.opinions) for j in found], bool),
        sure=np.array([_all_equal(j) for j in found], bool),
        severe=np.array([_is_severe(pairs[name]) for name in ids], bool),
        length=_longer(table.facts),
        record=run.record(),
        label_sets=tuple(sorted({j.label_set for j in found if j.status == "scored"})),
        evidence=_evidence(run),
    )


def _longer(facts: Mapping[str, NDArray[Any]]) -> Array | None:
    sides = [facts[name] for name in ("duration_a", "duration_b") if name in facts]
    return np.fmax.reduce(sides) if sides else None


def _scores(run: Run) -> Judging:
    items = {item.id: item for item in run.singles()}
    scored: dict[str, dict[str, Score]] = {}
    for score in run.scores():
        scored.setdefault(score.rubric, {})[score.item] = score
    if not scored:
        raise UserError(f"{run.folder}: the run has no scores yet; run `trace-eval rate` first")
    record = run.record()
    ids = [name for name in items if any(name in of for of in scored.values())]
    metrics = {}
    for rubric, of in scored.items():
        found = [of.get(name) for name in ids]
        labels = ScaleSpec.model_validate(record.rubrics[rubric].get("scale")).labels
        low, high = min(labels), max(labels)
        values = [np.nan if s is None or s.value is None else s.value for s in found]
        points = (np.array(values, float) - low) / (high - low)
        reasons = [_reason(score) for score in found]
        metrics[f"{rubric}.score"] = Metric(None, points, texts(reasons))
    every = [[of[name] for of in scored.values() if name in of] for name in ids]
    return Judging(
        name=_name(run.folder),
        ids=texts(ids),
        metrics=metrics,
        facts=_single_facts([items[name] for name in ids], run),
        people={},
        replies=texts([_raw(*scores) for scores in every]),
        copies=texts([_hash([s.model_dump(mode="json") for s in scores]) for scores in every]),
        cached=np.array([any(o.cached for s in scores for o in s.opinions) for scores in every]),
        sure=np.array([all(s.sd == 0 for s in scores) for scores in every], bool),
        severe=np.array([_is_severe(items[name]) for name in ids], bool),
        record=record,
        label_sets=tuple(sorted(f"{k} {v.get('sha256')}" for k, v in record.rubrics.items())),
        evidence=_evidence(run),
    )


def _reason(score: Score | None) -> str | None:
    if score is None:
        return ABSENT
    return None if score.value is not None else str(score.reason or "incomplete")


def _single_facts(items: Sequence[Single], run: Run) -> dict[str, Texts]:
    clips = {source: record.clip for source, record in run.clips().items()}
    facts: dict[str, list[Any]] = {
        "instruction_id": [item.question_id for item in items],
        "category": [item.category for item in items],
        "system_a": [item.system for item in items],
    }
    facts = {name: column for name, column in facts.items() if any(column)}
    facts["asked"] = [_asked(item) for item in items]
    facts["answer_a"] = [
        _hash([item.answer.text, [clips.get(s) or s for s in _sources(item)]]) for item in items
    ]
    return {name: texts(column) for name, column in facts.items()}


def _sources(item: Single) -> list[str]:
    return [r.source_id for role, r in item.recordings().items() if role != "instruction"]


def _asked(item: Pair | Single) -> str:
    """Hash of what the systems were asked: words and, where there are none, the recording."""
    asked = item.instruction
    what: list[Any] = [asked.text or asked.source_id]
    if isinstance(item, Single):
        what += [list(item.reference), item.context]
    return _hash(what)


def _hash(value: Any) -> str:
    return sha256(json.dumps(value, ensure_ascii=False).encode()).hexdigest()


def _raw(*made: Judgement | Score) -> str | None:
    """Hash of the raw replies; None where no model replied."""
    raw = [o.raw for each in made for o in each.opinions if o.raw is not None]
    return _hash(raw) if raw else None


def _all_equal(judgement: Judgement) -> bool:
    """Several samples that all say the same."""
    said = [o.ratings for o in judgement.opinions if o.ratings]
    return len(said) > 1 and all(ratings == said[0] for ratings in said)


def _is_severe(item: Pair | Single) -> bool:
    """Tagged ``"severe": true`` in its meta, or by a word of ``tags``."""
    tags = item.meta.get("tags")
    return item.meta.get("severe") is True or (isinstance(tags, list) and "severe" in tags)


def _evidence(run: Run) -> dict[str, str]:
    path = run.path("blueprints.jsonl")
    return {
        strict_json.record(line, path)["clip"]: sha256(line.encode()).hexdigest()
        for line in jsonl.read(path)
    }


def _name(folder: Path) -> str:
    return folder.resolve().name
