"""Whether enough was rated: on the pages, in the terminal, or why nobody can say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fusion import Rating
from tests.support import reviewed
from tests.support.audio import tone, write
from tests.support.browser import Server
from tests.support.cli import trace_eval
from tests.support.review_pages import client_of
from tests.support.reviewed import answered, opened
from trace_eval.data.items import Pair
from trace_eval.review.app import create_app
from trace_eval.review.enough import Watch, lines_of, stopping_of
from trace_eval.review.exports import write_exports
from trace_eval.review.opening import open_review
from trace_eval.review.security import Access
from trace_eval.review.session import Review


def prefer_second(review: Review, pairs: int) -> None:
    """Prefer ``secret-two``, whatever is shown first."""
    for _ in range(pairs):
        position = review.position("ada")
        assert position is not None
        answered(review, "ada", "2" if position.view.shown == "ab" else "1")


def test_a_folder_of_two_systems_is_reviewed_without_a_run(tmp_path: Path) -> None:
    for system in ("old", "new"):
        for number in range(2):
            place = tmp_path / "answers" / system / f"{number}.wav"
            place.parent.mkdir(parents=True, exist_ok=True)
            write(place, tone(1.0, 300.0 + number))
    review = open_review(tmp_path / "answers")
    assert [pair.systems for pair in review.material.pairs] == [("new", "old")] * 2


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    """Sixteen pairs that nobody judged."""
    path = tmp_path / "pairs.jsonl"
    lines = [
        one.model_dump_json(exclude_none=True) for one in reviewed.pairs(tmp_path, 16)
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_preference_is_decided_before_the_last_pair(pairs: Path) -> None:
    review, told = opened(pairs, "ab"), []
    watch = Watch(review, tell=told.append)
    prefer_second(review, 4)
    (row,) = watch.look()[0]
    assert row.verdict.startswith("Not enough for a look after every label: ")
    assert "with a chance of 0.8" in row.next_step
    assert not told
    prefer_second(review, 11)
    (row,) = watch.look()[0]
    assert row.verdict.startswith(
        "Enough: secret-two is better than secret-one, after "
    )
    watch.look()
    assert told == [row.verdict]


def test_raters_are_not_told_who_is_better_before_they_are_done(pairs: Path) -> None:
    review = opened(pairs, "ab")
    client = client_of(review, "ada")
    prefer_second(review, 15)
    page = client.get("/results").text
    assert '<p class="enough" dir="auto">Enough to tell' in page
    assert "secret-" not in page
    prefer_second(review, 1)
    assert "secret-" not in client.get("/review").text
    assert "Enough to tell who is better." in client.get("/review").text
    assert "Enough: secret-two is better than secret-one" in client.get("/results").text


def test_comparisons_count_by_their_sign_and_systems_may_be_nameless(
    tmp_path: Path,
) -> None:
    path = tmp_path / "pairs.jsonl"
    records = [
        one.model_dump(exclude_none=True, mode="json")
        for one in reviewed.pairs(tmp_path, 15)
    ]
    for record in records:
        for side in "ab":
            del record[side]["system"]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    review = opened(path, "cmos")
    for _ in range(15):
        position = review.position("ada")
        assert position is not None
        answered(review, "ada", "1" if position.view.shown == "ab" else "-1")
    (row,) = stopping_of(review)
    assert row.verdict.startswith("Enough: B is better than A")


def test_a_queue_that_begins_with_doubtful_pairs_cannot_say(tmp_path: Path) -> None:
    judged = {f"p{n}": reviewed.scored(f"p{n}", consistent=n > 2) for n in range(8)}
    run = reviewed.write_run(tmp_path / "run", reviewed.pairs(tmp_path, 8), judged)
    review = open_review(run, {})
    assert len(review.plan.needed) == 3
    for _ in range(5):
        reviewed.say(review, "ada", Rating.A)
    (row,) = stopping_of(review)
    assert (row.enough, row.interval) == (False, None)
    assert row.why_not is not None
    assert "plan another review with --random-share 1" in row.why_not
    write_exports(review, tmp_path / "out")
    said = trace_eval("rank", tmp_path / "out" / "labels.csv").out
    assert (
        "Nobody can say whether enough was labelled: pairs that need a person" in said
    )
    # its remedy
    other = open_review(run, {"random_share": 1.0}, reviewed.another_database(run))
    for _ in range(5):
        reviewed.say(other, "ada", Rating.A)
    assert other.plan.needed == []
    (row,) = stopping_of(other)
    assert row.why_not is None
    assert row.verdict.startswith(("Enough", "Not enough"))


def test_scores_of_each_two_systems_are_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    sound = write(tmp_path / "x.wav", tone(0.3))
    records = [
        {
            "id": f"{name}-{n}",
            "question_id": f"q{n}",
            "system": name,
            "audio": str(sound),
        }
        for n in range(13)
        for name in ("bad", "fair", "good")
    ]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    review = opened(path, "mos")
    for _ in records:
        position = review.position("ada")
        assert position is not None
        name = position.view.item.split("-")[0]
        answered(review, "ada", {"bad": "1", "fair": "4", "good": "5"}[name])
    rows = {row.question: row for row in stopping_of(review)}
    assert rows["mean score of good minus bad"].enough
    assert not rows["mean score of good minus fair"].enough
    (blind,) = lines_of(tuple(rows.values()), blind=True)
    assert blind.startswith(
        f"{sum(row.enough for row in rows.values())} of 3 comparisons of two"
    )


def test_the_page_says_what_the_judge_saves(run: Path) -> None:
    review = open_review(run, {"budget": 4})
    client = client_of(review, "ada")
    for _ in range(4):
        reviewed.say(review, "ada", Rating.A)
    page = client.get("/results").text
    assert "4 of 6 pairs were labelled; the judge decides none of the others" in page
    assert "nothing is saved" in page


def test_the_page_the_screening_and_the_card_say_one_sentence(tmp_path: Path) -> None:
    items = []
    for number in range(40):
        record = reviewed.pairs(tmp_path, 1)[0].model_dump(exclude_none=True)
        record |= {"id": f"p{number}", "instruction": {"text": f"Say {number}."}}
        for side in "ab":
            sound = tone(0.05, hz=300 + 3 * number + 600 * (side == "b"))
            record[side]["audio"] = write(tmp_path / f"{side}{number}.wav", sound)
        items.append(Pair.model_validate(record))
    ratings = {pair.id: (Rating.A, Rating.B)[n % 2] for n, pair in enumerate(items)}
    judged = {item: reviewed.scored(item, rating) for item, rating in ratings.items()}
    run = reviewed.write_run(tmp_path / "run", items, judged)
    review = opened(run, "ab", budget=33, random_share=1.0)
    for _ in range(33):
        position = review.position("ada")
        assert position is not None
        is_first = ratings[position.view.item] == Rating.A
        answered(
            review, "ada", "1" if is_first == (position.view.shown == "ab") else "2"
        )
    said = (
        "33 of 40 pairs were labelled; the judge decides 7 of the others with at most"
        " 10 % wrong (95 % sure); 0 are left to people: 18 % saved."
    )
    assert said in client_of(review, "ada").get("/results").text
    write_exports(review, tmp_path / "out")
    labels = tmp_path / "out" / "labels.csv"
    assert said in " ".join(trace_eval("screen", run, "--labels", labels).out.split())
    trace_eval("card", run, "--labels", labels)
    assert said in (run / "card.md").read_text()


def test_an_answer_is_followed_by_a_look(pairs: Path) -> None:
    review, told = opened(pairs, "ab"), []
    prefer_second(review, 15)
    watch = Watch(review, tell=told.append)
    app = create_app(review, Access("127.0.0.1", 8765, review.store.secret), watch)
    assert app is not None
    watch.after_rating()
    assert watch.look()[0][0].enough
    assert len(told) == 1


def test_the_terminal_says_it_at_the_end(pairs: Path) -> None:
    prefer_second(opened(pairs, "ab"), 15)
    server = Server(str(pairs), "--protocol", "ab")
    server.stop()
    assert server.process.stdout is not None
    said = server.process.stdout.read()
    assert "Enough: secret-two is better than secret-one, after " in said
