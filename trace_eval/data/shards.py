"""Shards: one input cut into disjoint parts, for job arrays and several machines."""

from __future__ import annotations

import hashlib
import json
import re
from array import array
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from blueprints import UserError


@dataclass(frozen=True)
class Shard:
    """A part of a manifest and the number of parts, counted from 1."""

    index: int
    of: int

    def __post_init__(self) -> None:
        if not 1 <= self.index <= self.of:
            raise UserError(
                f"shard {self}: count from 1 up to the number of shards, e.g. 2/8; a"
                " job array must count from 1 as well"
            )

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Read ``I/N``, I in 1 to N."""
        match = re.fullmatch(r"(\d{1,9})/(\d{1,9})", text.strip())
        if match is None:
            raise UserError(f"shard {text!r}: write I/N, e.g. 2/8")
        return cls(int(match[1]), int(match[2]))

    def __str__(self) -> str:
        return f"{self.index}/{self.of}"

    @property
    def name(self) -> str:
        """As part of a folder's name."""
        return f"{self.index}-of-{self.of}"

    def places(self, keys: Sequence[Hashable]) -> list[int]:
        """Return the places of this shard's items, ascending; equal keys stay together.

        Items are lined up by the first appearance of their key and cut into contiguous
        parts whose sizes differ by one at most, so at most ``of - 1`` keys are in two
        parts or more.
        """
        return self.cut(lined_up(keys))

    def cut(self, line: Sequence[int]) -> list[int]:
        """Return this shard's part of the places of ``lined_up``, ascending."""
        start, end = (
            len(line) * part // self.of for part in (self.index - 1, self.index)
        )
        return sorted(line[start:end])


def lined_up(keys: Iterable[Hashable]) -> list[int]:
    """Order the places of all items by the first appearance of their key."""
    first: dict[Hashable, int] = {}
    ranks = array("q")
    for position, key in enumerate(keys):
        ranks.append(first.setdefault(key, position))
    return sorted(range(len(ranks)), key=ranks.__getitem__)


@dataclass(frozen=True)
class ManifestShard:
    """The facts about the whole manifest that a part keeps."""

    shard: Shard  # which part it is
    pairs: int  # number of pairs of the whole
    # of the ids of all pairs, so that shards of other inputs are told apart
    digest: str
    places: tuple[int, ...]  # of each pair of this part, its place in the whole, from 0

    def record(self) -> dict[str, Any]:
        """Return what the run's manifest holds of it."""
        return {**asdict(self.shard), "pairs": self.pairs, "digest": self.digest}


class IdDigest:
    """The SHA-256 of ids in their order."""

    def __init__(self) -> None:
        self._sha256 = hashlib.sha256()

    def add(self, name: str) -> None:
        """Add the next id."""
        self._sha256.update(json.dumps(name).encode() + b"\n")

    def hexdigest(self) -> str:
        """Return the digest of those that were added."""
        return self._sha256.hexdigest()


def digest(ids: Iterable[str]) -> str:
    """Return the SHA-256 of ids in their order."""
    result = IdDigest()
    for name in ids:
        result.add(name)
    return result.hexdigest()
