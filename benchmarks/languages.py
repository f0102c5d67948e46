"""Which language the default names, what it hears, what that costs, and what decides nothing.

    python -m benchmarks.languages [--long F] [--short F] [--mandarin F] [--recorded F] [--write]

Prints the acceptance numbers, each beside its goal, and a table by language. Files are JSONL with
``audio``, ``text`` and ``language``: neural voices in clips of 9 s and more (``--long``) and in
single sentences (``--short``), real Mandarin, and any recorded or built voices beside them. The ten
sentences of ``sentences.json`` in 14 languages are rendered by espeak-ng here; English are the
prompts of ``TRACE_EVAL_DATA``. A row without its clips says so. One thread; CPU seconds of this
process. ``--write`` puts the table by language into docs/models.md.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.languages_tables import Heard, acceptance, by_language, page_table, write_page
from benchmarks.report import restart_with, save, table
from blueprints import Blueprint, Transcript
from extractors import default_asr, packaged
from extractors.audio import Clip, decode
from extractors.faster_whisper import FasterWhisperExtractor
from extractors.naming import name_language
from extractors.rate import RateExtractor
from extractors.signal import SignalExtractor
from extractors.suspect import guessed
from trace_eval.measures.language import answers_in_language
from trace_eval.measures.text import normaliser_of

ENGLISH = FasterWhisperExtractor(model=packaged.ENGLISH, device="cpu", beam_size=1)
BASE = FasterWhisperExtractor(model=packaged.MULTILINGUAL, device="cpu", beam_size=1, language="en")
SENTENCES = Path(__file__).with_name("sentences.json")

#: A clip of text: where, what, in which language.
Line = dict[str, str]


def known(path: Path) -> tuple[Clip, Blueprint]:
    """A clip, and where speech is in it."""
    clip, detector = decode(path), SignalExtractor()
    nothing = Blueprint(clip=clip.sha256)
    signal = detector.extract(clip, nothing)
    return clip, nothing.with_group("signal", signal, detector.provenance())


def errors(wanted: str, found: str, language: str) -> tuple[int, int]:
    """Wrong and all words, or characters, without case and punctuation; numbers as written."""
    import jiwer

    if language == "en":

        def normal(text: str) -> str:
            whole = text.casefold().replace("\u2019", "'")
            return " ".join(re.findall(r"[^\W_]+(?:'[^\W_]+)*", whole))

    else:
        normal = normaliser_of(language)[0]
    done = jiwer.process_words(normal(wanted).strip(), normal(found).strip())
    wrong = done.substitutions + done.deletions + done.insertions
    return wrong, done.hits + done.substitutions + done.deletions


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """What it gives, and the CPU seconds that it takes."""
    start = time.process_time()
    return work(), time.process_time() - start


def hear(folder: Path, line: Line, both: FasterWhisperExtractor) -> Heard | None:
    """One clip through the default; None where nobody is heard to speak."""
    language = line.get("language", "en")
    clip, before = known(folder / line["audio"])
    assert both.others
    model = both.others.opened()
    spans = before.signal.speech if before.signal.status == "ok" else []
    if not spans:
        return None
    _, name_s = timed(lambda: name_language(model, clip.speech, spans))
    heard, all_s = timed(lambda: both.extract(clip, before))
    assert isinstance(heard, Transcript)
    assert heard.spoken
    whole = before.with_group("transcript", heard, both.provenance())
    counter = RateExtractor()
    whole = whole.with_group("rate", counter.extract(clip, whole), counter.provenance())
    wrong, units = errors(line["text"], heard.text, language)
    same, base = None, None
    if language == "en":
        alone, alone_s = timed(lambda: ENGLISH.extract(clip, before))
        assert isinstance(alone, Transcript)
        same = ((alone.text, alone.words) == (heard.text, heard.words), alone_s)
        by_base = BASE.extract(clip, before)
        assert isinstance(by_base, Transcript)
        base = errors(line["text"], by_base.text, "en")[0]
    return Heard(
        language,
        clip.seconds,
        heard.spoken.language,
        heard.spoken.probability,
        heard.spoken.sure,
        wrong,
        units,
        guessed(whole) is not None,
        answers_in_language(language, whole).value,
        answers_in_language("en", whole).value,
        name_s,
        all_s,
        same,
        base,
    )


def rendered(folder: Path) -> Iterator[Line]:
    """The sentences by espeak-ng."""
    for language, said in json.loads(SENTENCES.read_text("utf-8")).items():
        spoken = said.get("say", said["texts"])
        for number, (text, words) in enumerate(zip(said["texts"], spoken, strict=True)):
            name = f"{language}-{number}.wav"
            typed = ["espeak-ng", "-v", said["voice"], "-s", "150", "-w", str(folder / name), words]
            subprocess.run(typed, check=True)
            yield {"audio": name, "language": language, "text": text}


def main() -> None:
    """Measure, print, save."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    for kind in ("long", "short", "mandarin", "recorded"):
        parser.add_argument(f"--{kind}", type=Path)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    restart_with({"OMP_NUM_THREADS": "1"})
    for model in (packaged.ENGLISH, packaged.MULTILINGUAL):
        if problem := packaged.problem(model):
            sys.exit(problem)
    both = default_asr.chosen(beam_size=1)
    assert isinstance(both, FasterWhisperExtractor)
    found: dict[str, list[Heard]] = {}

    def measure(kind: str, folder: Path, lines: Sequence[Line]) -> None:
        found[kind] = [heard for line in lines if (heard := hear(folder, line, both))]

    data = os.environ.get("TRACE_EVAL_DATA")
    files = {kind: getattr(given, kind) for kind in ("long", "short", "mandarin", "recorded")}
    if data:
        files["prompts"] = Path(data) / "prompts" / "texts.jsonl"
    for kind, path in files.items():
        if path:
            measure(
                kind, path.parent, [json.loads(x) for x in path.read_text("utf-8").splitlines()]
            )
    if shutil.which("espeak-ng"):
        with tempfile.TemporaryDirectory() as made:
            lines = list(rendered(Path(made)))
            measure("espeak", Path(made), [x for x in lines if x["language"] != "en"])
            measure("espeak_en", Path(made), [x for x in lines if x["language"] == "en"])
    rows = list(acceptance(found))
    table("Acceptance, one thread", ("what", "goal", "measured", "holds"), rows)
    voices = {
        "prompts": "Kokoro",
        "long": "neural",
        "short": "neural, short",
        "mandarin": "real",
        "recorded": "recorded",
        "espeak_en": "espeak-ng",
        "espeak": "espeak-ng",
    }
    told = [x for kind in voices for x in by_language(found.get(kind, ()), voices[kind])]
    print(f"\nBy language\n\n{page_table(told)}")
    save("languages", {"acceptance": rows, "languages": told})
    if given.write:
        write_page(told)


if __name__ == "__main__":
    main()
