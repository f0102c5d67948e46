"""Which language the default names, what it hears, and what that costs, on clips with known texts.

    python -m benchmarks.languages [FOLDER/TEXTS.jsonl ...]

Lines have ``audio``, ``text`` and ``language`` (default: en). Without arguments: the prompts of
``TRACE_EVAL_DATA``. One thread; CPU seconds of this process. CER for languages without spaces.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from pathlib import Path

from benchmarks.report import save, table
from blueprints import Blueprint, Transcript
from blueprints.languages import UNSPACED
from extractors import default_asr, packaged
from extractors.audio import decode
from extractors.faster_whisper import FasterWhisperExtractor
from extractors.signal import SignalExtractor
from trace_eval.measures.language import answers_in_language

ENGLISH = FasterWhisperExtractor(model=packaged.ENGLISH, device="cpu", beam_size=1)


def units(text: str, language: str) -> str:
    """Words in lower case without punctuation; characters where no spaces mark them."""
    words = re.findall(r"[^\W_]+(?:'[^\W_]+)*", text.casefold().replace("\u2019", "'"))
    return " ".join("".join(words) if language in UNSPACED else words)


def known(path: Path) -> tuple[object, Blueprint]:
    """A clip, and where speech is in it."""
    clip, detector = decode(path), SignalExtractor()
    nothing = Blueprint(clip=clip.sha256)
    return clip, nothing.with_group(
        "signal", detector.extract(clip, nothing), detector.provenance()
    )


def measure(texts: Path) -> dict[str, object]:
    """One row: the clips of a file."""
    import jiwer

    both = default_asr.chosen(beam_size=1)
    wanted, found, spent, alone, right, english, wrong = [], [], 0.0, 0.0, 0, 0, 0
    lines = [json.loads(line) for line in texts.read_text("utf-8").splitlines()]
    for line in lines:
        language = line.get("language", "en")
        clip, blueprint = known(texts.parent / line["audio"])
        start = time.process_time()
        heard = both.extract(clip, blueprint)  # type: ignore[arg-type]
        middle = time.process_time()
        ENGLISH.extract(clip, blueprint)  # type: ignore[arg-type]
        spent, alone = spent + middle - start, alone + time.process_time() - middle
        if not isinstance(heard, Transcript):
            continue
        wanted.append(units(line["text"], language))
        found.append(units(heard.text, language))
        if heard.spoken:
            right += heard.spoken.language == language and heard.spoken.sure
            english += language != "en" and heard.spoken.language == "en" and heard.spoken.sure
            whole = blueprint.model_copy(update={"transcript": heard})
            wrong += answers_in_language(language, whole).value == 0
    done = jiwer.process_words(wanted, found)
    return {
        "clips": len(lines),
        "named rightly": right,
        "named English wrongly": english,
        "flagged wrong language": wrong,
        "errors": done.substitutions + done.deletions + done.insertions,
        "of": sum(len(text.split()) for text in wanted),
        "CPU of tiny.en alone": round(spent / alone, 2),
    }


def main() -> None:
    """Measure, print, save."""
    data = os.environ.get("TRACE_EVAL_DATA")
    given = [Path(argument) for argument in sys.argv[1:]]
    if not given and not data:
        sys.exit("set TRACE_EVAL_DATA, or name files of texts")
    for model in (packaged.ENGLISH, packaged.MULTILINGUAL):
        if problem := packaged.problem(model):
            sys.exit(problem)
    files = given or [Path(str(data)) / "prompts" / "texts.jsonl"]
    rows = [{"texts": f"{path.parent.name}/{path.name}", **measure(path)} for path in files]
    table("Languages, one thread", list(rows[0]), [list(row.values()) for row in rows])
    save("languages", {"lines": rows})


if __name__ == "__main__":
    main()
