"""Remedies of commands that need a server, a changed file or two steps."""

from __future__ import annotations

import io
import json
import os
import shlex
import subprocess
import sys
from contextlib import redirect_stderr
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

import numpy as np
import pytest
import soundfile

from fusion import Rating
from tests.support import reviewed
from tests.support.audio import RATE, tone
from tests.support.cli import ROOT, code_and_words
from tests.support.judged import both_good_run
from tests.support.remedy_calls.followed import UNASKED, remedy, said
from tests.support.servers import completion
from tests.support.web import serve
from trace_eval.commands.cli import main
from trace_eval.commands.tables import print_summary
from trace_eval.data.judgement import Judgement, VerdictOpinion
from trace_eval.data.manifests import Manifest
from trace_eval.data.outcome import Reason
from trace_eval.judges.combine.orders import voted_judgement
from trace_eval.judges.read.two_scores import NATURALNESS
from trace_eval.judges.scorer.train import Trained
from trace_eval.runs.record import JudgeRecord, RunRecord
from trace_eval.runs.run import Run
from trace_eval.runs.summary import Summary

#: A question and its answer.
_ANSWERED = {
    "instruction": {"text": "Which way?"},
    "reference": ["South"],
    "answer": {"text": "South"},
}

#: Judge by what needs no network and takes no time.
QUICK = "--workers 0 -x transcript=none -x rate=none -x quality=none"


def no_models_here() -> str:
    """List the models, with the commands that fetch them."""
    with patch("extractors.fetch.list_models", lambda: []):
        message = said("models verify")
    assert "faster-whisper:tiny.en" in said(remedy("trace-eval (models list)", message))
    return message


def a_user_without_a_home() -> str:
    """Set HOME: the same command works."""

    def looking(*_: object) -> list[object]:  # as a library may, when it is imported
        Path.home()
        return []

    kept = {"PATH": os.environ["PATH"]}
    with (
        patch.dict(os.environ, kept, clear=True),
        patch.dict(sys.modules, {"pwd": None}),
        patch("trace_eval.runs.folders.list_runs", looking),
    ):
        message = said("runs .", code=2)
        os.environ[remedy("set (HOME)=DIR", message)] = str(Path("home").absolute())
        assert "no runs here" in said("runs .")
    return message


def a_home_of_nobody() -> str:
    """Name a path that is there: no HOME would help."""
    asked = "extract two/new --out heard --workers 0 -x transcript=faster-whisper:"
    message = said(f"{asked}~nosuch/model", code=2)
    assert "HOME" not in message
    assert "~nosuch/model is not there; give the path" in message
    return message


def a_fault_of_ours() -> str:
    """Ask where: the module in which it happened is printed."""
    with patch("trace_eval.runs.folders.list_runs", side_effect=KeyError("x")):
        message = said("runs .", code=70)
        debug = remedy("trace-eval (--debug) COMMAND", message)
        code, _ = code_and_words(debug, "runs", ".")
        assert code == 1  # it is raised, and Python prints where
    return message


def requests_of_a_batch() -> str:
    """Send them, and read what comes back."""
    asked = f"rate answers.jsonl {UNASKED} --rubric correctness --out batched"
    message = said(f"{asked} --batch-file asked.jsonl")
    lines = [json.loads(line) for line in Path("asked.jsonl").read_text().splitlines()]
    reply = completion(json.dumps({"reasoning": "r", "score": 4}))
    results = [
        {
            "custom_id": line["custom_id"],
            "response": {"status_code": 200, "body": reply},
            "error": None,
        }
        for line in lines
    ]
    Path("back.jsonl").write_text("\n".join(map(json.dumps, results)))
    option = remedy("send them, then (--batch-results) FILE", message)
    assert "3 of 3 items scored" in said(f"{asked} {option} back.jsonl")
    return message


def a_judge_that_is_tested() -> str:
    """Write its card with what the probes found."""
    asked = f"away.csv --audio-root two {QUICK}"
    message = said(f"drill judge {asked} --out 'what probes found'")
    said(f"judge {asked} --out quick")
    option = remedy("trace-eval card RUN (--probes '.*')", message)
    said(f"card quick {option}")
    assert "### Sanity probes" in Path("quick/card.md").read_text()
    return message


def a_review_with_a_budget() -> str:
    """Begin another review, which has all pairs, or add to this one."""
    begun = "review two --db few.sqlite --label-studio tasks"
    assert "1 task" in said(f"{begun} --budget 1")
    message = said(begun)
    assert "1 task" in message
    option = remedy("begins another review|(--db) begins another review", message)
    assert "2 tasks" in said(f"review two {option} all.sqlite --label-studio more")
    larger = remedy("by an earlier (--budget); a larger one adds more", message)
    assert "2 tasks" in said(f"{begun} {larger} 2")
    return message


def raters_who_know_the_judge() -> str:
    """Leave one of the two out: nothing is said."""
    message = said("review two --show-judge --repeat 1 --db a.sqlite --label-studio t1")
    option = remedy("(--show-judge) with --repeat: raters know", message)
    alone = said(f"review two {option} --db b.sqlite --label-studio t2")
    assert "raters know" not in alone
    return message


def tasks_of_label_studio() -> str:
    """Import what was labelled there."""
    message = said("export 'two words' --to label-studio --out studio")
    typed = remedy("trace-eval (review .* --import) FILE", message)
    tasks = json.loads(Path("studio/tasks.json").read_text())
    for task in tasks:
        task["annotations"] = [{"result": []}]
    Path("labelled.json").write_text(json.dumps(tasks))
    assert "0 annotations stored" in said(f"{typed} labelled.json", code=1)
    return message


def a_recording_that_was_replaced() -> str:
    """Judge again into a new folder, whose page plays it."""
    for number, system in enumerate(("new", "old")):
        Path("played", system).mkdir(parents=True)
        heard = tone(0.3, hz=300.0 + 40 * number)
        soundfile.write(f"played/{system}/q0.wav", heard, RATE)
    judge = f"judge away.csv --audio-root played {QUICK} --out"
    said(f"{judge} before")
    soundfile.write("played/new/q0.wav", tone(0.4, hz=500.0), RATE)
    soundfile.write("played/old/q0.wav", tone(0.5, hz=600.0), RATE)
    message = said("report before")
    option = remedy("judge again into a new (--out)", message)
    assert option == "--out"
    said(f"{judge} after")
    assert "warning" not in said("report after")
    return message


def an_output_that_was_changed() -> str:
    """Name another file: the changed one stays as it is."""
    said("rank run --csv ranks.csv")
    Path("ranks.csv").write_text("mine\n")
    message = said("rank run --csv ranks.csv", code=2)
    option = remedy("so it stays as it is; move it, or (name another file)", message)
    assert option
    said("rank run --csv others.csv")
    assert "new" in Path("others.csv").read_text()
    assert Path("ranks.csv").read_text() == "mine\n"
    return message


def a_run_without_scores() -> str:
    """Repeat the command that began it, which was stopped: the runs are compared."""
    typed = "rate answers.jsonl --judge lexical --rubric correctness --out"
    said(f"{typed} whole")
    with patch(
        "trace_eval.judges.lexical.judge.LexicalJudge.rate",
        side_effect=KeyboardInterrupt,
    ):
        said(f"{typed} begun", code=130)
    message = said("compare whole begun --judge-change", code=2)
    assert remedy("repeat the trace-eval (rate) that began it", message) == "rate"
    said(f"{typed} begun")
    words = said("compare whole begun --judge-change")
    assert "every judgement is the same" in words
    return message


def questions_that_match() -> str:
    """Judge both again with the question as the id: the runs are compared."""
    rate = "--judge lexical --rubric correctness --out"
    for side in "ab":
        rows = [
            {"id": f"{side}{n}", "question_id": f"k{n}", **_ANSWERED} for n in range(3)
        ]
        Path(f"{side}.jsonl").write_text("\n".join(map(json.dumps, rows)))
        said(f"rate {side}.jsonl {rate} by_item_{side}")
    message = said("compare by_item_a by_item_b --judge-change", code=2)
    typed = remedy("judge both again with (--column id=question_id)", message)
    for side in "ab":
        said(f"rate {side}.jsonl {rate} by_question_{side} {typed}")
    words = said("compare by_question_a by_question_b --judge-change")
    assert "every judgement is the same" in words
    return message


def a_judge_that_was_not_trained() -> str:
    """Train it from ratings and two runs: then it rates."""
    names = [f"a{n}" for n in range(40)]
    rng = np.random.default_rng(0)
    truth = rng.integers(1, 6, len(names))
    people = [
        f"{i},r{r},{s}" for i, s in zip(names, truth, strict=True) for r in (1, 2)
    ]
    Path("people_of_fusion.csv").write_text("\n".join(("id,rater,score", *people)))
    for judge in ("one", "two"):
        seen = np.clip(truth + rng.integers(-1, 2, len(names)), 1, 5)
        rows = [f"{i},{s},{judge}" for i, s in zip(names, seen, strict=True)]
        Path(f"judge_{judge}.csv").write_text("\n".join(("id,score,judge", *rows)))
    rated = ("rate", "answers.jsonl", "--judge", "fusion:my fused", "--out", "f")
    message = said(shlex.join(rated), code=2)
    typed = remedy("run trace-eval (train fusion) RATINGS RUN RUN", message)
    out = remedy("RATINGS RUN RUN (--out '.*')$", message)
    filled = f"{typed} people_of_fusion.csv judge_one.csv judge_two.csv {out}"
    refused = said(filled, code=1)
    said(f"{filled} {remedy('(--force) writes it all the same', refused)}")
    _, words = code_and_words(*rated)
    assert "my fused/fusion.json: cannot be read" not in words
    return message


def a_scorer_that_was_trained() -> str:
    """Rate with it, also where its folder's name has a space."""
    trained = Trained(Path("my scorer"), {"train": 1}, {}, 0, {}, 1)
    with patch("trace_eval.judges.scorer.train.train_scorer", lambda *_, **__: trained):
        message = said("train scorer answers.jsonl --base m --out 'my scorer'")
    option = remedy("; rate with (--judge '.*')", message)
    words = said(f"rate answers.jsonl {option} --rubric correctness --out s", code=2)
    assert "my scorer" in words or "scorer needs" in words
    return message


def dimensions_known_alone() -> str:
    """Rank by one of them."""
    pairs = reviewed.pairs(Path("alone").absolute(), 3)
    judgements = {pair.id: reviewed.scored(pair.id) for pair in pairs}
    unsure = Judgement.unscored("p1", "rules", Reason.EVIDENCE_MISSING, "no words")
    known = {"voice_quality": reviewed.verdicts()["voice_quality"]}
    judgements["p1"] = unsure.model_copy(update={"dimensions": known})
    run = reviewed.write_run(Path("alone_run"), pairs, judgements)
    summary = Summary()
    summary.total = 3
    summary.count(Run(run))
    shown = io.StringIO()
    with redirect_stderr(shown):
        print_summary(summary, run)
    message = " ".join(shown.getvalue().split())
    name = remedy(r"known on their own: \w+ of 2, (\w+) of 3", message)
    option = remedy("rank (--dimension) NAME uses one of them", message)
    assert "of 3 pairs" in said(f"rank alone_run {option} {name}")
    return message


def python_without_docstrings() -> str:
    """Set the variable to 1."""
    shown = io.StringIO()
    flags = SimpleNamespace(optimize=2)
    with (
        patch.object(sys, "flags", flags),
        redirect_stderr(shown),
        pytest.raises(SystemExit),
    ):
        main()
    message = " ".join(shown.getvalue().split())
    name, value = remedy(r"set (\w+=\d), or unset it", message).split("=")
    done = subprocess.run(
        [sys.executable, "-m", "trace_eval", "--version"],
        env={**os.environ, name: value, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "trace-eval" in done.stdout
    return message


def calls_that_cannot_be_timed() -> str:
    """See why, of the run that the note names."""
    said("rate silent --judge turns --rubric handling --out 'no sound'", code=1)
    message = said("gate 'no sound' 'no sound'")
    typed = remedy("see trace-eval (turns .*? --audit)", message)
    assert "no speech on either channel" in said(typed)
    return message


def scores_for_voice_quality() -> str:
    """Give all of what goes together: a run with another voice quality."""
    pairs = reviewed.pairs(Path("natural").absolute(), 2)
    label = {"overall": "1"}
    opinions = [
        VerdictOpinion.model_validate(
            {"order": order, "score_a": 8, "score_b": 5, "ratings": label}
        )
        for order in ("ab", "ba")
    ]
    judge = JudgeRecord(spec="audio:openai:m")
    with Run(Path("natural_run")) as run:
        run.start(RunRecord(judge=judge), Manifest(Path("natural"), pairs))
        for pair in pairs:
            run.add(voted_judgement(pair.id, judge.spec, opinions, NATURALNESS))
    both_good_run(Path("natural_run"), Path("judged_run"))
    message = said("fuse natural_run --as voice_quality --acceptable 6", code=2)
    typed = remedy("go together: (--as .*)", message)
    filled = typed.replace("JUDGED", "judged_run").replace("NEW", "mixed_run")
    said(f"fuse natural_run {filled}")
    verdicts = Run.open(Path("mixed_run")).judgements()
    assert {one.rating("voice_quality") for one in verdicts.values()} == {Rating.A}
    return message


def a_file_that_is_not_on_the_web() -> str:
    """Name the folder of the recordings by its URL."""
    Path("web").mkdir()
    soundfile.write("web/q0.wav", tone(0.3), RATE)
    with serve(Path("web")) as web:
        rows = f"id,a,b\nq0,{web.url}/gone.wav,two/old/q0.wav\n"
        Path("afar.csv").write_text(rows)
        message = said(f"judge afar.csv {QUICK} --out afar", code=1)
        option = remedy("check the URL or (--audio-root)", message)
        Path("near.csv").write_text("id,a,b\nq0,q0.wav,q0.wav\n")
        words = said(f"judge near.csv {option} {web.url} {QUICK} --out near")
        assert "1 of 1 pair scored" in words
    return message


CALLS = (
    no_models_here,
    a_user_without_a_home,
    a_home_of_nobody,
    a_fault_of_ours,
    requests_of_a_batch,
    a_judge_that_is_tested,
    a_review_with_a_budget,
    raters_who_know_the_judge,
    tasks_of_label_studio,
    a_recording_that_was_replaced,
    an_output_that_was_changed,
    a_run_without_scores,
    a_file_that_is_not_on_the_web,
    questions_that_match,
    a_judge_that_was_not_trained,
    a_scorer_that_was_trained,
    dimensions_known_alone,
    python_without_docstrings,
    calls_that_cannot_be_timed,
    scores_for_voice_quality,
)
