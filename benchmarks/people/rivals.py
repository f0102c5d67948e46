"""Another package's number of every clip, as a table for ``--rival``.

Each in an environment of its own, from the repository's folder; only what is named is
needed:

    python -m venv /tmp/other && /tmp/other/bin/pip install soundfile numpy scipy deepeval
    /tmp/other/bin/python -m benchmarks.people.rivals deepeval-naturalness --data DIR
    --out d.csv python -m benchmarks.people --data DIR --rival
    deepeval-naturalness=d.csv

``--words FOLDER...`` (of ``trace-eval extract --out``) gives the words that a package
wants beside the sound; a clip without them is scored without.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.people.sets import PUBLIC, read_sets

#: From a recording and its words to a score; higher is better.
Score = Callable[[Path, str], float]


def _deepeval(metric: str) -> Score:
    """Score by deepeval's deterministic metrics of a turn (Apache-2.0).

    They need no model and no network.
    """
    from deepeval.metrics.voice import intelligibility, naturalness
    from deepeval.test_case import Audio, ConversationalTestCase, Turn

    kinds = {
        "naturalness": naturalness.VoiceNaturalnessMetric,
        "intelligibility": intelligibility.SpeechIntelligibilityMetric,
    }

    def score(path: Path, words: str) -> float:
        audio = Audio.from_bytes(_wav(path), "audio/wav")
        case = ConversationalTestCase(
            turns=[
                Turn(role="user", content="Say the next sentence."),
                Turn(role="assistant", content=words, audio=audio),
            ]
        )
        return float(kinds[metric]().measure(case, _show_indicator=False))

    return score


def _distillmos() -> Score:
    """Distill-MOS, as its package's readme has it."""
    import distillmos
    import torch

    model = distillmos.ConvTransformerSQAModel().eval()

    def score(path: Path, words: str) -> float:
        with torch.no_grad():
            return float(model(torch.from_numpy(_mono_16k(path))[None])[0, 0])

    return score


RIVALS: dict[str, Callable[[], Score]] = {
    "deepeval-naturalness": lambda: _deepeval("naturalness"),
    "deepeval-intelligibility": lambda: _deepeval("intelligibility"),
    "distillmos": _distillmos,
}


def _wav(path: Path) -> bytes:
    """Encode the recording as a WAV file of 16 bits, at its own rate."""
    import soundfile

    samples, rate = soundfile.read(path)
    file = io.BytesIO()
    soundfile.write(file, samples, rate, format="WAV", subtype="PCM_16")
    return file.getvalue()


def _mono_16k(path: Path) -> Any:
    import numpy as np
    import soundfile
    from scipy.signal import resample_poly

    samples, rate = soundfile.read(path, dtype="float32")
    mono = samples if samples.ndim == 1 else samples.mean(axis=1)
    return resample_poly(mono, 16000, rate).astype(np.float32).clip(-1, 1)


def _words(folder: Path) -> dict[str, str]:
    """File name -> what the recogniser wrote."""
    text = {}
    for line in (folder / "blueprints.jsonl").read_text(encoding="utf-8").splitlines():
        blueprint = json.loads(line)
        text[blueprint["clip"]] = (blueprint.get("transcript") or {}).get("text") or ""
    clips = map(
        json.loads, (folder / "clips.jsonl").read_text(encoding="utf-8").splitlines()
    )
    return {Path(clip["source"]).name: text.get(clip["clip"], "") for clip in clips}


def main() -> None:
    """Score every clip; one that a package cannot read is named and left out."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rival", choices=RIVALS)
    parser.add_argument("--data", type=Path, required=True, metavar="DIR")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE.csv")
    parser.add_argument(
        "--sets", nargs="+", choices=PUBLIC, default=("codecs", "enhanced")
    )
    parser.add_argument("--words", type=Path, nargs="+", default=(), metavar="FOLDER")
    args = parser.parse_args()
    score = RIVALS[args.rival]()
    words = {
        name: text for folder in args.words for name, text in _words(folder).items()
    }
    with args.out.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(("item", "score"))
        for folder in read_sets(args.data):
            for clip in folder.clips if folder.name in args.sets else ():
                try:
                    value = score(clip.audio, words.get(clip.audio.name, ""))
                except (
                    Exception
                ) as error:  # another package: whatever it raises costs one clip
                    print(
                        f"{clip.item}: {type(error).__name__}: {error}", file=sys.stderr
                    )
                else:
                    table.writerow((clip.item, value))


if __name__ == "__main__":
    main()
