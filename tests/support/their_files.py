"""Tables and folders of recordings as annotators have them, each of the same three pairs."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tests.support.audio import tone, write

PROMPTS = ("Say one.", "Say two.", "Say three.")

#: What annotators said of the three pairs: A, B, tie.
SAID = ("1", "2", "tie")

ROWS = range(1, 4)


def recordings(folder: Path) -> Path:
    """``new/qN.wav``, ``old/qN.wav`` and ``prompts/qN.wav``."""
    for place, name in enumerate(("new", "old", "prompts")):
        for number in ROWS:
            write(folder / name / f"q{number}.wav", tone(0.05, hz=200 + 50 * place + number))
    return folder


def _rows(path: Path, separator: str, header: Sequence[str], *columns: Sequence[Any]) -> Path:
    rows = [header, *zip(*columns, strict=True)]
    path.write_text("".join(separator.join(map(str, row)) + "\n" for row in rows))
    return path


def _lines(path: Path, *columns: tuple[str, Sequence[Any]]) -> Path:
    names = [name for name, _ in columns]
    rows = zip(*(values for _, values in columns), strict=True)
    path.write_text("".join(json.dumps(dict(zip(names, r, strict=True))) + "\n" for r in rows))
    return path


def tables(folder: Path) -> dict[str, Path]:
    """Eight tables of the recordings in a folder, by what annotators call them."""
    new = [f"new/q{n}.wav" for n in ROWS]
    old = [f"old/q{n}.wav" for n in ROWS]
    names = ["new"] * 3, ["old"] * 3
    found = {
        "own names": _rows(
            folder / "own.csv",
            ",",
            ("prompt", "system_a_audio", "system_b_audio", "winner"),
            *(PROMPTS, new, old, ("A", "B", "draw")),
        ),
        "wide": _rows(folder / "wide.csv", ",", ("question", "new", "old"), PROMPTS, new, old),
        "semicolons": _rows(
            folder / "semi.csv",
            ";",
            ("id", "instruction", "a", "b", "overall"),
            *(ROWS, PROMPTS, new, old, ("left", "right", "both")),
        ),
        "tabs": _rows(
            folder / "pairs.tsv",
            "\t",
            ("id", "prompt", "audio_a", "audio_b", "model_a", "model_b", "winner"),
            *(ROWS, PROMPTS, new, old, *names, ("new", "old", "tie")),
        ),
        "chosen and rejected": _lines(
            folder / "dpo.jsonl",
            ("index", ("q", "r", "s")),
            ("question", PROMPTS),
            ("chosen", new),
            ("rejected", old),
        ),
        "arena": _lines(
            folder / "arena.jsonl",
            ("question", PROMPTS),
            ("model_a", names[0]),
            ("model_b", names[1]),
            ("response_a", new),
            ("response_b", old),
            ("winner", ("model_a", "model_b", "tie (bothbad)")),
        ),
    }
    sound = [base64.b64encode((folder / f"prompts/q{n}.wav").read_bytes()).decode() for n in ROWS]
    chat = [
        {
            "id": str(n),
            "prompt": [
                {
                    "role": "user",
                    "content": [
                        {"type": "text", "text": PROMPTS[n - 1]},
                        {
                            "type": "input_audio",
                            "input_audio": {"data": sound[n - 1], "format": "wav"},
                        },
                    ],
                }
            ],
            "responses": [
                [{"role": "assistant", "content": [{"type": "audio", "audio_url": new[n - 1]}]}],
                {"role": "assistant", "content": "As I said.", "audio": {"path": old[n - 1]}},
            ],
            "preference": SAID[n - 1],
        }
        for n in ROWS
    ]
    found["chat"] = folder / "chat.json"
    found["chat"].write_text(json.dumps(chat))
    cells = [
        [{"bytes": (folder / p).read_bytes(), "path": None} for p in side] for side in (new, old)
    ]
    (folder / "hub" / "data").mkdir(parents=True)
    features = {"winner": {"names": ["tie", "b", "a"], "_type": "ClassLabel"}}
    schema = {"huggingface": json.dumps({"info": {"features": features}})}
    table = pa.table(
        {
            "prompt": list(PROMPTS),
            "audio_a": cells[0],
            "audio_b": cells[1],
            "winner": [2, 1, 0],  # of the names above: a 2 is no label 2
        }
    ).replace_schema_metadata(schema)
    pq.write_table(table, folder / "hub" / "data" / "train-00000-of-00001.parquet")
    found["hub"] = folder / "hub"
    return found
