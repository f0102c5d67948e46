"""Which language the default names, what it hears, what that costs, and what decides nothing.

    python -m benchmarks.languages [--long F] [--short F] [--real F] [--recorded F]
        [--keep F] [--write]

Prints the acceptance numbers, each beside its goal, and a table by language. Files are JSONL with
``audio``, ``text`` and ``language``: neural voices in clips of 9 s and more (``--long``) and in
single sentences (``--short``), real Mandarin, and any recorded or built voices beside them. The ten
sentences of ``sentences.json`` in 14 languages are rendered by espeak-ng here; English are the
prompts of ``TRACE_EVAL_DATA``. The shipped examples' answers are said in five languages, prompts
and recorded voices are whispered, sung and mixed with noise, and music and silence are made: each
is judged by ``rules`` against a plain English answer, and no verdict on content may come from words
that are wrong. A row without its clips says so. One thread; CPU seconds of this
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
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from benchmarks.fidelity import words as spelt
from benchmarks.languages_hard import OF_NOTHING, OF_SPEECH
from benchmarks.languages_hard import made as hard
from benchmarks.languages_tables import (
    Heard,
    acceptance,
    by_language,
    page_table,
    undecided,
    write_page,
)
from benchmarks.languages_weights import weights
from benchmarks.report import restart_with, save, table
from blueprints import Blueprint, Transcript
from extractors import default_asr, packaged
from extractors.audio import Clip, decode
from extractors.faster_whisper import FasterWhisperExtractor
from extractors.naming import name_language
from extractors.rate import RateExtractor
from extractors.registry import PROFILES, create
from extractors.signal import SignalExtractor
from extractors.suspect import guessed
from trace_eval.data.answers import Answer
from trace_eval.data.pairs import Pair
from trace_eval.judges.base import Case
from trace_eval.judges.rules.judge import RulesJudge
from trace_eval.measures.language import answers_in_language
from trace_eval.measures.text import normaliser_of

ENGLISH = FasterWhisperExtractor(model=packaged.ENGLISH, device="cpu", beam_size=1)
WHOLE = replace(ENGLISH, short_windows=False)
BASE = FasterWhisperExtractor(model=packaged.MULTILINGUAL, device="cpu", beam_size=1, language="en")
SENTENCES = Path(__file__).with_name("sentences.json")
EXAMPLES = Path(__file__).with_name("examples_said.json")

#: A plain English answer, with which others are compared.
PLAIN = Path(__file__).parent.parent / "examples" / "clips" / "silent-b.ogg"

#: A clip of text: where, what, in which language.
Line = dict[str, str]


def known(path: Path) -> tuple[Clip, Blueprint]:
    """A clip, and where speech is in it."""
    clip, detector = decode(path), SignalExtractor()
    nothing = Blueprint(clip=clip.sha256)
    signal = detector.extract(clip, nothing)
    return clip, nothing.with_group("signal", signal, detector.provenance())


def judged(one: Blueprint, other: Blueprint) -> str | None:
    """The rating on content by rules, where ``one`` is answer A; None: no verdict."""
    pair = Pair(id="x", a=Answer(audio="a"), b=Answer(audio="b"))
    found = RulesJudge().judge_case(Case.of(pair, one, other)).dimensions.get("content")
    return str(found.rating) if found else None


@cache
def plain(both: FasterWhisperExtractor) -> Blueprint:
    """The plain answer's blueprint."""
    return whole_of(PLAIN, both)


def whole_of(path: Path, both: FasterWhisperExtractor) -> Blueprint:
    """Speech, words and syllables of a clip."""
    clip, found = known(path)
    for extractor in (both, RateExtractor()):
        value = extractor.extract(clip, found)
        found = found.with_group(extractor.group, value, extractor.provenance())
    return found


def of_nothing(path: Path, both: FasterWhisperExtractor) -> tuple[int, bool]:
    """Words that are written where nobody speaks, and whether a verdict came from them."""
    found = whole_of(path, both)
    heard = found.transcript
    words = len(heard.text.split()) if isinstance(heard, Transcript) else 0
    return words, bool(words and (judged(found, plain(both)) or judged(plain(both), found)))


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


class Kept:
    """What was measured of each clip, in a file; None: nowhere."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        lines = path.read_text("utf-8").splitlines() if path and path.is_file() else []
        self._found: dict[str, Any] = dict(json.loads(line) for line in lines)

    def of(self, clip: str, measure: Callable[[], Any]) -> Any:
        """What is known of a clip, else measured now."""
        if clip not in self._found:
            self._found[clip] = measure()
            if self._path:
                with self._path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps([clip, self._found[clip]]) + "\n")
        return self._found[clip]


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
    same, base, by_hearing, whole_s = None, None, None, None
    if language == "en":
        by_hearing = errors(spelt(line["text"]), spelt(heard.text), "en")
        alone, alone_s = timed(lambda: ENGLISH.extract(clip, before))
        assert isinstance(alone, Transcript)
        same = ((alone.text, alone.words) == (heard.text, heard.words), alone_s)
        _, whole_s = timed(lambda: WHOLE.extract(clip, before))
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
        by_hearing,
        judged(whole, plain(both)) or judged(plain(both), whole),
        whole_s,
    )


def unmeasured(group: str) -> str:
    """What is known of a group that no clip here is labelled for."""
    missing = create(PROFILES["paper"][group]).unavailable()
    return "not measured: no labelled clips" if missing is None else "unknown: weights not here"


def lines_of(path: Path) -> list[Line]:
    """The clips of a file."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def rendered(folder: Path) -> Iterator[Line]:
    """The sentences by espeak-ng."""
    for language, said in json.loads(SENTENCES.read_text("utf-8")).items():
        spoken = said.get("say", said["texts"])
        for number, (text, words) in enumerate(zip(said["texts"], spoken, strict=True)):
            name = f"{language}-{number}.wav"
            typed = ["espeak-ng", "-v", said["voice"], "-s", "150", "-w", str(folder / name), words]
            subprocess.run(typed, check=True)
            yield {"audio": name, "language": language, "text": text}


def examples(folder: Path) -> Iterator[Line]:
    """The shipped examples' answers in five languages, by espeak-ng."""
    for language, texts in json.loads(EXAMPLES.read_text("utf-8")).items():
        for number, text in enumerate(texts):
            name = f"example-{language}-{number}.wav"
            typed = ["espeak-ng", "-v", language, "-s", "150", "-w", str(folder / name), text]
            subprocess.run(typed, check=True)
            yield {"audio": name, "language": language, "text": text}


def main() -> None:
    """Measure, print, save."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    for kind in ("long", "short", "real", "recorded"):
        parser.add_argument(f"--{kind}", type=Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--keep", type=Path, help="where to go on: what was measured of each clip")
    given = parser.parse_args()
    restart_with({"OMP_NUM_THREADS": "1"})
    for model in (packaged.ENGLISH, packaged.MULTILINGUAL):
        if problem := packaged.problem(model):
            sys.exit(problem)
    both = default_asr.chosen(beam_size=1)
    assert isinstance(both, FasterWhisperExtractor)
    found: dict[str, list[Heard]] = {}

    kept = Kept(given.keep)

    def measure(kind: str, folder: Path, lines: Sequence[Line]) -> None:
        clips = [
            kept.of(f"{kind}/{line['audio']}", partial(hear, folder, line, both)) for line in lines
        ]
        found[kind] = [Heard(*clip) for clip in clips if clip]

    data = os.environ.get("TRACE_EVAL_DATA")
    files = {kind: getattr(given, kind) for kind in ("long", "short", "real", "recorded")}
    if data:
        files["prompts"] = Path(data) / "prompts" / "texts.jsonl"
    for kind, path in files.items():
        if path:
            measure(kind, path.parent, lines_of(path))
    if shutil.which("espeak-ng"):
        with tempfile.TemporaryDirectory() as made:
            lines = list(rendered(Path(made)))
            measure("espeak", Path(made), [x for x in lines if x["language"] != "en"])
            measure("espeak_en", Path(made), [x for x in lines if x["language"] == "en"])
            measure("examples", Path(made), list(examples(Path(made))))
    said = [
        (path.parent / line["audio"], line)
        for path in (files.get("prompts"), files.get("recorded"))
        if path
        for line in lines_of(path)[:5]
    ]
    nothing: dict[str, list[tuple[int, bool]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for kind in OF_SPEECH:
            measure(kind, Path(folder), list(hard(kind, Path(folder), said)))
        for kind in OF_NOTHING:
            clips = hard(kind, Path(folder), said)
            for line in clips:
                path = Path(folder) / line["audio"]
                got = kept.of(f"{kind}/{path.name}", partial(of_nothing, path, both))
                nothing.setdefault(kind, []).append(got)
    rows = [*weights(), *acceptance(found), *undecided(found, nothing)]
    table("Acceptance, one thread", ("what", "goal", "measured", "holds"), rows)
    voices = {
        "prompts": "Kokoro",
        "long": "neural",
        "short": "neural, short",
        "real": "real",
        "recorded": "recorded",
        "espeak_en": "espeak-ng",
        "examples": "espeak-ng, shipped examples",
        "espeak": "espeak-ng",
        "whispered": "whispered",
        "sung": "sung",
        "noisy": "in noise of 0 dB",
    }
    models = {group: unmeasured(group) for group in ("emotion", "accent")}
    told = [x for kind in voices for x in by_language(found.get(kind, ()), voices[kind], models)]
    print(f"\nBy language\n\n{page_table(told)}")
    save("languages", {"acceptance": rows, "languages": told})
    if given.write:
        write_page(told)


if __name__ == "__main__":
    main()
