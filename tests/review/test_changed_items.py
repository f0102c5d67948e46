"""Ratings count while their item is what was rated, whoever changed it, and where."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import fsspec
import pytest

from blueprints import Advice, UserError
from tests.support import reviewed as support
from tests.support.audio import tone, write
from trace_eval.data.answers import Answer
from trace_eval.review.exports import write_exports
from trace_eval.review.opening import open_review
from trace_eval.review.options import ReviewOptions
from trace_eval.review.session import Review

_TEXTS = {"question": "Which?", "reference": "This.", "candidate": "That."}


def _write(path: Path, **texts: str) -> None:
    records = [{"id": f"i{n}", **_TEXTS, **texts} for n in range(2)]
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))


def _open(manifest: Path) -> Review:
    return open_review(manifest, options=ReviewOptions(rubric="correctness"))


def _rate(review: Review, rater: str = "ada") -> None:
    position = review.position(rater)
    assert position is not None
    assert review.answer(rater, position.task, "correctness", "5")


def _counted(review: Review) -> list[tuple[str, str | None]]:
    return [(one.item, one.set_aside) for one in review.store.stored(all_=True)]


@pytest.mark.parametrize(
    "field", ["question", "reference", "candidate", "context", "rationale"]
)
def test_a_text_changed_in_the_manifest_is_rated_anew(
    tmp_path: Path, field: str
) -> None:
    manifest = tmp_path / "items.jsonl"
    _write(manifest)
    first = _open(manifest)
    _rate(first)
    _rate(first)
    lines = manifest.read_text().splitlines()
    record = {**json.loads(lines[0]), field: "Something else."}
    manifest.write_text(f"{json.dumps(record)}\n{lines[1]}\n")
    with pytest.warns(Advice, match=r"1 answer \('i0' first\) changed since"):
        again = _open(manifest)
    assert _counted(again) == [("i0", "changed"), ("i1", None)]
    position = again.position("ada")
    assert position is not None
    assert position.view.item == "i0"
    _rate(again)
    write_exports(again, tmp_path / "out")
    assert (tmp_path / "out" / "labels.csv").read_text().count("i0,ada") == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # the new text was rated: nothing is said
        assert [item for item, aside in _counted(_open(manifest)) if not aside] == [
            "i1",
            "i0",
        ]


def test_what_nobody_is_shown_may_change(tmp_path: Path) -> None:
    manifest = tmp_path / "items.jsonl"
    _write(manifest)
    _rate(_open(manifest))
    _write(manifest, system="new", category="odd", note="more")
    assert _counted(_open(manifest)) == [("i0", None)]


@pytest.mark.parametrize("served", [True, False])
def test_corrections_that_were_taken_away_take_their_ratings(
    tmp_path: Path, served: bool
) -> None:
    """While the server runs, or between two servings."""
    manifest = tmp_path / "items.jsonl"
    _write(manifest)
    review = _open(manifest)
    review.position("ada")
    assert review.correct("eve", 0, {"reference": "Another."}) == 1
    _rate(review)
    review.material.corrections.unlink()
    if served:
        position = review.position("ada")
        assert position is not None
        assert position.view.item == "i0"
    else:
        with pytest.warns(Advice, match="changed since they were rated"):
            review = _open(manifest)
    assert _counted(review) == [("i0", "changed")]
    assert review.items[0].reference == ("This.",)


def test_two_reviews_in_one_folder_share_only_what_fits(tmp_path: Path) -> None:
    """Items of one name: the same text is corrected in both, another one in neither."""
    one, same, other = (tmp_path / f"{name}.jsonl" for name in ("one", "same", "other"))
    _write(one)
    _write(same)
    _write(other, question="Who?", reference="She.")
    reviews: list[Review] = []
    for manifest in (one, same, other):
        own = ReviewOptions(
            rubric="correctness", database=tmp_path / "kept" / manifest.stem
        )
        reviews.append(open_review(manifest, options=own))
    for review in reviews:
        _rate(review)
    assert reviews[0].correct("eve", 0, {"reference": "Another."}) == 1
    for review in reviews:
        review.position("bob")
    assert [_counted(review) for review in reviews] == [
        [("i0", "corrected")],
        [("i0", "changed")],
        [("i0", None)],
    ]
    references = [review.items[0].reference for review in reviews]
    assert references == [("Another.",), ("Another.",), ("She.",)]


def test_a_recording_replaced_between_servings_is_rated_anew(tmp_path: Path) -> None:
    replaced = write(tmp_path / "second" / "secret-two.wav", tone(0.3, hz=600))
    pairs = support.pairs(tmp_path, 2)
    second = pairs[1].b.model_copy(update={"audio": replaced})
    pairs[1] = pairs[1].model_copy(update={"b": second})
    manifest = tmp_path / "pairs.jsonl"
    manifest.write_text("".join(f"{pair.model_dump_json()}\n" for pair in pairs))
    first = open_review(manifest)
    for _ in pairs:
        support.say(first, "ada", support.Rating.A)
    assert len(first.labelled()) == 2
    write(replaced, tone(0.3))
    with pytest.warns(Advice, match=rf"1 pair \('{pairs[1].id}' first\) changed"):
        again = open_review(manifest)
    assert [row.view.item for row in again.labelled()] == [pairs[0].id]
    # A copy, byte for byte: a WAV of floats holds the second in which it was written.
    elsewhere = tmp_path / "elsewhere.wav"
    elsewhere.write_bytes((tmp_path / "secret-one.wav").read_bytes())
    moved = pairs[0].model_copy(
        update={"a": pairs[0].a.model_copy(update={"audio": elsewhere})}
    )
    manifest.write_text(
        "".join(f"{pair.model_dump_json()}\n" for pair in (moved, pairs[1]))
    )
    assert [row.view.item for row in open_review(manifest).labelled()] == [pairs[0].id]


@pytest.mark.usefixtures("memory_urls")
def test_sound_replaced_behind_a_url_is_rated_anew(tmp_path: Path) -> None:
    memory = fsspec.filesystem("memory")
    memory.pipe("/seen/two.wav", write(tmp_path / "two.wav", tone(0.3)).read_bytes())
    pairs = support.pairs(tmp_path, 2)
    far = Answer(url="memory://seen/two.wav", system="secret-two")
    pairs[1] = pairs[1].model_copy(update={"b": far})
    manifest = tmp_path / "pairs.jsonl"
    manifest.write_text("".join(f"{pair.model_dump_json()}\n" for pair in pairs))
    first = open_review(manifest)
    for _ in pairs:
        support.say(first, "ada", support.Rating.A)
    assert len(open_review(manifest).labelled()) == 2
    longer = write(tmp_path / "longer.wav", tone(0.4)).read_bytes()
    memory.pipe("/seen/two.wav", longer)
    with pytest.warns(Advice, match=rf"1 pair \('{pairs[1].id}' first\) changed"):
        again = open_review(manifest)
    assert [row.view.item for row in again.labelled()] == [pairs[0].id]


def test_a_server_of_before_a_change_takes_no_answer_to_the_old_text(
    tmp_path: Path,
) -> None:
    manifest = tmp_path / "items.jsonl"
    _write(manifest)
    old = _open(manifest)
    _rate(old)
    _write(manifest, reference="Another.")
    with pytest.warns(Advice, match="changed since they were rated"):
        new = _open(manifest)
    position = new.position("ada")
    assert position is not None
    with pytest.raises(UserError, match="'i0' was changed after this server was start"):
        old.answer("ada", position.task, "correctness", "5")
    with pytest.raises(UserError, match="start it again"):
        old.position("eve")
    _rate(new)
    assert _counted(new) == [("i0", "changed"), ("i0", None)]
    other = _open(manifest)  # of the same items: both may serve
    _rate(other, "eve")
    _rate(new, "eve")
    assert len([item for item, aside in _counted(new) if not aside]) == 3


def test_a_server_of_before_a_change_takes_no_answer_to_the_old_recording(
    tmp_path: Path,
) -> None:
    recording = write(tmp_path / "answer.wav", tone(0.3, hz=600))
    manifest = tmp_path / "items.jsonl"
    record = {"id": "i0", **_TEXTS, "audio": str(recording)}
    manifest.write_text(f"{json.dumps(record)}\n")
    old = _open(manifest)
    _rate(old)
    same = _open(manifest)  # nothing was replaced: both may serve
    _rate(same, "bob")
    _rate(old, "cyd")
    position = old.position("dan")
    assert position is not None
    write(recording, tone(0.3))
    with pytest.warns(Advice, match="changed since they were rated"):
        new = _open(manifest)
    with pytest.raises(UserError, match="'i0' was changed after this server was start"):
        old.answer("dan", position.task, "correctness", "5")
    _rate(new, "dan")
    assert [aside for _, aside in _counted(new)] == ["changed"] * 3 + [None]


def test_an_item_whose_correction_nobody_rated_may_lose_it(tmp_path: Path) -> None:
    manifest = tmp_path / "items.jsonl"
    _write(manifest)
    review = _open(manifest)
    assert review.correct("eve", 0, {"reference": "Another."}) == 1
    review.material.corrections.unlink()
    _rate(_open(manifest))
    assert _counted(review) == [("i0", None)]
