"""Recordings, runs and tables that cases of inputs and commands name, and calls."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import soundfile

from tests.support.audio import RATE, tone
from tests.support.calls import sound
from tests.support.judged import judged_run
from tests.support.platform_samples import twilio_sentences, vapi
from tests.support.sheets import write_sheet


def write_more_inputs() -> None:
    """Write recordings of two systems and of a call, prompts, and small tables."""
    recordings = {
        "two/new": ("q0", "q1"),
        "two/old": ("q0", "q1"),
        "two words/my new": ("q0",),
        "two words/my old": ("q0",),
        "pairs_of_files": ("q0_x", "q0_y", "q1_x", "q1_y"),
    }
    for folder, names in recordings.items():
        Path(folder).mkdir(parents=True)
        for number, name in enumerate(names):
            heard = tone(hz=200.0 + 50 * number + 10 * len(folder))
            soundfile.write(f"{folder}/{name}.wav", heard, RATE)
    for folder, names in {
        "asked": ("q0", "q1"),
        "asked otherwise": ("z0", "z1"),
    }.items():
        Path(folder).mkdir()
        for name in names:
            Path(folder, f"{name}.txt").write_text("Say it.")
    Path("empty").mkdir()
    _write_tables("id,a,b", away=["q0,new/q0.wav,old/q0.wav"])
    _write_tables(
        "system,model,win",
        bb1=["a,x,0.7", "a,y,0.6", "b,x,0.5"],
        bb2=["a,x,0.6", "a,y,0.7", "b,x,0.4"],
    )
    _write_tables("system,win", neg=["a,-0.7", "b,0.6", "c,3"])
    Path("my j.csv").write_text(Path("j.csv").read_text())
    _write_tables("id,overall", other_ids=["z0,1", "z1,2"])
    _write_tables("id,ann,bob", split_sheet=[f"q{n},1,2" for n in range(12)])
    _write_tables(
        "id,a,b,overall",
        good_or_bad=[
            f"q{n},two/new/q{n}.wav,two/old/q{n}.wav,{word}"
            for n, word in enumerate(("good", "bad"))
        ],
    )
    _write_tables(
        "id,a,b,overall", long=[f"q0,two/new/q0.wav,two/old/q0.wav,{'y' * 61}"]
    )
    Path("bad.toml").write_text("name = [")
    Path("pkg").mkdir()
    Path("pkg/__init__.py").touch()
    names = [f"q{n}" for n in range(12)]
    won = dict.fromkeys(names, "1")
    judged_run(Path("both"), won, version="v2", swapped=names[:6])
    judged_run(Path("other_prompt"), won, parameters={"prompt": "xyz"})
    judged_run(Path("labelled_run"), {f"q{n}": "12"[n % 2] for n in range(24)})
    _write_tables(
        "id,overall", labels_of_24=[f"q{n},{1 + n % 3 // 2}" for n in range(24)]
    )
    Path("platforms").mkdir()
    for name, export in {"twilio": twilio_sentences(), "vapi": vapi()}.items():
        Path(f"platforms/{name}.json").write_text(json.dumps(export))
    Path("silent").mkdir()
    soundfile.write("silent/s.wav", np.zeros((8_000, 2)), 8_000)
    Path("calls").mkdir()
    sound(Path("calls"), "two_sides")


def _write_tables(header: str, **rows_of: list[str]) -> None:
    for name, rows in rows_of.items():
        write_sheet(Path(f"{name}.csv"), header, rows)
