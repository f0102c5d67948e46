"""Measure whether directions read aloud are found in rendered answers.

    python -m benchmarks.directions [--world d] [--voices every] [--answers 300]
        [--seed 1] [--base] [--stored] [--written] [--show]

Answers to requests of twelve manners are spoken by espeak-ng and flite, with
``--voices others`` by other voices of theirs and a neural one, with ``every`` by all of
them. They are heard by tiny.en, with ``--base`` by the extra base. In half of them the
request's own direction ("sigh", "in a deep voice", "(laughs)") is spoken as words. The
others follow the request, some in words that sound like it, or repeat such words
rightly: the word itself was asked for, its meaning, or a story in which somebody does
it. What was heard is stored, so that the detector can be measured again without
rendering: ``--stored``. ``--world`` takes other manners and sentences, and
``--written`` the words as they were rendered, as a recogniser without a fault would
write them.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import soundfile

from benchmarks.directions_worlds import SETS
from benchmarks.extract import filled
from benchmarks.neural_voice import spoken
from benchmarks.report import arguments, save, stored
from blueprints import Transcript
from extractors.audio import decode
from extractors.registry import create
from trace_eval.data.measures.directions import read_aloud
from trace_eval.data.measures.manner import words_in


@dataclass(frozen=True)
class Manner:
    """A manner as requests ask for it, as brackets write it, and as read aloud.

    Sentences of ``like`` begin or end with a word that sounds like it.
    """

    phrase: str
    bracket: str
    imperative: str
    aloud: tuple[str, ...]
    word: str
    story: str
    meaning: str
    like: tuple[str, ...] = ()


MANNERS = (
    Manner(
        phrase="with a sigh",
        bracket="sighs",
        imperative="Sigh, then",
        aloud=("Sigh.", "Sighs.", "With a sigh.", "Sighing."),
        word="sigh",
        story="She let out a long sigh and closed the book.",
        meaning="To sigh means to breathe out slowly because you are tired.",
    ),
    Manner(
        phrase="with a laugh",
        bracket="laughs",
        imperative="Laugh, then",
        aloud=("Laughs.", "Laughing.", "With a laugh.", "Laughter."),
        word="laugh",
        story="The old man began to laugh until the windows shook.",
        meaning="To laugh means to show that you are amused.",
    ),
    Manner(
        phrase="in a whisper",
        bracket="whispers",
        imperative="Whisper and",
        aloud=("Whispers.", "Whispering.", "In a whisper.", "Whisper."),
        word="whisper",
        story="They heard a whisper behind the door and froze.",
        meaning="To whisper means to speak without using your voice.",
    ),
    Manner(
        phrase="with a cough",
        bracket="coughs",
        imperative="Cough, then",
        aloud=("Coughs.", "Coughing.", "With a cough.", "Cough, cough."),
        word="cough",
        story="A sudden cough gave the thief away.",
        meaning="A cough is a sudden noise that you make with your throat.",
    ),
    Manner(
        phrase="with a gasp",
        bracket="gasps",
        imperative="Gasp, then",
        aloud=("Gasps.", "Gasping.", "With a gasp.", "Gasp."),
        word="gasp",
        story="The crowd gave a gasp when the curtain fell.",
        meaning="To gasp means to breathe in sharply.",
    ),
    Manner(
        phrase="with a yawn",
        bracket="yawns",
        imperative="Yawn, then",
        aloud=("Yawns.", "Yawning.", "With a yawn.", "Yawn."),
        word="yawn",
        story="The lion gave a great yawn and fell asleep.",
        meaning="A yawn is a deep breath that you take when you are tired.",
    ),
    Manner(
        phrase="with a long pause in the middle",
        bracket="pauses",
        imperative="Pause first, then",
        aloud=("Pause.", "Long pause.", "With a long pause.", "Pauses."),
        word="pause",
        story="After a pause the judge spoke again.",
        meaning="A pause is a short time in which nothing is said.",
    ),
    Manner(
        phrase="in a deep voice",
        bracket="deep voice",
        imperative="Use a deep voice and",
        aloud=(
            "In a deep voice.",
            "Deep voice.",
            "Speaking in a deep voice.",
            "In a deep voice,",
        ),
        word="deep",
        story="The giant had a deep voice that made the ground tremble.",
        meaning="Deep means that something goes far down.",
    ),
    Manner(
        phrase="slowly",
        bracket="slowly",
        imperative="Speak slowly and",
        aloud=("Slowly.", "Speaking slowly.", "Slowly, slowly.", "Speak slowly."),
        word="slowly",
        story="The turtle walked slowly to the river.",
        meaning="Slowly means not quickly.",
    ),
    Manner(
        phrase="in a sad voice",
        bracket="sad voice",
        imperative="Use a sad voice and",
        aloud=("In a sad voice.", "Sad voice.", "Speaking in a sad voice.", "Sadly."),
        word="sad",
        story="The sad king sat alone at his table.",
        meaning="Sad means unhappy.",
    ),
    Manner(
        phrase="with a British accent",
        bracket="British accent",
        imperative="Use a British accent and",
        aloud=(
            "With a British accent.",
            "British accent.",
            "In a British accent.",
            "Speaking with a British accent.",
        ),
        word="British",
        story="The British captain spoke with an accent that nobody knew.",
        meaning="British means that something comes from Great Britain.",
    ),
    Manner(
        phrase="in an excited tone",
        bracket="excitedly",
        imperative="Sound excited and",
        aloud=("In an excited tone.", "Excited tone.", "Excitedly.", "Excited."),
        word="excited",
        story="The excited children ran into the garden.",
        meaning="Excited means very happy about something that will happen.",
    ),
)

LINES = (
    "I cannot believe that it is Monday again",
    "The train to the city leaves at half past nine",
    "Nobody told me that the shop was closed",
    "We have been waiting here for two hours",
    "Please close the window before you leave",
    "My brother bought a new car last week",
    "There is a letter for you on the table",
    "The soup needs a little more salt",
    "You will never guess who called me today",
    "It has been raining since the early morning",
)

REPLIES = (
    "I had a quiet day and read a good book in the garden.",
    "The weather is cloudy with a little rain in the evening.",
    "My favourite meal is pasta with tomatoes and fresh basil.",
    "Well, there are many ways to learn a new language.",
    "A cat chased a ball across the room and knocked over a lamp.",
)

OPEN_REQUESTS = (
    "tell me about your day.",
    "tell me what the weather is like.",
    "name your favourite meal.",
    "explain how to learn a language.",
    "tell me something about cats.",
)


@dataclass(frozen=True)
class MadeAnswer:
    """A request, the words that are rendered, and whether a direction is among them."""

    manner: str
    request: str
    words: str
    aloud: bool
    kind: str
    heard: str = ""
    voice: str = ""


@dataclass(frozen=True)
class Material:
    """Manners, sentences to be said, and open requests with their replies."""

    manners: tuple[Manner, ...] = MANNERS
    lines: tuple[str, ...] = LINES
    replies: tuple[tuple[str, str], ...] = tuple(
        zip(OPEN_REQUESTS, REPLIES, strict=True)
    )


def material_of(name: str) -> Material:
    """Return the material of a world; without a name that by which all began."""
    if not name:
        return Material()
    world = SETS[name]
    manners = []
    for line in world.manners:
        parts = line.split("|")
        phrase, bracket, imperative, aloud, word, story, meaning = parts[:7]
        manners.append(
            Manner(
                phrase=phrase,
                bracket=bracket,
                imperative=imperative,
                aloud=tuple(aloud.split("/")),
                word=word,
                story=story,
                meaning=meaning,
                like=tuple("/".join(parts[7:]).split("/")) if parts[7:] else (),
            )
        )
    replies = [line.partition("|") for line in world.replies]
    asked = tuple((request, reply) for request, _, reply in replies)
    return Material(tuple(manners), world.lines, asked)


def answers(count: int, seed: int, material: Material) -> Iterator[MadeAnswer]:
    """Answers of all manners in turn, half of them with a direction read aloud."""
    rng = random.Random(seed)
    for number in range(count):
        manner = material.manners[number % len(material.manners)]
        make = _aloud if number // len(material.manners) % 2 else _rightly
        yield make(manner, rng, material)


def _asked(
    manner: Manner, rng: random.Random, material: Material
) -> tuple[str, str, str]:
    """(request, words that follow it, kind)."""
    line = rng.choice(material.lines)
    index = rng.randrange(len(material.replies))
    wanted, reply = material.replies[index]
    return rng.choice(
        [
            (f'Say "{line}" {manner.phrase}.', f"{line}.", "literal"),
            (f"Say {manner.phrase}: {line}.", f"{line}.", "colon"),
            (f"Read this aloud: ({manner.bracket}) {line}.", f"{line}.", "bracket"),
            (f"[{manner.bracket}] {line}.", f"{line}.", "script"),
            (f"{manner.imperative} {wanted}", reply, "imperative"),
            (f"Please answer {manner.phrase}: {wanted}", reply, "open"),
            (f"Can you {wanted[:-1]} {manner.phrase}?", reply, "question"),
        ]
    )


def _aloud(manner: Manner, rng: random.Random, material: Material) -> MadeAnswer:
    request, words, kind = _asked(manner, rng, material)
    direction = rng.choice(manner.aloud)
    spoken = f"{direction} {words}" if rng.random() < 0.85 else f"{words} {direction}"
    return MadeAnswer(manner.word, request, spoken, True, kind)


def _rightly(manner: Manner, rng: random.Random, material: Material) -> MadeAnswer:
    if manner.like and rng.random() < 0.3:
        words = rng.choice(manner.like)
        request, kind = rng.choice(
            [
                (f'Say "{words[:-1]}" {manner.phrase}.', "like literal"),
                (f"Say {manner.phrase}: {words[:-1]}.", "like colon"),
                (f"{manner.imperative} tell me something.", "like imperative"),
                (f"Please answer {manner.phrase}: what is new?", "like open"),
            ]
        )
        return MadeAnswer(manner.word, request, words, False, kind)
    if rng.random() < 0.4:
        request, words, kind = _asked(manner, rng, material)
        return MadeAnswer(manner.word, request, words, False, f"followed {kind}")
    word = manner.word
    request, words, kind = rng.choice(
        [
            (f"Say the word {word}.", f"{word.capitalize()}.", "word"),
            (f'Say "{word}" three times.', f"{word}, {word}, {word}.", "three times"),
            (f"What does {word} mean?", manner.meaning, "meaning"),
            (f"Explain the word {word} to a child.", manner.meaning, "explain"),
            (
                f"Tell me a story that has the word {word} in it.",
                manner.story,
                "story with",
            ),
            (f"Use {word} in a sentence.", manner.story, "sentence"),
            (f'Repeat after me: "{manner.story}"', manner.story, "repeat"),
            (f'Say "{manner.story}" slowly.', manner.story, "slowly"),
            (
                f"How do you spell {word}?",
                f"{word.capitalize()}. {', '.join(word)}.",
                "spell",
            ),
            (f"Tell me a short story about a {word}.", manner.story, "about"),
        ]
    )
    return MadeAnswer(manner.word, request, words, False, kind)


VOICES = (
    *(("espeak-ng", voice) for voice in ("en-us", "en-gb", "en-us+f3", "en-gb+m3")),
    *(("flite", voice) for voice in ("slt", "rms", "awb", "kal16")),
)

#: Voices that the detector was not written by.
OTHER_VOICES = (
    *(
        ("espeak-ng", voice)
        for voice in ("en-gb-scotland", "en-029", "en-us+f5", "en-us+m7")
    ),
    *(("flite", "kal"), ("joe", ""), ("joe", ""), ("joe", "")),
)


#: Voices that were heard for the first time with world e.
NEW_VOICES = (
    *(
        ("espeak-ng", voice)
        for voice in ("en-gb-x-rp", "en-us-nyc", "en-gb-x-gbcwmd", "en-us+f2")
    ),
    *(("flite", voice) for voice in ("slt 1.25 180", "rms 0.9 130", "awb 1.1 150")),
    *(("joe", "0.85"), ("joe", "1.2")),
)

#: Voices that were heard for the first time with world f.
LAST_VOICES = (
    *(("espeak-ng", voice) for voice in ("en-gb-x-gbclan", "en-us+m2", "en-029+f4")),
    *(("flite", voice) for voice in ("kal16 1.1 110", "slt 0.9 210", "awb 0.95 120")),
    *(("joe", "0.9"), ("joe", "1.1")),
)

#: Voices that were heard for the first time with world g.
FINAL_VOICES = (
    *(("espeak-ng", voice) for voice in ("en-gb-scotland+m4", "en-us+f4", "en+m1")),
    *(("flite", voice) for voice in ("slt 1.1 170", "rms 1.1 100", "kal 0.95 105")),
    *(("joe", "0.95"), ("joe", "1.05")),
)


#: What ``--voices`` names.
VOICES_BY_NAME = {
    "known": VOICES,
    "others": OTHER_VOICES,
    "every": VOICES + OTHER_VOICES,
    "new": NEW_VOICES,
    "last": LAST_VOICES,
    "final": FINAL_VOICES,
}


def render(words: str, program: str, voice: str, path: Path) -> None:
    """Speak words into a file.

    A voice of flite may have a stretch and a mean pitch in Hz, the neural one a speed.
    """
    if program == "joe":
        samples, rate = spoken(words, float(voice or 1))
        soundfile.write(path, samples, rate)
        return
    if program == "flite":
        name, *changed = voice.split()
        line = ["flite", "-voice", name, "-t", words, "-o", str(path)]
        settings = ("duration_stretch", "int_f0_target_mean")
        for setting, value in zip(settings, changed, strict=False):
            line += ["--setf", f"{setting}={value}"]
    else:
        line = ["espeak-ng", "-v", voice, "-s", "150", "-w", str(path), words]
    subprocess.run(line, check=True, capture_output=True)


def voiced(made: list[MadeAnswer], seed: int, voices: str) -> list[MadeAnswer]:
    """Choose a voice for each answer."""
    rng = random.Random(seed)
    chosen = [rng.choice(VOICES_BY_NAME[voices]) for _ in made]
    return [
        replace(one, voice=" ".join(voice).strip())
        for one, voice in zip(made, chosen, strict=True)
    ]


def heard(made: list[MadeAnswer], recogniser_name: str) -> Iterator[MadeAnswer]:
    """Render each answer in its voice and hear it."""
    recogniser = create(recogniser_name)
    parts = [create("signal"), recogniser]
    with tempfile.TemporaryDirectory() as folder:
        for number, one in enumerate(made):
            path = Path(folder) / f"{number}.wav"
            program, _, voice = one.voice.partition(" ")
            render(one.words, program, voice, path)
            blueprint = filled(decode(path), parts)
            words = blueprint.transcript
            text = words.text if isinstance(words, Transcript) else ""
            yield replace(one, heard=text)


def measured(made: list[MadeAnswer]) -> dict[str, object]:
    """Recall and precision of the detector on what was heard."""
    counts: Counter[str] = Counter()
    missed, wrong = [], []
    why: Counter[str] = Counter()
    by_voice: dict[str, list[int]] = {}
    for one in made:
        result = read_aloud(one.request, one.heard)
        counts[
            f"{'aloud' if one.aloud else 'right'} {'found' if result else 'not'}"
        ] += 1
        if one.aloud:
            engine = one.voice.partition(" ")[0] or "not stored"
            found_of = by_voice.setdefault(engine, [0, 0])
            found_of[0] += bool(result)
            found_of[1] += 1
        if one.aloud and not result:
            why[_cause(one)] += 1
            missed.append(f"{one.request} -> {one.heard}  [{one.words}]")
        if result and not one.aloud:
            wrong.append(f"{one.request} -> {one.heard}  {result}")
    aloud = counts["aloud found"] + counts["aloud not"]
    found = counts["aloud found"] + counts["right found"]
    return {
        "answers": len(made),
        "read aloud": aloud,
        "recall": counts["aloud found"] / aloud if aloud else None,
        "found": found,
        "precision": counts["aloud found"] / found if found else None,
        "of negatives": counts["right found"] + counts["right not"],
        "found by voice": {name: f"{n} of {of}" for name, (n, of) in by_voice.items()},
        "missed because": dict(why),
        "missed": missed,
        "found wrongly": wrong,
    }


def _cause(one: MadeAnswer) -> str:
    """Return why a direction was missed: its words were lost, or written otherwise."""
    readings = [
        reading
        for name in ("", *SETS)
        for manner in material_of(name).manners
        for reading in manner.aloud
        if one.words.startswith(reading) or one.words.endswith(reading)
    ]
    longest = max(readings, key=len, default="")
    rest = len(words_in(one.words)) - len(words_in(longest))
    return "lost" if len(words_in(one.heard)) <= rest else "misheard"


def written(data: Path) -> tuple[int, int]:
    """Count directions found in audio models' answers to other questions.

    The second number is the count of answers, once for each manner.

    Nobody asked them for a manner, so that all that is found is found wrongly, but
    where a manner is what the question is about ("Sad.").
    """
    lines = (data / "orca" / "ratings.jsonl").read_text("utf-8").splitlines()
    texts = [str(json.loads(line)["candidate"]) for line in lines]
    asks = [f"Please answer {manner.phrase}: what do you hear?" for manner in MANNERS]
    found = sum(bool(read_aloud(ask, text)) for text in texts for ask in asks)
    return found, len(texts) * len(asks)


def main() -> None:
    """Render, hear, measure and print."""
    options = arguments(
        __doc__,
        seed=1,
        answers=300,
        voices="every",
        base=False,
        stored=False,
        show=False,
        world="d",
        written=False,
    )
    name = f"directions_{options.world}{options.seed}"
    name += "_base" if options.base else ""
    recogniser = "faster-whisper:base" if options.base else "faster-whisper:tiny.en"
    material = material_of(options.world)
    if options.stored:
        made = [MadeAnswer(**each) for each in stored(name)["heard"]]
    else:
        made = list(answers(options.answers, options.seed, material))
    if options.written:
        made = [replace(one, heard=one.words) for one in made]
    elif not options.stored:
        made = list(heard(voiced(made, options.seed, options.voices), recogniser))
    result = measured(made)
    for figure, value in result.items():
        if not isinstance(value, list):
            print(f"{figure}: {value}")
        elif options.show:
            print(f"{figure}:", *value, sep="\n  ")
    if folder := os.environ.get("TRACE_EVAL_DATA"):
        found, count = written(Path(folder))
        print(f"found in answers to other questions: {found} of {count}")
    if not options.written:
        save(name, {**result, "heard": [asdict(one) for one in made]})


if __name__ == "__main__":
    main()
