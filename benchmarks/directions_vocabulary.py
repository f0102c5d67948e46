"""Measure which manners are read in the forms in which testers ask for them.

    python -m benchmarks.directions_vocabulary [--each 12] [--seed 1]

Every manner that has a word (sounds, moods, their nouns, accents, voices, people) is put
into forms of request that testers wrote, and read aloud in one of its usual readings, by
exact words. What is counted is how many of those are found.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmarks.directions import Material, in_form, material_of
from benchmarks.directions_recognisers import WORLDS
from benchmarks.report import arguments, lines_of, save
from extractors import manner_words
from trace_eval.data.measures.directions import read_aloud

#: Adjectives for a voice beside those of ``manner_words``.
VOICES = """
    husky nasal robotic squeaky hoarse childlike old young sleepy drunk creepy ghostly
    cartoon gravelly raspy breathy booming tiny baby witch wizard radio newsreader
    villain monster teacher commanding flat bored theatrical cheerful sick stuffy shaky
    wobbly trembling muffled distant
"""

#: Whom somebody may talk like.
PEOPLE = """
    pirate robot child cowboy wizard witch king queen newsreader butler villain vampire
    ghost coach auctioneer grandmother teacher soldier surfer detective judge preacher
    superhero knight monster toddler librarian commentator cat
"""

#: States of a speaker, each with how it is read aloud.
STATES = """
    very slowly|really fast|out of breath|under your breath|in slow motion|at top speed
    at half speed|with long pauses|without emotion|through your nose|while chewing
    as if you were crying|as though you were late|in baby talk|word by word|in a rush
    with dramatic pauses|with a straight face|with a trembling voice|in one breath
    with exaggerated joy|in hushed tones|on one note|with your mouth full
"""


@dataclass(frozen=True)
class NamedManner:
    """A manner, as requests name it, and how it is read aloud.

    Attributes:
        kind: of manners that are counted together.
        phrase: behind "say it": "with a sigh".
        bracket: within brackets: "sighs".
        imperative: before "tell me": "Sigh, then".
        readings: each without its full stop.
    """

    kind: str
    phrase: str
    bracket: str
    imperative: str
    readings: tuple[str, ...]


def named_manners() -> Iterator[NamedManner]:
    """Yield the manners of all kinds."""
    yield from _sounds()
    yield from _moods()
    yield from _voices()
    for state in STATES.replace("\n", "|").split("|"):
        if words := state.strip():
            spoken = (words, words.replace("your", "my"))
            yield NamedManner("states", words, words, f"Speak {words} and", spoken)


def _sounds() -> Iterator[NamedManner]:
    for verb in (*manner_words.COMMON_SOUNDS, *manner_words.RARE_SOUNDS):
        third, ing = manner_words.third_person(verb), manner_words.participle(verb)
        noun = f"with {_with_article(verb)}"
        readings = (third, ing, noun, verb)
        yield NamedManner("sounds", noun, third, f"{verb.capitalize()}, then", readings)


def _moods() -> Iterator[NamedManner]:
    for mood in sorted(manner_words.MOODS):
        adverb = manner_words.adverb_of(mood)
        readings = (mood, adverb, f"in {_with_article(mood)} voice", f"{mood} tone")
        yield NamedManner("moods", adverb, adverb, f"Sound {mood} and", readings)
    for noun, mood in manner_words.ADJECTIVE_OF_NOUN.items():
        readings = (noun, f"with {noun}", mood, manner_words.adverb_of(mood))
        phrase = f"with {noun}"
        yield NamedManner("nouns", phrase, phrase, f"Show some {noun} and", readings)


def _voices() -> Iterator[NamedManner]:
    for name in manner_words.ACCENTS:
        accent = f"{name.capitalize()} accent"
        phrase = f"with {_with_article(accent)}"
        wanted = f"Put on {_with_article(accent)} and"
        yield NamedManner("accents", phrase, accent, wanted, (accent, phrase, name))
    for name in (*manner_words.VOICES, *VOICES.split()):
        voice = f"{name} voice"
        phrase = f"in {_with_article(voice)}"
        wanted = f"Use {_with_article(voice)} and"
        readings = (voice, phrase, name, f"speaking {phrase}")
        yield NamedManner("voices", phrase, voice, wanted, readings)
    for name in manner_words.NAMED_VOICES:
        phrase = f"in {_with_article(name)}"
        wanted = f"Use {_with_article(name)} and"
        yield NamedManner("voices", phrase, name, wanted, (name, phrase))
    for name in PEOPLE.split():
        phrase = f"like {_with_article(name)}"
        readings = (phrase, name, f"speaking {phrase}", f"{name} voice")
        yield NamedManner("people", phrase, phrase, f"Talk {phrase} and", readings)


def _with_article(noun: str) -> str:
    return f"{'an' if noun[0].lower() in 'aeiou' else 'a'} {noun}"


def asked_and_answered(
    manner: NamedManner, forms: Sequence[str], material: Material, rng: random.Random
) -> tuple[str, str]:
    """Return a request for a manner, and an answer that reads it aloud."""
    form, line = rng.choice(forms), rng.choice(material.lines)
    wanted, reply = rng.choice(material.replies)
    names = {
        name: getattr(manner, name) for name in ("phrase", "bracket", "imperative")
    }
    request = in_form(form, names, line=line, wanted=wanted)
    reading = rng.choice(manner.readings)
    said = f"{line}." if "{line}" in form else reply
    return request, f"{reading[0].upper()}{reading[1:]}. {said}"


def measured(each: int, seed: int) -> tuple[Counter[str], Counter[str]]:
    """Count the answers whose reading is found, and all of them, by kind."""
    rng = random.Random(seed)
    forms: list[str] = []
    for world in WORLDS[WORLDS.index("n") :]:
        forms += [form.partition("|")[2] for form in material_of(world).requests]
    material = material_of("n")
    found: Counter[str] = Counter()
    every: Counter[str] = Counter()
    for manner in named_manners():
        for _ in range(each):
            request, answer = asked_and_answered(manner, forms, material, rng)
            every[manner.kind] += 1
            found[manner.kind] += bool(read_aloud(request, answer))
    return found, every


def main() -> None:
    """Measure and print."""
    options = arguments(__doc__, each=12, seed=1)
    found, every = measured(options.each, options.seed)
    rows = [
        {"kind": kind, "found": found[kind], "of": n, "share": found[kind] / n}
        for kind, n in every.items()
    ]
    lines_of("Readings found by exact words", rows)
    save("directions_vocabulary", {"rows": rows})


if __name__ == "__main__":
    main()
