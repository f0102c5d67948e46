"""Odd records and file names cost only themselves; large shared values stay cheap."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.support.audio import tone, write
from tests.support.datasets_made import write_rows
from tests.support.processes import python
from trace_eval.data.answers import Answer
from trace_eval.data.manifests import read_items, read_manifest
from trace_eval.data.recordings import check_audio
from trace_eval.data.system_folders import Systems
from trace_eval.decide.rank import rank
from trace_eval.opinions.cells import texts_of
from trace_eval.opinions.same_names import as_judged
from trace_eval.runs.opinions import read_opinions
from trace_eval.stats.options import RankOptions

_GOOD = {
    "id": "good",
    "instruction": "x",
    "a": {"audio": "good.wav"},
    "b": {"audio": "good.wav"},
}
_SAMPLES = [0.0, 0.1] * 800

_ODD: dict[str, Any] = {
    "text in samples": {"array": ["a"], "sampling_rate": 16_000},
    "a text": {"array": "abc", "sampling_rate": 16_000},
    "an object": {"array": {"x": 1}, "sampling_rate": 16_000},
    "rows of unequal length": {"array": [[1.0, 2.0], [3.0]], "sampling_rate": 16_000},
    "no samples": {"array": [], "sampling_rate": 16_000},
    "null in samples": {"array": [None, 1.0], "sampling_rate": 16_000},
    "three dimensions": {"array": [[[1.0]]], "sampling_rate": 16_000},
    "a number": {"array": 3, "sampling_rate": 16_000},
    "booleans": {"array": [True, False], "sampling_rate": 16_000},
    **{
        f"rate {rate!r}"[:40]: {"array": _SAMPLES, "sampling_rate": rate}
        for rate in (
            "16k",
            "",
            -1,
            0,
            None,
            [16_000],
            {"hz": 1},
            True,
            2**31,
            16_000.5,
            1e99,
        )
    },
    "a name of 300 letters with a backslash": "x" * 300 + "\\y.wav",
    "a long name of Windows": "C:\\" + "y" * 300 + ".wav",
    "a long path": "a/" * 3000 + "x.wav",
    "a NUL": "\0.wav",
}


@pytest.mark.parametrize("name", _ODD)
def test_an_odd_recording_costs_its_record(name: str, tmp_path: Path) -> None:
    write(tmp_path / "good.wav", tone())
    odd = {**_GOOD, "id": "odd", "a": _ODD[name]}
    path = tmp_path / "pairs.jsonl"
    path.write_text(f"{json.dumps(_GOOD)}\n{json.dumps(odd)}\n")
    for read in (read_manifest, read_items):
        manifest = read(path)
        problems = [
            *map(str, manifest.problems),
            *map(str, check_audio(manifest.items)),
        ]
        assert len(problems) == 1, problems
        assert "odd" in problems[0] or "line 2" in problems[0]
        assert any(item.id.startswith("good") for item in manifest.items)


def test_an_odd_sampling_rate_in_parquet_costs_its_row(tmp_path: Path) -> None:
    write(tmp_path / "good.wav", tone())
    cells = [
        {"array": _SAMPLES, "sampling_rate": rate} for rate in (16_000, -1, 0, 2**40)
    ]
    ids = [str(rate) for rate in range(4)]
    columns = {"id": ids, "instruction": ["x"] * 4, "a": cells, "b": ["good.wav"] * 4}
    pq.write_table(pa.table(columns), tmp_path / "pairs.parquet")
    manifest = read_manifest(tmp_path / "pairs.parquet")
    assert [item.id for item in manifest.items] == ["0"]
    assert len(manifest.problems) == 3
    assert all(
        "sampling_rate: expected samples a second" in str(p) for p in manifest.problems
    )


@pytest.mark.parametrize(
    "rates",
    [(16_000, -1, 0, 2**40), (16_000.0, float("nan"), 1e99, 8000.5)],
    ids=["whole", "float"],
)
def test_an_odd_sampling_rate_in_a_saved_data_set_costs_its_row(
    rates: tuple[float, ...], tmp_path: Path
) -> None:
    sounds = [{"array": _SAMPLES, "sampling_rate": rate} for rate in rates]
    ids = [str(number) for number in range(4)]
    table = pa.table({"id": ids, "instruction": ["x"] * 4, "a": sounds, "b": sounds})
    with pa.ipc.new_stream(str(tmp_path / "data.arrow"), table.schema) as writer:
        writer.write_table(table)
    (tmp_path / "state.json").write_text(
        '{"_data_files": [{"filename": "data.arrow"}]}'
    )
    (tmp_path / "dataset_info.json").write_text("{}")
    manifest = read_manifest(tmp_path)
    assert [item.id for item in manifest.items] == ["0"]
    assert len(manifest.problems) == 3


_READ_DAMAGED = """
import io, sys
from pathlib import Path
import pyarrow as pa, pyarrow.parquet as pq
from blueprints import InputError
from trace_eval.data.manifests import read_manifest

path = Path(sys.argv[1])
sound = {"bytes": b"RIFF", "path": "a.wav"}
rows = [{"id": str(n), "instruction": "hi", "a": sound, "b": sound, "n": n} for n in range(4)]
pq.write_table(pa.Table.from_pylist(rows), path)
whole = path.read_bytes()
footer = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
read = 0
for place in range(footer, len(whole) - 8):
    for type_of_column in (8, 10) if whole[place] == 12 else ():  # of texts and bytes
        path.write_bytes(whole[:place] + bytes([type_of_column]) + whole[place + 1 :])
        try:
            read += len(read_manifest(path).problems) >= 0
        except InputError:
            read += 1
print(read)
"""


def test_a_column_of_another_type_than_its_statistics_does_not_end_the_process(
    tmp_path: Path,
) -> None:
    assert int(python(_READ_DAMAGED, tmp_path / "pairs.parquet")) >= 10


_READ = """
import sys
from pathlib import Path
from tests.support.memory import peak_kb
from trace_eval.data.manifests import read_manifest
from trace_eval.data.records import spill_to
before = peak_kb()
import pyarrow.parquet
manifest = read_manifest(Path(sys.argv[1]), spill=spill_to(Path(sys.argv[1]).parent / "audio"))
print(len(manifest.items), (peak_kb() - before) >> 10)
"""


@pytest.mark.parametrize("name", ["notes", "instruction"])
def test_a_long_text_that_rows_share_is_held_a_few_times(
    name: str, tmp_path: Path
) -> None:
    """Read a few kB of Parquet, and 2 GB once every row has its own."""
    rows = 2000
    places = pa.array(np.zeros(rows), pa.int32())
    notes = pa.DictionaryArray.from_arrays(places, pa.array(["x" * (1 << 20)]))
    columns = {
        "id": [str(row) for row in range(rows)],
        "instruction": ["x"] * rows,
        "a": ["good.wav"] * rows,
        "b": ["good.wav"] * rows,
        name: notes,
    }
    path = tmp_path / "pairs.parquet"
    pq.write_table(pa.table(columns), path, compression="zstd", store_schema=False)
    assert path.stat().st_size < 100_000
    items, megabytes = map(int, python(_READ, path).split())
    assert items == rows
    assert megabytes < 900


@pytest.mark.parametrize("forms", [("NFC", "NFD"), ("NFD", "NFC"), ("NFD", "NFD")])
def test_names_in_two_unicode_forms_meet(
    forms: tuple[str, str], tmp_path: Path
) -> None:
    """An archive of macOS holds names in form NFD."""
    names = ["Grüße", "café 1", "한국어", "Ångström"]
    for folder, form in zip("ab", forms, strict=True):
        (tmp_path / folder).mkdir()
        for name in names:
            write(
                tmp_path / folder / f"{unicodedata.normalize(form, name)}.wav", tone()
            )
    (tmp_path / "prompts.csv").write_text(
        "id,prompt\n"
        + "".join(f"{unicodedata.normalize('NFD', name)},x\n" for name in names)
    )
    systems = Systems(
        {"a": tmp_path / "a", "b": tmp_path / "b"}, tmp_path / "prompts.csv"
    )
    manifest = read_manifest(systems)
    assert sorted(item.id for item in manifest.items) == sorted(names)
    assert all(pair.instruction.text == "x" for pair in manifest.pairs)
    rows = []
    for name in names:
        sides = {side: {"audio": f"{side}/{name}.wav"} for side in "ab"}
        rows.append({**_GOOD, "id": name, **sides})
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert check_audio(read_manifest(path).items) == []


@pytest.mark.parametrize("forms", [("NFC", "NFD"), ("NFD", "NFC")])
def test_ids_and_systems_in_two_unicode_forms_meet(
    forms: tuple[str, str], tmp_path: Path
) -> None:
    names = ["Grüße", "café 1", "한국어", "Ångström"]
    judged, labels = [], []
    for number, name in enumerate(names):
        here, there = (unicodedata.normalize(form, name) for form in forms)
        system = unicodedata.normalize(forms[number % 2], "Zoë")
        judged.append([here, system, "base", "1"])
        labels.append([there, "Zoë", "base", "1"])
    columns = ["id", "system_a", "system_b", "preference"]
    verdicts = read_opinions(write_rows(tmp_path / "judge.csv", columns, judged))
    people = read_opinions(write_rows(tmp_path / "people.csv", columns, labels))
    assert verdicts.ids.tolist() == people.ids.tolist()
    assert set(verdicts.facts["system_a"].tolist()) == {"Zoë"}
    typed = RankOptions(baseline=unicodedata.normalize("NFD", "Zoë"))
    report = rank(verdicts, labels=people, options=typed)
    assert report.options.baseline == "Zoë"
    sides = [
        Answer(text="x", system=unicodedata.normalize(form, "Zoë")) for form in forms
    ]
    assert {side.system for side in sides} == {"Zoë"}
    # A run keeps ids as its manifest has them.
    as_there = texts_of([unicodedata.normalize("NFC", name) for name in names])
    kept = [unicodedata.normalize("NFD", name) for name in names]
    run = replace(verdicts, ids=texts_of(kept))
    assert as_judged(as_there, [run]).tolist() == kept
