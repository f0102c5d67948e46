"""Tables of prompts beside folders of recordings: what they add, unknown headers."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from blueprints import InputError
from tests.support.audio import tone, write
from trace_eval.data.columns import parse_columns
from trace_eval.data.items import Pair, Single
from trace_eval.data.manifests import Manifest, read_items, read_manifest
from trace_eval.data.system_folders import Systems


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for system in ("new", "old"):
        (tmp_path / system).mkdir()
        for name in ("0001", "0002"):
            write(tmp_path / system / f"{name}.wav", tone(0.2))
    return tmp_path


def _read(
    folder: Path, prompts: Path, single: bool = False, **columns: str
) -> Manifest:
    systems = Systems.parse(folder / "new", folder / "old", prompts)
    read = read_items if single else read_manifest
    return read(systems, columns=columns)


def test_other_columns_of_a_table_come_along(folder: Path) -> None:
    rows = [
        "id,text,Category,context,reference,difficulty,winner,system,notes",
        '1,"Hi, there?",greeting,a shop,Hello.,hard,new,gpt,',
        "2,Bye?,farewell,,,easy,old,,Ends abruptly.",
    ]
    (folder / "prompts.csv").write_text("\n".join(rows))
    first, second = _read(folder, folder / "prompts.csv").items
    assert isinstance(first, Pair)
    assert isinstance(second, Pair)
    assert (first.category, second.category) == ("greeting", "farewell")
    assert first.meta["difficulty"] == "hard"
    assert second.meta["notes"] == "Ends abruptly."
    # Who wins, and which system, is nothing that a sheet of prompts can say of a pair.
    assert first.labels is None
    assert first.systems == ("new", "old")
    assert first.meta["winner"] == "new"
    answer, *_ = _read(folder, folder / "prompts.csv", single=True).items
    assert isinstance(answer, Single)
    assert (answer.category, answer.context, answer.reference) == (
        "greeting",
        "a shop",
        ("Hello.",),
    )
    assert answer.meta["difficulty"] == "hard"
    named = _read(folder, folder / "prompts.csv", category="difficulty")
    assert [item.category for item in named.items] == ["hard", "easy"]


def test_what_a_manifest_of_pairs_says_of_its_prompts_comes_along(folder: Path) -> None:
    pair = {
        "instruction": {"text": "Hi?"},
        "a": {"audio": "elsewhere.wav"},
        "labels": {"match": 1},
    }
    lines = [
        {"id": name, **pair, "category": "x", "meta": {"severe": True}}
        for name in ("1", "2")
    ]
    (folder / "p.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    first, _ = _read(folder, folder / "p.jsonl").items
    assert isinstance(first, Pair)
    assert (first.category, first.meta, first.labels) == ("x", {"severe": True}, None)
    assert str(first.a.audio).endswith("new/0001.wav")


def test_recordings_of_unknown_names_are_offered_in_their_order(folder: Path) -> None:
    (folder / "pairs.csv").write_text("nr,links,rechts\n1,new/0001.wav,old/0001.wav\n")
    with pytest.raises(
        InputError, match=r"perhaps --column a=links --column b=rechts$"
    ):
        read_manifest(folder / "pairs.csv")


@pytest.mark.parametrize(
    ("header", "rows", "offered"),
    [
        (
            "topic,was gesagt wurde,nr",
            [
                "bank,Wie eröffne ich bei Ihnen ein Konto?,1",
                "wetter,Wie wird es morgen?,2",
            ],
            "--column id=nr --column 'instruction_text=was gesagt wurde'",
        ),
        (
            "id,topic,said",
            ["1,bank,How do I open an account?", "2,weather,What will it be like?"],
            "--column instruction_text=said",
        ),
        (
            "case,topic,said,spoken",
            [
                "0001.wav,bank,How do I open an account?,q1.wav",
                "0002.wav,weather,How is it?,q2.wav",
            ],
            "--column id=case --column instruction_text=said",
        ),
        (
            "case,spoken,n",
            ["0001.wav,questions/1.wav,7", "0002.wav,questions/2.wav,7"],
            "--column id=case --column instruction_audio=spoken",
        ),
        (
            "topic,said",  # no column names the recordings
            ["bank,How do I open an account?", "weather,What will it be like?"],
            "--column id=COLUMN --column instruction_text=said",
        ),
    ],
)
def test_unknown_headers_are_offered_by_what_they_hold(
    folder: Path, header: str, rows: list[str], offered: str
) -> None:
    path = folder / "sheet.csv"
    path.write_text("\n".join([header, *rows]))
    with pytest.raises(InputError, match="no column for") as caught:
        _read(folder, path)
    assert str(caught.value).endswith(f"perhaps {offered}")
    if "COLUMN" not in offered:  # typed as it is printed, it works
        typed = [word for word in shlex.split(offered) if word != "--column"]
        first, _ = _read(folder, path, **parse_columns(typed)).items
        assert isinstance(first, Pair)
        spoken = str(first.instruction.audio)
        assert (first.instruction.text or spoken).endswith(("?", "questions/1.wav"))
        assert len(first.meta) >= 1
