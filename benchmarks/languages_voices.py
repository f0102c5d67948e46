"""Clips of Festival's voices in six languages, with their texts, for ``benchmarks.languages``.

    apt-get install festival festvox-italp16k festvox-itapc16k festvox-ru festvox-hi-nsk \\
        festvox-czech-ph festvox-czech-dita festvox-czech-machac festvox-suopuhe-lj \\
        festvox-suopuhe-mv festvox-ca-ona-hts
    python -m benchmarks.languages_voices OUT
    python -m benchmarks.languages --recorded OUT/texts.jsonl

Each clip is three of the ten sentences of ``sentences.json`` (of languages that espeak-ng is not
asked for, those of ``sentences_built.json``), or an answer of the shipped examples in Italian and
Russian. Voices that are not installed are left out, and named.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import soundfile

HERE = Path(__file__).parent

#: Language -> its voices, and the encoding in which they read.
VOICES = {
    "it": (("lp_diphone", "pc_diphone"), "latin-1"),
    "ru": (("msu_ru_nsh_clunits",), "utf-8"),
    "hi": (("hindi_NSK_diphone",), "utf-8"),
    "cs": (("czech_ph", "czech_dita", "czech_machac"), "iso-8859-2"),
    "fi": (("suo_fi_lj_diphone", "hy_fi_mv_diphone"), "latin-1"),
    "ca": (("upc_ca_ona_hts",), "latin-1"),
}

#: Sentences of a clip, and silence between them, seconds.
SENTENCES, GAP_S = 3, 0.25

#: Clips that stand first: the benchmark whispers, sings and drowns the first five.
FIRST = (
    "it-lp_diphone-0.wav",
    "it-pc_diphone-3.wav",
    "ru-msu_ru_nsh_clunits-0.wav",
    "fi-suo_fi_lj_diphone-0.wav",
    "ca-upc_ca_ona_hts-0.wav",
)

_CODE = """
(voice_{voice})
(set! said nil)
(define (keep utt)
  (let ((file (make_tmp_filename)))
    (utt.save.wave utt file)
    (set! said (cons file said))
    utt))
(set! tts_hooks (list utt.synth keep))
(tts_file "{text}" nil)
(mapcar (lambda (file) (format t "%s\\n" file)) (reverse said))
"""


def say(voice: str, encoding: str, text: str, out: Path) -> None:
    """Write a text as Festival says it, utterance by utterance.

    Raises:
        CalledProcessError: the voice is not installed.
    """
    with tempfile.TemporaryDirectory() as folder:
        written, code = Path(folder, "text"), Path(folder, "code.scm")
        written.write_bytes(text.replace("\u2019", "'").encode(encoding, "replace"))
        code.write_text(_CODE.format(voice=voice, text=written))
        done = subprocess.run(["festival", "-b", str(code)], check=True, capture_output=True)
    parts, rate = [], 0
    for line in done.stdout.decode("utf-8", "replace").split():
        if (file := Path(line)).is_file():
            sound, rate = soundfile.read(file)
            parts += [sound, np.zeros(int(GAP_S * rate))]
            file.unlink()
    soundfile.write(out, np.concatenate(parts), rate)


def texts() -> Iterator[tuple[str, str, str, str]]:
    """(file name, language, voice, text) of every clip."""
    plain = {k: v["texts"] for k, v in json.loads(_read("sentences.json")).items()}
    known = plain | json.loads(_read("sentences_built.json"))
    for language, (voices, _) in VOICES.items():
        for voice in voices:
            for start in range(0, 9, SENTENCES):
                text = " ".join(known[language][start : start + SENTENCES])
                yield f"{language}-{voice}-{start}.wav", language, voice, text
    for language, answers in json.loads(_read("examples_said.json")).items():
        if language in VOICES:
            for number, text in enumerate(answers):
                yield f"{language}-example-{number}.wav", language, VOICES[language][0][0], text


def main() -> None:
    """Render what there are voices for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("out", type=Path)
    out: Path = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    lines, missing = [], set()
    for name, language, voice, text in sorted(texts(), key=lambda clip: clip[0] not in FIRST):
        try:
            say(voice, VOICES[language][1], text, out / name)
        except (subprocess.CalledProcessError, ValueError):
            missing.add(voice)
            continue
        lines.append({"audio": name, "language": language, "text": text, "voice": voice})
    written = (json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    (out / "texts.jsonl").write_text("".join(written), "utf-8")
    print(f"{len(lines)} clips -> {out / 'texts.jsonl'}")
    if missing:
        sys.exit(f"not installed: {', '.join(sorted(missing))}")


def _read(name: str) -> str:
    return (HERE / name).read_text("utf-8")


if __name__ == "__main__":
    main()
