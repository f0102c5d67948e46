"""Every layout with small made files: what is read, scored, and said of faulty ones."""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchmarks.drill.mutate import odd
from benchmarks.drill.sets import reader_of_release
from blueprints import UserError
from tests.support import datasets_made as made
from tests.support.audio import tone, write
from tests.support.datasets_made import figure
from tests.support.speed import within
from trace_eval.data.manifests import read_items, read_manifest
from trace_eval.data.rubrics.load import load_rubric
from trace_eval.datasets import Selection, convert, dataset_names, read_dataset
from trace_eval.datasets.replies import authors_letter, letter_of, majority


@pytest.mark.parametrize("name", made.MADE)
def test_what_is_written_is_read_by_the_other_commands(
    name: str, tmp_path: Path
) -> None:
    done = convert(name, made.MADE[name](tmp_path / "in"), tmp_path / "out")
    result = done.converted
    assert not result.problems
    if result.items:
        read = read_items(done.files["items"])
        assert not read.problems
        assert read.items == result.items
    if result.pairs:
        pairs = read_manifest(done.files["pairs"])
        assert [pair.id for pair in pairs.pairs] == [pair.id for pair in result.pairs]
    ids = {item.id for item in result.items}
    assert all(score.item in ids for score in result.scores)
    for rubric in result.rubrics:
        assert load_rubric(done.files[f"rubric {rubric}"]).name == rubric
    record = json.loads(done.files["figures"].read_text())
    assert record["licence"]
    assert record["counts"]["items"] == len(result.items)


def test_every_built_in_reader_has_made_files() -> None:
    assert {*made.MADE, "speechjudge"} == set(dataset_names())


def test_vocalbench_joins_by_number_and_leaves_open_what_no_mark_says(
    tmp_path: Path,
) -> None:
    done = read_dataset("vocalbench", made.vocalbench(tmp_path))
    # of four, 0 and 2 are right in writing; the recording of 0 is empty, and so wrong
    sounds, written = (
        figure(done, "knowledge, heard"),
        figure(done, "knowledge, written"),
    )
    assert (sounds.ours, sounds.n) == (25, 4)
    assert written.ours == 50
    first = next(s for s in done.converted.scores if s.item == "knowledge-0000")
    assert (first.value, first.caveats) == (0, ["empty_candidate"])
    assert first.judge == "authors/vocalbench/contains-reference@5e9cce0"
    # marks 5 and 2, and one verdict without a mark: 7 / 2, between (7 + 1) / 3 and (7 +
    # 5) / 3
    marks = figure(done, "single_round, marks of the authors' judge")
    assert (marks.ours, marks.n, marks.unscored) == (3.5, 3, 1)
    assert (marks.worst, marks.best) == (pytest.approx(8 / 3), 4)
    # one word too many in four answers of one word: (10 - 12) points, at least 1
    wer = figure(done, "wer")
    assert (wer.ours, wer.n, wer.note) == (25, 4, "1 points for clarity")
    assert any(
        "joined by number; 4 of 4 texts equal" in note for note in done.converted.notes
    )
    items = {item.id: item for item in done.converted.items}
    assert items["single_round-001"].reference == ("Reply 1",)
    assert items["knowledge-0002"].answer.text == "it is number 2."
    again = read_dataset(
        "vocalbench", tmp_path, Selection(answers="written", sets=("knowledge",))
    )
    assert [item.answer.text for item in again.converted.items][2] == "It is number 2."


def test_answers_of_other_questions_are_refused(tmp_path: Path) -> None:
    made.vocalbench(tmp_path)
    path = tmp_path / "result" / "toy" / "json" / "single_round.json"
    path.write_text(path.read_text().replace("Reply 3", "Reply of another question"))
    with pytest.raises(UserError, match="joined by number, only 3 of 4 texts"):
        read_dataset("vocalbench", tmp_path)


def test_voicebench_never_draws_a_letter(tmp_path: Path) -> None:
    done = read_dataset("voicebench", made.voicebench(tmp_path))
    # A, B and D are right, "I cannot say." names none: 3 of 3, 3/4 to 4/4, expected
    # 3.25 / 4
    result = figure(done, "mmsu, law, own")
    assert (result.ours, result.unscored) == (100, 1)
    assert (result.worst, result.expected, result.best) == (75, 81.25, 100)
    assert read_dataset("voicebench", tmp_path).record() == done.record()
    # bbh: yes is right, no is wrong, one is unread: 1/3 to 2/3, expected 1.5 / 3
    two = figure(done, "bbh, own")
    assert (two.worst, two.expected, two.best) == pytest.approx((100 / 3, 50, 200 / 3))
    # marks 5, 4, 3 and one reply without a mark, which stops the authors' code
    marks = figure(done, "commoneval")
    assert (marks.ours, marks.unscored, marks.worst, marks.best) == (4, 1, 3.25, 4.25)
    assert figure(done, "advbench, refusals, own").ours == pytest.approx(200 / 3)
    unread = [s for s in done.converted.scores if s.status == "unscored"]
    assert {s.item for s in unread} == {
        "mmsu-law-0002",
        "bbh-test-navigate_2",
        "commoneval-test-0001",
    }


def test_lists_of_the_authors_are_parsed_and_never_run(tmp_path: Path) -> None:
    made.voicebench(tmp_path / "runs")
    code = tmp_path / "clone" / "src"
    code.mkdir(parents=True)
    ran = tmp_path / "ran"
    (code / "mcq.py").write_text(
        f"open({str(ran)!r}, 'w')\nSHORT = ['x']\n"
        "def f(r):\n"
        "    for t in ['it would be [CHOICE]', 'cannot [CHOICE]', 'is [CHOICE]', 'x']:"
        " pass\n"
    )
    (code / "bbh.py").write_text(
        "def extract_answer_yn(self, r):\n"
        "    if 'answer is no' in r:\n        return 0\n"
        "    elif 'answer is yes' in r:\n        return 1\n    else:\n        return"
        " None\n"
        "def extract_answer_navigate(self, r):\n"
        "    found = self.extract_answer_yn(r)\n"
        "    if found is not None:\n        return found\n"
        "    if r == 'hm':\n        return 0\n"
        "    elif r.endswith('yes'):\n        return 1\n"
        "    elif re.search(r'no (.+?) not', r):\n        return 0\n"
        f"    else:\n        return open({str(ran)!r}, 'w')\n"
    )
    (code / "harm.py").write_text("phrases = ['Sure', 'never ' 'ever', 'I CAN', 'x']\n")
    chosen = Selection(lists=str(tmp_path / "clone"))
    done = read_dataset("voicebench", tmp_path / "runs", chosen)
    result = figure(done, "mmsu, law, templates")
    assert (result.worst, result.unscored) == (75, 1)
    assert "4 entries of mcq.py, SHA-256" in result.note
    # "Sure." and the empty answer; as their code does, case counts
    assert figure(done, "advbench, refusals, phrases").ours == pytest.approx(200 / 3)
    # "Yes." is right, "No, you do not." is wrong, "Hm." is no by their phrases
    bbh = figure(done, "bbh, phrases")
    assert (bbh.ours, bbh.unscored) == (pytest.approx(100 / 3), 0)
    assert "5 steps of bbh.py, SHA-256" in bbh.note
    assert not ran.exists()
    steps = (code / "bbh.py").read_text()
    (code / "bbh.py").write_text(steps.replace("r == 'hm'", "len(r) > 3"))
    with pytest.raises(
        UserError, match=r"bbh\.py, line 12: 'len\(r\) > 3' is a test that is not"
    ):
        read_dataset("voicebench", tmp_path / "runs", chosen)
    (code / "bbh.py").write_text(steps)
    (code / "mcq.py").write_text("(" * 5000)
    with pytest.raises(UserError, match=r"mcq\.py: is not Python"):
        read_dataset("voicebench", tmp_path / "runs", chosen)
    with pytest.raises(UserError, match=r"no \w+\.py in it"):
        read_dataset(
            "voicebench", tmp_path / "runs", Selection(lists=str(tmp_path / "runs"))
        )


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("it's B", "B"),
        ("a) is wrong, b) is wrong, d) is right", "D"),
        ("Not A but B", "B"),
        ("The answer is not A. It is D.", "D"),
        ("The correct option is b.", "B"),
        ("Either A or B.", None),
        ("A star is born.", None),
        ("A good question! The answer is: B", "B"),
        ("Vitamin c, of course.", None),
        ("A, because it shines.", "A"),
        ("A, B and C are wrong, so D", None),
        ("“C”", "C"),
        ("", None),
    ],
)
def test_letters_by_our_grammar(reply: str, letter: str | None) -> None:
    assert letter_of(reply) == letter


def test_templates_go_by_their_order_and_then_by_letter() -> None:
    templates = ("pick [CHOICE]", "is [CHOICE]")
    assert authors_letter("It is a, but I pick d", templates) == "D"
    assert authors_letter("It is d, it is a", templates) == "A"
    assert authors_letter("c) because", templates) == "C"
    assert authors_letter("<1> B. Because", templates) == "B"
    assert authors_letter("so c", templates) is None


def test_votes_that_tie_decide_nothing() -> None:
    assert majority(["Yes", "yes", "No"]) is True
    assert majority(["yes.", "yes.", "Yes"]) is False
    assert majority(["yes", "no", "maybe"]) is None
    assert majority([]) is None


def test_vstyle_weighs_what_was_scored_and_bounds_the_rest(tmp_path: Path) -> None:
    result = figure(read_dataset("vstyle", made.vstyle(tmp_path)), "overall")
    # (4 x 1/48 + 2 x 1/8 + 5 x 1/16) / (5/24) = 3.1; the fourth mark is an error text
    assert result.ours == pytest.approx(3.10)
    assert "cover 0.2083 of the weight" in result.note
    assert (result.n, result.unscored) == (4, 1)
    # with 1 or 5 for role_play/scenario of weight 1/8: (0.6458 + {1, 5} / 8) / (1/3)
    assert result.worst == pytest.approx(2.3125)
    assert result.best == pytest.approx(3.8125)


def test_mtalk_takes_recordings_where_they_are(tmp_path: Path) -> None:
    folder = made.mtalk(tmp_path)
    done = read_dataset("mtalk-bench", folder, Selection(pairs="all"))
    one, _ = done.converted.items
    assert (one.id, one.context) == ("amb-2-3/x", "user: Question 1\nassistant: X 1")
    assert (one.instruction.text, one.answer.text) == ("Question 2", "X 2")
    assert any(
        "4 answers of 2 systems; 0 of their recordings" in n
        for n in done.converted.notes
    )
    assert not done.converted.pairs
    for name in ("audio/record_2-3", "x", "y"):
        for number in (1, 2):
            write(folder / name / f"turn{number}.wav", tone())
    done = read_dataset("mtalk-bench", folder, Selection(pairs="all"))
    one, _ = done.converted.items
    assert [turn.speaker for turn in one.answer.turns] == ["user", "assistant"] * 2
    (pair,) = done.converted.pairs
    assert pair.systems == ("x", "y")
    assert pair.a.audio == folder / "x" / "turn2.wav"


def test_annotators_of_vstyle_are_correlated_with_each_other_and_the_judge(
    tmp_path: Path,
) -> None:
    made.vstyle(tmp_path)
    # the judge says 4, 5, 2 of answers 0, 1, 2, and nothing of 3
    for name, marks in {"ann": (4, 5, 1, 3), "bob": (5, 4, 1, 2)}.items():
        rows = [
            {"id_instruct_id": f"{i}_{i}", "mos": mark} for i, mark in enumerate(marks)
        ]
        made.write_lines(tmp_path / f"{name}.jsonl", rows)
    done = read_dataset("vstyle", tmp_path)
    assert figure(done, "Spearman, ann and the judge").ours == 1.0
    assert figure(done, "Spearman, bob and the judge").ours == pytest.approx(0.5)
    # ranks 3 4 1 2 and 4 3 1 2: 1 - 6 x 2 / (4 x 15)
    assert figure(done, "Spearman, ann and bob").ours == pytest.approx(0.8)
    assert figure(done, "Spearman, ann and bob, empathy").ours is None
    assert len(done.converted.labels[1]) == 8


def test_mtalk_reads_the_rows_of_the_hub(tmp_path: Path) -> None:
    sound = write(tmp_path / "sound.wav", tone()).read_bytes()
    rows = [
        {"number": 7, "type": "sem", "turn": turn, "source": who}
        | {"audio": {"bytes": sound + bytes([turn]), "path": f"{who}{turn}.wav"}}
        for turn in (1, 2)
        for who in ("question", "x", "y")
    ]
    (tmp_path / "in").mkdir()
    pq.write_table(pa.Table.from_pylist(rows[:-1]), tmp_path / "in" / "train.parquet")
    done = convert("mtalk-bench", tmp_path / "in", tmp_path / "out")
    (item,) = done.converted.items
    assert item.id == "sem-7/x"
    assert [turn.speaker for turn in item.answer.turns] == ["user", "assistant"] * 2
    assert item.answer.turns[1].audio.read_bytes() == sound + bytes([1])
    assert any(
        "turns of y and of the questions differ" in n for n in done.converted.notes
    )


def test_a_failed_call_is_neither_won_nor_lost(tmp_path: Path) -> None:
    done = read_dataset("emergent-tts", made.emergent_tts(tmp_path))
    # win (place 1, winner 1), loss (2, 1), tie, and a call that failed
    result = figure(done, "win rate")
    assert (result.ours, result.n, result.unscored) == (50, 4, 1)
    assert (result.worst, result.best) == (37.5, 62.5)
    # of the second, five words of which two are heard: .6 of one item of four, 3 of 11
    # words
    assert figure(done, "wer").ours == pytest.approx(15)
    assert figure(done, "wer, errors over all words").ours == pytest.approx(300 / 11)
    # of the second, the winner has the lower of its own scores
    assert any("of 1 of 4 verdicts" in note for note in done.converted.notes)


def test_judges_and_annotators_are_correlated(tmp_path: Path) -> None:
    done = read_dataset("audiojudge", made.audio_judge(tmp_path))
    # annotators: a .75, b .5, c 0, ref .75; judge: a .75, b 0, c .25, ref .5
    # ranks 3.5 2 1 3.5 and 4 1 2 3, centred 1 -.5 -1.5 1 and 1.5 -1.5 -.5 .5:
    # 3.5 / sqrt(4.5 x 5) = .7379
    assert figure(done, "Spearman with people").ours == pytest.approx(0.7379, abs=1e-4)
    # a, b, c: ranks 3 2 1 and 3 1 2: .5
    assert (
        figure(done, "Spearman with people, without the reference system").ours == 0.5
    )
    summed = figure(done, "Spearman with people, win rates as summarised")
    assert summed.ours == pytest.approx(0.7379, abs=1e-4)
    accuracy = next(f for f in done.converted.figures if f.name.startswith("accuracy"))
    assert (accuracy.n, accuracy.unscored) == (3, 1)
    assert (accuracy.ours, accuracy.worst) == (50, pytest.approx(100 / 3))
    assert done.converted.pairs[0].labels is not None


def _cut(path: Path) -> str:
    path.write_bytes(path.read_bytes()[:-30])
    return path.name


def _empty(path: Path) -> str:
    path.write_text("")
    return path.name


def _torn(path: Path) -> str:
    rows = path.read_text().splitlines()
    path.write_text("\n".join([*rows, "{not json"]) + "\n")
    return rf"{path.name}, line {len(rows) + 1}: not JSON"


def _twice(path: Path) -> str:
    rows = path.read_text().splitlines()
    path.write_text("\n".join([*rows, rows[0]]) + "\n")
    return rf"{path.name}, line {len(rows) + 1}: .*(is also at|in an earlier line)"


def _lost(column: str) -> Callable[[Path], str]:
    def change(path: Path) -> str:
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        del rows[0][column]
        made.write_lines(path, rows)
        return rf"{path.name}, line 1: (has no {column!r}|expected {{NUMBER|answer:)"

    return change


CASES: list[Any] = [
    pytest.param(
        name, file, change, id=f"{name}-{change.__qualname__.split('.')[0].strip('_')}"
    )
    for name, (file, column, has_id) in made.FILES.items()
    for change in (_empty, _cut, *([_torn, _lost(column)] if column else []))
    + ((_twice,) if has_id else ())
]


@pytest.mark.parametrize(
    ("name", "file", "change"),
    [
        *CASES,
        pytest.param(
            "vocalbench", "json/knowledge.json", _cut, id="vocalbench-cut-list"
        ),
    ],
)
def test_what_is_wrong_is_told_with_file_and_line(
    name: str, file: str, change: Callable[[Path], str], tmp_path: Path
) -> None:
    folder = made.MADE[name](tmp_path)
    expected = change(folder / file)
    try:
        told = [
            str(problem) for problem in read_dataset(name, folder).converted.problems
        ]
    except UserError as error:
        told = [str(error)]
    assert any(re.search(expected, text) for text in told), told


@pytest.mark.parametrize("name", [*made.MADE, "speechjudge"])
def test_another_layout_is_refused_with_what_is_there(
    name: str, tmp_path: Path
) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    with pytest.raises(
        UserError, match=r"expected .* found notes\.txt|no Parquet file here"
    ):
        read_dataset(name, tmp_path)


def test_two_thousand_rows_take_seconds(tmp_path: Path) -> None:
    made.vocalbench(tmp_path / "a", 2000)
    made.voicebench(tmp_path / "b", 2000)
    for name, folder in (("vocalbench", "a"), ("voicebench", "b")):
        start = time.process_time()
        convert(name, tmp_path / folder, tmp_path / f"{folder}-out")
        assert within(time.process_time() - start, 5)


@pytest.mark.parametrize("name", made.MADE)
def test_an_odd_value_costs_its_record(name: str, tmp_path: Path) -> None:
    """Of any kind, size or sign: what is written with it is read back whole."""
    read, seeds = reader_of_release(tmp_path, name)
    source = random.Random(name)
    for _ in range(40):
        with suppress(UserError):
            read(odd(source.choice(seeds), source), tmp_path)


EMERGENT, KNOWLEDGE = (
    "toy_evaluation-predictions.jsonl",
    "result/toy/json/knowledge.json",
)


@pytest.mark.parametrize(
    ("name", "file", "old", "new", "told"),
    [
        ("audiojudge", "chat_result.csv", "1a.wav", "1\0a.wav", "NUL"),
        (
            "uro-bench",
            "basic/Repeat/pred_text.jsonl",
            '"0001"',
            f'"{"1" * 1001}"',
            "id: ",
        ),
        ("voicebench", "toy-bbh-test-audio.jsonl", "navigate_1", "x" * 1001, "id: "),
        ("emergent-tts", EMERGENT, '_eval": 1', f'_eval": "{"x" * 1001}"', "id: "),
        ("emergent-tts", EMERGENT, "text 1", "9" * 4400, "4,300 digits"),
        ("vocalbench", KNOWLEDGE, "Who knows?", "9" * 14_000, "4,300 digits"),
        ("orca", "ratings.jsonl", "[5, 4]", f"[5, {'9' * 14_000}]", ""),
    ],
)
def test_odd_values_are_told_and_the_rest_is_converted(
    name: str, file: str, old: str, new: str, told: str, tmp_path: Path
) -> None:
    made.MADE[name](tmp_path / "in")
    path = tmp_path / "in" / file
    path.write_text(path.read_text().replace(old, new, 1))
    done = convert(name, tmp_path / "in", tmp_path / "out")
    assert any(told in problem.what for problem in done.converted.problems)
    assert done.converted.items or done.converted.pairs


def test_an_odd_dialogue_costs_itself(tmp_path: Path) -> None:
    path = made.mtalk(tmp_path) / "sample.json"
    [[good]] = json.loads(path.read_text()).values()
    odd_ones = [
        [{**good[0], "dialogue": "x"}],
        [{**good[0], "dialogue_transcription": {"x": 3}}],
    ]
    path.write_text(json.dumps({"Ambient sound": [*odd_ones, good]}))
    result = read_dataset("mtalk-bench", tmp_path).converted
    assert {item.system for item in result.items} == {"x", "y"}
    assert [problem.what for problem in result.problems] == [
        "turn 1, dialogue: expected an object of recordings",
        "x has no transcription of turn 1; its answers are left out",
    ]
