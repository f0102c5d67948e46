"""Calls of two voices in one channel: which are accepted, and their timing errors.

    TRACE_EVAL_DATA=... python -m benchmarks.mono_calls [--half report] [--seeds 2] [--first 100]
    TRACE_EVAL_DATA=... python -m benchmarks.mono_calls --contrasts

Calls of 45 s are rendered of people's and of synthetic voices: one side is up to 6 dB
softer, replies begin .3 s early to 2 s late. An utterance begins and ends where its
level leaves 20 dB under its own 90th percentile, and is cut there, so that its edges
are certain. Thresholds were chosen on the voices of the half ``choose``; the figures
are those of ``report``, of which other calls were seen once before the last choice.
``--contrasts`` prints instead how far apart the two voices of each human dialogue are,
alone and joined by pair of people; a dialogue below the limit is refused.
"""

from __future__ import annotations

import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import soundfile
import soxr
from numpy.typing import NDArray

from benchmarks.fault_calls import heard_in
from benchmarks.people.sets import read_sets
from benchmarks.report import arguments, data_folder, people_folder, save, table
from blueprints import UserError
from extractors import SPEECH_RATE, decode
from trace_eval.conversations.read_options import ReadOptions
from trace_eval.conversations.sound.voices import (
    LEAST_CONTRAST,
    hear_windows,
    two_voices,
)
from trace_eval.conversations.spans import Spans, overlaps, runs, total
from trace_eval.data.conversation import Conversation
from trace_eval.turns.options import TurnsOptions
from trace_eval.turns.report import time_turns

Floats = NDArray[np.float32]
Turns = list[tuple[float, float, int]]

#: Length of a call, seconds.
CALL_S = 45.0

#: Longest utterance, and the pause at which a longer recording is parted, seconds.
_LONGEST_S, _PAUSE_S = 5.0, 0.25

#: How far under its 90th percentile an utterance begins and ends, dB; step of levels,
#: seconds.
_DOWN_DB, _HOP_S = 20.0, 0.01

#: Error of a lost gap, of which one turn is missing or given to the other voice, seconds.
_LOST_S = 9.0

#: Seconds around true edges that count for no speaker, as is usual.
_COLLAR_S = 0.25

#: Voices of each half: of people, and of synthesisers.
VOICES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "choose": (("emotion 03", "emotion 08", "emotion 15"), ("delivery M", "prompts")),
    "report": (
        ("emotion 10", "emotion 13", "read 2", "read 4"),
        ("delivery F", "live agent", "live caller"),
    ),
}

#: Recordings of each voice, below the folder of data.
_FILES = {
    "delivery M": "people/delivery/audio/*_M_*",
    "delivery F": "people/delivery/audio/*_F_*",
    "prompts": "prompts/*.wav",
    "read 2": "rate_pairs/2_b/audio_?.wav",
    "read 4": "rate_pairs/4_b/audio_?.wav",
    "live agent": "live_calls/*/audio_assistant.wav",
    "live caller": "live_calls/*/audio_user.wav",
}

#: Emotions of acted speech that a caller may have: neutral, bored, happy, sad.
_MOODS = "NLFT"


@dataclass
class Tally:
    """The counts of the calls of one kind."""

    calls: int = 0
    accepted: int = 0
    errors: list[float] = field(
        default_factory=list
    )  # diarisation error rate of each accepted
    doubtful: int = 0  # turns of which a part is said to be of a doubtful voice
    wrong: int = 0  # turns that are heard more of the other voice,
    missed: int = 0  # and of which nothing is said to be doubtful
    turns: int = 0
    gaps: list[float] = field(
        default_factory=list
    )  # error of each gap without overlap, seconds

    def row(self) -> list[Any]:
        """Its figures; None where nothing was accepted."""
        gaps = np.array(self.gaps)
        some = len(gaps) > 0
        return [
            f"{self.accepted}/{self.calls}",
            float(np.mean(self.errors)) if self.errors else None,
            max(self.errors, default=None),
            f"{self.wrong}/{self.turns}",
            self.missed,
            self.doubtful,
            f"{int(np.sum(gaps == _LOST_S))}/{len(gaps)}",
            float(np.median(gaps)) if some else None,
            float(np.quantile(gaps, 0.95)) if some else None,
            float(np.mean(gaps <= 0.1)) if some else None,
        ]


COLUMNS = (
    "accepted",
    "DER",
    "worst",
    "wrong turns",
    "of these sure",
    "doubtful turns",
    "gaps lost",
    "gap, median s",
    "p95",
    "within .1 s",
)


def main() -> None:
    """Render, measure, print and store."""
    args = arguments(
        __doc__,
        half=("report", "voices: choose or report"),
        seeds=(2, "calls of each pair of voices"),
        first=(100, "first seed"),
        worlds=("wide band,telephone,noise", "how the calls sound"),
        contrasts=(False, "print the contrast of each human dialogue, and no call"),
    )
    if args.contrasts:
        rows = list(dialogue_contrasts())
        title = f"voices of two people in one channel; {LEAST_CONTRAST:.2f} is needed"
        table(title, ["dialogue", "seconds", "contrast"], rows)
        return
    voices = {name: clips(name) for side in VOICES[args.half] for name in side}
    rows: list[list[Any]] = []
    for world in args.worlds.split(","):
        for kind, pairs in kinds(*VOICES[args.half]).items():
            tally = Tally()
            for (number, pair), seed in product(enumerate(pairs), range(args.seeds)):
                rng = np.random.default_rng([args.first + seed, number])
                sound, truth = rendered([voices[name] for name in pair], rng)
                count(tally, heard(sound, world, rng), truth)
            rows.append([world, kind, *tally.row()])
            print(*rows[-1], file=sys.stderr, flush=True)
    table(
        f"calls in one channel, voices to {args.half}",
        ["sound", "voices", *COLUMNS],
        rows,
    )
    dialogues = [[world, *dialogue_gaps(world)] for world in ("wide band", "telephone")]
    header = ["sound", "dialogues", "gap, median s", "p95", "within .1 s"]
    table("dialogues of two people, summed to one channel", header, dialogues)
    if args.half == "report":
        about = {
            "seeds": [args.first, args.seeds],
            "columns": ["sound", "voices", *COLUMNS],
        }
        save("mono_calls", {**about, "calls": rows, "dialogues": [header, *dialogues]})


def kinds(
    people: Sequence[str], made: Sequence[str]
) -> dict[str, list[tuple[str, str]]]:
    """Pairs of voices by kind; one voice on both sides is to be refused."""
    return {
        "person and person": [*combinations(people, 2)],
        "person and TTS": [*product(people, made)],
        "TTS and TTS": [*combinations(made, 2)],
        "one person": [(name, name) for name in people],
        "one TTS": [(name, name) for name in made],
    }


def clips(name: str) -> list[Floats]:
    """Return the utterances of a voice, each cut to its own level, with a peak of 1."""
    pattern = _FILES.get(name)
    if pattern is None:
        speaker = name.rpartition(" ")[2]
        files = [
            *(people_folder() / "emotion" / "audio").glob(f"{speaker}???[{_MOODS}]*")
        ]
    else:
        files = [*data_folder().glob(pattern)]
    if not files:
        sys.exit(f"{name}: no recording in {data_folder()}")
    return [part for file in sorted(files) for part in utterances(decode(file).speech)]


def utterances(sound: Floats) -> list[Floats]:
    """Part a recording at its pauses into utterances of at most some seconds."""
    hop = round(_HOP_S * SPEECH_RATE)
    frames = sound[: len(sound) // hop * hop].reshape(-1, hop)
    levels = 10 * np.log10(np.square(frames, dtype=np.float64).mean(axis=1) + 1e-10)
    loud = levels > np.quantile(levels, 0.9) - _DOWN_DB
    parts: list[tuple[int, int]] = []
    for first, last in runs(loud):
        near = parts and (first - parts[-1][1]) * _HOP_S < _PAUSE_S
        short = parts and (last - parts[-1][0]) * _HOP_S <= _LONGEST_S
        whole = len(sound) <= _LONGEST_S * SPEECH_RATE
        if parts and (whole or (near and short)):
            parts[-1] = (parts[-1][0], int(last))
        else:
            parts.append((int(first), int(last)))
    kept = [sound[a * hop : b * hop] for a, b in parts if (b - a) * _HOP_S >= 0.5]
    return [part / max(1e-6, float(np.abs(part).max())) for part in kept]


def rendered(
    voices: Sequence[Sequence[Floats]], rng: np.random.Generator
) -> tuple[Floats, list[Spans]]:
    """Render a call of two voices; return its sound and each side's utterances."""
    sound = (1e-4 * rng.standard_normal(round(CALL_S * SPEECH_RATE))).astype(np.float32)
    gains = [1.0, 10 ** (-rng.uniform(0, 6) / 20)]
    rng.shuffle(gains)
    truth: list[Spans] = [[], []]
    at_s, side = float(rng.uniform(0.3, 1.0)), 0
    while at_s < CALL_S - _LONGEST_S - 1:
        count = int(rng.integers(1, 3))
        for number in range(count):
            part = voices[side][int(rng.integers(len(voices[side])))]
            first = round(at_s * SPEECH_RATE)
            part = part[: len(sound) - first]
            sound[first : first + len(part)] += np.float32(0.3 * gains[side]) * part
            end_s = at_s + len(part) / SPEECH_RATE
            truth[side].append((at_s, end_s))
            at_s = end_s + (
                float(rng.uniform(0.05, 0.4)) if number < count - 1 else 0.0
            )
        at_s += float(rng.uniform(-0.3, 2.0))
        side = 1 - side
    return sound, truth


def heard(sound: Floats, world: str, rng: np.random.Generator) -> Conversation | None:
    """Return the call as it is timed through the product; None: it was refused."""
    rate = SPEECH_RATE
    samples: Any = np.stack([sound, sound], axis=1)
    if world != "wide band":
        samples, rate = heard_in(world, samples, rate, rng)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "call.wav"
        soundfile.write(
            path, samples[:, 0] / max(1.0, float(np.abs(samples).max())), rate
        )
        options = TurnsOptions(layout="mono", read=ReadOptions(agent_channel="greets"))
        try:
            (timed,) = time_turns(path, options).conversations
        except UserError:
            return None
    return timed.item.conversation


def count(tally: Tally, call: Conversation | None, truth: list[Spans]) -> None:
    """Add a call to the tally of its kind."""
    tally.calls += 1
    if call is None:
        return
    tally.accepted += 1
    error, voices = matched(call, truth, CALL_S)
    tally.errors.append(error)
    turns = turns_of(truth)
    tally.turns += len(turns)
    unsure = [
        (event.at_s, event.end_s)
        for event in call.events
        if event.kind == "doubtful"
        and event.at_s is not None
        and event.end_s is not None
    ]
    doubtful = [turn for turn in turns if overlaps([turn[:2]], unsure)]
    tally.doubtful += len(doubtful)
    wrong = [turn for turn in turns if is_wrong(turn, voices)]
    tally.wrong += len(wrong)
    tally.missed += sum(turn not in doubtful for turn in wrong)
    tally.gaps += gap_errors(turns, voices)


def is_wrong(turn: tuple[float, float, int], voices: Sequence[Spans]) -> bool:
    """Whether a true turn is heard more of the other voice."""
    start, end, side = turn
    heard_s = []
    for spans in voices:
        inside = [(a, b) for a, b in spans if b > start and a < end]
        heard_s.append(total((max(start, a), min(end, b)) for a, b in inside))
    return heard_s[1 - side] > heard_s[side]


def matched(
    call: Conversation, truth: Sequence[Spans], length_s: float
) -> tuple[float, list[Spans]]:
    """Return the diarisation error rate, and the voices in the true sides' order."""
    sides: list[Spans] = []
    for speaker in call.speakers:
        turns = [turn for turn in call.turns if turn.speaker == speaker.name]
        sides.append([span for turn in turns for span in turn.stretches])
    error, order = error_rate(truth, sides, length_s)
    return error, [sides[side] for side in order]


def error_rate(
    truth: Sequence[Spans], sides: Sequence[Spans], length_s: float
) -> tuple[float, tuple[int, int]]:
    """Return the diarisation error rate, and which voice is which side."""
    times = np.arange(0.0, length_s, _HOP_S)
    spoken = [_mask(spans, times) for spans in truth]
    collar = [
        (at - _COLLAR_S, at + _COLLAR_S)
        for spans in truth
        for one in spans
        for at in one
    ]
    counted = ~_mask(collar, times)
    number = spoken[0].astype(int) + spoken[1]
    results = []
    for order in ((0, 1), (1, 0)):
        voices = [_mask(sides[side], times) for side in order]
        right = sum((a & b).astype(int) for a, b in zip(spoken, voices, strict=True))
        most = np.maximum(number, sum(mask.astype(int) for mask in voices))
        wrong = float((most - right)[counted].sum())
        results.append((wrong / max(1, int(np.sum(number[counted]))), order))
    return min(results)


def _mask(spans: Spans, times: NDArray[np.float64]) -> NDArray[np.bool_]:
    mask = np.zeros(len(times), bool)
    for start, end in spans:
        mask[(times >= start) & (times < end)] = True
    return mask


def turns_of(truth: Sequence[Spans]) -> Turns:
    """Join the utterances of a side, until the other one speaks, to turns."""
    utterances = sorted(
        (*span, side) for side, spans in enumerate(truth) for span in spans
    )
    turns: Turns = []
    for start, end, side in utterances:
        if turns and turns[-1][2] == side:
            turns[-1] = (turns[-1][0], end, side)
        else:
            turns.append((start, end, side))
    return turns


def gap_errors(turns: Turns, voices: Sequence[Spans]) -> Iterator[float]:
    """Yield how far each gap between turns that do not overlap is off, seconds."""
    for before, after in pairwise(turns):
        if after[0] <= before[1]:
            continue
        ends = [b for a, b in voices[before[2]] if a < before[1] and b > before[0]]
        starts = [a for a, b in voices[after[2]] if b > after[0] and a < after[1]]
        if ends and starts:
            yield abs(min(starts) - max(ends) - (after[0] - before[1]))
        else:
            yield _LOST_S


def dialogue_gaps(world: str) -> list[Any]:
    """Return the errors of each human dialogue's one gap.

    The two dialogues of a pair are joined to a call.
    """
    errors: list[float] = []
    refused: list[str] = []
    for name, dialogues in _dialogues_by_pair():
        sound, calls = _joined_dialogues(dialogues)
        call = heard(sound, world, np.random.default_rng(3))
        if call is None:
            refused.append(f"{name} refused ({len(calls)})")
            continue
        truth: list[Spans] = [[], []]
        for turns in calls:
            for start, end, side in turns:
                truth[side].append((start, end))
        _, voices = matched(call, truth, len(sound) / SPEECH_RATE)
        errors += [error for turns in calls for error in gap_errors(turns, voices)]
    named = ", ".join([f"{len(errors)} gaps", *refused])
    if not errors:
        return [named, None, None, None]
    gaps = np.array(errors)
    figures = (np.median(gaps), np.quantile(gaps, 0.95), np.mean(gaps <= 0.1))
    return [named, *map(float, figures)]


def dialogue_contrasts() -> Iterator[list[Any]]:
    """Yield name, length and contrast of each human dialogue, then of each pair's."""
    for name, dialogues in _dialogues_by_pair():
        for path, _ in dialogues:
            yield _contrast(path.stem, _mixed(path))
        yield _contrast(f"{name}, joined", _joined_dialogues(dialogues)[0])


def _contrast(name: str, sound: Floats) -> list[Any]:
    samples = np.rint(32_767 * sound / max(1.0, float(np.abs(sound).max())))
    samples = samples.astype(np.int16)
    voices = two_voices(samples, hear_windows(samples))
    return [name, len(sound) / SPEECH_RATE, voices.contrast]


def _dialogues_by_pair() -> list[tuple[str, list[tuple[Path, Turns]]]]:
    """Return the human dialogues with their turns, by pair of people."""
    (folder,) = (one for one in read_sets(people_folder()) if one.name == "turns")
    edges: dict[Path, Turns] = defaultdict(list)
    for edge in folder.edges:
        edges[edge.audio].append((edge.start_s, edge.end_s, edge.channel))
    pairs: dict[str, list[tuple[Path, Turns]]] = defaultdict(list)
    for path, turns in edges.items():
        pairs[path.stem.partition("_")[0]].append((path, sorted(turns)))
    return sorted(pairs.items())


def _joined_dialogues(
    dialogues: Sequence[tuple[Path, Turns]],
) -> tuple[Floats, list[Turns]]:
    parts: list[Floats] = []
    calls: list[Turns] = []
    at_s = 0.0
    for path, turns in dialogues:
        parts.append(_mixed(path))
        calls.append([(at_s + start, at_s + end, side) for start, end, side in turns])
        at_s += len(parts[-1]) / SPEECH_RATE
    return np.concatenate(parts), calls


def _mixed(path: Path) -> Floats:
    samples, rate = soundfile.read(path, always_2d=True)
    return np.asarray(
        soxr.resample(samples.mean(axis=1), rate, SPEECH_RATE), np.float32
    )


if __name__ == "__main__":
    main()
