"""What must come out of the files that the authors of benchmarks released."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import published
from benchmarks.report import ROOT, renewed
from tests.support.datasets_made import figure
from trace_eval.datasets import Conversion, Selection, read_dataset
from trace_eval.datasets.figures import (
    URO_EN,
    URO_ZH,
    VOCALBENCH,
    VOICEBENCH,
    Board,
    wer_step,
)
from trace_eval.datasets.replies import letter_of, own_refusal
from trace_eval.datasets.sets.vocalbench_rules import is_right
from trace_eval.datasets.sets.vstyle import WEIGHTS, overall


@pytest.fixture(scope="module")
def vocalbench(data: Path) -> Conversion:
    return read_dataset("vocalbench", data / "benchmarks" / "vocalbench")


@pytest.mark.parametrize(
    ("name", "right"),
    [
        ("knowledge, heard", 748),
        ("knowledge, written", 1094),
        ("knowledge, heard, question file", 747),
        ("knowledge, written, question file", 1092),
    ],
)
def test_knowledge_by_both_references(
    vocalbench: Conversion, name: str, right: int
) -> None:
    result = figure(vocalbench, name)
    assert result.note.startswith(f"{right} of 2000")
    assert result.ours == pytest.approx(right / 20)


def test_the_printed_figure_is_equal_and_the_drift_is_named(
    vocalbench: Conversion,
) -> None:
    result = figure(vocalbench, "knowledge, heard")
    assert (result.published, result.difference, result.verdict) == (37.40, 0, "equal")
    assert result.note.endswith("question file: knowledge-0974, knowledge-1958")
    low, high = result.interval or (0, 0)
    assert (round(low, 1), round(high, 1)) == (35.3, 39.5)
    shown = " ".join(vocalbench.converted.notes)
    assert "346 answers right in writing are lost in speech, 0 gained" in shown
    assert (
        "llamaq-test 54/80, sciq-test 167/330, triviaqa-dev 456/1409, webq-test 71/181"
        in shown
    )
    assert "substrings 717 would be right" in shown
    safety = figure(vocalbench, "safety")
    assert (safety.published, safety.ours) == (27.75, None)
    assert safety.verdict == "published, not reproducible from these files"


def test_the_rule_says_what_the_flags_say_item_by_item(data: Path) -> None:
    run = data / "benchmarks" / "vocalbench" / "result" / "llama-omni"
    answers = [json.loads(line) for line in (run / "json" / "knowledge.json").open()]
    references = {answer["question_id"]: answer["answer"] for answer in answers}
    flags = json.loads((run / "result" / "knowledge.json").read_text())
    assert len(flags) == 1000
    stated = {"asr_pred": "s2s_right", "prediction": "s2t_right"}
    counted = dict.fromkeys(stated.values(), 0)
    for row in flags:
        for text, flag in stated.items():
            right = is_right(references[row["question_id"]], row[text])
            assert right == (row.get(flag) == 1), row["question_id"]
            counted[flag] += right
    assert counted == {"s2s_right": 381, "s2t_right": 553}


def test_voicebench_of_made_answers(data: Path) -> None:
    folder = data / "benchmarks" / "voicebench"
    done = read_dataset("voicebench", folder)
    result = figure(done, "openbookqa, own")
    assert (result.n, result.unscored) == (40, 8)
    assert (result.worst, result.expected, result.best) == (60, 65, 80)
    assert figure(done, "alpacaeval_full").ours == pytest.approx(3.1667, abs=5e-5)
    assert figure(done, "sd-qa, usa, majority").ours == 40
    assert figure(done, "sd-qa, usa, majority, punctuation stripped").ours == 60
    assert read_dataset("voicebench", folder).record() == done.record()


def test_probes_of_letters_and_refusals(data: Path) -> None:
    folder = data / "benchmarks" / "voicebench"
    probes = [json.loads(line) for line in (folder / "mcq_probes.jsonl").open()]
    assert len(probes) == 71
    assert [letter_of(p["response"]) for p in probes] == [p["said"] for p in probes]
    harm = [json.loads(line) for line in (folder / "advbench_probes.jsonl").open()]
    assert sum(row["authors"] for row in harm) == 5
    # Ours reads neither a misspelt phrase nor an example as a refusal.
    assert [own_refusal(row["response"]) for row in harm].count(True) == 3


def test_uro_bench_of_made_runs(data: Path) -> None:
    done = read_dataset("uro-bench", data / "benchmarks" / "uro-bench")
    repeat = figure(done, "Repeat, repeat_wer")
    assert repeat.ours == pytest.approx(25.00)
    assert repeat.verdict == "equal"
    assert "6 of 6 rates equal the stored ones" in repeat.note
    right = figure(done, "Repeat, repeat_wer, the right way round")
    assert right.ours == pytest.approx(27.78, abs=0.005)
    gaokao = figure(done, "GaokaoEval, qa")
    assert gaokao.ours == pytest.approx(46.67, abs=0.005)
    assert gaokao.verdict == "equal"


def test_vstyle_covers_half_of_the_weight(data: Path) -> None:
    done = read_dataset("vstyle", data / "benchmarks" / "vstyle")
    assert "8 abilities cover 0.5208 of the weight" in figure(done, "overall").note
    assert any(
        "4 of 8 recordings are not here" in note for note in done.converted.notes
    )
    assert sum(WEIGHTS.values()) == pytest.approx(1)
    acoustic = "acoustic_attributes"
    marks = {
        f"{acoustic}/age": 4,
        f"{acoustic}/composite_properties": 2,
        "empathy/anger": 5,
    }
    assert overall(marks)[0] == pytest.approx(3.10, abs=0.005)


def test_mtalk_has_28_answers_and_no_recording(data: Path) -> None:
    done = read_dataset("mtalk-bench", data / "benchmarks" / "mtalk")
    (shown,) = [note for note in done.converted.notes if "recordings are here" in note]
    assert "2 dialogues of 4 turns in all, 28 answers of 7 systems; 0 of their" in shown
    assert {item.category for item in done.converted.items} == {"sem", "para"}
    assert len(done.converted.items) == 14


def test_human_labels(data: Path) -> None:
    done = read_dataset("hcot", data / "hcot")
    right = {f.name: f.note.partition(" ")[0] for f in done.converted.figures}
    policies = ("content_first", "content_first_strict", "acceptability_cap")
    for name, wanted in (("speakbench", "450 485 191"), ("s2sarena", "169 199 296")):
        assert (
            " ".join(right[f"{name}, policy {policy}"] for policy in policies) == wanted
        )
    assert any("481 are distinct of 497" in note for note in done.converted.notes)
    orca = read_dataset("orca", data / "orca")
    assert len(orca.converted.items) == 1224
    assert any("3220 ratings" in note for note in orca.converted.notes)


@pytest.mark.parametrize(
    ("board", "rows", "odd"),
    [
        (VOCALBENCH, 18, {"Kimi-Audio": -0.041, "LLaMA-Omni2-7B": 1.0005}),
        (VOICEBENCH, 32, {}),
        (URO_EN, 12, {}),
        (URO_ZH, 9, {"GLM-4-Voice": 2.70}),
    ],
    ids=lambda value: value.file if isinstance(value, Board) else "",
)
def test_overalls_of_boards_are_recomputed(
    board: Board, rows: int, odd: dict[str, float]
) -> None:
    figures = board.figures()
    assert len(figures) == rows
    result = {
        f.system: f.ours - (f.published or 0) for f in figures if f.verdict != "equal"
    }
    assert result == pytest.approx(odd, abs=0.002)


def test_points_for_clarity() -> None:
    assert [wer_step(w) for w in (0, 1.99, 2, 3.9, 17.9, 18, 38)] == [
        10,
        10,
        9,
        9,
        2,
        1,
        1,
    ]


def test_the_page_prints_what_comes_out(data: Path) -> None:
    for page, name, table in published.tables(data):
        text = (ROOT / page).read_text()
        assert renewed(text, name, table) == text


def test_one_set_alone(data: Path) -> None:
    chosen = Selection(sets=("safety",))
    done = read_dataset("vocalbench", data / "benchmarks" / "vocalbench", chosen)
    assert len(done.converted.items) == 200
    assert done.record()["counts"]["absent"] == 200  # of 400 questions
    assert [f.name for f in done.converted.figures] == ["safety"]
