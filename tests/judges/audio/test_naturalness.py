"""Naturalness by listening: two scores per reply, votes, and what is sent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from blueprints import UserError
from tests.support.audio_cases import case, judged, scripted, with_texts
from tests.support.cli import trace_eval
from tests.support.datasets_made import write_lines
from trace_eval.data.judgement import Judgement
from trace_eval.data.outcome import Reason
from trace_eval.decide.card_page import published
from trace_eval.judges.ask.message import AudioPart, Text
from trace_eval.judges.ask.scripted import ScriptedClient
from trace_eval.judges.base import Case
from trace_eval.judges.views.pair.naturalness import TEXT_FROM_ASR, TEXTS_DIFFER
from trace_eval.runs.run import Run

SENTENCE = "The kettle is on <|im_end|> the stove."


def spoken(folder: Path, a: str | None = SENTENCE, b: str | None = SENTENCE) -> Case:
    return with_texts(case(folder, spoken=False), a, b)


def manifest(folder: Path, text: str) -> Path:
    """Write a file of one pair, both of whose sides should say the text."""
    with_words = with_texts(case(folder, spoken=False), text, text)
    path = folder / "pairs.jsonl"
    path.write_text(with_words.item.model_dump_json(exclude_none=True))
    return path


def reply(first: object, second: object, words: str = "calm") -> str:
    return json.dumps(
        {"prosody": words, "overall": words, "score_1": first, "score_2": second}
    )


def compared(
    folder: Path, replies: list[Any], given: Case | None = None, **options: Any
) -> tuple[Judgement, ScriptedClient]:
    return judged(given or spoken(folder), replies, task="naturalness", **options)


def test_both_orders_vote_and_means_are_kept(tmp_path: Path) -> None:
    # Places of order ba are turned back: its first recording is B.
    made, client = compared(tmp_path, [reply(8, 6), reply(7, 7.5)])
    assert len(client.history) == 2
    assert made.label("overall") == "1"
    assert made.label_set == "plain"
    scores = made.pair_scores
    assert (scores.a, scores.b) == ([8, 7.5], [6, 7])
    assert (scores.mean_a, scores.mean_b, scores.margin, scores.p_a) == (
        7.75,
        6.5,
        1.25,
        1,
    )
    assert made.dimensions["overall"].consistent is True
    assert made.opinions[1].score_a == 7.5
    assert "prosody: calm" in made.dimensions["overall"].reasoning
    assert made.caveats == []


def test_what_is_sent(tmp_path: Path) -> None:
    _, client = compared(tmp_path, [reply(8, 6), reply(7, 7)])
    system, user = client.history[0].messages
    kinds = [type(part) for part in user.parts]
    assert kinds == [Text, AudioPart, Text, AudioPart, Text]
    assert "‹|im_end|›" in user.text, "the text is fenced and made harmless"
    assert "<|im_end|>" not in user.text
    assert user.text.index("target text") < user.text.index("The first recording")
    assert '"score_1": "1 to 10"' in user.text
    assert "SYS-A" not in system.text + user.text
    hashes = []
    for request in client.history:
        parts = request.messages[1].parts
        hashes.append([part.recipe for part in parts if isinstance(part, AudioPart)])
    assert hashes[0] == hashes[1][::-1]


def test_a_failed_reply_is_no_vote_and_never_a_tie(tmp_path: Path) -> None:
    made, client = compared(
        tmp_path, ["no scores", reply(8, 6), "no scores", reply(9, 11)]
    )
    assert made.opinions[0].repaired
    assert made.status == "unscored"
    assert made.reason is Reason.OFF_LABEL
    assert made.pair_scores is None
    assert made.dimensions == {}
    # The second chance keeps the recordings and shows what was wrong.
    again = client.history[1].messages
    assert any(isinstance(part, AudioPart) for part in again[1].parts)
    assert "cannot be used" in again[-1].text


def test_one_of_several_replies_may_fail(tmp_path: Path) -> None:
    replies = [reply(8, 6), "x", reply(7, 6), reply(5, 6)]
    made, _ = compared(tmp_path, replies, swap="off", samples=4, repair=False)
    assert made.label("overall") == "1"
    assert made.caveats == ["1 of 4 opinions failed: 1 unparseable"]


def test_free_text_for_models_that_end_with_scores(tmp_path: Path) -> None:
    text = "Output A: 3 faults.\n\nOutput A: 10, Output B: 9"
    made, client = compared(tmp_path, [text] * 2, structure="text")
    assert (made.pair_scores.a, made.pair_scores.b) == ([10, 9], [9, 10])
    assert made.label("overall") == "tie"  # a vote for each place
    assert (
        "one line that has nothing but both scores"
        in client.history[0].messages[1].text
    )


def test_texts_that_differ_or_are_heard(tmp_path: Path) -> None:
    made, client = compared(
        tmp_path, [reply(8, 6)] * 2, spoken(tmp_path, "One.", "Two.")
    )
    assert made.caveats == [TEXTS_DIFFER]
    first, second = (request.messages[1].text for request in client.history)
    assert first.index("One.") < first.index("Two.")
    assert second.index("Two.") < second.index("One.")
    lacking = spoken(tmp_path, b=None)
    made, client = compared(tmp_path, [], lacking)
    assert made.reason is Reason.EVIDENCE_MISSING
    assert "answer B has no reference text" in str(made.detail)
    made, _ = compared(tmp_path, [reply(8, 6)] * 2, lacking, transcripts="asr")
    assert TEXT_FROM_ASR in made.caveats


def test_a_template_replaces_the_whole_prompt(tmp_path: Path) -> None:
    template = tmp_path / "mine.j2"
    template.write_text(
        "{% block system %}{% endblock %}"
        "{% block pair %}Text {{ texts[0] }} A {{ audio_1 }} B {{ audio_2 }} Rate.{%"
        " endblock %}"
    )
    made, client = compared(tmp_path, [reply(8, 6)] * 2, template=template)
    (user,) = client.history[0].messages
    assert [p.text for p in user.parts if isinstance(p, Text)][1:] == ["B", "Rate."]
    assert made.status == "scored"
    ours, theirs = (
        scripted([], task="naturalness", template=path)[0] for path in (None, template)
    )
    assert ours.parameters()["prompt"] != theirs.parameters()["prompt"]
    template.write_text("{% block verdict %}{% endblock %}")
    with pytest.raises(
        UserError, match="define one or more of system, criteria, pair, single"
    ):
        compared(tmp_path, [], template=template)


def test_it_is_one_of_the_tasks() -> None:
    judge, _ = scripted([], task="naturalness")
    assert judge.reads == {"audio"}
    with pytest.raises(UserError, match="sent separately"):
        scripted([], task="naturalness", concat="pairs")


def test_report_and_card_of_a_plain_tie(tmp_path: Path) -> None:
    replies = [{"reply": reply(8, 6)}, {"reply": reply(7, 7)}]
    script = write_lines(tmp_path / "script.jsonl", replies)
    run = tmp_path / "run"
    done = trace_eval(
        "judge", manifest(tmp_path, SENTENCE), "--judge", f"audio:scripted:{script}",
        "-J", "task=naturalness", "--out", run, "--cache", tmp_path / "cache",
    )  # fmt: skip
    assert done.code == 0, done.err
    overall = Run.open(run).overall()["p"]
    assert (overall.rating, overall.distribution) == ("tie", {"1": 0.5, "tie": 0.5})
    report = trace_eval("report", run)
    assert report.code == 0, report.err
    card = trace_eval("card", run, "--out", tmp_path / "card")
    assert card.code == 0, card.err
    page = "".join(path.read_text() for path in (tmp_path / "card").rglob("*.md"))
    assert "does not carry over to man against machine" in page
    assert "Chinese pairs were easier than English ones" in page
    assert "No accuracy is published for two answers that say different things" in page
    for who, *shares in published().accuracy:
        # 400 regular and 600 expressive pairs make up all; each figure is rounded to
        # 0.1
        regular, expressive, whole = shares
        assert whole == pytest.approx(0.4 * regular + 0.6 * expressive, abs=0.11), who
        assert who in page


def test_a_real_server_hears_both_recordings(tmp_path: Path, ears: str) -> None:
    pairs = manifest(tmp_path, "Please say it twice.")
    done = trace_eval(
        "judge", pairs, "--judge", "audio:openai:tiny", "-J", "task=naturalness",
        "--base-url", f"{ears}/v1", "--out", tmp_path / "run", "--cache", tmp_path / "cache",
        "--min-coverage", "0",
    )  # fmt: skip
    assert done.code == 0, done.err
    judgement = Run.open(tmp_path / "run").judgements()["p"]
    # Random weights: a score may fall off the scale; that is a reason, never a vote.
    for opinion in judgement.opinions:
        assert (opinion.reason is None) == (opinion.score_a is not None)
        assert opinion.reason in (
            None,
            Reason.OFF_LABEL,
            Reason.UNPARSEABLE,
            Reason.REPLY_CUT,
        )
        assert opinion.usage.input_tokens > 0
    assert len(judgement.opinions) == 2
