"""Conversations as answers: read, cut, extracted, judged, rated and continued."""

from __future__ import annotations

import asyncio
import json
import re
from itertools import product
from pathlib import Path

import pytest
import soundfile

from blueprints import UserError
from extractors.audio import Clip
from fusion import Rating
from tests.support import calls
from tests.support.cases import verdict
from tests.support.cli import trace_eval
from tests.support.fakes import Counting
from tests.support.report_pages import fragment
from trace_eval.api.judged import Run
from trace_eval.compare.tables import compare_answer
from trace_eval.data.items import Pair, Single
from trace_eval.data.outcome import Reason
from trace_eval.data.rubrics.load import load_rubric
from trace_eval.decide.agree import agree
from trace_eval.extracting.cache import Cache
from trace_eval.extracting.clip import ClipExtractor
from trace_eval.extracting.options import ExtractOptions
from trace_eval.extracting.source import source_of
from trace_eval.judges.base import Case, judgement_of
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.registry.create import panel_of
from trace_eval.judges.rules.judge import RulesJudge
from trace_eval.report.write import write_report
from trace_eval.runs.job import judge_manifest, open_job, rate_manifest
from trace_eval.runs.options import Options, PairOptions, RateOptions
from trace_eval.runs.pipeline import plan_for
from trace_eval.runs.score_pairs import write_pairs
from trace_eval.stats.options import AgreeOptions


def test_every_turn_is_a_clip_of_its_channel_cached_by_its_samples(
    tmp_path: Path,
) -> None:
    samples, rate = soundfile.read(calls.sound(tmp_path), dtype="float32")
    path = calls.manifest(
        tmp_path, [{"id": "c1", "conversation": calls.conversation()}]
    )
    (item,) = open_job(path, tmp_path / "run", RateOptions()).manifest.singles
    clips = item.recordings()
    assert list(clips) == item.answer_roles == [f"answer/turn-{n}" for n in range(5)]
    assert [turn.speaker for turn in item.answer.spoken_turns.values()][:2] == [
        "bot",
        "caller",
    ]
    cache = Cache(tmp_path / "cache")
    plan = ClipExtractor([Counting(tmp_path / "log")], cache)
    result = plan.run([source_of(one) for one in clips.values()])
    alone = [
        Clip(
            samples[round(start * rate) : round(end * rate), [int(who == "bot")]], rate
        ).sha256
        for who, start, end, _ in calls.TURNS
    ]
    assert [
        one.blueprint and one.blueprint.clip for one in result
    ] == alone  # never the mix
    # The same turn in a call of another name and length is no new work.
    soundfile.write(tmp_path / "longer.wav", samples[: 9 * rate], rate)
    other = {
        "id": "c2",
        "conversation": calls.conversation("longer.wav", calls.TURNS[:4]),
    }
    (again,) = open_job(
        calls.manifest(tmp_path, [other], "2.jsonl"), tmp_path / "2", RateOptions()
    ).manifest.singles
    plan.run([source_of(one) for one in again.recordings().values()])
    plan.close()
    assert (tmp_path / "log").read_text().split() == alone


def test_paths_of_any_layout_are_answers_and_a_bad_one_costs_itself(
    tmp_path: Path,
) -> None:
    calls.sound(tmp_path)
    rows = "\n".join(
        f'{who},{start},{end},"{text}","{"user" if who == "caller" else "agent"}"'
        for who, start, end, text in calls.TURNS
    )
    (tmp_path / "turns.csv").write_text(f"speaker,start,end,text,role\n{rows}\n")
    sides = {
        "a": {"conversation": "turns.csv", "system": "x"},
        "b_conversation": "turns.csv",
    }
    bad = {**sides, "b_conversation": "none.csv"}
    both = {**sides, "a": {"conversation": "turns.csv", "audio": "call.wav"}}
    path = calls.manifest(
        tmp_path, [{"id": "p", **sides}, {"id": "bad", **bad}, {"id": "two", **both}]
    )
    job = open_job(path, tmp_path / "run", Options())
    (pair,) = job.manifest.pairs
    assert pair.has_conversations
    assert pair.answer_roles == []  # words and times alone
    shown = [str(problem) for problem in job.problems()]
    assert "no such file or folder; check the path" in shown[0]
    assert "has 'audio' or 'conversation', not both" in shown[1]
    (rated,) = open_job(
        tmp_path / "turns.csv", tmp_path / "2", RateOptions()
    ).manifest.singles
    assert rated.answer.conversation == pair.a.conversation
    # A table that could be two layouts is read by the one that is named.
    both_fit = tmp_path / "twice.csv"
    both_fit.write_text("speaker,start,end,text,role,user,agent\nbot,0,1,Hi.,agent,,\n")
    with pytest.raises(UserError, match="say which by --layout NAME"):
        open_job(both_fit, tmp_path / "3", RateOptions())
    shown = open_job(
        both_fit, tmp_path / "3", RateOptions(ExtractOptions(layout="turns"))
    ).manifest
    assert [one.answer.conversation.turns[0].text for one in shown.singles] == ["Hi."]
    # What it is read from again is what was written.
    assert Pair.model_validate_json(pair.model_dump_json()) == pair
    assert Single.model_validate_json(rated.model_dump_json()) == rated


def test_human_labels_stay_with_the_item(data: Path, tmp_path: Path) -> None:
    folder = data / "conversation" / "eva" / "judge_validation"
    of = {
        name: open_job(
            folder / f"{name}.jsonl", tmp_path / name, RateOptions()
        ).manifest
        for name in ("faithfulness", "conciseness")
    }
    assert len(of["faithfulness"].singles) == 67
    whole = [item.labels for item in of["faithfulness"].singles]
    assert {v for labels in whole if labels for v in labels.scores.values()} == {
        1,
        2,
        3,
    }
    turns = [item.labels.turns for item in of["conciseness"].singles if item.labels]
    assert sum(map(len, turns)) == 203


def test_only_what_a_judge_of_turns_reads_is_measured(tmp_path: Path) -> None:
    calls.sound(tmp_path)
    silent = [{**turn, "text": None} for turn in calls.conversation()["turns"]]
    record = {"id": "c1", "conversation": calls.conversation() | {"turns": silent}}
    items = open_job(
        calls.manifest(tmp_path, [record]), tmp_path / "run", RateOptions()
    ).manifest
    judge = panel_of(["turns"], [load_rubric("handling")])
    for overrides, groups in (
        ({}, {"signal", "transcript"}),
        ({"pitch": "pyin"}, {"signal", "transcript", "pitch"}),
    ):
        plan = plan_for(judge, ExtractOptions(overrides=overrides), items.items)
        assert {extractor.group for extractor in plan} == groups


def test_a_report_that_takes_its_sound_along_plays_one_channel_at_a_time(
    tmp_path: Path,
) -> None:
    samples, rate = soundfile.read(calls.sound(tmp_path))
    path = calls.manifest(
        tmp_path, [{"id": "c1", "conversation": calls.conversation()}]
    )
    options = RateOptions(judge=("turns",), rubrics=("handling",))
    rate_manifest(path, tmp_path / "run", options)
    whole = write_report(tmp_path / "run", tmp_path / "whole.html").read_text()
    assert whole.count("<audio") == 1  # the recording itself
    page = write_report(
        tmp_path / "run", tmp_path / "page.html", audio=True
    ).read_text()
    players = re.findall(
        r"channel of the (user|agent)</figcaption><audio[^>]* src=\"(.+?)\"", page
    )
    assert [role for role, _ in players] == ["user", "agent"]
    for number, (_, place) in enumerate(players):
        alone, sounds = soundfile.read(tmp_path / place)
        at = [int((start + end) / 2 * 10) for _, start, end, _ in calls.TURNS]
        own = [
            n for n in at if abs(samples[n * rate // 10 :][:200, number]).max() > 0.1
        ]
        assert [
            n for n in at if abs(alone[n * sounds // 10 :][:400]).max() > 0.1
        ] == own


def test_a_cut_beyond_its_file_says_so(tmp_path: Path) -> None:
    calls.sound(tmp_path)
    late = [*calls.TURNS[:1], ("caller", 20.0, 21.0, "too late")]
    record = {
        "id": "c",
        "conversation": calls.conversation(turns=late, end={"at_s": 22.0}),
    }
    path = calls.manifest(tmp_path, [record])
    (item,) = open_job(path, tmp_path / "run", RateOptions()).manifest.singles
    plan = ClipExtractor([Counting(tmp_path / "log")], Cache(tmp_path / "cache"))
    good, bad = plan.run([source_of(one) for one in item.recordings().values()])
    plan.close()
    assert good.error is None
    assert "has no sound from 20 to 21 s; check the clock" in bad.error
    assert json.dumps(bad.source).count("channel=0&t=20")


BY_TURN = ExtractOptions(by_turn=True)


def _script(folder: Path, name: str, replies: list[object]) -> str:
    """Write a judge that replays replies."""
    path = calls.manifest(folder, replies, f"{name}.replies.jsonl")
    return f"scripted:{path}"


def _pairs(folder: Path, count: int = 3) -> Path:
    pair = {
        "a": {"conversation": calls.conversation(None), "system": "slow"},
        "b": {"conversation": calls.conversation(None, calls.QUICK), "system": "quick"},
        "labels": {"content": "both_good", "paralinguistics": "2", "overall": "2"},
    }
    records = [{"id": f"p{n}", "instruction_id": f"q{n}", **pair} for n in range(count)]
    return calls.manifest(folder, records, "pairs.jsonl")


def _calls(folder: Path, name: str = "items.jsonl") -> Path:
    """Four calls of two questions, by a slow and a quick system by turns."""
    records = [
        {
            "id": f"c{n}",
            "question_id": f"q{n // 2}",
            "system": ("slow", "quick")[n % 2],
            "conversation": calls.conversation(
                None, calls.QUICK if n % 2 else calls.TURNS
            ),
        }
        for n in range(4)
    ]
    return calls.manifest(folder, records, name)


def test_pairs_are_judged_continued_ranked_compared_and_reported(
    tmp_path: Path,
) -> None:
    path = _pairs(tmp_path)
    one, other = (
        verdict("both_good", "both_good", "2"),
        verdict("both_good", "both_good", "1"),
    )
    for name, replies in (("first", [one, other]), ("all", [one, other] * 3)):
        judge = _script(tmp_path, name, list(replies))
        options = Options(judge=judge, judging=JudgeOptions(backoff_s=0, retries=0))
        if name == "first":  # the script runs out: two pairs are left, as after a kill
            judge_manifest(path, tmp_path / "killed", options)
            done = Run.open(tmp_path / "killed").judgements()
            assert [result.status for result in done.values()].count("scored") == 1
            (tmp_path / "killed" / "judgements.jsonl").open("a").write('{"judge": "scr')
        else:
            summary = judge_manifest(path, tmp_path / "run", options)
            assert (summary.scored, summary.total) == (3, 3)
    run = tmp_path / "run"
    assert [pair.has_conversations for pair in Run.open(run).pairs()] == [True] * 3
    trace_eval("agree", run, ends=0)
    ranked = trace_eval("rank", run, "--resamples", "10", "--full", ends=0)
    assert ranked.out.index("quick") < ranked.out.index("slow")
    # A table of one's own decides calls as it decides clips.
    assert {one.rating for one in Run.open(run).overall().values()} == {Rating.B}
    rows = "".join(
        f"{','.join(cell)},both_bad\n" for cell in product(map(str, Rating), repeat=3)
    )
    (tmp_path / "own.csv").write_text(
        f"content,voice_quality,paralinguistics,overall\n{rows}"
    )
    trace_eval("fuse", run, "--policy", tmp_path / "own.csv", ends=0)
    assert {one.rating for one in Run.open(run).overall().values()} == {Rating.BOTH_BAD}
    write_report(run, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    pages = "".join(fragment(page, f"p{n}") for n in range(3))
    assert pages.count('class="lane of-agent"') == 6  # both sides of three pairs


def test_two_judges_of_calls_are_compared_screened_and_described(
    tmp_path: Path,
) -> None:
    path = _pairs(tmp_path, 4)
    same, other = (
        verdict("both_good", "both_good", "2"),
        verdict("both_good", "both_good", "1"),
    )
    turned = verdict("both_good", "both_good", "both_good")
    scripts = {"one": [same, other] * 4, "two": [same, other] * 3 + [turned] * 2}
    for name, replies in scripts.items():
        options = Options(judge=_script(tmp_path, name, list(replies)))
        judge_manifest(path, tmp_path / name, options)
    folders = [tmp_path / name for name in scripts]
    compared = compare_answer(Run(folders[0]).comparison(folders[1:]).report)
    assert "one and two say the same of 75 %" in " ".join(compared)
    screened = Run(folders[0]).screening()
    assert "(4 where 100.0% agree)" in str(screened)
    assert "fit for (4 of 30)" in str(Run(folders[0]).card())
    # Scores of calls are compared as pairs of them.
    items = _calls(tmp_path, "scored.jsonl")
    for number, judge in enumerate(
        ("turns", _script(tmp_path, "rated", [_handled(3)] * 4))
    ):
        options = RateOptions(judge=(judge,), rubrics=("handling",))
        rate_manifest(items, tmp_path / f"s{number}", options)
        wanted = PairOptions(stands_for="content", acceptable=2)
        assert (
            write_pairs(tmp_path / f"s{number}", tmp_path / f"p{number}", wanted) == 2
        )
    folders = [tmp_path / "p0", tmp_path / "p1"]
    compared = compare_answer(Run(folders[0]).comparison(folders[1:]).report)
    assert "which run is right is unknown" in " ".join(compared)


def test_a_task_about_clips_leaves_calls_unscored_whatever_is_measured(
    tmp_path: Path,
) -> None:
    calls.sound(tmp_path)
    side = {"conversation": calls.conversation("call.wav")}
    path = calls.manifest(tmp_path, [{"id": "p", "a": side, "b": side}], "pairs.jsonl")
    judging = JudgeOptions(base_url="http://127.0.0.1:9/v1", task="naturalness")
    options = Options(judge="audio:openai:m", judging=judging)
    assert judge_manifest(path, tmp_path / "run", options).scored == 0
    (result,) = Run.open(tmp_path / "run").judgements().values()
    assert "the answer is a conversation, and judge audio:openai:m" in str(
        result.detail
    )
    command = ["judge", path, "--judge", "audio:openai:m", "--estimate"]
    command += ["-J", "task=naturalness", "-J", "base_url=http://127.0.0.1:9/v1"]
    shown = trace_eval(*command)
    assert (
        "0 calls to make (0 in the reply cache, 1 pair lacks evidence)" in shown.out
    ), shown.err


def _handled(score: int) -> dict[str, object]:
    elements = dict.fromkeys(load_rubric("handling").elements, score)
    return {"reasoning": "", "elements": elements, "score": score}


def test_calls_are_compared_turn_by_turn_where_the_user_says_the_same(
    tmp_path: Path,
) -> None:
    """``ID/turn-N`` is a pair: a turn of the user, and each agent's answer to it."""
    hello = ("caller", 3.1, 3.2, "Hello?")
    other = [
        *calls.TURNS[:3],
        hello,
        ("caller", 3.4, 4.0, "Bye."),
        ("bot", 4.8, 5.6, "Goodbye."),
    ]
    same = [*other[:4], ("caller", 3.4, 4.0, "Thank you - and seat 12 A"), other[5]]

    def pair(name: str, turns: object) -> dict[str, object]:
        shown = {"x": calls.TURNS, "y": turns}.items()
        sides = [
            {"conversation": calls.conversation(None, t), "system": s} for s, t in shown
        ]
        return {"id": name, "a": sides[0], "b": sides[1], "labels": {"overall": "2"}}

    path = calls.manifest(tmp_path, [pair("p", same), pair("q", other)])
    pairs = open_job(path, tmp_path / "run", Options(BY_TURN)).manifest.pairs
    assert [one.id for one in pairs] == ["p/turn-1", "p/turn-3", "q/turn-1", "q/turn-3"]
    assert [one.question_id for one in pairs] == [
        "p",
        "p",
        "q",
        "q",
    ]  # drawn by conversation
    assert (pairs[1].turn, pairs[1].labels) == (3, None)  # labels are of the whole
    texts = []
    for answer in pairs[1].answers:
        if answer.conversation:
            texts.append([turn.text for turn in answer.conversation.turns])
    assert texts == [
        [t[3] for t in calls.TURNS[3:]],
        ["Thank you - and seat 12 A", "Goodbye."],
    ]
    replies = [
        verdict("both_good", "both_good", "2"),
        verdict("both_good", "both_good", "1"),
    ]
    options = Options(BY_TURN, judge=_script(tmp_path, "by-turn", list(replies * 3)))
    open_job(path, tmp_path / "out", options).judge()
    result = Run.open(tmp_path / "out").judgements()
    assert [one.reason for one in result.values()] == [*[None] * 3, Reason.NOT_PARALLEL]
    why = "the user says 'Thank you, and seat 12A?' to A and 'Hello?' to B"
    assert str(result["q/turn-3"].detail).startswith(why)
    late = asyncio.run(judgement_of(RulesJudge(), Case(pairs[1])))
    assert late.label("paralinguistics") == Rating.B  # A answers turn 3 after 4.4 s
    clips = {**pair("r", same), "b": {"audio": "b.wav"}}
    with pytest.raises(
        UserError, match="by turn needs two conversations; give 'conversation'"
    ):
        open_job(
            calls.manifest(tmp_path, [clips], "clips.jsonl"), None, Options(BY_TURN)
        )


def test_turns_are_rated_by_number_and_agree_with_labels_of_turns(
    tmp_path: Path,
) -> None:
    labels = [(1, 2, 3), (3, 2, 1)]
    stated = []
    replies: list[object] = []
    for scores in labels:
        numbered = [(2 * place, score) for place, score in enumerate(scores)]
        stated.append({str(turn): {"ann": score} for turn, score in numbered})
        turns = [
            {"turn": turn, "reasoning": "", "score": score} for turn, score in numbered
        ]
        replies.append({"turns": turns})
    call = {"conversation": calls.conversation(None)}
    records = [
        {"id": f"c{n}", **call, "labels": {"turns": of}} for n, of in enumerate(stated)
    ]
    path = calls.manifest(tmp_path, records)
    judge = (_script(tmp_path, "turns", replies),)
    judging = JudgeOptions(backoff_s=0, retries=0)
    how = RateOptions(judge=judge, rubrics=("conciseness",), judging=judging)
    summary = rate_manifest(path, tmp_path / "run", how)
    assert (summary.scored, summary.total) == (2, 2)
    options = AgreeOptions()
    report = agree([tmp_path / "run"], options=options)
    assert (report.items, report.questions) == (6, 2)  # turns, drawn by conversation
    rho = next(
        one for one in report.figures if one.name == "rho" and "scripted" in one.who
    )
    assert rho.estimate.value == pytest.approx(1.0)


def test_a_killed_run_of_conversations_goes_on(tmp_path: Path) -> None:
    path = _calls(tmp_path)
    options = RateOptions(judge=("turns",), rubrics=("handling",))
    rate_manifest(path, tmp_path / "whole", options)
    whole = (tmp_path / "whole" / "scores.jsonl").read_text().splitlines()
    rate_manifest(path, tmp_path / "cut", options)
    scores = tmp_path / "cut" / "scores.jsonl"
    scores.write_text(
        "\n".join(whole[:2]) + "\n" + whole[2][:40]
    )  # killed while it wrote
    rate_manifest(path, tmp_path / "cut", options)
    assert scores.read_text().splitlines() == whole
    assert [json.loads(line)["value"] for line in whole] == [1, 3, 1, 3]
    page = write_report(tmp_path / "cut", tmp_path / "page.html").read_text()
    assert (
        page.count('class="lane of-agent"') == page.count('class="lane of-user"') == 4
    )
    assert (
        page.count('class="event is-late" style=') == 2
    )  # beside the two of the legends
    assert "calls rebook at 1.9 s" in page
    assert "Seat 12A is yours." in page
    turns = [json.loads(line) for line in (tmp_path / "cut" / "turns.jsonl").open()]
    assert [one["item"] for one in turns] == ["c0", "c1", "c2", "c3"]
    kinds = []
    for one in turns:
        kinds.append([finding["kind"] for finding in one["findings"]])
    assert kinds == [["late"], []] * 2
    assert turns[0]["definitions"] == "trace-eval/2"
    assert turns[0]["ratios"]["reply_rate"] == [2, 2]
