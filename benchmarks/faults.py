"""Faults of recorders, simulated on calls: how many the audit of ``turns`` finds.

    python -m benchmarks.faults [CALLS]... [--clips FOLDER]... [--world NAME|all]... [--only FAULT]

CALLS are folders of two-channel recordings; without one, calls are rendered of the
clips under each ``--clips`` (``--number`` of them, ``--seed``), else of the example
clips. A fault is done as users of open recorders describe it, to each call once. Every
call is heard in a world: as it is, in noise 20 dB below, through a telephone, with
automatic gain, behind a noise gate and behind one that the other side leaks into.
``--save`` writes the figures to ``benchmarks/results/faults.json``, beside those of
other faults and worlds.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import soundfile
import soxr

from benchmarks.fault_calls import (
    WORLDS,
    Change,
    heard_in,
    leaking,
    log_of,
    pauses_of,
    rendered,
)
from benchmarks.report import options_of, save, stored
from extractors.formats import AUDIO_SUFFIXES
from trace_eval.conversations.read_options import ReadOptions
from trace_eval.conversations.sound.logged import held_against_sound
from trace_eval.data.conversation import ConversationItem
from trace_eval.turns.options import TurnsOptions
from trace_eval.turns.report import time_turns


def _loud(sound: Any, size: int, rng: np.random.Generator) -> tuple[int, int]:
    """(sample, channel) of a loud moment."""
    channel = int(rng.integers(2))
    power = np.convolve(np.square(sound[:, channel]), np.ones(size), "valid")[
        :: size // 4
    ]
    loud = np.flatnonzero(power > 0.1 * power.max())
    return int(rng.choice(loud)) * (size // 4), channel


def _lost(sound: Any, rate: int, rng: np.random.Generator) -> Any:
    for _ in range(5):
        size = int(rng.choice([10, 20, 40, 60])) * rate // 1000
        at, channel = _loud(sound, size, rng)
        sound[at : at + size, channel] = 0
    return sound


def _repeated(sound: Any, rate: int, rng: np.random.Generator) -> Any:
    for _ in range(5):
        size = int(rng.choice([20, 40, 60])) * rate // 1000
        at, channel = _loud(sound, size, rng)
        if at >= size:
            sound[at : at + size, channel] = sound[at - size : at, channel]
    return sound


def _broken(sound: Any, rate: int, rng: np.random.Generator) -> Any:
    sound[-max(6 * rate, len(sound) // 3) :, int(rng.integers(2))] = 0
    return sound


def _offset(sound: Any, rate: int, rng: np.random.Generator) -> Any:
    """Leak the agent's voice; then write its channel 0.1 s late."""
    late = rate // 10
    sound = leaking(sound, 0)
    sound[late:, 1] = sound[:-late, 1].copy()
    return sound


def _drifting(sound: Any, rate: int, rng: np.random.Generator) -> Any:
    """Repeat a leaking call for 7 minutes; the user's clock is 400 ppm off."""
    sound = np.tile(leaking(sound, rate // 50), (-(-420 * rate // len(sound)), 1))
    user = np.interp(np.arange(len(sound)) * 1.0004, np.arange(len(sound)), sound[:, 0])
    return np.column_stack((user, sound[:, 1]))


def _joined(sound: Any, rate: int, rng: np.random.Generator) -> Any:
    """Cut out the longest pause of a side; after its next utterance zeros catch up.

    pipecat 4561: two utterances of the bot are joined while no sound of the user
    arrives.
    """
    channel, (a, b) = _longest(sound, rate)
    after = [end for end, _ in pauses_of(sound[:, channel], rate) if end > b]
    next_end = after[0] if after else b + (len(sound) - b) // 2
    moved = sound[b:next_end, channel]
    sound[a:next_end, channel] = np.concatenate((moved, np.zeros(b - a)))
    return sound


def _longest(sound: Any, rate: int) -> tuple[int, tuple[int, int]]:
    """(channel, pause): the longest one between two utterances of a side."""
    every = [(c, pause) for c in (0, 1) for pause in pauses_of(sound[:, c], rate)]
    last = len(sound) // 4
    return max(every or [(0, (last, 2 * last))], key=lambda one: one[1][1] - one[1][0])


def _collapsed(sound: Any, rate: int, rng: np.random.Generator) -> Any:
    """Leave out what is silent on both sides for 0.4 s.

    Reported as pipecat 4561 and livekit/agents 4131.
    """
    keep = np.ones(len(sound), bool)
    for a, b in pauses_of(np.abs(sound).max(axis=1), rate):
        keep[a:b] = False
    return sound[keep]


def _late_chunks(sound: Any, rate: int, rng: np.random.Generator) -> Any:
    """Delay one side by 0.3 to 1.5 s in each chunk, and lose its end.

    Reported as pipecat 2448.
    """
    channel, size = int(rng.integers(2)), min(10 * rate, len(sound) // 3)
    for first in range(size, len(sound) - size, size):
        late = int(rng.uniform(0.3, 1.5) * rate)
        part = sound[first : first + size, channel]
        part[:] = np.concatenate((np.zeros(late), part))[: len(part)]
    return sound


def _cut(sound: Any, rate: int, rng: np.random.Generator) -> Any:
    """Let one side fall behind by 0.3 to 1 s in each chunk; the rest is zeros.

    Reported as pipecat 1256.
    """
    channel, size = int(rng.integers(2)), min(10 * rate, len(sound) // 3)
    for first in range(0, len(sound) - size, size):
        sound[
            first + size - int(rng.uniform(0.3, 1) * rate) : first + size, channel
        ] = 0
    return sound


def _dry(sound: Any, rate: int, rng: np.random.Generator) -> Any:
    """Three times 0.2 to 0.6 s of zeros within speech; what follows is late.

    pipecat 3758, livekit/agents 6921: a sink that runs dry within an utterance.
    """
    for _ in range(3):
        at, channel = _loud(sound, rate // 10, rng)
        late = int(rng.uniform(0.2, 0.6) * rate)
        if at + late < len(sound) - rate // 10:
            sound[at:, channel] = np.concatenate(
                (np.zeros(late), sound[at:-late, channel])
            )
    return sound


FILLED = "silence that is filled in"
MOVED = "chunks that moved against the log"
CUT_OUT = "pauses that are cut out"
LATE = "a log clock that contradicts the sound"

#: What is done -> the fault that the audit names, and how it is done.
FAULTS: dict[str, tuple[str, Change]] = {
    "none": ("", lambda sound, rate, rng: sound),
    "lost packets": ("lost packets", _lost),
    "repeated packets": ("repeated packets", _repeated),
    "one sound on both channels": (
        "one sound on both channels",
        lambda sound, rate, rng: np.repeat(
            sound.mean(axis=1, keepdims=True), 2, axis=1
        ),
    ),
    "a channel that breaks off": ("a channel that breaks off", _broken),
    "no sound above 4 kHz": (
        "no sound above 4 kHz",
        lambda sound, rate, rng: soxr.resample(
            soxr.resample(sound, rate, 8_000), 8_000, rate
        )[: len(sound)],
    ),
    "clipping": (
        "clipping",
        lambda sound, rate, rng: np.clip(8 * sound / np.abs(sound).max(), -1, 1),
    ),
    "an echo before its voice": ("an echo before its voice", _offset),
    "an echo after its voice": (
        "",
        lambda sound, rate, rng: leaking(sound, rate // 25),
    ),
    "two clocks": ("two clocks", _drifting),
    "a side without its pauses, filled up at the next turn": (FILLED, _joined),
    "chunks of 10 s whose one side is late": (FILLED, _late_chunks),
    "a side cut to the shorter one": (FILLED, _cut),
    "gaps within speech": (FILLED, _dry),
    "both sides without their pauses": (CUT_OUT, _collapsed),
}


def _later(sound: Any, rate: int, rng: np.random.Generator) -> Any:
    size = rate // 4
    power = (
        np.square(sound)
        .sum(axis=1)[: len(sound) // size * size]
        .reshape(-1, size)
        .sum(axis=1)
    )
    quiet = sound[int(np.argmin(power)) * size :][:size]
    return np.concatenate((*[quiet] * int(rng.uniform(4, 16)), sound))


#: The same where the log of the call says who speaks when (its times off by up to 0.2
#: s).
LOGGED: dict[str, tuple[str, Change]] = {
    "log: none": ("", FAULTS["none"][1]),
    "log: swapped channels": (
        "swapped channels",
        lambda sound, rate, rng: sound[:, ::-1],
    ),
    "log: a recording that begins 1 to 4 s earlier": (LATE, _later),
    "log: both sides without their pauses": (MOVED, _collapsed),
}

EVERY = {**FAULTS, **LOGGED}

#: What a call of under 20 s is too short for: to break off, or to have three replies.
LONG = ("a channel that breaks off", "both sides without their pauses", *LOGGED)


def found_faults(
    folder: Path, name: str, seed: int, world: str = "clean"
) -> Iterator[tuple[str, list[str]]]:
    """(call, names of the faults found) of every call of a folder with one fault."""
    rng = np.random.default_rng(seed)
    _, change = EVERY[name]
    with tempfile.TemporaryDirectory() as made:
        for file in sorted(
            one for one in folder.iterdir() if one.suffix in AUDIO_SUFFIXES
        ):
            sound, rate = soundfile.read(file, always_2d=True)
            if name in LONG and len(sound) < 20 * rate:
                continue
            target = Path(made) / f"{file.stem}.wav"
            log = log_of(sound, rate, rng, target)
            if change is _collapsed:  # by what was said, before noise or gain hide it
                sound = change(sound, rate, rng)
            sound, rate = heard_in(world, sound, rate, rng)
            if change is not _collapsed:
                sound = change(sound.copy(), rate, rng)
            soundfile.write(target, np.clip(sound, -1, 1), rate)
            if name in LOGGED:
                yield file.stem, _named(held_against_sound(log, ReadOptions()))
        if name in LOGGED or not any(Path(made).iterdir()):
            return
        for one in time_turns(made, TurnsOptions(layout="stereo")).conversations:
            yield one.item.id, _named(one.item)


def _named(item: ConversationItem) -> list[str]:
    faults: Any = item.conversation.meta["faults"]
    return [fault["name"] for fault in faults]


#: What is no fault of a world, but true of it; and what else is true of calls with a
#: fault.
TRUE_OF = {
    "telephone": {"a recording of 8 kHz"},
    "log: both sides without their pauses": {CUT_OUT, LATE},
}

Row = dict[str, Any]


def rows_of(
    folders: Sequence[Path], worlds: Sequence[str], names: Sequence[str]
) -> Iterator[Row]:
    """Yield calls, hits and false alarms of each fault, folder and world.

    Each row also names the calls with a false alarm.
    """
    for name, folder, world in product(names, folders, worlds):
        wanted = EVERY[name][0]
        if world == "telephone" and "4 kHz" in wanted:
            continue  # a file of 8 kHz has nothing above 4 kHz
        true = {wanted} | TRUE_OF.get(world, set()) | TRUE_OF.get(name, set())
        calls = [*found_faults(folder, name, 1, world)]
        false = {call: sorted({*names} - true) for call, names in calls}
        alarms = [
            f"{call}: {', '.join(names)}" for call, names in false.items() if names
        ]
        accepted = {wanted, CUT_OUT} if wanted == MOVED else {wanted}
        result = (
            sum(not accepted.isdisjoint(names) for _, names in calls)
            if wanted
            else None
        )
        row = {
            "fault": name,
            "calls": folder.name,
            "world": world,
            "number": len(calls),
        }
        if calls:
            yield row | {"found": result, "false": len(alarms), "alarms": alarms}


def holds(row: Row) -> bool:
    """Return whether a row reaches its goal.

    That is 95 % found, or at most 2 % false alarms where nothing is wrong.
    """
    number, found = row["number"], row["found"]
    return bool(
        row["false"] <= 0.02 * number if found is None else found >= 0.95 * number
    )


def report(rows: Iterator[Row]) -> list[Row]:
    """Print each row as it comes, and give all."""
    print(f"{'fault':55} {'world':10} found  false alarms")
    kept = []
    for row in rows:
        kept.append(row)
        result = "" if row["found"] is None else f"{row['found']}/{row['number']}"
        alarms = "".join(f"\n    {alarm}" for alarm in row["alarms"][:4])
        mark = "" if holds(row) else "  NO"
        false = f"{row['false']}/{row['number']}{mark}{alarms}"
        print(f"{row['fault']:55} {row['world']:10} {result:6} {false}", flush=True)
    return kept


def main() -> int:
    """Print how many of each fault were found; the exit code says whether 95 % were."""
    parser = options_of(__doc__)
    parser.add_argument("calls", type=Path, nargs="*")
    parser.add_argument("--clips", type=Path, action="append", default=[])
    parser.add_argument("--number", type=int, default=12, help="of rendered calls")
    parser.add_argument("--seed", type=int, default=1, help="of rendered calls")
    parser.add_argument(
        "--world", action="append", choices=["all", *WORLDS], default=[]
    )
    parser.add_argument("--only", action="append", choices=[*EVERY], default=[])
    parser.add_argument("--save", action="store_true", help="write results/faults.json")
    args = parser.parse_args()
    worlds = [*WORLDS] if "all" in args.world else args.world or ["clean"]
    with tempfile.TemporaryDirectory() as folder:
        folder_of_seed = Path(folder) / f"seed {args.seed}"
        if not args.calls:
            folder_of_seed.mkdir()
            rendered(args.clips, folder_of_seed, args.number, args.seed)
        names = args.only or [*EVERY]
        rows = report(rows_of(args.calls or [folder_of_seed], worlds, names))
    if args.save:
        every = {
            (row["fault"], row["world"]): row
            for row in (*stored("faults")["rows"], *rows)
        }
        save("faults", {"rows": [*every.values()]})
    return int(not all(holds(row) for row in rows))


if __name__ == "__main__":
    sys.exit(main())
