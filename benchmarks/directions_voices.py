"""Voices in which answers of ``benchmarks.directions`` are rendered."""

from __future__ import annotations

import subprocess
from pathlib import Path

import soundfile

from benchmarks.neural_voice import spoken

VOICES = (
    *(("espeak-ng", voice) for voice in ("en-us", "en-gb", "en-us+f3", "en-gb+m3")),
    *(("flite", voice) for voice in ("slt", "rms", "awb", "kal16")),
)


#: Voices that the detector was not written by.
OTHER_VOICES = (
    *(
        ("espeak-ng", voice)
        for voice in ("en-gb-scotland", "en-029", "en-us+f5", "en-us+m7")
    ),
    *(("flite", "kal"), ("joe", ""), ("joe", ""), ("joe", "")),
)


#: Voices that were heard for the first time with world e.
NEW_VOICES = (
    *(
        ("espeak-ng", voice)
        for voice in ("en-gb-x-rp", "en-us-nyc", "en-gb-x-gbcwmd", "en-us+f2")
    ),
    *(("flite", voice) for voice in ("slt 1.25 180", "rms 0.9 130", "awb 1.1 150")),
    *(("joe", "0.85"), ("joe", "1.2")),
)


#: Voices that were heard for the first time with world f.
LAST_VOICES = (
    *(("espeak-ng", voice) for voice in ("en-gb-x-gbclan", "en-us+m2", "en-029+f4")),
    *(("flite", voice) for voice in ("kal16 1.1 110", "slt 0.9 210", "awb 0.95 120")),
    *(("joe", "0.9"), ("joe", "1.1")),
)


#: Voices that were heard for the first time with world g.
FINAL_VOICES = (
    *(("espeak-ng", voice) for voice in ("en-gb-scotland+m4", "en-us+f4", "en+m1")),
    *(("flite", voice) for voice in ("slt 1.1 170", "rms 1.1 100", "kal 0.95 105")),
    *(("joe", "0.95"), ("joe", "1.05")),
)


#: Voices that were heard for the first time with worlds h and i.
FRESH_VOICES = (
    *(("espeak-ng", voice) for voice in ("en-us+m5", "en-gb+f1", "en-gb-x-rp+m6")),
    *(("flite", voice) for voice in ("slt 1.05 165", "awb 1.05 135", "kal16 0.95 115")),
    *(("joe", "0.97"), ("joe", "1.08")),
)


#: Voices that were heard for the first time with world j.
NEWEST_VOICES = (
    *(("espeak-ng", voice) for voice in ("en-us+m6", "en-gb+f5", "en-gb-x-rp+f2")),
    *(("flite", voice) for voice in ("slt 0.95 190", "rms 1.05 115", "awb 1.0 125")),
    *(("joe", "0.92"), ("joe", "1.02")),
)


#: Voices that were heard for the first time with world k.
LATEST_VOICES = (
    *(("espeak-ng", voice) for voice in ("en-us+Andrea", "en-gb+Michael", "en-us+Lee")),
    *(("flite", voice) for voice in ("slt 1.15 200", "rms 0.95 140", "kal 1.05 120")),
    *(("joe", "0.88"), ("joe", "1.15")),
)


#: Voices that were heard for the first time with world l.
UNHEARD_VOICES = (
    *(("espeak-ng", voice) for voice in ("en-us+Annie", "en-gb+Alex", "en-us+Denis")),
    *(("flite", voice) for voice in ("slt 1.0 175", "rms 1.15 125", "kal16 1.0 130")),
    *(("joe", "0.94"), ("joe", "1.12")),
)


#: Voices that were heard for the first time with world m.
UNTRIED_VOICES = (
    *(("espeak-ng", voice) for voice in ("en-us+linda", "en-gb+Hugo", "en-us+paul")),
    *(("flite", voice) for voice in ("slt 1.08 185", "awb 0.98 140", "kal 1.1 100")),
    *(("joe", "0.96"), ("joe", "1.06")),
)


#: What ``--voices`` names.
VOICES_BY_NAME = {
    "known": VOICES,
    "others": OTHER_VOICES,
    "every": VOICES + OTHER_VOICES,
    "new": NEW_VOICES,
    "last": LAST_VOICES,
    "final": FINAL_VOICES,
    "fresh": FRESH_VOICES,
    "newest": NEWEST_VOICES,
    "latest": LATEST_VOICES,
    "unheard": UNHEARD_VOICES,
    "untried": UNTRIED_VOICES,
}


def render(words: str, program: str, voice: str, path: Path) -> None:
    """Speak words into a file.

    A voice of flite may have a stretch and a mean pitch in Hz, the neural one a speed.
    """
    if program == "joe":
        samples, rate = spoken(words, float(voice or 1))
        soundfile.write(path, samples, rate)
        return
    if program == "flite":
        name, *changed = voice.split()
        line = ["flite", "-voice", name, "-t", words, "-o", str(path)]
        settings = ("duration_stretch", "int_f0_target_mean")
        for setting, value in zip(settings, changed, strict=False):
            line += ["--setf", f"{setting}={value}"]
    else:
        line = ["espeak-ng", "-v", voice, "-s", "150", "-w", str(path), words]
    subprocess.run(line, check=True, capture_output=True)
