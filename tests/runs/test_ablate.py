from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from blueprints import GROUPS, Absent, Blueprint, Status, UserError
from fusion import Rating
from tests.support.cases import verdict
from tests.support.cli import trace_eval
from tests.support.datasets_made import write_lines
from tests.support.judged import extracted_run, judged_run, rated_run
from tests.support.samples import spoken
from trace_eval.decide.ablation import (
    TREE_AND_VOTE,
    AblationReport,
    ablation_table,
    compare,
    labels_beside,
)
from trace_eval.decide.ablation_answer import ablation_answer
from trace_eval.estimate.options import IntervalOptions
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.opinions.cells import texts_of
from trace_eval.opinions.opinions import Opinions
from trace_eval.runs.ablate import FULL, AblateOptions, ablate, conditions_of
from trace_eval.runs.cases import CaseReader
from trace_eval.runs.run import Run


def test_cases_are_read_back_as_they_were(tmp_path: Path) -> None:
    run = extracted_run(tmp_path / "run")
    cases = list(CaseReader(run))
    assert [case.pair.id for case in cases] == ["0", "1", "2", "3"]
    assert isinstance(cases[0].a, Blueprint)
    assert cases[2].a.clip == f"{'2a':0>64}"
    assert cases[2].a.pitch == spoken().pitch
    assert cases[0].instruction is None


def test_conditions_name_what_the_blueprints_have(tmp_path: Path) -> None:
    run = extracted_run(tmp_path / "run")
    names = [condition.name for condition in conditions_of(AblateOptions(), run)]
    assert names[0] == FULL
    assert "without quality" in names
    assert "without properties" in names
    chosen = AblateOptions(drops=("pitch",), modes=True)
    assert [c.name for c in conditions_of(chosen, run)] == [
        FULL,
        "without pitch",
        "transcript",
    ]
    # a judge that is shown steps is once not shown them
    every = conditions_of(AblateOptions(), run, steps=True)
    assert (every[-1].name, every[-1].beside) == ("without steps", "off")
    with pytest.raises(UserError, match="drop 'smell': no such feature group"):
        AblateOptions(drops=("smell",))


def test_rules_find_a_dropped_group_absent_and_the_tables_say_so(
    tmp_path: Path,
) -> None:
    run = extracted_run(tmp_path / "run")
    options = AblateOptions(drops=("quality", "rate"), repeats=2)
    folders = ablate(run.folder, options)
    assert folders.keys() == {FULL, "without quality", "without rate"}
    assert {len(repeats) for repeats in folders.values()} == {2}
    full = Run.open(folders[FULL][0])
    assert {o.rating for o in full.overall().values()} == {Rating.BOTH_GOOD}
    blind = Run.open(folders["without quality"][0]).judgements()["0"]
    assert (blind.status, blind.rating("voice_quality")) == ("unscored", None)
    assert blind.rating("content") is Rating.BOTH_GOOD

    options = AblateOptions(policy="content_first")
    table = compare(run.folder, folders, options).groups
    rows = {(row.condition, row.dimension): row for row in table.rows}
    assert rows[FULL, "overall"].accuracy == 1.0
    assert rows["without quality", "overall"].items == 0
    assert rows["without rate", "content"].run_to_run == 1.0


def test_rules_of_transcripts_alone_decide_no_voice_quality(tmp_path: Path) -> None:
    run = extracted_run(tmp_path / "run")
    folders = ablate(run.folder, AblateOptions(drops=("pitch",), modes=True))
    judged = Run.open(folders["transcript"][0]).judgements().values()
    assert len(judged) == 4
    for judgement in judged:
        assert judgement.rating("voice_quality") is None
        assert judgement.rating("paralinguistics") is None
    full = Run.open(folders[FULL][0]).judgements().values()
    assert all(judgement.rating("voice_quality") for judgement in full)


def test_judges_that_hear_in_every_condition_are_refused(tmp_path: Path) -> None:
    run = extracted_run(tmp_path / "run")
    judging = JudgeOptions(base_url="http://127.0.0.1:9/v1")
    for modes in (False, True):
        options = AblateOptions(
            "audio:openai:m", judging, drops=("pitch",), modes=modes
        )
        with pytest.raises(UserError, match="reads no blueprints"):
            ablate(run.folder, options)


def test_conditions_that_leave_out_what_is_not_there_are_refused(
    tmp_path: Path,
) -> None:
    run = extracted_run(tmp_path / "run")
    path = run.path("blueprints.jsonl")
    words_only = []
    for line in path.read_text().splitlines():
        blueprint = Blueprint.model_validate_json(line)
        lacking = Absent(status=Status.NOT_REQUESTED, reason="words alone")
        others = dict.fromkeys(GROUPS.keys() - {"transcript"}, lacking)
        words_only.append(blueprint.model_copy(update=others).model_dump_json())
    path.write_text("\n".join(words_only) + "\n")
    with pytest.raises(UserError, match="no blueprint has pitch, so leaving it out"):
        ablate(run.folder, AblateOptions(drops=("pitch",)))
    with pytest.raises(UserError, match="nothing but transcripts, so --modes"):
        ablate(run.folder, AblateOptions(modes=True))


def test_conditions_that_the_options_make_equal_are_refused(tmp_path: Path) -> None:
    """A difference of 0.00 would be found between a judge and itself."""
    run = extracted_run(tmp_path / "run")
    sound = tuple(sorted(GROUPS.keys() - {"transcript"}))

    def ablated(
        modes: bool = True, drops: tuple[str, ...] = (), **judging: Any
    ) -> None:
        options = JudgeOptions(base_url="http://127.0.0.1:9/v1", **judging)
        ablate(run.folder, AblateOptions("openai:m", options, drops=drops, modes=modes))

    with pytest.raises(UserError, match="beside what -J drop leaves out, so --modes"):
        ablated(drop=sound)
    with pytest.raises(UserError, match="no blueprint has pitch beside what -J drop"):
        ablated(modes=False, drops=("pitch",), drop=("pitch",))
    with pytest.raises(UserError, match="the conditions of an ablation set the mode"):
        ablated(mode="transcript")
    left = AblateOptions("openai:m", JudgeOptions(drop=("pitch",)))
    names = [condition.name for condition in conditions_of(left, run)]
    assert "without pitch" not in names
    assert "without rate" in names


def test_a_run_without_blueprints_is_not_ablated(tmp_path: Path) -> None:
    heard = judged_run(tmp_path / "heard", {"q0": "1"})
    with pytest.raises(UserError, match="no recording of it has a blueprint"):
        ablate(heard, AblateOptions(modes=True))
    rated = rated_run(tmp_path / "rated", {"i0": 2.0})
    with pytest.raises(UserError, match="holds scores of single answers and no pairs"):
        ablate(rated, AblateOptions(modes=True))


def test_a_finished_ablation_is_not_judged_again_and_options_do_not_mix(
    tmp_path: Path,
) -> None:
    run = extracted_run(tmp_path / "run")
    shown: list[str] = []
    options = AblateOptions(drops=("pitch",))
    ablate(run.folder, options, lambda judgement: shown.append(judgement.pair))
    assert len(shown) == 8  # two conditions of four pairs
    ablate(run.folder, options, lambda judgement: shown.append(judgement.pair))
    assert len(shown) == 8


def test_a_model_is_not_told_what_is_dropped(tmp_path: Path) -> None:
    run = extracted_run(tmp_path / "run", count=1)
    replies = [verdict("both_good", "both_good", "both_good")] * 2
    script = write_lines(tmp_path / "replies.jsonl", replies)
    options = AblateOptions(
        judge=f"scripted:{script}",
        judging=JudgeOptions(swap="off"),
        drops=("pitch",),
        modes=True,
    )
    folders = ablate(run.folder, options)
    judged = {name: Run.open(f[0]).judgements()["0"] for name, f in folders.items()}
    assert {name: j.status for name, j in judged.items()} == dict.fromkeys(
        folders, "scored"
    )
    drops = {
        name: Run.open(f[0]).record().judge.parameters["drop"]
        for name, f in folders.items()
    }
    assert drops == {FULL: [], "without pitch": ["pitch"], "transcript": []}
    options = AblateOptions(modes=True, policy="content_first")
    report = compare(run.folder, folders, options)
    assert report.modes is not None
    rows = {row.condition: row.accuracy for row in report.modes.rows}
    both = [
        f"{mode} / {how}"
        for mode in ("blueprint", "transcript")
        for how in TREE_AND_VOTE
    ]
    assert rows == dict.fromkeys(both, 1.0)


def test_the_command_prints_and_writes_the_tables(tmp_path: Path) -> None:
    run = extracted_run(tmp_path / "run")
    places = ["--json", tmp_path / "out.json", "--csv", tmp_path / "csv"]
    sheet = tmp_path / "sheet.csv"
    winners = "AB" * len(list(run.pairs()))
    rows = [
        f"{pair.id},{winner}"
        for pair, winner in zip(run.pairs(), winners, strict=False)
    ]
    sheet.write_text("\n".join(["Pair,Winner", *rows]))
    named = [
        "--id",
        "Pair",
        "--column",
        "preference=Winner",
        "--map",
        "A=1",
        "--map",
        "B=2",
    ]
    options = ["--without", "rate", "--labels", sheet, *named, *places]
    done = trace_eval("ablate", run.folder, *options, ends=0)
    assert done.out.startswith("rate does not matter on these 4 labelled pairs")
    assert "without rate" in done.out
    rows = list(csv.DictReader((tmp_path / "csv" / "groups.csv").open()))
    assert {row["condition"] for row in rows} == {FULL, "without rate"}
    assert len(
        json.loads((tmp_path / "out.json").read_text())["groups"]["rows"]
    ) == len(rows)


def test_labels_that_were_not_drawn_alike_speak_for_all_pairs(tmp_path: Path) -> None:
    # 40 doubtful pairs, 20 of them asked for; 160 others, 40 of them asked for. The
    # full judge is right on the 160 alone, the other condition on none: on the labelled
    # pairs 40 of 60 are right
    ids = texts_of([f"p{number}" for number in range(200)])
    is_sure = np.arange(200) >= 40
    asked = np.r_[0:20, 40:80]

    def judged(right: NDArray[np.bool_]) -> Opinions:
        return Opinions(
            "judged", ids, {"preference": np.where(right, 0, 1).astype(np.int8)}
        )

    truth = Opinions(
        source="labels",
        ids=ids[asked],
        codes={"preference": np.zeros(60, np.int8)},
        facts={"inclusion": np.where(asked < 40, 0.5, 0.25)},
    )
    conditions = {FULL: [judged(is_sure)], "without rate": [judged(is_sure & False)]}
    table = ablation_table(conditions, truth, IntervalOptions())
    full, without = table.rows
    assert (full.pairs, full.accuracy) == (200, pytest.approx(0.8))
    assert (without.pairs, without.accuracy) == (200, pytest.approx(0.0))
    assert without.difference.value == pytest.approx(-0.8)
    (sentence,) = ablation_answer(AblationReport(table))
    assert sentence == (
        "rate matters most: without it about 0 of 200 pairs are judged right, with all"
        " about 160 (60 labels, by how they were drawn)."
    )


def test_a_run_without_labels_is_refused_before_it_is_judged(tmp_path: Path) -> None:
    run = judged_run(tmp_path / "run", {"q0": "1"})
    asked = trace_eval("ablate", run, "--judge", "rules")
    assert asked.code == 2
    assert "its pairs carry no labels; name a file with --labels" in asked.err
    assert not (run / "ablations").exists()


def test_labels_that_cannot_be_read_are_refused_before_it_is_judged(
    tmp_path: Path,
) -> None:
    run = judged_run(tmp_path / "run", {"q0": "1"})
    (tmp_path / "labels.csv").write_text("id,overall\nq0,perhaps\n")
    asked = trace_eval("ablate", run, "--labels", tmp_path / "labels.csv")
    assert asked.code == 2
    assert "perhaps" in asked.err
    assert not (run / "ablations").exists()


def test_labels_may_name_systems_of_a_pair_that_was_not_judged(tmp_path: Path) -> None:
    run = judged_run(tmp_path / "run", {"q0": "1", "q1": "1"})
    labels = tmp_path / "labels.csv"
    labels.write_text("id,preference\nq0,new\nq1,old\n")
    read = labels_beside(run, labels)
    assert read is not None
    assert len(read.ids) == 2
    path = run / "judgements.jsonl"
    lines = path.read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[:-1]), "utf-8")
    assert labels_beside(run, labels) is None
