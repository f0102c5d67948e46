"""The text that a scorer reads, letter by letter."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trace_eval.data.items import Single
from trace_eval.data.manifests import read_items
from trace_eval.judges.base import Case
from trace_eval.judges.scorer.data import read_ratings
from trace_eval.judges.scorer.judge import fields_of_case
from trace_eval.judges.scorer.text import ScorerFields, fitted, text_of

FIELDS = ScorerFields("What is heard?", "a dog", "It is a cat.", "One hears barking.")


def words(text: str) -> int:
    return len(text.split())


def test_fields_stand_in_the_order_of_the_released_checkpoints() -> None:
    assert text_of(FIELDS) == (
        " |context: One hears barking. |question: What is heard? |correct answer: a dog"
        " |candidate answer: It is a cat."
    )


def test_a_transcript_stands_before_the_rationale() -> None:
    assert text_of(replace(FIELDS, transcription="woof")).startswith(
        " |context: |transcription: woof One hears barking. |question:"
    )


def test_empty_fields_keep_their_names() -> None:
    empty = ScorerFields("", "", "")
    assert text_of(empty) == " |context:  |question:  |correct answer:  |candidate answer: "


@given(st.integers(1, 200), st.integers(10, 120))
def test_only_the_rationale_is_cut_and_as_little_as_needed(length: int, limit: int) -> None:
    fields = replace(FIELDS, rationale=" ".join(f"w{i}" for i in range(length)))
    bare = words(text_of(replace(fields, rationale="")))
    found = fitted(fields, limit, words)
    if bare > limit:
        assert found is None
        return
    assert found is not None
    text, cut = found
    assert words(text) <= limit
    assert cut == (words(text_of(fields)) > limit)
    _, _, rest = text_of(fields).partition(" |question:")
    assert text.endswith(" |question:" + rest)
    if cut and limit - bare > 3:
        assert "w0" in text
        # The cut's own mark is a word; no other is left unused.
        assert words(text) >= limit - 1


def test_what_cannot_fit_is_said_so() -> None:
    assert fitted(FIELDS, 5, words) is None


def judged(item: Single) -> str:
    """The text that is rated, against the first reference that says anything."""
    reference = next(text for text in item.reference if text.strip())
    return text_of(fields_of_case(Case(item), reference))


def test_what_is_rated_is_what_was_trained_on_for_every_shared_row(data: Path) -> None:
    path = data / "orca" / "ratings.jsonl"
    items = {item.id: item for item in read_items(path).singles}
    rows = read_ratings(path).rows
    assert len(rows) > 1100
    assert [row.id for row in rows if text_of(row.fields) != judged(items[row.id])] == []


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
    assert fields_of_case(Case(item), text) == ScorerFields(text, text, text, text, text)
