"""Joining the run folders of shards, or of separate inputs, into one run.

Files are copied line by line: only ids, hashes and places in files are held in memory.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from blueprints import RunFolderError, counted
from trace_eval.data import jsonl, strict_json
from trace_eval.data.policies import any_policy
from trace_eval.runs.folders import locked_for_reading, written_atomically
from trace_eval.runs.fuse import fuse_run
from trace_eval.runs.joined_lines import JoinedLines
from trace_eval.runs.merge_clips import join_clips
from trace_eval.runs.record import (
    DECIDING,
    OriginRecord,
    RunRecord,
    another,
    differences,
)
from trace_eval.runs.run import Run
from trace_eval.runs.stored_lines import NumberIndex
from trace_eval.runs.summary import Summary
from trace_eval.runs.table import table_of

#: Options that all runs must share: what decides judgements, and what fuses them.
COMMON = (*DECIDING, "policy", "seed")

#: Fields that may differ between two equal judgements, wherever they are.
_INCIDENTAL = frozenset({"seconds", "usage", "cached"})


@dataclass(frozen=True)
class Merged:
    """The result of a merge.

    Attributes:
        out: the new folder.
        folders: how many were joined.
        blueprints: distinct clips.
        summary: of the new run; None where blueprints were joined that were never
            judged.
        missing: shards that were not there, e.g. ``2/8``; empty unless ``partial``.
    """

    out: Path
    folders: int
    blueprints: int
    summary: Summary | None = None
    missing: tuple[str, ...] = ()


def merge(folders: Sequence[Path], out: Path, partial: bool = False) -> Merged:
    """Join run folders, or folders of ``extract``, into a new one.

    ``partial``: shards may be missing, and runs may have been stopped before their end.

    Pairs come in the order of the whole input, or of the folders where those are no
    shards. Records that several folders share are kept once.

    Raises:
        UserError: shards are missing or of another input; runs were made with different
            options; two of them contradict each other; one was stopped before its end;
            or ``out`` exists.
    """
    if len({folder.resolve() for folder in folders}) < len(folders):
        raise RunFolderError("merge: one folder is named twice; name each once")
    judged = {folder: Run(folder).exists for folder in folders}
    for folder in folders:
        if not judged[folder] and not (folder / "blueprints.jsonl").is_file():
            raise RunFolderError(
                f"{folder}: no run and no blueprints here; name an --out of judge"
            )
    if len(set(judged.values())) > 1:
        raise RunFolderError(
            f"{next(f for f in folders if judged[f])} is a run,"
            f" {next(f for f in folders if not judged[f])} only has blueprints; merge"
            " one kind"
        )
    with ExitStack() as stack:
        for folder in folders:
            stack.enter_context(locked_for_reading(folder))
        with written_atomically(out) as part:
            if all(judged.values()):
                result = _Runs(folders, partial).write(Run(part))
            else:
                result = Merged(
                    out, len(folders), join_clips(folders, Run(part), partial)
                )
    return replace(result, out=out)


class _Files(NamedTuple):
    """Names of the files of a kind of run."""

    items: str
    verdicts: str
    item: str
    """Field of a verdict that names its item."""
    beside: tuple[str, ...] = ()
    """Further files with a record per item."""


_PAIRS = _Files("pairs", "judgements", "pair", ("measures",))
_SINGLES = _Files("items", "scores", "item")


@dataclass
class _Runs:
    """Several runs as one; shards are put in their order."""

    folders: Sequence[Path]
    partial: bool
    missing: list[str] = field(default_factory=list)
    settled: dict[str, int] = field(default_factory=dict)
    """Id of an item of several runs -> index of the one whose records of it are kept."""

    def __post_init__(self) -> None:
        self.records = {folder: Run(folder).record() for folder in self.folders}
        self.files = _SINGLES if Run(self.folders[0]).holds_scores else _PAIRS
        self._check_options()
        self._check_shards()
        if not self.partial:
            self._check_finished()

    def _check_options(self) -> None:
        first, *others = self.folders
        for folder in others:
            one = self.records[first]
            other = self.records[folder]
            for part, details in differences(other, one, COMMON, "there"):
                raise RunFolderError(
                    f"{folder}: was made with {another(part, details, first)};"
                    " merge runs of one kind, or fuse them with one policy first"
                )

    def _check_shards(self) -> None:
        shards = {folder: self.records[folder].shard for folder in self.folders}
        if not any(shards.values()):
            return
        if lone := [folder for folder, shard in shards.items() if shard is None]:
            raise RunFolderError(
                f"{lone[0]}: is no shard, others are; merge the shards first"
            )
        whole = {folder: (s.of, s.pairs, s.digest) for folder, s in shards.items() if s}
        index = {folder: s.index for folder, s in shards.items() if s}
        self.folders = sorted(self.folders, key=lambda folder: index[folder])
        first = self.folders[0]
        for before, folder in pairwise(self.folders):
            if whole[folder] != whole[first]:
                raise RunFolderError(
                    f"{first} and {folder}: are shards of different inputs, or of"
                    " different numbers of shards; merge those of one input"
                )
            if index[folder] == index[before]:
                raise RunFolderError(
                    f"{before} and {folder}: are the same shard; name one of them"
                )
        of = whole[first][0]
        self.missing = [
            f"{n}/{of}" for n in range(1, of + 1) if n not in index.values()
        ]
        if self.missing and not self.partial:
            raise RunFolderError(
                f"merge: shards {', '.join(self.missing)} are missing; name their"
                " folders, or merge what is there with --partial"
            )

    def _check_finished(self) -> None:
        """Refuse a run that was killed or stopped before it came to all its items."""
        counts: dict[Path, int] = {}
        for folder in self.folders:
            waiting, count = _never_judged(folder, self.files, self.records[folder])
            counts[folder] = count
            if waiting:
                shard = self.records[folder].shard
                name = (
                    f"{folder} (shard {shard.index}/{shard.of})"
                    if shard
                    else str(folder)
                )
                what = counted(count, self.files.item)
                raise RunFolderError(
                    f"{name}: was stopped before the end: {waiting} of {what} were"
                    " never judged; repeat its command, or merge what is there with"
                    " --partial"
                )
        self._check_count(counts)

    def _check_count(self, counts: Mapping[Path, int]) -> None:
        """Refuse shards without all items: one was killed before it wrote its own."""
        shard = self.records[self.folders[0]].shard
        there = sum(counts.values())
        if shard is None or there >= shard.pairs:
            return
        what = counted(shard.pairs, self.files.item)
        without = [str(folder) for folder, count in counts.items() if not count]
        suspects = ", ".join(without or map(str, self.folders))
        raise RunFolderError(
            f"merge: the shards have {there} of the {what} of their input, and one"
            f" of {suspects} was stopped before the end; repeat the command of each,"
            " or merge what is there with --partial"
        )

    def write(self, to: Run) -> Merged:
        """Write a whole run."""
        files = self.files
        items, ranks = self._items()
        self._shared = self._repeated(items, ranks)
        jsonl.write_all(to.path(f"{files.items}.jsonl"), items.kept_by(ranks))
        owners = items.owners()
        total = items.kept_count
        del items, ranks
        problems = (
            line for folder in self.folders for line in _lines(folder, "problems")
        )
        jsonl.write_all(to.path("problems.jsonl"), dict.fromkeys(problems))
        spending = [
            line for folder in self.folders for line in _lines(folder, "spending")
        ]
        if spending:
            jsonl.write_all(to.path("spending.jsonl"), spending)
        self._settle_shared()
        blueprints = join_clips(self.folders, to, self.partial)
        for name in (*files.beside, files.verdicts):
            jsonl.write_all(to.path(f"{name}.jsonl"), self._owned(name, owners))
        summary = Summary(total=total + sum(1 for _ in to.problems()))
        first = self.records[self.folders[0]]
        counts = None
        if files is _SINGLES:
            table = table_of(to, first.rubrics)
            jsonl.write_all(to.path("results.csv"), table.csv_lines())
        else:
            counts = fuse_run(to, any_policy(first.policy))
        summary.count(to, list(first.rubrics), counts)
        to.write_record(self._record(summary))
        count = len(self.folders)
        return Merged(
            out=to.folder,
            folders=count,
            blueprints=blueprints,
            summary=summary,
            missing=tuple(self.missing),
        )

    def _items(self) -> tuple[JoinedLines, array[int]]:
        """Find the items of all runs, and their places in the whole."""
        lines = JoinedLines(self.folders, f"{self.files.items}.jsonl")
        ranks = array("q")
        for number, folder in enumerate(self.folders):
            sharded = self.records[folder].shard is not None
            places = map(int, jsonl.read(folder / "places.jsonl"))
            count = 0
            for place, line in lines.read(number):
                name = strict_json.record(line, folder)["id"]
                lines.add(number, place, name, line)
                count += 1
                ranks.append(next(places, -1) if sharded else 0)
            if sharded and (next(places, None) is not None or -1 in ranks[-count:]):
                raise RunFolderError(
                    f"{folder}: places.jsonl and {self.files.items}.jsonl disagree;"
                    " repeat the judge command to repair the run"
                )
        return lines, ranks

    def _repeated(self, items: JoinedLines, ranks: array[int]) -> dict[str, list[int]]:
        """Return ids that several runs have, with their runs; the first line counts."""
        shared: dict[str, list[int]] = {}
        for rows in items.repeated():
            first, *others = sorted(rows, key=ranks.__getitem__)
            item = strict_json.record(items.line(first), items.folder(first))["id"]
            for row in others:
                if not items.same(first, row):
                    kind = self.files.item
                    raise RunFolderError(
                        f"{items.folder(first)} and {items.folder(row)}: {kind}"
                        f" {item!r} differs between the two; give the {kind}s of each"
                        " input their own ids"
                    )
                items.drop(row)
            shared[item] = [items.number(row) for row in (first, *others)]
        return shared

    def _owned(self, name: str, owners: NumberIndex) -> Iterator[str]:
        """Yield the lines of a file of all runs whose items are kept from there."""
        for number, folder in enumerate(self.folders):
            for line in _lines(folder, name):
                item = strict_json.record(line, folder)[self.files.item]
                owner = self.settled.get(item)
                if (owners.find(item) if owner is None else owner) == number:
                    yield line

    def _settle_shared(self) -> None:
        """Keep the first run's records that score an item, where several have it."""
        if not self._shared:
            return
        kind = self.files.item
        # A single answer has a verdict per rubric, a pair has one.
        results: dict[tuple[str, str], dict[int, bytes]] = {}
        for number, folder in enumerate(self.folders):
            for line in _lines(folder, self.files.verdicts):
                record = strict_json.record(line, folder)
                item = record[self.files.item]
                if number not in self._shared.get(item, ()):
                    continue
                marks = results.setdefault((item, record.get("rubric", "")), {})
                if record["status"] == "scored":
                    marks[number] = _hash(jsonl.canonical(_essence(record)))
                else:
                    marks.pop(number, None)
        scored: dict[str, Counter[int]] = {}
        for (item, _), marks in results.items():
            if len(set(marks.values())) > 1:
                one, other = (self.folders[number] for number in list(marks)[:2])
                raise RunFolderError(
                    f"{one} and {other}: {kind} {item!r} was judged differently in"
                    f" each; give the {kind}s of each input their own ids, or merge one"
                    " of them"
                )
            scored.setdefault(item, Counter()).update(marks.keys())
        for item, runs in scored.items():
            if runs:
                self.settled[item] = runs.most_common(1)[0][0]

    def _record(self, summary: Summary) -> RunRecord:
        records = [self.records[folder] for folder in self.folders]
        inputs = {(record.input, record.input_sha256) for record in records}
        return records[0].model_copy(
            update={
                "shard": None,
                "input": ", ".join(dict.fromkeys(record.input for record in records)),
                "input_sha256": records[0].input_sha256 if len(inputs) == 1 else None,
                "sessions": tuple(
                    session for record in records for session in record.sessions
                ),
                "judge_observed": _observed(
                    [record.judge_observed for record in records]
                ),
                "coverage": summary.record(),
                "merged": tuple(
                    OriginRecord(
                        run=str(folder),
                        shard=one.shard,
                        environment=one.environment.model_dump(
                            mode="json", exclude={"packages"}
                        ),
                    )
                    for folder, one in zip(self.folders, records, strict=True)
                ),
            }
        )


def _never_judged(folder: Path, files: _Files, record: RunRecord) -> tuple[int, int]:
    """Return how many items of a run lack an outcome, and how many there are.

    A failure is an outcome.
    """
    rubrics = len(record.rubrics) or 1
    outcomes: dict[str, set[str]] = {}
    for line in _lines(folder, files.verdicts):
        verdict = strict_json.record(line, folder)
        outcomes.setdefault(verdict[files.item], set()).add(verdict.get("rubric", ""))
    ids = [
        strict_json.record(line, folder)["id"] for line in _lines(folder, files.items)
    ]
    return sum(len(outcomes.get(item, ())) < rubrics for item in ids), len(ids)


def _observed(results: list[dict[str, Any]]) -> dict[str, Any]:
    """Merge what judges observed: sums of money, else the first run's."""
    merged = {key: value for other in reversed(results) for key, value in other.items()}
    for key in merged:
        spent = [other.get(key) for other in results]
        if key.endswith("spent_usd") and any(value is not None for value in spent):
            merged[key] = sum(value or 0.0 for value in spent)
    return merged


def _lines(folder: Path, name: str) -> Iterator[str]:
    """Yield the complete lines of ``NAME.jsonl``, without their ends."""
    return (line.rstrip("\n") for line in jsonl.read(folder / f"{name}.jsonl"))


def _hash(text: str) -> bytes:
    """Return what stands for a record in memory, 16 bytes."""
    return sha256(text.encode()).digest()[:16]


def _essence(value: Any) -> Any:
    """Reduce a record to what may not differ between two equal judgements."""
    if isinstance(value, dict):
        return {k: _essence(v) for k, v in value.items() if k not in _INCIDENTAL}
    return [_essence(item) for item in value] if isinstance(value, list) else value
