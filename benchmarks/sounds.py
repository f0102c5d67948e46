"""How well ``-x sounds=yamnet`` names sounds other than speech, beside its goals.

    TRACE_EVAL_DATA=... python -m benchmarks.sounds [--real FOLDER] [--each 100]

Speech is that of all rated sets and prompts, as it is and by a made telephone: a kind
that is named in it is a false alarm. Tones are made. Music, laughs and other vocal
sounds are real: the files of Debian's packages asterisk-moh-opsound-wav, scratch, hedgewars-data
and supertuxkart-data, unpacked into a folder. Music also lies under speech, so many dB softer.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from benchmarks.people.sets import read_sets
from benchmarks.report import arguments, data_folder, people_folder, save, table
from benchmarks.third_state import MADE, SOUND_S
from benchmarks.voice_runs import telephone
from benchmarks.voices import Floats
from extractors.audio import SPEECH_RATE, decode
from extractors.networks.sounds import LAUGHTER, MUSIC, TONES, VOCAL, YamnetExtractor

KINDS = (LAUGHTER, VOCAL, MUSIC, TONES)

#: Tones of a telephone that are made.
_TONES = ("digits of a keypad", "ringing", "busy", "dial tone")

#: Real sounds: their kind, and where they lie in the folder of packages.
REAL = {
    "hold music": (MUSIC, ("usr/share/asterisk/moh/*.wav",)),
    "loops of music": (MUSIC, ("usr/share/scratch/Media/Sounds/Music Loops/*.mp3",)),
    "tunes of games": (
        MUSIC,
        (
            "usr/share/games/hedgewars/Data/Music/*.ogg",
            "usr/share/games/supertuxkart/data/music/*.ogg",
        ),
    ),
    "laughs of game voices": (
        LAUGHTER,
        ("usr/share/games/hedgewars/Data/Sounds/voices/*/Laugh.ogg",),
    ),
    "laughter": (LAUGHTER, ("usr/share/scratch/Media/Sounds/Human/Laugh*",)),
    "vocal sound": (
        VOCAL,
        tuple(
            f"usr/share/scratch/Media/Sounds/Human/{name}*"
            for name in ("Laugh", "Cough", "Sneeze", "Scream", "BabyCry")
        ),
    ),
}

#: Levels of music beside the speech over it, dB; cuts of each piece.
_UNDER_DB, _CUTS = (0, -10, -20), 4

#: What is to be reached, by row and band.
GOALS = {
    ("laughter", "wide"): ".70",
    ("vocal sound", "wide"): ".80",
    ("hold music", "wide"): ".95",
    ("loops of music", "wide"): ".95",
    ("tunes of games", "wide"): ".95",
    ("laughs of game voices", "wide"): ".70",
    ("made tones", "wide"): ".95",
    ("hold music at -20 dB", "wide"): ".85",
    ("hold music at -20 dB", "telephone"): ".70",
}
#: Largest share of speech clips in which a kind may be named.
FALSE_GOALS = {LAUGHTER: "0 of 500", VOCAL: ".5 %", MUSIC: ".2 %", TONES: ".2 % wide"}


def main() -> None:
    """Listen, print, save."""
    args = arguments(
        __doc__,
        real=("", "folder of unpacked packages with real sounds"),
        each=(100, "clips of each set of speech"),
        seed=1,
    )
    rng = np.random.default_rng(args.seed)
    speech = speech_of(args.each)
    false = [
        row for band in ("wide", "telephone") for row in false_alarms(speech, band)
    ]
    table("kinds that are named in speech", ["band", "speech", "clips", *KINDS], false)
    print("goals:", ", ".join(f"{kind} {goal}" for kind, goal in FALSE_GOALS.items()))
    tones = [MADE[name](rng).astype(np.float32) for name in _TONES for _ in range(3)]
    sounds = {"made tones": (TONES, tones)}
    if args.real:
        sounds |= {name: real_sounds(Path(args.real), name, rng) for name in REAL}
    else:
        print(
            "--real is not given: no real music, laughter or vocal sound",
            file=sys.stderr,
        )
    found = [
        row
        for band in ("wide", "telephone")
        for row in recalls(sounds, speech, band, rng)
    ]
    table("sounds that are named", ["band", "sound", "named", "of", "goal"], found)
    save("sounds", {"false": false, "found": found})


def speech_of(each: int) -> dict[str, list[Floats]]:
    """Return clips of speech by the set that they are from."""
    files = {"prompts": sorted(data_folder().glob("prompts/*.wav"))}
    for folder in read_sets(people_folder()):
        if not folder.missing and folder.name != "turns":
            files[folder.name] = [clip.audio for clip in folder.clips]
    clips = {}
    for name, paths in files.items():
        spread = paths[:: max(1, len(paths) // each)][:each]
        clips[name] = [decode(path).speech for path in spread]
    return clips


def real_sounds(
    folder: Path, name: str, rng: np.random.Generator
) -> tuple[str, list[Floats]]:
    """Return a kind and real sounds of it; of music some cuts of each long piece."""
    kind, patterns = REAL[name]
    sounds = []
    for file in (file for pattern in patterns for file in sorted(folder.glob(pattern))):
        sound = decode(file).speech
        cuts = _CUTS if len(sound) > 4 * SOUND_S * SPEECH_RATE else 1
        sounds += [_cut(sound, rng) for _ in range(cuts)]
    return kind, sounds


def _cut(sound: Floats, rng: np.random.Generator) -> Floats:
    size = round(SOUND_S * SPEECH_RATE)
    first = int(rng.integers(max(1, len(sound) - size)))
    cut = sound[first : first + size]
    return np.asarray(0.3 * cut / max(1e-6, float(np.abs(cut).max())), np.float32)


def kinds_in(sound: Floats, band: str) -> set[str]:
    """Return the kinds that are named in a sound, heard in a band."""
    narrow = band == "telephone"
    heard = telephone(sound) if narrow else sound
    return {event.kind for event in YamnetExtractor().events(heard, narrow=narrow)}


def false_alarms(
    speech: Mapping[str, Sequence[Floats]], band: str
) -> list[list[object]]:
    """Return, for each set, in how many clips each kind is named."""
    rows: list[list[object]] = []
    for name, clips in speech.items():
        counts: Counter[str] = Counter()
        for clip in clips:
            counts.update(kinds_in(clip, band))
        rows.append([band, name, len(clips), *(counts[kind] for kind in KINDS)])
    return rows


def recalls(
    sounds: Mapping[str, tuple[str, Sequence[Floats]]],
    speech: Mapping[str, Sequence[Floats]],
    band: str,
    rng: np.random.Generator,
) -> list[list[object]]:
    """Count sounds named as what they are; a laugh is a vocal sound, too."""
    rows: list[list[object]] = []
    for name, (kind, clips) in sounds.items():
        accepted = {VOCAL, LAUGHTER} if kind == VOCAL else {kind}
        named = sum(bool(accepted & kinds_in(clip, band)) for clip in clips)
        rows.append([band, name, named, len(clips), GOALS.get((name, band), "")])
    for under_db in _UNDER_DB if "hold music" in sounds else ():
        _, music = sounds["hold music"]
        mixed = [_under(one, speech["prompts"], under_db, rng) for one in music]
        named = sum(MUSIC in kinds_in(clip, band) for clip in mixed)
        label = f"hold music at {under_db} dB"
        rows.append([band, label, named, len(mixed), GOALS.get((label, band), "")])
    return rows


def _under(
    music: Floats, speech: Sequence[Floats], level_db: float, rng: np.random.Generator
) -> Floats:
    """Put music under a clip of speech, at a level beside the speech's own."""
    voice = speech[int(rng.integers(len(speech)))]
    under = np.resize(music, len(voice))
    powers = [
        float(np.square(one, dtype=np.float64).mean()) + 1e-12 for one in (voice, under)
    ]
    gain = np.sqrt(powers[0] / powers[1]) * 10 ** (level_db / 20)
    return np.asarray(voice + gain * under, np.float32)


if __name__ == "__main__":
    main()
