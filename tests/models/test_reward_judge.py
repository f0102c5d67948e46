"""Judges in this process on a model with random weights, from files to records."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from blueprints import UserError
from tests.support.cases import blueprint
from tests.support.cli import trace_eval
from tests.support.tiny_omni import write_reward, write_thinker
from trace_eval.data.answers import Answer
from trace_eval.data.items import Pair
from trace_eval.data.judgement import Judgement
from trace_eval.data.outcome import Reason
from trace_eval.data.rubrics.load import load_rubric
from trace_eval.judges.base import Case
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.registry.create import create_judge, create_scorers
from trace_eval.judges.reward.judge import ReplyJudge, RewardJudge
from trace_eval.judges.reward.outputs import WrittenReply
from trace_eval.judges.views.pair.naturalness import TEXTS_DIFFER
from trace_eval.runs.pipeline import decode_recording
from trace_eval.runs.run import Run

TEXT = "The kettle is on the stove."


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_thinker(tmp_path_factory.mktemp("omni") / "thinker")


@pytest.fixture(scope="module")
def btrm(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_reward(tmp_path_factory.mktemp("omni") / "btrm", base)


def write(path: Path, seconds: float, pitch: float, rate: int = 16_000) -> Path:
    time = np.arange(round(seconds * rate)) / rate
    noise = np.random.default_rng(int(pitch)).standard_normal(len(time))
    soundfile.write(path, 0.1 * np.sin(2 * np.pi * pitch * time) + 0.01 * noise, rate)
    return path


def case(folder: Path, a: str = TEXT, b: str = TEXT, seconds: float = 1.0) -> Case:
    pair = Pair(
        id="p",
        a=Answer(audio=write(folder / "a.wav", seconds, 150, 24_000), reference=a),
        b=Answer(audio=write(folder / "b.wav", 0.7, 300), reference=b),
    )
    return Case.of(
        pair,
        a=blueprint(),
        b=blueprint(clip="1" * 64),
        decode=decode_recording,
    )


def judged(judge: Any, given: Case) -> Judgement:
    outcome = asyncio.run(judge.judge(given))
    assert isinstance(outcome, Judgement)
    return outcome


def test_rewards_compare_and_mirror(btrm: Path, tmp_path: Path) -> None:
    judge = create_judge(f"reward:{btrm}")
    assert isinstance(judge, RewardJudge)
    given = case(tmp_path)
    outcomes = judged(judge, given)
    scores = outcomes.pair_scores
    assert scores is not None
    assert outcomes.label("overall") == ("1" if scores.margin > 0 else "2")
    assert scores.low is None
    assert outcomes.dimensions["overall"].consistent is None
    assert outcomes.opinions == []
    turned = replace(
        given, item=given.pair.model_copy(update={"a": given.pair.b, "b": given.pair.a})
    )
    mirrored = judged(judge, turned)
    assert mirrored.pair_scores is not None
    assert mirrored.pair_scores.a == pytest.approx(scores.b, abs=1e-6)
    assert mirrored.pair_scores.p_a == pytest.approx(1 - scores.p_a, abs=1e-6)
    assert {outcomes.label("overall"), mirrored.label("overall")} == {"1", "2"}
    same = replace(given, item=given.pair.model_copy(update={"b": given.pair.a}))
    tie = judged(judge, same)
    assert tie.label("overall") == "tie"
    wide = create_judge(f"reward:{btrm}", JudgeOptions(tie_margin=1e6))
    assert judged(wide, given).label("overall") == "tie"


def test_the_text_counts_and_differing_ones_are_a_caveat(
    btrm: Path, tmp_path: Path
) -> None:
    judge = create_judge(f"reward:{btrm}")
    one = judged(judge, case(tmp_path))
    other = judged(judge, case(tmp_path, b="Quite another text, and a longer one."))
    assert one.pair_scores is not None
    assert other.pair_scores is not None
    assert one.pair_scores.a == other.pair_scores.a
    assert one.pair_scores.b != other.pair_scores.b
    assert (one.caveats, other.caveats) == ([], [TEXTS_DIFFER])


def test_limits_are_reasons(btrm: Path, tmp_path: Path) -> None:
    judge = create_judge(f"reward:{btrm}", JudgeOptions(max_clip_seconds=0.9))
    outcomes = judged(judge, case(tmp_path))
    assert (outcomes.status, outcomes.reason) == ("unscored", Reason.CLIP_FAILED)
    assert "limit is 0.9 s" in str(outcomes.detail)
    outcomes = judged(create_judge(f"reward:{btrm}"), case(tmp_path, seconds=0.01))
    assert "at least 0.1 s" in str(outcomes.detail)
    given = case(tmp_path)
    soundfile.write(tmp_path / "b.wav", np.zeros(16_000), 16_000)
    assert judged(create_judge(f"reward:{btrm}"), given).reason is Reason.SILENT
    (tmp_path / "b.wav").unlink()
    assert judged(create_judge(f"reward:{btrm}"), given).reason is Reason.CLIP_FAILED


def test_a_reward_is_computed_once(
    btrm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = JudgeOptions(cache=tmp_path / "replies.sqlite")
    first = judged(create_judge(f"reward:{btrm}", options), case(tmp_path))
    monkeypatch.setattr("trace_eval.judges.reward.outputs.rewards", None)  # would raise
    again = judged(create_judge(f"reward:{btrm}", options), case(tmp_path))
    assert again == first


def test_options_that_mean_nothing_are_refused(btrm: Path, base: Path) -> None:
    with pytest.raises(UserError, match="does not use samples"):
        create_judge(f"reward:{btrm}", JudgeOptions(samples=3))
    with pytest.raises(UserError, match="does not use tie_margin"):
        create_judge(f"reward:{base}", JudgeOptions(tie_margin=1))
    with pytest.raises(UserError, match="it judges naturalness only"):
        create_judge(f"reward:{base}", JudgeOptions(task="s2s"))
    with pytest.raises(UserError, match="name the model"):
        create_judge("reward:")
    with pytest.raises(UserError, match="compares pairs and scores no single"):
        create_scorers(f"reward:{base}", [load_rubric("naturalness")])
    with pytest.raises(UserError, match="use --rubric naturalness"):
        create_scorers(f"reward:{btrm}", [load_rubric("quality")])


def test_replies_vote_in_both_orders(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = create_judge(
        f"reward:{base}", JudgeOptions(samples=2, seed=5, max_tokens=32)
    )
    assert isinstance(judge, ReplyJudge)
    outcomes = judged(judge, case(tmp_path))
    # Random weights do not write scores: the second chance is used, and nothing is a
    # tie.
    assert outcomes.status == "unscored"
    assert outcomes.reason in (Reason.UNPARSEABLE, Reason.REPLY_CUT)
    assert [(o.order, o.sample) for o in outcomes.opinions] == [
        ("ab", 0), ("ab", 1), ("ba", 0), ("ba", 1),
    ]  # fmt: skip
    assert all(opinion.repaired for opinion in outcomes.opinions)
    asked: list[tuple[int, int]] = []

    def told(model: object, turns: Any, options: Any, samples: int, seed: int) -> Any:
        asked.append((samples, seed))
        first = len(turns[1].parts[1]) > 15_000  # A, the longer clip, is heard first
        text = "First recording: 8, second recording: 6" if first else "A: 5, B: 9"
        return [WrittenReply(text, 9, False)] * samples, 100

    monkeypatch.setattr("trace_eval.judges.reward.outputs.replies", told)
    outcomes = judged(judge, case(tmp_path))
    assert asked == [(2, 5), (2, 5)]
    assert outcomes.label("overall") == "1"
    assert outcomes.pair_scores is not None
    assert outcomes.pair_scores.a == [8, 8, 9, 9]
    assert outcomes.dimensions["overall"].consistent is True
    assert outcomes.opinions[0].usage is not None


def test_top_k_reaches_the_model(base: Path, tmp_path: Path) -> None:
    def raw(**more: Any) -> list[str | None]:
        options = JudgeOptions(max_tokens=24, repair=False, seed=3, **more)
        outcomes = judged(create_judge(f"reward:{base}", options), case(tmp_path))
        return [opinion.raw for opinion in outcomes.opinions]

    greedy = raw(temperature=0)
    narrow = raw(temperature=1, samples=2, top_k=1)
    assert narrow == [greedy[0], greedy[0], greedy[1], greedy[1]]
    assert raw(temperature=1, samples=2) != narrow  # 50 where nothing is said
    told = create_judge(f"reward:{base}", JudgeOptions(top_k=1)).parameters()
    assert told["top_k"] == 1


def test_as_typed(btrm: Path, tmp_path: Path) -> None:
    record = json.loads(case(tmp_path).pair.model_dump_json(exclude_none=True))
    (tmp_path / "pairs.jsonl").write_text(json.dumps(record))
    done = trace_eval(
        "judge", tmp_path / "pairs.jsonl", "--judge", f"reward:{btrm}", "--out", tmp_path / "run",
        "--cache", tmp_path / "cache",
    )  # fmt: skip
    assert done.code == 0, done.err
    stored = Run.open(tmp_path / "run").judgements()["p"]
    assert stored.pair_scores is not None
    clips = [
        {"id": name, "audio": f"{name}.wav", "reference": TEXT, "question_id": "q"}
        for name in "ab"
    ]
    (tmp_path / "clips.jsonl").write_text("\n".join(map(json.dumps, clips)))
    rated = trace_eval(
        "rate", tmp_path / "clips.jsonl", "--judge", f"reward:{btrm}", "--out", tmp_path / "rated",
        "--cache", tmp_path / "cache",
    )  # fmt: skip
    assert rated.code == 0, rated.err
    values = {
        score.item: score.value for score in Run.open(tmp_path / "rated").scores()
    }
    assert values["a"] == pytest.approx(stored.pair_scores.mean_a, abs=1e-6)
    assert values["b"] == pytest.approx(stored.pair_scores.mean_b, abs=1e-6)
    best = trace_eval(
        "best", tmp_path / "clips.jsonl", "--judge", f"reward:{btrm}", "--out", tmp_path / "best",
        "--cache", tmp_path / "cache", "--check", "signal.peak_dbfs",
    )  # fmt: skip
    assert best.code == 0, best.err
    (line,) = (tmp_path / "best" / "best.jsonl").read_text().splitlines()
    winner = "a" if stored.pair_scores.margin > 0 else "b"
    assert json.loads(line)["ranking"][0]["score"] == pytest.approx(
        values[winner], abs=1e-6
    )
    assert "signal.peak_dbfs, 1 group:" in best.out
