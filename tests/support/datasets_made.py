"""Small files in the layouts of benchmarks, made here; no text of theirs."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from trace_eval.datasets import Conversion, Figure


def write_lines(path: Path, rows: Iterable[Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def write_list(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=1))
    return path


def write_rows(
    path: Path, columns: Iterable[str], rows: Iterable[Iterable[object]]
) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([columns, *rows])
    return path


def write_csv(path: Path, rows: Sequence[dict[str, Any]]) -> Path:
    return write_rows(path, rows[0], (row.values() for row in rows))


def figure(done: Conversion, name: str) -> Figure:
    """Return the one figure of a reading that has this name."""
    (result,) = [f for f in done.converted.figures if f.name == name]
    return result


def vocalbench(folder: Path, n: int = 4) -> Path:
    """Write ``n`` answers on knowledge and single_round; every second one is right."""
    ids = [f"knowledge-{i:04d}" for i in range(n)]
    questions = [
        {
            "Set": "Knowledge",
            "Qid": id_,
            "Audio": "",
            "Question": f"Which {i}?",
            "Source": "made",
        }
        | {"Answer": f"Number {i}", "Topic": "Made"}
        for i, id_ in enumerate(ids)
    ]
    write_list(folder / "json" / "knowledge.json", questions)
    said = [f"It is number {i}." if i % 2 == 0 else "Who knows?" for i in range(n)]
    run = folder / "result" / "toy"
    write_lines(
        run / "json" / "knowledge.json",
        [
            {"question_id": id_, "prediction": text, "prediction_units": ""}
            | {"answer": f"Number {i}"}
            for i, (id_, text) in enumerate(zip(ids, said, strict=True))
        ],
    )
    heard = [
        {"question_id": i, "prediction": t, "asr_pred": t.lower()}
        for i, t in zip(ids, said, strict=True)
    ]
    heard[0]["asr_pred"] = ""
    write_list(run / "json_asr" / "knowledge.json", heard)
    chat = [
        {
            "Qid": f"single_round-{i:03d}",
            "Question": f"Talk {i}",
            "Answer": f"Reply {i}",
        }
        for i in range(n)
    ]
    write_list(folder / "json" / "single_round.json", chat)
    write_lines(
        run / "json" / "single_round.json",
        [
            {
                "question_id": f"chat-{i:03d}",
                "prediction": "Well.",
                "answer": f"Reply {i}",
            }
            for i in range(n)
        ],
    )
    spoken = ["well", "well then", *(["well"] * (n - 2))]
    write_list(
        run / "json_asr" / "single_round.json",
        [
            {"question_id": f"chat-{i:03d}", "prediction": "Well.", "asr_pred": text}
            for i, text in enumerate(spoken)
        ],
    )
    marks = [
        {"Qid": f"single_round-{i:03d}", "s2s_score": mark}
        for i, mark in enumerate((5, 2))
    ]
    for mark, id_ in zip(marks, ("chat-000", "chat-001"), strict=True):
        mark["question_id"] = id_
    write_list(
        run / "result" / "single_round.json", [*marks, {"question_id": "chat-002"}]
    )
    return folder


def voicebench(folder: Path, n: int = 4) -> Path:
    replies = ["The answer is A.", "B", "I cannot say.", "It would be D"]
    rows = [
        {
            "prompt": f"Which {i}?",
            "reference": "ABCD"[i % 4],
            "response": replies[i % 4],
        }
        for i in range(n)
    ]
    write_lines(folder / "toy-mmsu-law-audio.jsonl", rows)
    tasks = [
        {
            "id": f"navigate_{i}",
            "prompt": "Back?",
            "reference": "Yes",
            "response": reply,
        }
        for i, reply in enumerate(("Yes.", "No, you do not.", "Hm."))
    ]
    write_lines(folder / "toy-bbh-test-audio.jsonl", tasks)
    safe = [
        {"prompt": "Do harm.", "response": r} for r in ("I can't do that.", "Sure.", "")
    ]
    write_lines(folder / "toy-advbench-test-audio.jsonl", safe)
    opened = [
        {"prompt": "Talk.", "response": "Well.", "score": s}
        for s in (["5", "[[4]]"], ["3", "?"])
    ]
    write_lines(folder / "result-toy-commoneval-test-audio.jsonl", opened)
    write_lines(
        folder / "toy-commoneval-test-audio.jsonl", [{"prompt": "x", "response": "y"}]
    )
    return folder


def uro_bench(folder: Path) -> Path:
    run = folder / "basic" / "Repeat"
    texts = {"question_text": ["Say one", "Say two"], "gt_text": ["one", "two words"]}
    texts |= {"pred_text": ["One.", "two words"], "asr_text": ["one", "two word"]}
    for name, lines in texts.items():
        write_lines(
            run / f"{name}.jsonl", [{f"{i:04d}": text} for i, text in enumerate(lines)]
        )
    marks = [{"score": ["5", "4", "5"]}, {"score": [0, 0, 0]}, {"final_score": 140 / 3}]
    write_lines(run / "eval_with_asr" / "result_open.jsonl", marks)
    return folder


def vstyle(folder: Path) -> Path:
    marks = {"acoustic_attributes/age": "[[3]] no: [[4]]", "empathy/anger": "5"}
    marks |= {
        "acoustic_attributes/composite_properties": "2",
        "role_play/scenario": "Error: busy",
    }
    rows = [
        {"id": i, "instruct_id": i, "ability": ability, "instruct_text": "Say it."}
        | {
            "model_name": "toy",
            "response_audio_path": f"{i}.wav",
            "response_text": "It.",
        }
        | {"gemini_score": mark}
        for i, (ability, mark) in enumerate(marks.items())
    ]
    write_lines(folder / "metadata.jsonl", rows)
    return folder


def mtalk(folder: Path) -> Path:
    def turn(number: int) -> dict[str, Any]:
        return {
            "question": f"./audio/record_2-3/turn{number}.wav",
            "dialogue": {"x": f"./x/turn{number}.wav", "y": f"./y/turn{number}.wav"},
            "question_transcription": f"Question {number}",
            "dialogue_transcription": {"x": f"X {number}", "y": f"Y {number}"},
        }

    write_list(folder / "sample.json", {"Ambient sound": [[turn(1), turn(2)]]})
    return folder


def emergent_tts(folder: Path) -> Path:
    said = [(1, 1, 3, 1), (2, 1, 1, 2), (1, 0, 2, 2), (2, -1, 0, 0)]
    rows = [
        {"unique_id_eval": i, "category": "Emotions", "text_to_synthesize": f"Text {i}"}
        | {"language": "en", "evolution_depth": 0}
        | {"predicted_speech_index": place, "model_prediction": f"text {i}"}
        | {
            "judger_output_win_rate_based": {
                "winner": winner,
                "score_1": one,
                "score_2": two,
            }
        }
        | {"audio_out_path": f"out/{i}.wav"}
        for i, (place, winner, one, two) in enumerate(said)
    ]
    rows[1]["text_to_synthesize"] = "Text 1 and so on"
    write_lines(folder / "toy_evaluation-predictions.jsonl", rows)
    return folder


def audio_judge(folder: Path) -> Path:
    votes = ["a b model1", "b c model1", "c ref model2", "a ref tie"]
    rows = [
        {"timestamp": 0, "data_ID": i, "model1": one, "model2": two, "preference": vote}
        for i, (one, two, vote) in enumerate(map(str.split, votes))
    ]
    write_lines(folder / "speakbench_annotations.jsonl", rows)
    said = {
        "a": ("win", "tie"),
        "b": ("loss", "loss"),
        "c": ("loss", "tie"),
        "ref": ("tie", "tie"),
    }
    detailed = [
        {
            "instruction_id": 1,
            "model_name": name,
            "position1_result": one,
            "position2_result": two,
        }
        for name, (one, two) in said.items()
    ]
    write_csv(folder / "detailed_speakbench_0_shots.csv", detailed)
    rates = {"a": 0.75, "b": 0.0, "c": 0.25, "ref": 0.5}
    write_csv(
        folder / "summary_speakbench_0_shots.csv",
        [
            {"model_name": name, "effective_win_rate": rate}
            for name, rate in rates.items()
        ],
    )
    results = [
        {"audio1_path": f"{i}a.wav", "audio2_path": f"{i}b.wav", "ground_truth": "1"}
        | {"prediction": said}
        for i, said in enumerate(("1", "2", ""))
    ]
    write_csv(folder / "chat_result.csv", results)
    return folder


def hcot(folder: Path) -> Path:
    label = dict.fromkeys(
        ("content", "voice_quality", "paralinguistics", "overall"), "1"
    )
    rows = [
        {"index": i, "instruction_text": "Say it.", "instruction_id": 1, "label": label}
        | {
            "model_a": "x",
            "model_b": "y",
            "audio1_path": "a.wav",
            "audio2_path": "b.wav",
        }
        for i in range(2)
    ]
    write_list(folder / "made.json", rows)
    return folder


def orca(folder: Path) -> Path:
    rows = [
        {"id": f"q{i}", "question": "What?", "reference": "It", "candidate": "It"}
        | {"ratings": [5, 4]}
        for i in range(2)
    ]
    write_lines(folder / "ratings.jsonl", rows)
    return folder


#: Name of a benchmark -> makes a small one in a folder.
MADE: dict[str, Callable[[Path], Path]] = {
    "audiojudge": audio_judge,
    "emergent-tts": emergent_tts,
    "hcot": hcot,
    "mtalk-bench": mtalk,
    "orca": orca,
    "uro-bench": uro_bench,
    "vocalbench": vocalbench,
    "voicebench": voicebench,
    "vstyle": vstyle,
}

#: Name of a benchmark -> one of these files, a column of its lines, where it is of
#: lines, that the reader needs, and whether a line has an id: tests damage it.
FILES: dict[str, tuple[str, str | None, bool]] = {
    "audiojudge": ("speakbench_annotations.jsonl", "preference", False),
    "emergent-tts": ("toy_evaluation-predictions.jsonl", "category", True),
    "hcot": ("made.json", None, False),
    "mtalk-bench": ("sample.json", None, False),
    "orca": ("ratings.jsonl", "candidate", True),
    "uro-bench": ("basic/Repeat/pred_text.jsonl", "0000", True),
    "vocalbench": ("result/toy/json/knowledge.json", "prediction", True),
    "voicebench": ("toy-bbh-test-audio.jsonl", "response", True),
    "vstyle": ("metadata.jsonl", "ability", True),
}
