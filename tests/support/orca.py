"""The shared human ratings as a study."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from fusion import likert
from trace_eval.data.manifests import read_items
from trace_eval.stats.agreement.ratings import ratings_of_items, written
from trace_eval.stats.agreement.score_join import study_of
from trace_eval.stats.agreement.study import Study

SCALE = likert(1, 5)


@cache
def orca_study(data: Path, *splits: str) -> Study:
    """All rows, or those of some splits."""
    path = data / "orca" / "ratings.jsonl"
    items = [i for i in read_items(path).singles if not splits or i.split in splits]
    facts = {item.id: (item.question_id, item.system, item.split) for item in items}
    return study_of(facts, written(items), ratings_of_items(str(path), items), SCALE)


@cache
def orca_rows(data: Path) -> list[dict[str, Any]]:
    """The rows as they are."""
    path = data / "orca" / "ratings.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
