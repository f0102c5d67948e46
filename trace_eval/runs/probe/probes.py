"""Probes of a judge: changes to recordings whose effect on a verdict is known.

A judge that prefers one of two identical recordings, or the one that plays 10 dB
louder, says something about itself and not about the answers. The verdict on each
changed pair is known, or known relative to the plain one; a judge card shows the share
in which that holds.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile

from blueprints import UserError
from extractors import Clip, Samples, decode
from trace_eval.data.answers import Answer
from trace_eval.data.files import make_folder
from trace_eval.data.items import Pair, instruction_of
from trace_eval.data.manifests import Manifest
from trace_eval.data.outputs import claimed
from trace_eval.estimate.figures import share_over_units
from trace_eval.estimate.share import Share
from trace_eval.extracting.source import source_of
from trace_eval.judges.registry.create import judge_of
from trace_eval.runs.job import judge_manifest
from trace_eval.runs.options import Options
from trace_eval.runs.probe.report import ProbeReport, ProbeRow
from trace_eval.runs.run import Run

Change = Callable[[Clip], Samples]

#: Level of a change in gain, dB; silence before and after a padded clip, seconds.
GAIN_DB, PADDING_S = 10.0, 1.0

#: Frequency and peak of the tone that stands in for an answer.
TONE_HZ, TONE_PEAK = 440.0, 0.25


def _same(clip: Clip) -> Samples:
    return clip.samples


@dataclass(frozen=True)
class Probe:
    """One kind of change.

    Attributes:
        expected: what must hold, for readers.
        holds: of (plain verdict, verdict of the probe), each ``1``, ``2`` or a tie of
            any type.
        a, b: what answers A and B of the new pair are made of: a change of the plain A.
        swap: the new pair is the plain one in the other order; ``a`` and ``b`` are not
            used.
    """

    name: str
    expected: str
    holds: Callable[[str, str], bool]
    a: Change = _same
    b: Change = _same
    swap: bool = False


def _silence(clip: Clip) -> Samples:
    return np.zeros_like(clip.samples)


def _tone(clip: Clip) -> Samples:
    time = np.arange(len(clip.samples)) / clip.rate
    wave = (TONE_PEAK * np.sin(2 * np.pi * TONE_HZ * time)).astype(np.float32)
    return np.repeat(wave[:, None], clip.channels, axis=1)


def _padded(clip: Clip) -> Samples:
    gap = np.zeros((round(PADDING_S * clip.rate), clip.channels), np.float32)
    return np.concatenate((gap, clip.samples, gap))


def _gain(decibels: float) -> Change:
    def change(clip: Clip) -> Samples:
        return np.asarray(
            clip.samples * np.float32(10 ** (decibels / 20)), dtype=np.float32
        )

    return change


def _twice(clip: Clip) -> Samples:
    return np.concatenate((clip.samples, clip.samples))


def _mp3(clip: Clip) -> Samples:
    """Encode as MP3 at 64 kbit/s, and decode."""
    command = ["ffmpeg", "-v", "error", "-f", "f32le", "-ar", str(clip.rate)]
    command += [
        "-ac",
        str(clip.channels),
        "-i",
        "pipe:0",
        "-b:a",
        "64k",
        "-f",
        "mp3",
        "pipe:1",
    ]
    done = subprocess.run(
        command, input=clip.samples.tobytes(), capture_output=True, check=True
    )
    return decode(done.stdout, clip.name).samples


def _tie(_: str, probe: str) -> bool:
    return probe not in ("1", "2")


def _a_wins(_: str, probe: str) -> bool:
    return probe == "1"


def _mirrored(plain: str, probe: str) -> bool:
    return probe == {"1": "2", "2": "1"}.get(plain, plain)


PROBES: tuple[Probe, ...] = (
    Probe("identical", "a tie between a recording and itself", _tie),
    Probe("swap", "the plain verdict, mirrored", _mirrored, swap=True),
    Probe("silence", "an answer wins against silence", _a_wins, b=_silence),
    Probe("tone", "an answer wins against a tone", _a_wins, b=_tone),
    Probe("padding", "a tie with itself between 1 s of silence", _tie, b=_padded),
    Probe("louder", "a tie with itself at +10 dB", _tie, a=_gain(-GAIN_DB)),
    Probe("quieter", "a tie with itself at -10 dB", _tie, b=_gain(-GAIN_DB)),
    Probe("mp3", "a tie with itself through MP3 at 64 kbit/s", _tie, b=_mp3),
    Probe(
        "twice", "saying all twice does not win", lambda _, got: got != "2", b=_twice
    ),
)


def drill_judge(
    manifest: Manifest, out: Path, options: Options, probes: Sequence[Probe] = PROBES
) -> ProbeReport:
    """Judge pairs as they are and with each probe, in a run folder each.

    Args:
        manifest: pairs whose answers can be decoded.
        out: folder of ``plain``, one run per probe, the changed recordings, and the
            result (``probes.json``), which a card can show; continued.

    Raises:
        UserError: a manifest without pairs; else as
            :func:`trace_eval.runs.job.judge_manifest`.
    """
    if not manifest.pairs:
        raise UserError(f"{manifest.path}: no pairs to probe the judge with")
    left_out = []
    if shutil.which("ffmpeg") is None:
        probes = [probe for probe in probes if _mp3 not in (probe.a, probe.b)]
        left_out.append("mp3: the program ffmpeg is not installed")
    with claimed(out, "probes", private=True):
        plain = _verdicts(manifest, out / "plain", options)
        rows = [
            _row(probe, manifest, plain=plain, out=out / probe.name, options=options)
            for probe in probes
        ]
        report = ProbeReport(
            judge=judge_of(options.only_judge, options.judging).spec,
            pairs=len(manifest.pairs),
            rows=tuple(rows),
            left_out=tuple(left_out),
        )
        report.save(out)
    return report


def _row(
    probe: Probe,
    manifest: Manifest,
    plain: dict[str, str | None],
    out: Path,
    options: Options,
) -> ProbeRow:
    audio = out.with_name(f"{out.name}-audio")
    make_folder(audio, private=True)
    pairs = [
        _made(probe, pair, audio / f"{number:06d}")
        for number, pair in enumerate(manifest.pairs)
    ]
    changed = Manifest(manifest.path, pairs)
    after = _verdicts(changed, out, options)
    holds: list[bool] = []
    instructions: list[str] = []
    for pair in manifest.pairs:
        before = plain.get(pair.id)
        now = after.get(pair.id)
        if before and now:
            holds.append(probe.holds(before, now))
            instructions.append(instruction_of(pair) or pair.id)
    return ProbeRow(
        name=probe.name,
        expected=probe.expected,
        held=Share(sum(holds), len(holds)),
        unscored=len(pairs) - len(holds),
        limits=share_over_units(holds, instructions) if holds else None,
    )


def _verdicts(manifest: Manifest, out: Path, options: Options) -> dict[str, str | None]:
    judge_manifest(manifest, out, options)
    return {name: overall.rating for name, overall in Run.open(out).overall().items()}


def _made(probe: Probe, pair: Pair, stem: Path) -> Pair:
    """Make a probe's pair and write its recordings; undecodable ones stay as given."""
    if probe.swap:
        return pair.model_copy(update={"a": pair.b, "b": pair.a, "labels": None})
    try:
        clip = decode(source_of(pair.a).content, pair.id)
        answers = {}
        for side, change in (("a", probe.a), ("b", probe.b)):
            path = stem.with_name(f"{stem.name}-{side}.wav")
            soundfile.write(path, change(clip), clip.rate, subtype="FLOAT")
            answers[side] = Answer(audio=path, reference=pair.a.reference)
    except UserError:
        answers = {"a": pair.a, "b": pair.a}
    return pair.model_copy(update={**answers, "labels": None})
