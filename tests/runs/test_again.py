"""A finished run judged again on stored evidence: no extraction, equal blueprints."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from blueprints import UserError
from tests.support.cases import verdict
from tests.support.cli import ROOT, refused, trace_eval
from tests.support.datasets_made import write_lines
from tests.support.judged import extracted_run
from tests.support.samples import spoken
from trace_eval import (
    JudgeChange,
    JudgeOptions,
    Options,
    RateOptions,
    gate_runs,
    judge_again,
    judge_change,
)
from trace_eval.data.answers import Answer, Instruction
from trace_eval.data.items import Single
from trace_eval.data.manifests import Manifest
from trace_eval.data.rubrics.load import load_rubric
from trace_eval.runs.outcomes import ClipRecord
from trace_eval.runs.record import RunRecord
from trace_eval.runs.run import Run

COUNT = 6


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Write a run of pairs, of the last of which an answer was never decoded."""
    record = {"input": "pairs.jsonl", "max_seconds": 7.0}
    return extracted_run(
        tmp_path / "source", COUNT, lost=f"{COUNT - 1}b", **record
    ).folder


def script(path: Path, label: str) -> str:
    return f"scripted:{write_lines(path, [verdict(label, label, label)] * COUNT)}"


def test_only_the_judge_differs(source: Path, tmp_path: Path) -> None:
    summary = judge_again(source, tmp_path / "rules")
    assert (summary.scored, summary.unscored["clip_failed"]) == (COUNT - 1, 1)
    run = Run.open(tmp_path / "rules")
    assert run.judgements()["5"].detail == "not a recording"
    assert (
        run.path("blueprints.jsonl").read_text()
        == (source / "blueprints.jsonl").read_text()
    )
    record = run.record()
    assert (record.judge.spec, record.input, record.max_seconds) == (
        "rules",
        "pairs.jsonl",
        7.0,
    )
    assert (
        judge_again(source, tmp_path / "rules").clips <= 2
    )  # continued: what failed, again
    with pytest.raises(UserError, match="is the run that is judged again"):
        judge_again(source, source)


def test_an_a_a_is_of_the_runs_own_judge_past_the_cache(
    source: Path, tmp_path: Path
) -> None:
    first = script(tmp_path / "script.jsonl", "1")
    options = Options(
        judge=first, judging=JudgeOptions(swap="off", cache=tmp_path / "replies")
    )
    judge_again(source, tmp_path / "base", options)
    script(tmp_path / "script.jsonl", "2")  # the same judge changes its mind
    judge_again(tmp_path / "base", None, options, items=3, repeat=True)
    repeat = Run.open(tmp_path / "base-aa")
    assert list(repeat.judgements()) == ["0", "2", "4"]
    assert repeat.record().judge.parameters["seed"] == 1
    assert not (tmp_path / "replies").exists()
    report = gate_runs(tmp_path / "base", tmp_path / "base", [repeat.folder])
    noise = next(row.noise for row in report.rows if row.metric == "pair.overall")
    assert (noise.flips.count, noise.flips.of) == (3, 3)
    other = Options(judge=first, judging=JudgeOptions(swap="both"))
    with pytest.raises(
        UserError, match=r"an A/A needs its own judge and options \(parameters.swap"
    ):
        judge_again(tmp_path / "base", tmp_path / "x", other, repeat=True)


PLUG_IN = """
from trace_eval import Judge, Judgement

class Longest(Judge):
    spec = "longest"

    async def judge(self, case):
        dimensions = dict.fromkeys(("content", "voice_quality", "paralinguistics"), "1")
        return Judgement.scored(case.pair.id, self.spec, dimensions)

def create(argument, options):
    return Longest()
"""


def test_a_judge_of_a_package_may_record_another_name(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = tmp_path / "length-1.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Name: length\nVersion: 1\n")
    entry = "[trace_eval.judges]\nby_length = by_length:create\n"
    (installed / "entry_points.txt").write_text(entry)
    (tmp_path / "by_length.py").write_text(PLUG_IN)
    monkeypatch.syspath_prepend(tmp_path)
    options = Options(judge="by_length")
    judge_again(source, tmp_path / "base", options)
    judge_again(tmp_path / "base", None, options, items=3, repeat=True)
    assert Run.open(tmp_path / "base-aa").record().judge.spec == "longest"
    with pytest.raises(UserError, match=r"'longest', now 'rules'"):
        judge_again(tmp_path / "base", tmp_path / "x", Options(), repeat=True)


def test_scores_are_judged_again_and_repeated(tmp_path: Path) -> None:
    source = tmp_path / "source"
    with Run(source) as run:
        items = []
        for number in range(COUNT):
            path, clip = Path(f"/gone/{number}.wav"), f"{number:064}"
            run.add_clip(ClipRecord(source=str(path), clip=clip))
            run.add_blueprint(spoken().model_copy(update={"clip": clip}))
            request = Instruction(text=f"Tell me about sea {number}.")
            answer = {
                "instruction": request,
                "reference": ("x",),
                "answer": Answer(audio=path),
            }
            items.append(Single(id=str(number), **answer))
        rubrics = {"correctness": load_rubric("correctness").model_dump(mode="json")}
        run.start(
            RunRecord(input="items.jsonl", rubrics=rubrics), Manifest(source, items)
        )
    options = RateOptions(judge="lexical", rubrics=("correctness",))
    summary = judge_again(source, tmp_path / "lexical", options)
    assert (summary.scored, summary.clips) == (COUNT, COUNT)
    replies = tmp_path / "replies.jsonl"
    for stated, out, repeat in ((4, "base", None), (5, "aa", 3)):
        write_lines(replies, [{"reasoning": "x", "score": stated}] * COUNT)
        run_ = source if repeat is None else tmp_path / "base"
        words = [] if repeat is None else ["--aa", repeat]
        command = ["rate", run_, "--judge", f"scripted:{replies}"]
        command += ["--rubric", "correctness", "--out", tmp_path / out]
        trace_eval(*command, *words, ends=0)
    base, again = Run.open(tmp_path / "base"), Run.open(tmp_path / "aa")
    assert (
        base.path("blueprints.jsonl").read_text()
        == (source / "blueprints.jsonl").read_text()
    )
    assert [score.item for score in again.scores()] == ["0", "2", "4"]
    (row,) = gate_runs(base, base, [again]).rows
    assert (row.metric, row.noise.flips.count, row.noise.flips.of) == (
        "correctness.score",
        3,
        3,
    )
    report = judge_change((tmp_path / "lexical", base))
    assert isinstance(report, JudgeChange)
    assert report.title == "judge changed"
    assert {row.name: row.same for row in report.held}["evidence"]


def test_the_command_takes_a_run_where_it_takes_a_manifest(
    source: Path, tmp_path: Path
) -> None:
    trace_eval("judge", source, "--judge", "rules", "--min-coverage", "0.5", ends=0)
    assert Run.open(tmp_path / "source-rules").record().judge.spec == "rules"
    some = trace_eval(
        "judge",
        source,
        "--limit",
        3,
        "--min-coverage",
        "0",
        "--out",
        "some",
        cwd=tmp_path,
    )
    assert re.search(r"judges 3 of its \d+ items again, evenly spaced", some.err)
    refused("judged again as a whole", "judge", source, "--shard", "1/2")
    refused("is not a finished run", "judge", tmp_path / "nowhere.jsonl", "--aa", "3")
    refused("is a run of judge; judge it again", "rate", source)


def test_a_run_of_older_extractors_names_each_and_what_to_do(tmp_path: Path) -> None:
    """As an upgrade does that measures pitch and loudness in another way."""
    pairs = ROOT / "examples" / "pairs.jsonl"
    extractors = [f"{group}=none" for group in ("transcript", "rate", "quality")]
    options = [part for each in extractors for part in ("-x", each)]
    command = ("judge", pairs, *options)
    run = tmp_path / "run"
    trace_eval(*command, "--out", run)
    file = run / "manifest.json"
    record = json.loads(file.read_text())
    now: dict[str, str] = {}
    for group in ("pitch", "loudness"):
        now[group] = record["extractors"][group]["version"]
        record["extractors"][group]["version"] = "0"
    file.write_text(json.dumps(record))
    before = (run / "judgements.jsonl").read_bytes()
    done = trace_eval(*command, "--out", run, ends=2)
    differ = [
        f"{group}.version: '0', now '{version}'" for group, version in now.items()
    ]
    remedy = f"use --out {run}-2"
    assert (
        done.err.split()
        == (
            f"error: {run}: was made with other extractors ({'; '.join(differ)}); {remedy}"
        ).split()
    )
    assert (run / "judgements.jsonl").read_bytes() == before
    trace_eval(*command, *remedy.split()[1:], ends=1)  # no transcript, no verdict
    assert (tmp_path / "run-2" / "judgements.jsonl").is_file()
