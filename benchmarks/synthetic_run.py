"""A run folder of any size, without extracting or judging.

Benchmarks and tests use it.

Recordings are real files, their blueprints and the judge's opinions are drawn at random
with a fixed seed. Everything goes through the project's own records, fusion and run
folder.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import get_args

import numpy as np
import soundfile

from blueprints import Blueprint, Contour, Span, Word
from extractors.audio import decode
from fusion import DIMENSIONS, RATINGS, TYPED_TIE, Dimension, Rating, load_policy
from tests.support import blueprints as make
from tests.support.tokens import ACCENTS
from trace_eval.data.answers import Answer, Instruction
from trace_eval.data.items import Labels, Pair
from trace_eval.data.judgement import Judgement, VerdictOpinion
from trace_eval.data.manifests import Manifest
from trace_eval.data.outcome import Order, Reason, Usage
from trace_eval.judges.combine.orders import labelled_judgement
from trace_eval.runs.fuse import fuse_run
from trace_eval.runs.outcomes import ClipRecord
from trace_eval.runs.record import (
    EnvironmentRecord,
    JudgeRecord,
    RunRecord,
    SessionRecord,
)
from trace_eval.runs.run import Run

EMOTIONS = (
    "angry",
    "disgusted",
    "fearful",
    "happy",
    "neutral",
    "other",
    "sad",
    "surprised",
)
SENTENCE = (
    "the answer to your question is that a river runs through this city and in the"
    " second sentence you will hear a slow calm voice which explains how vowels change"
    " between accents"
)
WORDS = SENTENCE.split()
SYSTEMS = ("alto", "basso", "mezzo", "soprano", "tenor")

#: Sampling rate and length of the recordings themselves: just enough to be a waveform.
RATE, RECORDED_S = 8_000, 1.0

_SPEC = "openai:synthetic"


def recording(path: Path, seed: int, seconds: float = RECORDED_S) -> str:
    """Write a WAV of noise under a moving envelope; returns its clip hash."""
    rng = np.random.default_rng(seed)
    time = np.arange(round(seconds * RATE)) / RATE
    shape = np.abs(np.sin(2 * np.pi * (2 + seed % 3) * time / seconds))
    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(
        path, 0.4 * shape * rng.uniform(-1, 1, len(time)), RATE, subtype="PCM_16"
    )
    return decode(path).sha256


def blueprint(
    clip: str, seed: int, seconds: float, text: str | None = None
) -> Blueprint:
    """Make a plausible blueprint with every group: one word every 0.35 s."""
    rng = random.Random(seed)
    words = text.split() if text else rng.choices(WORDS, k=max(1, int(seconds / 0.35)))
    times = [
        (i * seconds / len(words), (i + 0.9) * seconds / len(words))
        for i in range(len(words))
    ]
    frames = max(1, int(seconds / 0.05))
    pitch = [None if i % 17 > 12 else 180 + 60 * rng.random() for i in range(frames)]
    level = [-24 + 8 * rng.random() for _ in range(frames)]
    loudest = rng.randrange(len(EMOTIONS))
    emotions = {name: 0.9 if i == loudest else 0.014 for i, name in enumerate(EMOTIONS)}
    accents = {name: round(rng.random(), 3) for name in sorted(ACCENTS)}
    return Blueprint(
        clip=clip,
        signal=make.signal(
            duration_s=seconds,
            rate_hz=RATE,
            peak_dbfs=-8.0,
            bandwidth_hz=3_750.0,
            speech_s=0.8 * seconds,
            speech=[
                Span(start_s=0.0, end_s=seconds / 2),
                Span(start_s=0.6 * seconds, end_s=seconds),
            ],
            pauses=[Span(start_s=seconds / 2, end_s=0.6 * seconds)],
        ),
        transcript=make.transcript(
            " ".join(words),
            words=[
                Word(
                    text=w,
                    start_s=round(s, 2),
                    end_s=round(e, 2),
                    confidence=rng.random(),
                )
                for w, (s, e) in zip(words, times, strict=True)
            ],
        ),
        quality=make.quality(ovrl=2 + 2 * rng.random(), p808=3.5, windows=2),
        pitch=make.pitch(contour=Contour(start_s=0.0, step_s=0.05, values=pitch)),
        loudness=make.loudness(contour=Contour(start_s=0.0, step_s=0.05, values=level)),
        rate=make.rate(words=len(words), syllables=2 * len(words)),
        emotion=make.emotion(**emotions),
        accent=make.accent(**accents),
    )


def judged(
    pair: str, rng: random.Random, samples: int
) -> tuple[Judgement, dict[Dimension, Rating]]:
    """Make a judgement in both orders, mostly true, and what people would have said."""
    truth = {name: rng.choice(RATINGS) for name in DIMENSIONS}
    opinions = []
    for order, sample in product(get_args(Order), range(samples)):
        ratings: dict[Dimension, Rating] = {}
        for name in DIMENSIONS:
            errs = rng.random() < 0.3
            ratings[name] = rng.choice(RATINGS) if errs else truth[name]
        reasoning: dict[Dimension, str] = {}
        for name in DIMENSIONS:
            reasoning[name] = f"On {name}: {' '.join(rng.choices(WORDS, k=25))}."
        opinions.append(
            VerdictOpinion(
                order=order,
                sample=sample,
                ratings=ratings,
                reasoning=reasoning,
                seconds=1.2,
                usage=Usage(input_tokens=900, output_tokens=150, cost_usd=0.0004),
            )
        )
    about = {name: name for name in DIMENSIONS}
    return labelled_judgement(pair, _SPEC, opinions, TYPED_TIE, about), truth


@dataclass(frozen=True)
class Recipe:
    """What a made run is like.

    Attributes:
        pairs: how many.
        seconds: length that the blueprints claim.
        samples: opinions per order.
        labelled: the pairs carry human labels.
        ids: ids of the first pairs.
        texts: of the first pairs, what is asked and what answer A says.
        failing: every n-th pair is unscored, because its answer B is no recording; 0:
            none.
    """

    pairs: int
    seconds: float = 12.0
    samples: int = 1
    labelled: bool = True
    ids: Sequence[str] = ()
    texts: Sequence[str] = ()
    failing: int = 0

    def id(self, number: int) -> str:
        """Id of a pair."""
        return self.ids[number] if number < len(self.ids) else f"pair-{number:04d}"

    def text(self, number: int) -> str | None:
        """Return the given words of a pair; None: they are drawn."""
        return self.texts[number] if number < len(self.texts) else None

    def fails(self, number: int) -> bool:
        """Whether a pair has no rating."""
        return bool(self.failing) and number % self.failing == self.failing - 1


def make_run(folder: Path, recipe: Recipe) -> Path:
    """Write a finished run; its recordings are in ``audio/`` inside it."""
    rng, policy = random.Random(7), load_policy("content_first")
    pairs, judgements = [], []
    for n in range(recipe.pairs):
        judgement, truth = judged(recipe.id(n), rng, recipe.samples)
        if recipe.fails(n):
            detail = f"{_audio(folder, n, 'b')}: no such file"
            judgement = Judgement.unscored(
                recipe.id(n), _SPEC, Reason.CLIP_FAILED, detail
            )
        labels = Labels(**truth, overall=policy(*(truth[d] for d in DIMENSIONS)))
        pairs.append(_pair(folder, recipe, n, rng, labels if recipe.labelled else None))
        judgements.append(judgement)
    record = RunRecord(
        input="synthetic",
        judge=JudgeRecord(spec=_SPEC, parameters={"temperature": 0.0}),
        max_seconds=1800.0,
        environment=EnvironmentRecord(trace_eval="0", python="3", platform="any"),
        sessions=(
            SessionRecord(started="2026-01-01T00:00:00+00:00", seconds=61.0, clips=2),
        ),
    )
    with Run(folder) as run:
        run.start(record, Manifest(folder / "pairs.jsonl", pairs))
        for n, side in product(range(recipe.pairs), "ab"):
            _add_clip(run, recipe, n, side)
        for judgement in judgements:
            run.add(judgement)
        fuse_run(run, policy)
    return folder


def _audio(folder: Path, number: int, side: str) -> Path:
    return folder / "audio" / f"{number}-{side}.wav"


def _pair(
    folder: Path, recipe: Recipe, n: int, rng: random.Random, labels: Labels | None
) -> Pair:
    first, second = rng.sample(SYSTEMS, 2)
    requested = recipe.text(n) or f"Question {n}: {' '.join(rng.choices(WORDS, k=12))}?"
    return Pair(
        id=recipe.id(n),
        instruction=Instruction(text=requested),
        a=Answer(audio=_audio(folder, n, "a"), system=first),
        b=Answer(audio=_audio(folder, n, "b"), system=second),
        labels=labels,
        category=("facts", "style", "role play")[n % 3],
        instruction_id=f"q{n // 2}",
    )


def _add_clip(run: Run, recipe: Recipe, n: int, side: str) -> None:
    path, seed = _audio(run.folder, n, side), 2 * n + (side == "b")
    if recipe.fails(n) and side == "b":
        error = f"{path}: no such file; check the path or --audio-root"
        run.add_clip(ClipRecord(source=str(path), error=error))
        return
    clip = recording(path, seed)
    run.add_clip(ClipRecord(source=str(path), clip=clip))
    text = recipe.text(n) if side == "a" else None
    run.add_blueprint(blueprint(clip, seed, recipe.seconds, text))
