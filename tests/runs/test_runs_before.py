"""Runs from before rubrics existed: read as they are, and remade byte for byte.

``tests/runs/before`` holds two pairs of the examples, judged by ``rules`` and by a
script of replies, with paths and the list of packages shortened.
"""

from __future__ import annotations

import asyncio
import csv
import dataclasses
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.support.llm_judges import reading_judge
from trace_eval.data import jsonl
from trace_eval.decide.agree import agree
from trace_eval.judges.ask.scripted import ScriptedClient
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.registry.create import create_judge
from trace_eval.judges.rules.judge import RulesJudge
from trace_eval.judges.rules.thresholds import RuleThresholds
from trace_eval.report.write import write_report
from trace_eval.runs.cases import CaseReader
from trace_eval.runs.fuse import fuse_again
from trace_eval.runs.merge import merge
from trace_eval.runs.opinions import read_opinions
from trace_eval.runs.run import Run
from trace_eval.stats.options import AgreeOptions

BEFORE = Path(__file__).resolve().parent / "before"

#: Keys of the reply cache for the stored cases. They changed twice since 0.2: both
#: orders of a pair share one fence, so that a server reads their common part once, and
#: ``compact`` is shorter; and its legend says what each number was found to be good
#: for. Its fences are shorter since, and the answers' difference stands beside them in
#: steps.
KEYS = {
    "label": (
        "91b97a5c7bf18b9ea1294f1201d1c58ca68adbcdaa5089a2d87991ff3292d1c3",
        "d4c5141e5d8b44e76f37d7dc16aa27b55e4bd2d9c98d91035b5e9d6850d7a762",
        "b949e854bba9c72f28e9434f8c4fbafb13b4955a50eb33fbb2994e351df29251",
        "37bf6de97865ece7b524ce25b3da2e39e75aa58ed2845e7b3a3ab681db3ba7e6",
    ),
    "acceptability": (
        "30cd9fd6f6903e61096185c7016c164f9a882e919e9462caaabea47089e2fbbe",
        "466e03e273d060063773908d42bcaf213633e5eb6ad90d7b2a320eaa5c391d4c",
        "923fbacf35739fd2ffed81ec73aa9dbb8912e90fbec758e263840842f2c95f48",
        "6524b72e7338dedbbe38ec042111ae9797a829f79c76e9e41868ad6a249500eb",
    ),
}


@pytest.fixture(params=["rules", "scripted"])
def run(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    folder = tmp_path / str(request.param)
    shutil.copytree(BEFORE / folder.name, folder)
    return folder


def test_records_are_read_and_written_alike(run: Path) -> None:
    opened = Run.open(run)
    # The order of keys in a record is of no meaning; every key and value is.
    stored = [json.loads(line) for line in jsonl.read(run / "judgements.jsonl")]
    assert [result.model_dump(mode="json") for result in opened.attempts()] == stored
    assert [
        p.model_dump_json(exclude_none=True) + "\n" for p in opened.pairs()
    ] == list(jsonl.read(run / "pairs.jsonl"))
    assert len(list(CaseReader(opened))) == 2


def test_fusing_again_changes_no_byte_and_no_cell(run: Path) -> None:
    before = (run / "overall.jsonl").read_bytes()
    rows = list(csv.DictReader((run / "results.csv").open()))
    fuse_again(run, "content_first")
    assert (run / "overall.jsonl").read_bytes() == before
    now = list(csv.DictReader((run / "results.csv").open()))  # has more columns since
    for row, earlier in zip(now, rows, strict=True):
        assert {name: row[name] for name in earlier} == earlier


def test_agreement_merge_and_report_read_them(run: Path, tmp_path: Path) -> None:
    source = read_opinions(run)
    options = AgreeOptions()
    assert agree([source], None, options).scores
    assert merge([run], tmp_path / "merged").summary.scored == 2
    write_report(run, tmp_path / "report.html")


def test_judging_again_says_the_same() -> None:
    options = JudgeOptions(samples=2)
    judges = {
        "rules": RulesJudge(_thresholds_then()),
        "scripted": create_judge(f"scripted:{BEFORE / 'script.jsonl'}", options),
    }
    for name, judge in judges.items():
        run = Run.open(BEFORE / name)
        stored = run.judgements()

        async def all_cases(judge: Any = judge, run: Run = run) -> list[Any]:
            return [await judge.judge(case) for case in CaseReader(run)]

        for result in asyncio.run(all_cases()):
            before = json.loads(stored[result.pair].model_dump_json())
            assert _lasting(json.loads(result.model_dump_json())) == _lasting(before)


def _thresholds_then() -> RuleThresholds:
    """Return the cuts of that time; better words brought others since.

    Those that are gone decided between two acceptable voices, and no verdict here hangs
    on them.
    """
    recorded = Run.open(BEFORE / "rules").record().judge.parameters["thresholds"]
    earlier = {field.name for field in dataclasses.fields(RuleThresholds)}
    return RuleThresholds(
        **{name: value for name, value in recorded.items() if name in earlier}
    )


def _lasting(record: dict[str, Any]) -> dict[str, Any]:
    for opinion in record["opinions"]:
        opinion["seconds"] = None
    for verdict in record["dimensions"].values():
        verdict.pop("margin", None)  # measured since; the verdict is the same
    if voice := record["dimensions"].get("voice_quality"):
        voice.pop("reasoning"), voice.pop("evidence")  # by other numbers since
    # What the rules cannot know is said in other words since.
    return {**record, "judge": None, "caveats": len(record["caveats"])}


@pytest.mark.parametrize("elicitation", KEYS)
def test_the_reply_cache_answers_as_before(elicitation: Any) -> None:
    rendering = "paper" if elicitation == "acceptability" else "compact"
    options = JudgeOptions(elicitation=elicitation, rendering=rendering)
    judge = reading_judge("scripted:s", ScriptedClient([], "script.jsonl"), options)
    cases = CaseReader(Run.open(BEFORE / "scripted"))
    assert (
        tuple(call.key for case in cases for call in judge.calls(case))
        == KEYS[elicitation]
    )
