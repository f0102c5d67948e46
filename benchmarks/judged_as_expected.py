"""Whether a run judged by a hash holds what its pairs give, pair by pair."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from pathlib import Path

from fusion import DIMENSIONS
from tests.support.judged_on_ray import TIMES, by_hash
from trace_eval.data import jsonl
from trace_eval.data.items import Pair
from trace_eval.data.judgement import Judgement
from trace_eval.data.policies import any_policy
from trace_eval.runs.fuse import fuse
from trace_eval.runs.options import Options
from trace_eval.runs.reader import RunReader


def clip_of(source: str) -> str:
    """Return the hash of a recording that does not exist."""
    return hashlib.sha256(source.encode()).hexdigest()


def words_of(source: str) -> str:
    """Return what is said in it."""
    return f"{clip_of(source)[:9]} of a river"


def lines_of(lines: Iterable[str]) -> str:
    """Return a digest of lines without times, whatever their order.

    It is a sum of the lines' digests.
    """
    total = count = 0
    for line in lines:
        text = TIMES.sub("", line.rstrip("\n"))
        total += int.from_bytes(hashlib.sha256(text.encode()).digest(), "big")
        count += 1
    return f"{count} lines, {total % 2**256:064x}"


def unexpected(source: Path, judged: Path) -> list[str]:
    """Return the files of a judged run that differ from what its pairs give."""
    return [name for name, is_expected in _findings(source, judged) if not is_expected]


def _findings(source: Path, judged: Path) -> Iterator[tuple[str, bool]]:
    pairs = "pairs.jsonl"
    yield pairs, _same(jsonl.read(source / pairs), jsonl.read(judged / pairs))
    expected = (one.model_dump_json() for _, one in _judged(source))
    read = jsonl.read(judged / "judgements.jsonl")
    yield "judgements.jsonl", lines_of(expected) == lines_of(read)
    yield "results.csv", _same(_ratings(source), _cells(judged / "results.csv"))
    policy = any_policy(Options().policy)
    fused = (fuse(one, policy).model_dump_json() + "\n" for _, one in _judged(source))
    yield "overall.jsonl", _same(fused, jsonl.read(judged / "overall.jsonl"))
    for name in ("clips.jsonl", "blueprints.jsonl"):
        ours, theirs = (lines_of(jsonl.read(one / name)) for one in (source, judged))
        yield name, ours == theirs


def _judged(source: Path) -> Iterator[tuple[Pair, Judgement]]:
    """Yield every pair with what the judge must say of it."""
    for pair in RunReader(source).pairs():
        words = [words_of(answer.source_id) for answer in (pair.a, pair.b)]
        yield pair, by_hash(pair.id, words)


def _ratings(source: Path) -> Iterator[tuple[str, ...]]:
    policy = any_policy(Options().policy)
    for pair, judgement in _judged(source):
        ratings = (str(judgement.label(name)) for name in DIMENSIONS)
        yield pair.id, "scored", *ratings, str(fuse(judgement, policy).rating)


def _cells(table: Path) -> Iterator[tuple[str, ...]]:
    with table.open(newline="") as file:
        for row in csv.DictReader(file):
            names = ("pair", "status", *DIMENSIONS, "overall")
            yield tuple(row[name] for name in names)


def _same(ones: Iterable[object], others: Iterable[object]) -> bool:
    return all(one == other for one, other in zip_longest(ones, others))
