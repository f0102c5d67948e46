"""The language the default recogniser names and its word errors, by language.

    python -m benchmarks.languages [--clips VOICES=FILE.jsonl]...

A file has ``audio``, ``text`` and ``language`` on each line, paths relative to it;
VOICES is what the table calls its speakers, e.g. ``neural``; English are the prompts of
``TRACE_EVAL_DATA``. A formant synthesiser is no test of a language, so none is
rendered. One thread. Acceptance numbers of the default (costs, whispered, sung and
noisy speech, damaged weights) were measured once and are kept in
``benchmarks/results/languages.json``; the scripts stand at 718615d3.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.extract import filled
from benchmarks.report import markdown, options_of, restart_with, save, stored
from blueprints import Transcript
from blueprints.languages import UNSPACED, language_name
from extractors import default_asr, packaged
from extractors.audio import decode
from extractors.faster_whisper import FasterWhisperExtractor
from extractors.rate import RateExtractor
from extractors.signal import SignalExtractor
from extractors.suspect import guessed
from trace_eval.data.measures.text import normaliser_of

#: A clip of text: where, what, in which language.
Line = dict[str, str]


def _plain(text: str) -> str:
    whole = text.casefold().replace("\u2019", "'")
    return " ".join(re.findall(r"[^\W_]+(?:'[^\W_]+)*", whole))


def errors(wanted: str, written: str, language: str) -> tuple[int, int]:
    """Count wrong and all words, or characters, without case and punctuation.

    Numbers stay as they are written.
    """
    import jiwer

    normal = _plain if language == "en" else normaliser_of(language)[0]
    done = jiwer.process_words(normal(wanted).strip(), normal(written).strip())
    wrong = done.substitutions + done.deletions + done.insertions
    return wrong, done.hits + done.substitutions + done.deletions


def hear(
    path: Path, line: Line, recogniser: FasterWhisperExtractor
) -> dict[str, Any] | None:
    """Return what became of a clip; None where nobody is heard to speak.

    Returns:
        ``language``; ``named`` and ``unsure``: whether it is named rightly, or not for
        sure; ``guessed``: the words are known to be guesses; ``errors`` and ``units``:
        words, or characters where no spaces mark them; the same ``trusted_``, of words
        that are no guesses.
    """
    blueprint = filled(decode(path), (SignalExtractor(), recogniser, RateExtractor()))
    recognised, language = blueprint.transcript, line.get("language", "en")
    if not isinstance(recognised, Transcript) or recognised.spoken is None:
        return None
    wrong, units = errors(line["text"], recognised.text, language)
    spoken, guess = recognised.spoken, guessed(blueprint) is not None
    return {
        "language": language,
        "named": spoken.sure and spoken.language == language,
        "unsure": not spoken.sure,
        "guessed": guess,
        "errors": wrong,
        "units": units,
        "trusted_errors": 0 if guess else wrong,
        "trusted_units": 0 if guess else units,
    }


def by_language(
    clips: Sequence[dict[str, Any]], voices: str
) -> Iterator[dict[str, Any]]:
    """Yield a record per language of what was measured on some voices."""
    for language in dict.fromkeys(clip["language"] for clip in clips):
        own = [clip for clip in clips if clip["language"] == language]
        sums: dict[str, Any] = {}
        for key in own[0]:
            if key != "language":
                sums[key] = sum(clip[key] for clip in own)
        yield {"language": language, "voices": voices, "clips": len(own), **sums}


def page_table(lines: Sequence[Mapping[str, Any]]) -> str:
    """Write the table by language."""
    rows = []
    for line in lines:
        code, clips = line["language"], line["clips"]
        unit = " char." if code in UNSPACED else ""
        wrong = []
        for kind in ("", "trusted_"):
            errors, units = line[f"{kind}errors"], line[f"{kind}units"]
            wrong.append(f"{errors / units:.2f} of {units}{unit}" if units else "none")
        named = f"{line['named']}, {line['unsure']} of {clips}"
        name = f"{language_name(code)} ({code})"
        rows.append(
            (name, line["voices"], named, f"{line['guessed']} of {clips}", *wrong)
        )
    heads = ("language", "voices", "named rightly, unsure", "words known to be guessed")
    return markdown(
        " | ".join((*heads, "wrong, of words (characters)", "of trusted ones")), rows
    )


def main() -> None:
    """Measure, print, save."""
    parser = options_of(__doc__)
    parser.add_argument(
        "--clips", action="append", default=[], metavar="VOICES=FILE.jsonl"
    )
    typed = [one.partition("=") for one in parser.parse_args().clips]
    restart_with({"OMP_NUM_THREADS": "1"})
    for model in (packaged.ENGLISH, packaged.MULTILINGUAL):
        if problem := packaged.problem(model):
            sys.exit(problem)
    recogniser = default_asr.chosen(beam_size=1)
    assert isinstance(recogniser, FasterWhisperExtractor)
    files = [(voices, Path(path)) for voices, _, path in typed]
    if data := os.environ.get("TRACE_EVAL_DATA"):
        files.insert(0, ("Kokoro", Path(data) / "prompts" / "texts.jsonl"))
    records: list[dict[str, Any]] = []

    def measure(voices: str, folder: Path, lines: Sequence[Line]) -> None:
        clips = [hear(folder / line["audio"], line, recogniser) for line in lines]
        records.extend(by_language([clip for clip in clips if clip], voices))

    for voices, path in files:
        lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        measure(voices, path.parent, lines)
    print(page_table(records))
    save(
        "languages",
        {"acceptance": stored("languages")["acceptance"], "languages": records},
    )


if __name__ == "__main__":
    main()
