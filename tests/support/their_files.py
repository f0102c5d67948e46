"""Tables and folders of recordings as annotators have them, of three pairs."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tests.support.audio import tone, write
from tests.support.datasets_made import write_lines

PROMPTS = ("Say one.", "Say two.", "Say three.")

#: What annotators said of the three pairs: A, B, tie.
SAID = ("1", "2", "tie")

ROWS = range(1, 4)


def recordings(folder: Path) -> Path:
    """``new/qN.wav``, ``old/qN.wav`` and ``prompts/qN.wav``."""
    for place, name in enumerate(("new", "old", "prompts")):
        for number in ROWS:
            write(
                folder / name / f"q{number}.wav",
                tone(0.05, hz=200 + 50 * place + number),
            )
    return folder


def _rows(
    path: Path, separator: str, header: Sequence[str], columns: Sequence[Sequence[Any]]
) -> Path:
    rows = [header, *zip(*columns, strict=True)]
    path.write_text("".join(separator.join(map(str, row)) + "\n" for row in rows))
    return path


def _lines(path: Path, *columns: tuple[str, Sequence[Any]]) -> Path:
    names = [name for name, _ in columns]
    rows = zip(*(values for _, values in columns), strict=True)
    return write_lines(path, (dict(zip(names, row, strict=True)) for row in rows))


NEW = [f"new/q{n}.wav" for n in ROWS]
OLD = [f"old/q{n}.wav" for n in ROWS]
NAMES = ["new"] * 3, ["old"] * 3


def _chat(folder: Path) -> Path:
    def record(place: int) -> dict[str, Any]:
        sound = base64.b64encode(
            (folder / f"prompts/q{place + 1}.wav").read_bytes()
        ).decode()
        spoken = {
            "type": "input_audio",
            "input_audio": {"data": sound, "format": "wav"},
        }
        content = [{"type": "text", "text": PROMPTS[place]}, spoken]
        answer = [{"type": "audio", "audio_url": NEW[place]}]
        return {
            "id": str(place + 1),
            "prompt": [{"role": "user", "content": content}],
            "responses": [
                [{"role": "assistant", "content": answer}],
                {
                    "role": "assistant",
                    "content": "As I said.",
                    "audio": {"path": OLD[place]},
                },
            ],
            "preference": SAID[place],
        }

    (folder / "chat.json").write_text(json.dumps([record(place) for place in range(3)]))
    return folder / "chat.json"


def _hub(folder: Path) -> Path:
    a = [{"bytes": (folder / place).read_bytes(), "path": None} for place in NEW]
    b = [{"bytes": (folder / place).read_bytes(), "path": None} for place in OLD]
    (folder / "hub" / "data").mkdir(parents=True)
    features = {"winner": {"names": ["tie", "b", "a"], "_type": "ClassLabel"}}
    schema = {"huggingface": json.dumps({"info": {"features": features}})}
    # of the names above: a 2 is no label 2
    columns = {"prompt": list(PROMPTS), "audio_a": a, "audio_b": b, "winner": [2, 1, 0]}
    table = pa.table(columns).replace_schema_metadata(schema)
    pq.write_table(table, folder / "hub" / "data" / "train-00000-of-00001.parquet")
    return folder / "hub"


#: What annotators call a table -> makes it, of the recordings in a folder.
TABLES: dict[str, Callable[[Path], Path]] = {
    "own names": lambda folder: _rows(
        folder / "own.csv",
        ",",
        ("prompt", "system_a_audio", "system_b_audio", "winner"),
        columns=(PROMPTS, NEW, OLD, ("A", "B", "draw")),
    ),
    "wide": lambda folder: _rows(
        folder / "wide.csv",
        ",",
        ("question", "new", "old"),
        columns=(PROMPTS, NEW, OLD),
    ),
    "semicolons": lambda folder: _rows(
        folder / "semi.csv",
        ";",
        ("id", "instruction", "a", "b", "overall"),
        columns=(ROWS, PROMPTS, NEW, OLD, ("left", "right", "both")),
    ),
    "tabs": lambda folder: _rows(
        folder / "pairs.tsv",
        "\t",
        ("id", "prompt", "audio_a", "audio_b", "model_a", "model_b", "winner"),
        columns=(ROWS, PROMPTS, NEW, OLD, *NAMES, ("new", "old", "tie")),
    ),
    "chosen and rejected": lambda folder: _lines(
        folder / "dpo.jsonl",
        ("index", ("q", "r", "s")),
        ("question", PROMPTS),
        ("chosen", NEW),
        ("rejected", OLD),
    ),
    "arena": lambda folder: _lines(
        folder / "arena.jsonl",
        ("question", PROMPTS),
        ("model_a", NAMES[0]),
        ("model_b", NAMES[1]),
        ("response_a", NEW),
        ("response_b", OLD),
        ("winner", ("model_a", "model_b", "tie (bothbad)")),
    ),
    "chat": _chat,
    "hub": _hub,
}


def tables(folder: Path) -> dict[str, Path]:
    """All of :data:`TABLES`."""
    return {name: make(folder) for name, make in TABLES.items()}
