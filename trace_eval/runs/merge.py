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
from itertools import chain, pairwise
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
    ShardRecord,
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
    are_runs = _are_runs(folders)
    with ExitStack() as stack:
        for folder in folders:
            stack.enter_context(locked_for_reading(folder))
        with written_atomically(out) as part:
            if are_runs:
                merged = _Runs(folders, partial).write(Run(part))
            else:
                blueprints = join_clips(folders, Run(part), partial)
                merged = Merged(out, len(folders), blueprints)
    return replace(merged, out=out)


def _are_runs(folders: Sequence[Path]) -> bool:
    """Tell whether all folders are runs; if not, all are of ``extract``.

    Raises:
        UserError: one is neither, or there are both.
    """
    runs: list[Path] = []
    others: list[Path] = []
    for folder in folders:
        if Run(folder).exists:
            runs.append(folder)
        elif (folder / "blueprints.jsonl").is_file():
            others.append(folder)
        else:
            raise RunFolderError(
                f"{folder}: no run and no blueprints here; name an --out of judge"
            )
    if runs and others:
        raise RunFolderError(
            f"{runs[0]} is a run, {others[0]} only has blueprints; merge one kind"
        )
    return bool(runs)


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
                remedy = "judge both in one way"
                if part == "policy":
                    remedy = "fuse them with one policy first"
                raise RunFolderError(
                    f"{folder}: was made with {another(part, details, first)}; {remedy}"
                )

    def _check_shards(self) -> None:
        shards: dict[Path, ShardRecord] = {}
        lone: list[Path] = []
        for folder in self.folders:
            shard = self.records[folder].shard
            if shard is None:
                lone.append(folder)
            else:
                shards[folder] = shard
        if not shards:
            return
        if lone:
            raise RunFolderError(
                f"{lone[0]}: is not a shard, but others are; merge the shards first"
            )
        self.folders = sorted(self.folders, key=lambda folder: shards[folder].index)
        first = self.folders[0]
        for before, folder in pairwise(self.folders):
            if not _are_of_one_input(shards[folder], shards[first]):
                raise RunFolderError(
                    f"{first} and {folder}: are shards of different inputs, or of"
                    " different numbers of shards; merge those of one input"
                )
            if shards[folder].index == shards[before].index:
                raise RunFolderError(
                    f"{before} and {folder}: are the same shard; name one of them"
                )
        indices = {shard.index for shard in shards.values()}
        number = shards[first].of
        for index in range(1, number + 1):
            if index not in indices:
                self.missing.append(f"{index}/{number}")
        if self.missing and not self.partial:
            raise RunFolderError(
                f"merge: shards {', '.join(self.missing)} are missing; name their"
                " folders, or merge what is there with --partial"
            )

    def _check_finished(self) -> None:
        """Refuse a run that was killed or stopped before it finished its items."""
        counts: dict[Path, int] = {}
        for folder in self.folders:
            waiting, count = _never_judged(folder, self.files, self.records[folder])
            counts[folder] = count
            if waiting:
                shard = self.records[folder].shard
                name = str(folder)
                if shard:
                    name += f" (shard {shard.index}/{shard.of})"
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
        problems = dict.fromkeys(self._lines_of_all("problems"))
        jsonl.write_all(to.path("problems.jsonl"), problems)
        spending = list(self._lines_of_all("spending"))
        if spending:
            jsonl.write_all(to.path("spending.jsonl"), spending)
        self._settle_shared()
        blueprints = join_clips(self.folders, to, self.partial)
        for name in chain(files.beside, [files.verdicts]):
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

    def _lines_of_all(self, name: str) -> Iterator[str]:
        """Yield the lines of a file of all runs, in their order."""
        for folder in self.folders:
            yield from _lines(folder, name)

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
                if owner is None:
                    owner = owners.find(item)
                if owner == number:
                    yield line

    def _settle_shared(self) -> None:
        """Keep the first run's records that score an item, where several have it."""
        if not self._shared:
            return
        kind = self.files.item
        # A single answer has a verdict per rubric, a pair has one.
        marks_of_verdicts: dict[tuple[str, str], dict[int, bytes]] = {}
        for number, folder in enumerate(self.folders):
            for line in _lines(folder, self.files.verdicts):
                record = strict_json.record(line, folder)
                item = record[self.files.item]
                if number not in self._shared.get(item, ()):
                    continue
                verdict = (item, record.get("rubric", ""))
                marks = marks_of_verdicts.setdefault(verdict, {})
                if record["status"] == "scored":
                    marks[number] = _hash(jsonl.canonical(_essence(record)))
                else:
                    marks.pop(number, None)
        scored: dict[str, Counter[int]] = {}
        for (item, _), marks in marks_of_verdicts.items():
            if len(set(marks.values())) > 1:
                numbers = list(marks)
                one = self.folders[numbers[0]]
                other = self.folders[numbers[1]]
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
        """Make the record of the whole: the first run's, with what all add to it."""
        records = [self.records[folder] for folder in self.folders]
        sessions = tuple(chain.from_iterable(record.sessions for record in records))
        origins: list[OriginRecord] = []
        for folder, record in zip(self.folders, records, strict=True):
            environment = record.environment.model_dump(
                mode="json", exclude={"packages"}
            )
            origin = OriginRecord(
                run=str(folder), shard=record.shard, environment=environment
            )
            origins.append(origin)
        first = records[0]
        hash_of_input: str | None = None
        if len({(record.input, record.input_sha256) for record in records}) == 1:
            hash_of_input = first.input_sha256
        return first.model_copy(
            update={
                "shard": None,
                "input": ", ".join(dict.fromkeys(record.input for record in records)),
                "input_sha256": hash_of_input,
                "sessions": sessions,
                "judge_observed": _observed(
                    [record.judge_observed for record in records]
                ),
                "coverage": summary.record(),
                "merged": tuple(origins),
            }
        )


def _are_of_one_input(one: ShardRecord, other: ShardRecord) -> bool:
    """Tell whether two shards are of the same input, cut into as many."""
    return (
        one.of == other.of and one.pairs == other.pairs and one.digest == other.digest
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
    waiting = 0
    count = 0
    for line in _lines(folder, files.items):
        item = strict_json.record(line, folder)["id"]
        count += 1
        waiting += len(outcomes.get(item, ())) < rubrics
    return waiting, count


def _observed(observed_of_runs: list[dict[str, Any]]) -> dict[str, Any]:
    """Merge what judges observed: sums of money, else the first run's."""
    merged: dict[str, Any] = {}
    for observed in reversed(observed_of_runs):
        merged |= observed
    for key in merged:
        spent = [observed.get(key) for observed in observed_of_runs]
        if key.endswith("spent_usd") and any(value is not None for value in spent):
            merged[key] = sum(value or 0.0 for value in spent)
    return merged


def _lines(folder: Path, name: str) -> Iterator[str]:
    """Yield the complete lines of ``NAME.jsonl``, without their ends."""
    for line in jsonl.read(folder / f"{name}.jsonl"):
        yield line.rstrip("\n")


def _hash(text: str) -> bytes:
    """Return what stands for a record in memory, 16 bytes."""
    return sha256(text.encode()).digest()[:16]


def _essence(value: Any) -> Any:
    """Reduce a record to what may not differ between two equal judgements."""
    if isinstance(value, list):
        return [_essence(item) for item in value]
    if not isinstance(value, dict):
        return value
    essence: dict[str, Any] = {}
    for key, part in value.items():
        if key not in _INCIDENTAL:
            essence[key] = _essence(part)
    return essence
