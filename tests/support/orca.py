"""The shared human ratings beside their items."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from fusion import likert
from trace_eval.data.manifests import read_items
from trace_eval.opinions.cells import texts_of
from trace_eval.opinions.opinions import Opinions
from trace_eval.opinions.ratings import rated, ratings_of_items
from trace_eval.stats.agreement.scored import items_of, with_ratings

SCALE = likert(1, 5)


@cache
def orca_items(data: Path, *splits: str) -> Opinions:
    """All rows, or those of some splits."""
    path = data / "orca" / "ratings.jsonl"
    items = [i for i in read_items(path).singles if not splits or i.split in splits]
    ratings = ratings_of_items(str(path), items)
    whole = items_of(
        [Opinions(str(path), texts_of([item.id for item in items]), {})], ratings
    )
    return with_ratings(whole, rated(ratings), SCALE)


@cache
def orca_rows(data: Path) -> list[dict[str, Any]]:
    """Read the rows as they are."""
    path = data / "orca" / "ratings.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
