"""Pairs whose slow judge lets a node be lost meanwhile, and what must stay equal."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from pydantic import JsonValue

from fusion import DIMENSIONS, RATINGS
from tests.support.louder_wins import LouderWins, louder_options, pairs_of_peaks
from trace_eval.data.items import Item
from trace_eval.data.judgement import DimensionVerdict, Judgement
from trace_eval.data.manifests import Manifest, read_manifest
from trace_eval.judges.base import Case, Judge
from trace_eval.runs.options import Options

#: What takes time, or says when, in lines that are otherwise equal.
TIMES = re.compile(r'"seconds":[^,}]*')

#: Files of a run that are equal to the letter.
EQUAL = ("pairs.jsonl", "problems.jsonl", "overall.jsonl", "results.csv")

#: Files whose lines are in the order in which the work was done.
UNORDERED = ("judgements.jsonl", "blueprints.jsonl", "clips.jsonl", "measures.jsonl")


class Slowly(LouderWins):
    """Takes so many seconds a pair, and logs the process and the pair."""

    def __init__(self, log: Path, delay_s: float) -> None:
        super().__init__()
        self._log, self._delay_s = log, delay_s

    async def judge(self, case: Case) -> Judgement:
        with self._log.open("a") as file:
            file.write(f"{os.getppid()} {case.pair.id}\n")
        await asyncio.sleep(self._delay_s)
        return await super().judge(case)


class ByHash(Judge):
    """A scripted judge whose verdicts follow from a pair's id and its answers."""

    spec = "by-hash"
    concurrency = 8

    def parameters(self) -> dict[str, JsonValue]:
        """Return nothing that could be chosen."""
        return {"kind": "by-hash"}

    def needs_instruction(self, item: Item) -> bool:
        """Read the answers alone."""
        return False

    async def judge(self, case: Case) -> Judgement:
        """Take a rating from each byte of a hash."""
        said = [blueprint.transcript.text for blueprint in (case.a, case.b)]
        return by_hash(case.pair.id, said)


def by_hash(pair: str, words: list[str]) -> Judgement:
    """Return the verdicts that follow from an id and the words of both answers."""
    drawn = hashlib.sha256(repr((pair, words)).encode()).digest()
    verdicts = {
        name: DimensionVerdict(rating=RATINGS[byte % len(RATINGS)], reasoning="by hash")
        for name, byte in zip(DIMENSIONS, drawn, strict=False)
    }
    return Judgement.scored(pair, ByHash.spec, verdicts)


def slow_pairs(folder: Path, count: int) -> Manifest:
    """Write pairs of few recordings, instructions alternating, one record broken."""
    peaks = [(0.5 + n % 4 / 10, 0.55 + n % 3 / 10) for n in range(count)]
    records = pairs_of_peaks(folder / "clips", peaks)
    for number, record in enumerate(records):
        record["instruction_id"] = f"i{number % 5}"
    path = folder / "pairs.jsonl"
    path.write_text(
        "".join(json.dumps(record) + "\n" for record in records) + "{broken\n"
    )
    return read_manifest(path)


def slow_options(folder: Path, address: str | None, delay_s: float = 0.1) -> Options:
    """Return options of that judge: on the cluster at an address, or here."""
    options = louder_options(folder, Slowly(folder / "judged.log", delay_s))
    if address is None:
        return options
    return replace(
        options, extract=replace(options.extract, engine="ray", ray_address=address)
    )


def nodes_of(folder: Path) -> set[str]:
    """Return the nodes that judged: each has a parent process for its own workers."""
    log = folder / "judged.log"
    return (
        {line.split()[0] for line in log.read_text().splitlines()}
        if log.exists()
        else set()
    )


def contents(files: Mapping[str, bytes]) -> dict[str, object]:
    """Return what must be equal in two runs of the same items: not times, not order."""
    lines = {
        name: sorted(TIMES.sub("", files.get(name, b"").decode()).splitlines())
        for name in UNORDERED
    }
    return {**{name: files.get(name) for name in EQUAL}, **lines}
