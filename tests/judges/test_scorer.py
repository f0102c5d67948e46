"""A scorer's rows, the text that it reads, letter by letter, and clamping."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blueprints import UserError
from tests.support.datasets_made import write_lines
from trace_eval.data.items import Single
from trace_eval.data.manifests import read_items
from trace_eval.judges.base import Case
from trace_eval.judges.scorer.batcher import Batcher
from trace_eval.judges.scorer.clamp import clamped, fit_clamp, objective
from trace_eval.judges.scorer.data import ScorerRatings, read_ratings, train_and_dev
from trace_eval.judges.scorer.judge import fields_of_case
from trace_eval.judges.scorer.text import ScorerFields, fitted, text_of


def read(folder: Path, *rows: dict[str, Any]) -> ScorerRatings:
    return read_ratings(write_lines(folder / "ratings.jsonl", rows))


def row(number: int, ratings: list[int | None], **more: Any) -> dict[str, Any]:
    return {
        "id": f"r{number}",
        "question_id": f"q{number}",
        "question": "What is heard?",
        "reference": "a dog",
        "candidate": "a cat",
        "rationale": "barking",
        "transcription": "",
        "ratings": ratings,
        "feedback": [None] * len(ratings),
        **more,
    }


def test_rows_that_cannot_be_used_are_counted(tmp_path: Path) -> None:
    ratings = read(
        tmp_path,
        row(0, [5, None, 4]),
        row(1, [None, None]),
        row(2, [1], feedback=[["r"]]),
        row(3, [2], feedback=[["a"]]),
    )
    assert [(r.id, r.ratings) for r in ratings.rows] == [("r0", (5, 4)), ("r3", (2,))]
    assert dict(ratings.dropped) == {"no rating": 1, "reference wrong": 1}


@pytest.mark.parametrize("rating", [0, 6, 2.5])
def test_ratings_off_the_scale_are_refused(tmp_path: Path, rating: Any) -> None:
    with pytest.raises(UserError, match="item r0"):
        read(tmp_path, row(0, [rating]))


def test_a_question_in_two_splits_is_refused(tmp_path: Path) -> None:
    rows = [row(0, [1], split="train"), row(1, [1], question_id="q0", split="test")]
    with pytest.raises(UserError, match="'q0' is in split train and in test"):
        read(tmp_path, *rows)


def test_dev_is_cut_by_question(tmp_path: Path) -> None:
    rows = [row(n, [3], question_id=f"q{n // 4}") for n in range(200)]
    used = read(tmp_path, *rows).rows
    train, dev = train_and_dev(used, 0.2, seed=1)
    assert {r.question for r in train}.isdisjoint({r.question for r in dev})
    assert len(train) + len(dev) == 200
    assert 20 <= len(dev) <= 60
    assert train_and_dev(used, 0.2, seed=1) == (train, dev)
    assert train_and_dev(used, 0.2, seed=2)[1] != dev


def test_the_shared_ratings_are_read_whole(data: Path) -> None:
    ratings = read_ratings(data / "orca" / "ratings.jsonl")
    train, dev = train_and_dev(ratings.rows, 0.1, seed=0)
    assert {r.split for r in train} == {"train"}
    assert {r.split for r in dev} == {"dev"}
    assert len(ratings.rows) + sum(ratings.dropped.values()) == 1224


FIELDS = ScorerFields("What is heard?", "a dog", "It is a cat.", "One hears barking.")


def words(text: str) -> int:
    return len(text.split())


def test_fields_stand_in_the_order_of_the_released_checkpoints() -> None:
    assert text_of(FIELDS) == (
        " |context: One hears barking. |question: What is heard? |correct answer: a dog"
        " |candidate answer: It is a cat."
    )
    assert text_of(replace(FIELDS, transcription="woof")).startswith(
        " |context: |transcription: woof One hears barking. |question:"
    )
    empty = text_of(ScorerFields("", "", ""))
    assert empty == " |context:  |question:  |correct answer:  |candidate answer: "


@given(st.integers(1, 200), st.integers(5, 120))
def test_only_the_rationale_is_cut_and_as_little_as_needed(
    length: int, limit: int
) -> None:
    fields = replace(FIELDS, rationale=" ".join(f"w{i}" for i in range(length)))
    bare = words(text_of(replace(fields, rationale="")))
    fit = fitted(fields, limit, words)
    if bare > limit:
        assert fit is None
        return
    assert fit is not None
    text, cut = fit
    assert words(text) <= limit
    assert cut == (words(text_of(fields)) > limit)
    _, _, rest = text_of(fields).partition(" |question:")
    assert text.endswith(" |question:" + rest)
    if cut and limit - bare > 3:
        assert "w0" in text
        # The cut's own mark is a word; no other is left unused.
        assert words(text) >= limit - 1


def judged(item: Single) -> str:
    """Return the text that is rated, against the first reference that says anything."""
    reference = next(text for text in item.reference if text.strip())
    return text_of(fields_of_case(Case(item), reference))


def test_what_is_rated_is_what_was_trained_on_for_every_shared_row(data: Path) -> None:
    path = data / "orca" / "ratings.jsonl"
    items = {item.id: item for item in read_items(path).singles}
    rows = read_ratings(path).rows
    assert len(rows) > 1100
    assert [
        row.id for row in rows if text_of(row.fields) != judged(items[row.id])
    ] == []


@pytest.mark.parametrize(
    "text", ["a\nb", " a  b ", "<b>", "[INST]", "### a", "e\u0301", "\u200b{{a}}"]
)
def test_no_text_of_an_item_is_changed(text: str) -> None:
    item = Single.model_validate(
        {
            "id": "i",
            "instruction": {"text": text},
            "reference": [" ", text],
            "answer": {"text": text},
            "rationale": text,
            "transcription": text,
        }
    )
    assert fields_of_case(Case(item), text) == ScorerFields(
        text, text, text, text, text
    )


share = st.floats(0, 1).map(lambda value: round(value, 2))


def test_the_bounds_themselves_stay() -> None:
    mean = np.array([0.0, 0.1, 0.125, 0.5, 0.875, 0.9, 0.9])
    variance = np.array([0.01, 0.02, 0.0, 0.0, 0.0, 0.02, 0.03])
    assert clamped(mean, variance, 0.02).tolist() == [
        0.0,
        0.0,
        0.125,
        0.5,
        0.875,
        1.0,
        0.9,
    ]
    assert clamped(mean, variance, None) is mean
    inside = np.array([0.3, 0.5, 0.7])  # nothing to clamp, so off wins the tie
    assert fit_clamp(inside, np.full(3, 0.01), inside / 1.1).threshold is None


@settings(max_examples=20)
@given(
    st.lists(
        st.tuples(share, share.map(lambda v: v / 4), share), min_size=3, max_size=12
    )
)
def test_the_search_finds_what_trying_everything_finds(
    rows: list[tuple[float, ...]],
) -> None:
    mean, variance, truth = (np.array(column) for column in zip(*rows, strict=True))
    clamp = fit_clamp(mean, variance, truth)
    tried = [
        objective(clamped(mean, variance, v), truth) for v in np.linspace(0, 0.26, 53)
    ]
    values = [value for value in tried if value is not None]
    if clamp.unclamped is None:
        return
    assert clamp.objective is not None
    assert clamp.objective >= max([*values, clamp.unclamped]) - 1e-12
    if clamp.threshold is None:
        assert clamp.objective == clamp.unclamped
    else:
        assert clamp.objective > clamp.unclamped
        assert (
            objective(clamped(mean, variance, clamp.threshold), truth)
            == clamp.objective
        )


def test_what_waits_is_worked_off_in_batches_of_like_length() -> None:
    made: list[list[str]] = []

    def work(asks: Sequence[str]) -> list[int]:
        made.append(list(asks))
        if "bad" in asks:
            raise ValueError("bad")
        return [len(ask) for ask in asks]

    async def main() -> list[int | BaseException]:
        batcher = Batcher(work, 2, len)
        asks = ("long one", "a", "bb", "longest of all", "bad")
        return await asyncio.gather(*map(batcher.ask, asks), return_exceptions=True)

    found = asyncio.run(main())
    assert made == [["a", "bb"], ["bad", "long one"], ["longest of all"]]
    assert [found[n] for n in (1, 2, 3)] == [1, 2, 14]
    assert all(
        isinstance(found[n], ValueError) for n in (0, 4)
    )  # the batch fails together
