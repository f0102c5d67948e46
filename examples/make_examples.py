"""Make the example pairs: speech from flite and espeak-ng, treated with sox.

``python examples/make_examples.py [FOLDER]`` writes ``clips/`` and ``pairs.jsonl`` into
the folder, by default beside itself, always the same samples for the same versions of
the three programs. Debian: ``apt-get install flite espeak-ng sox libsox-fmt-base``.

The labels are set by construction, not by ear: each pair differs in one thing, and the
label says who was made better in it.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from itertools import count
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAMS = ("flite", "espeak-ng", "sox")
INSTALL = "apt-get install flite espeak-ng sox libsox-fmt-base"
RATE_HZ = 16_000
PEAK_DBFS = -3.0  # of every clip whose level is not the point


@dataclass(frozen=True)
class Speech:
    """A stretch of synthesised speech.

    Attributes:
        words: what is said.
        voice: flite voice (kal, awb, rms, slt) or espeak-ng voice (en-gb, en-us, ...).
        speed: espeak-ng's words per minute; flite's own speed is 1 / stretch.
        pitch: espeak-ng's base pitch, 0-99.
        stretch: flite's duration factor; 2 is half as fast.
        effects: sox effects for this stretch.
    """

    words: str
    voice: str
    speed: int = 165
    pitch: int = 50
    stretch: float = 1.0
    effects: tuple[str, ...] = ()

    def command(self, output: Path) -> list[str]:
        """Return the synthesiser's command line."""
        if self.voice.startswith("en"):
            options = ["-v", self.voice, "-s", str(self.speed), "-p", str(self.pitch)]
            return ["espeak-ng", *options, "-w", str(output), self.words]
        options = ["-voice", self.voice, "--setf", f"duration_stretch={self.stretch}"]
        return ["flite", *options, "-t", self.words, "-o", str(output)]


@dataclass(frozen=True)
class Gap:
    """Digital silence of some seconds."""

    seconds: float


@dataclass(frozen=True)
class Clip:
    """One recording: stretches one after the other, then effects on the whole.

    FLAC keeps clipped and digital-silent samples as they are; Vorbis would smooth them.
    """

    made_as: str  # what it is, for readers of this file
    parts: tuple[Speech | Gap, ...]
    effects: tuple[str, ...] = ("gain", "-n", str(PEAK_DBFS))
    lossless: bool = False
    noise_db: float | None = None  # level of added pink noise, dB re full scale


@dataclass(frozen=True)
class Example:
    """A pair with its labels (content, voice quality, paralinguistics, overall)."""

    name: str
    category: str
    instruction: str
    a: Clip
    b: Clip
    labels: tuple[str, str, str, str]
    spoken_by: str | None = None  # flite voice that speaks the instruction


def flite(voice: str, words: str, stretch: float = 1.0) -> tuple[Speech, ...]:
    """One stretch of flite."""
    return (Speech(words, voice, stretch=stretch),)


def espeak(
    words: str, voice: str = "en-us", speed: int = 165, pitch: int = 50
) -> Speech:
    """One stretch of espeak-ng."""
    return Speech(words, voice, speed=speed, pitch=pitch)


PARIS = (
    "The capital of France is Paris, and the river that runs through the city is the"
    " Seine."
)
TEA = (
    "Boil fresh water, pour it over the tea leaves in a warm pot, and wait for four"
    " minutes."
)
SLEEP = (
    "Go to bed at the same time every night, and keep your bedroom dark, cool and"
    " quiet."
)
FOX = "The quick brown fox jumps over the lazy dog."
RAIN = "The rain in Spain falls mainly in the plain."
TRAIN = "The train to London leaves from platform four in ten minutes."
WATCH = "Watch out, there is something coming your way, please step aside."
DOOR = "Please close the door behind you."
NUMBERS = ("one", "two", "three", "four", "five")

EXAMPLES: tuple[Example, ...] = (
    Example(
        "refusal",
        "content",
        "What is the capital of France, and which river runs through it?",
        Clip("flite-slt", flite("slt", PARIS)),
        Clip(
            "flite-refuses",
            flite("slt", "I am sorry, but I cannot help you with that question."),
        ),
        ("1", "both_good", "both_good", "1"),
        spoken_by="rms",
    ),
    Example(
        "off-topic",
        "content",
        "How do I make a pot of tea with tea leaves and fresh water?",
        Clip(
            "flite-off-topic",
            flite("rms", "My uncle bought a green bicycle for the mountains."),
        ),
        Clip("flite-rms", flite("rms", TEA)),
        ("2", "both_good", "both_good", "2"),
    ),
    Example(
        "noise",
        "voice_quality",
        "I cannot sleep at night. Please give me two tips for my bedroom.",
        Clip("flite-slt", flite("slt", SLEEP)),
        Clip("flite-noisy", flite("slt", SLEEP), noise_db=-16),
        ("both_good", "1", "both_good", "1"),
    ),
    Example(
        "narrow-band",
        "voice_quality",
        "When does the next train to London leave, and from which platform?",
        Clip(
            "flite-muffled",
            flite("rms", TRAIN),
            (
                "lowpass",
                "-2",
                "700",
                "lowpass",
                "-2",
                "700",
                "gain",
                "-n",
                str(PEAK_DBFS),
            ),
        ),
        Clip("flite-rms", flite("rms", TRAIN)),
        ("both_good", "2", "both_good", "2"),
        spoken_by="slt",
    ),
    Example(
        "clipped",
        "voice_quality",
        "How do I make a pot of tea with tea leaves and fresh water?",
        Clip("flite-slt", flite("slt", TEA)),
        Clip("flite-clipped", flite("slt", TEA), ("gain", "-n", "24"), lossless=True),
        ("both_good", "1", "both_good", "1"),
    ),
    Example(
        "slow",
        "paralinguistics",
        f'Say the following sentence very slowly: "{FOX}"',
        Clip("flite-normal", flite("rms", FOX)),
        Clip("flite-slow", flite("rms", FOX, 1.9)),
        ("both_good", "both_good", "2", "2"),
        spoken_by="rms",
    ),
    Example(
        "slow-then-fast",
        "paralinguistics",
        f"Say the sentence '{RAIN}' first slowly and then at a rapid pace.",
        Clip(
            "flite-speeds-up",
            (*flite("slt", RAIN, 1.6), Gap(0.3), *flite("slt", RAIN, 0.7)),
        ),
        Clip("flite-steady", (*flite("slt", RAIN), Gap(0.3), *flite("slt", RAIN))),
        ("both_good", "both_good", "1", "1"),
    ),
    Example(
        "loud",
        "paralinguistics",
        f'Repeat this sentence very loudly: "{WATCH}"',
        Clip("flite-quiet", flite("rms", WATCH), ("gain", "-n", "-17")),
        Clip(
            "flite-loud",
            flite("rms", WATCH),
            ("compand", "0.01,0.1", "-40,-15,0,-4", "gain", "-n", "-1"),
        ),
        ("both_good", "both_good", "2", "2"),
    ),
    Example(
        "rising-pitch",
        "paralinguistics",
        "Count from one to five while gradually raising the pitch of your voice.",
        Clip(
            "espeak-rises",
            tuple(
                espeak(f"{word}.", "en-gb", 150, 5 + 22 * step)
                for step, word in enumerate(NUMBERS)
            ),
        ),
        Clip(
            "espeak-level",
            tuple(espeak(f"{word}.", "en-gb", 150, 40) for word in NUMBERS),
        ),
        ("both_good", "both_good", "1", "1"),
    ),
    Example(
        "pauses",
        "paralinguistics",
        "Name three colours, and pause for one second after each of them.",
        Clip(
            "flite-hurried",
            flite("slt", "Red, green and blue are three colours of light."),
        ),
        Clip(
            "flite-pauses",
            (
                *flite("slt", "The first is red."),
                Gap(1.3),
                *flite("slt", "The second is green."),
                Gap(1.3),
                *flite("slt", "The third is blue."),
            ),
        ),
        ("both_good", "both_good", "2", "2"),
    ),
    Example(
        "three-times",
        "paralinguistics",
        f"Say '{DOOR}' three times.",
        Clip(
            "flite-thrice",
            tuple(x for _ in range(3) for x in (*flite("rms", DOOR), Gap(0.3))),
        ),
        Clip("flite-once", flite("rms", DOOR)),
        ("both_good", "both_good", "1", "1"),
    ),
    Example(
        "silent",
        "content",
        "What is the capital of France, and which river runs through it?",
        Clip("silence", (Gap(3.0),), (), lossless=True),
        Clip("flite-slt", flite("slt", PARIS)),
        ("2", "2", "2", "2"),
    ),
    Example(
        "two-refusals",
        "content",
        "When does the next train to London leave, and from which platform?",
        Clip(
            "flite-slt",
            flite("slt", "I am sorry, I cannot answer that question for you."),
        ),
        Clip(
            "flite-refuses", flite("slt", "I am unable to help you with train times.")
        ),
        ("both_bad", "both_good", "both_good", "both_bad"),
    ),
)


def run(*command: str) -> None:
    """Run one program; its messages are shown when it fails."""
    subprocess.run(command, check=True, capture_output=True, text=True)


def stretch(part: Speech | Gap, output: Path) -> None:
    """One stretch as 16 kHz mono 16-bit WAV."""
    form = ["-r", str(RATE_HZ), "-c", "1", "-b", "16"]
    if isinstance(part, Gap):
        run("sox", "-D", "-n", *form, str(output), "trim", "0", str(part.seconds))
        return
    raw = output.with_suffix(".raw.wav")
    run(*part.command(raw))
    run("sox", "-D", str(raw), *form, str(output), *part.effects)


def render(clip: Clip, output: Path, folder: Path, numbers: count[int]) -> None:
    """Synthesise, join, add noise, apply the effects and encode.

    Dither is off, because it is random.
    """
    pieces = []
    for part in clip.parts:
        pieces.append(folder / f"{next(numbers)}.wav")
        stretch(part, pieces[-1])
    whole = folder / f"{next(numbers)}.wav"
    run("sox", "-D", *map(str, pieces), str(whole))
    if clip.noise_db is not None:
        noise, mixed = (folder / f"{next(numbers)}.wav" for _ in range(2))
        run(
            "sox",
            "-D",
            "-R",
            str(whole),
            str(noise),
            "synth",
            "pinknoise",
            "gain",
            "-n",
            str(clip.noise_db),
        )
        run(
            "sox",
            "-D",
            "-m",
            "-v",
            "0.7",
            str(whole),
            "-v",
            "1",
            str(noise),
            str(mixed),
        )
        whole = mixed
    quality = [] if clip.lossless else ["-C", "6"]
    run("sox", "-D", "-R", str(whole), *quality, str(output), *clip.effects)


#: Imaginary systems that the answers are shared out to, so that a ranking has few of
#: them.
SYSTEMS = ("alder", "birch", "cedar", "elm")


def system_of(place: int, side: str) -> str:
    """Whose answer a side of the pair at this place is; every two systems meet."""
    step = 1 + place // len(SYSTEMS) % (len(SYSTEMS) - 1)
    return SYSTEMS[(place + (step if side == "b" else 0)) % len(SYSTEMS)]


def make(folder: Path) -> None:
    """Write ``clips/`` and ``pairs.jsonl`` into a folder."""
    clips = folder / "clips"
    shutil.rmtree(clips, ignore_errors=True)
    clips.mkdir(parents=True)
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        numbers = count()
        for place, example in enumerate(EXAMPLES):
            row: dict[str, object] = {"id": example.name, "category": example.category}
            row["instruction"] = {"text": example.instruction}
            if example.spoken_by:
                name = f"clips/{example.name}-instruction.ogg"
                spoken = Clip("user", flite(example.spoken_by, example.instruction))
                render(spoken, folder / name, Path(temporary), numbers)
                row["instruction"] = {"audio": name, "text": example.instruction}
            for side, clip in (("a", example.a), ("b", example.b)):
                name = (
                    f"clips/{example.name}-{side}.{'flac' if clip.lossless else 'ogg'}"
                )
                render(clip, folder / name, Path(temporary), numbers)
                row[side] = {"audio": name, "system": system_of(place, side)}
            keys = ("content", "voice_quality", "paralinguistics", "overall")
            row["labels"] = dict(zip(keys, example.labels, strict=True))
            rows.append(json.dumps(row, ensure_ascii=False))
    (folder / "pairs.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")


def main() -> int:
    """Make the examples here, or in the folder that is the first argument."""
    missing = [program for program in PROGRAMS if shutil.which(program) is None]
    if missing:
        sys.stderr.write(
            f"make_examples: {', '.join(missing)} not found; run: {INSTALL}\n"
        )
        return 1
    make(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
    return 0


if __name__ == "__main__":
    sys.exit(main())
