"""Measure whether directions read aloud are found in rendered answers.

    python -m benchmarks.directions [--world d] [--voices every] [--answers 300]
        [--seed 1] [--base] [--stored] [--again] [--written] [--show]

Answers to requests of twelve manners are spoken by espeak-ng and flite, with
``--voices others`` by other voices of theirs and a neural one, with ``every`` by all of
them. They are heard by tiny.en, with ``--base`` by the extra base. In half of them the
request's own direction ("sigh", "in a deep voice", "(laughs)") is spoken as words. The
others follow the request, some in words that sound like it, or repeat such words
rightly: the word itself was asked for, its meaning, or a story in which somebody does
it. What was heard is stored, so that the detector can be measured again without
rendering: ``--stored``. ``--again`` renders the stored answers once more, for a
recogniser that has changed. ``--world`` takes other manners and sentences, and
``--written`` the words as they were rendered, as a recogniser without a fault would
write them.
"""

from __future__ import annotations

import json
import os
import random
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from benchmarks.directions_manners import LINES, MANNERS, OPEN_REQUESTS, REPLIES, Manner
from benchmarks.directions_voices import VOICES_BY_NAME, render
from benchmarks.directions_worlds import SETS
from benchmarks.extract import filled
from benchmarks.report import arguments, save, stored
from blueprints import Transcript
from extractors.audio import decode
from extractors.registry import create
from trace_eval.data.measures.directions import read_aloud, spoken_in
from trace_eval.data.measures.hearings import Variant, variants
from trace_eval.data.measures.manner import words_in


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
    #: Other texts that it may have: text | what was written there | what replaces it.
    texts: Sequence[str] = ()

    @property
    def variants(self) -> list[Variant]:
        """The texts that it may have, first the one that was heard."""
        others = [Variant(*each.split("|")) for each in self.texts]
        return [Variant(self.heard), *others]


#: Kind | how a line is asked for, or a reply.
REQUESTS = (
    'literal|Say "{line}" {phrase}.',
    "colon|Say {phrase}: {line}.",
    "bracket|Read this aloud: ({bracket}) {line}.",
    "script|[{bracket}] {line}.",
    "imperative|{imperative} {wanted}",
    "open|Please answer {phrase}: {wanted}",
    "question|Can you {asked} {phrase}?",
)


@dataclass(frozen=True)
class Material:
    """Manners, sentences to be said, and open requests with their replies."""

    manners: tuple[Manner, ...] = MANNERS
    lines: tuple[str, ...] = LINES
    replies: tuple[tuple[str, str], ...] = tuple(
        zip(OPEN_REQUESTS, REPLIES, strict=True)
    )
    requests: tuple[str, ...] = REQUESTS


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
    return Material(tuple(manners), world.lines, asked, world.requests or REQUESTS)


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
    kind, _, form = rng.choice(material.requests).partition("|")
    names = {
        name: getattr(manner, name) for name in ("phrase", "bracket", "imperative")
    }
    request = in_form(form, names, line=line, wanted=wanted)
    return request, f"{line}." if "{line}" in form else reply, kind


def in_form(form: str, names: Mapping[str, str], *, line: str, wanted: str) -> str:
    """Return a request in a form; ``names`` are those of its manner."""
    capital = f"{wanted[0].upper()}{wanted[1:]}"
    parts = {"line": line, "wanted": wanted, "Wanted": capital, "asked": wanted[:-1]}
    return form.format(**parts, **names)


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
            others = ["|".join(each) for each in variants(blueprint)][1:]
            yield replace(one, heard=text, texts=tuple(others))


def as_written(one: MadeAnswer) -> MadeAnswer:
    """Return an answer as a recogniser without a fault would hear it."""
    return replace(one, heard=one.words, texts=())


def as_text(one: MadeAnswer) -> MadeAnswer:
    """Return an answer without the pauses and the other hearings of its recogniser."""
    return replace(one, texts=())


def measured(made: list[MadeAnswer]) -> dict[str, object]:
    """Recall and precision of the detector on what was heard."""
    counts: Counter[str] = Counter()
    missed, wrong = [], []
    why: Counter[str] = Counter()
    by_voice: dict[str, list[int]] = {}
    for one in made:
        result = spoken_in(one.request, one.variants)
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
        again=False,
        show=False,
        world="d",
        written=False,
    )
    name = f"directions_{options.world}{options.seed}"
    name += "_base" if options.base else ""
    recogniser = "faster-whisper:base" if options.base else "faster-whisper:tiny.en"
    material = material_of(options.world)
    before = stored(name) if options.stored or options.again else {}
    if before:
        answers_to_hear = [MadeAnswer(**each) for each in before["heard"]]
    else:
        made = list(answers(options.answers, options.seed, material))
        answers_to_hear = voiced(made, options.seed, options.voices)
    if options.written:
        answers_to_hear = [as_written(one) for one in answers_to_hear]
    elif not options.stored:
        answers_to_hear = list(heard(answers_to_hear, recogniser))
    result = measured(answers_to_hear)
    for figure, value in result.items():
        if not isinstance(value, list):
            print(f"{figure}: {value}")
        elif options.show:
            print(f"{figure}:", *value, sep="\n  ")
    if folder := os.environ.get("TRACE_EVAL_DATA"):
        found, count = written(Path(folder))
        print(f"found in answers to other questions: {found} of {count}")
    if options.written:
        return
    at_first = _shares(result)
    if before:
        at_first = before.get("when first heard", _shares(before))
    answers_heard = [asdict(one) for one in answers_to_hear]
    save(name, {**result, "when first heard": at_first, "heard": answers_heard})


def _shares(result: Mapping[str, object]) -> dict[str, object]:
    """Return the figures that a later reading of what was heard may change."""
    return {name: result[name] for name in ("recall", "found", "precision")}


if __name__ == "__main__":
    main()
