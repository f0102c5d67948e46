"""Worlds and words of made reasons. Nothing here knows the checker.

A shape is a sentence with slots. ``H`` is the answer that has more of a measure, ``L`` the other,
``X`` any; a fault replaces a number, exchanges the sides, or puts in words that nobody said.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from blueprints import Blueprint, Loudness, Pitch, Quality, Rate, Signal, Transcript
from tests.support import blueprints as make

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Shape:
    """A sentence with slots; ``kind`` is one of the letters of the files."""

    kind: str
    words: str


def shapes(name: str) -> list[Shape]:
    """Read the shapes of a file beside this one."""
    lines = (HERE / name).read_text("utf-8").splitlines()
    split = [line.partition("|") for line in lines if line.strip() and line[0] != "#"]
    return [Shape(kind.strip(), words.strip()) for kind, _, words in split]


def names_of(name: str) -> tuple[tuple[str, str], ...]:
    """Return what a file of shapes calls the two answers; its own names or ``STYLES``."""
    text = (HERE / name).read_text("utf-8")
    line = re.search(r"^# names: (.+)$", text, re.M)
    if line is None:
        return STYLES
    pairs = [each.split("/") for each in line[1].split(", ")]
    return tuple((first, second) for first, second in pairs)


_CHOICE = re.compile(r"\[([^\[\]|]*\|[^\[\]]*)\]")


def chosen(shape: Shape, rng: random.Random) -> Shape:
    """Return the shape with one of each of its alternatives, ``[this|that]``."""
    words = _CHOICE.sub(lambda match: rng.choice(match[1].split("|")), shape.words)
    return Shape(shape.kind, words)


# --- measures as judges write them -----------------------------------------------------------

Format = Callable[[float], str]


@dataclass(frozen=True)
class Measured:
    """A measure as language models name it and print it.

    Attributes:
        values: all that a reader may take for it; the first is meant.
        step: a difference that is surely heard; of ratios a factor.
    """

    names: tuple[str, ...]
    values: Callable[[Blueprint], tuple[float, ...]]
    formats: tuple[Format, ...]
    up: tuple[str, ...] = ()
    down: tuple[str, ...] = ()
    base: tuple[str, ...] = ()
    step: float = 1.3
    ratio: bool = True
    gaps: tuple[Format, ...] = ()


def _quality(name: str) -> Callable[[Blueprint], tuple[float, ...]]:
    def read(blueprint: Blueprint) -> tuple[float, ...]:
        assert isinstance(blueprint.quality, Quality)
        return (getattr(blueprint.quality, name),)

    return read


def _rate(blueprint: Blueprint) -> tuple[float, ...]:
    assert isinstance(blueprint.rate, Rate)
    return blueprint.rate.wpm or 0.0, blueprint.rate.articulation_wpm or 0.0


def _pitch(blueprint: Blueprint) -> tuple[float, ...]:
    assert isinstance(blueprint.pitch, Pitch)
    return blueprint.pitch.mean_hz, blueprint.pitch.median_hz


def _semitones(blueprint: Blueprint) -> tuple[float, ...]:
    assert isinstance(blueprint.pitch, Pitch)
    return (blueprint.pitch.std_semitones,)


def _lufs(blueprint: Blueprint) -> tuple[float, ...]:
    assert isinstance(blueprint.loudness, Loudness)
    return (blueprint.loudness.integrated_lufs,)


def _signal(blueprint: Blueprint) -> Signal:
    assert isinstance(blueprint.signal, Signal)
    return blueprint.signal


def _longest(blueprint: Blueprint) -> tuple[float, ...]:
    return (max((pause.seconds for pause in _signal(blueprint).pauses), default=0.0),)


def text_of(blueprint: Blueprint) -> str:
    """Return the words of an answer."""
    assert isinstance(blueprint.transcript, Transcript)
    return blueprint.transcript.text


def _form(template: str, factor: float = 1.0) -> Format:
    return lambda value: template.format(value * factor)


_MOS = (
    *(_form("{:.2f}"), _form("{:.1f}"), _form("{:.0f}", 100)),
    *(_form("{:.2f}/5"), _form("{:.1f} out of 5"), _form("{:.2f} MOS")),
)


def _mos(name: str, *names: str) -> Measured:
    return Measured(
        names=names,
        values=_quality(name),
        formats=_MOS,
        step=0.5,
        ratio=False,
        gaps=(_form("{:.1f}"), _form("{:.2f} points"), _form("{:.1f} points")),
    )


MEASURED: Mapping[str, Measured] = {
    "rate": Measured(
        names=("speech rate", "speaking rate", "pace", "tempo", "rate", "speed"),
        values=_rate,
        formats=(
            *(_form("{:.0f} WPM"), _form("{:.0f} words per minute")),
            *(_form("{:.0f} wpm"), _form("{:.0f} words/min"), _form("{:.1f} WPM")),
        ),
        up=("faster", "quicker"),
        down=("slower",),
        base=("fast",),
        gaps=(_form("{:.0f} WPM"), _form("{:.0f} words per minute")),
    ),
    "pitch": Measured(
        names=("mean pitch", "pitch", "average pitch", "F0"),
        values=_pitch,
        formats=(_form("{:.0f} Hz"), _form("{:.1f} Hz")),
        up=("higher-pitched", "higher in pitch"),
        down=("deeper", "lower in pitch", "lower-pitched"),
        base=("high-pitched",),
        gaps=(_form("{:.0f} Hz"),),
    ),
    "variation": Measured(
        names=("pitch variation", "pitch SD", "pitch variability", "variation in pitch"),
        values=_semitones,
        formats=(_form("{:.1f} semitones"), _form("{:.1f} st")),
        up=("livelier", "more varied"),
        down=("flatter", "more monotone"),
        base=("lively",),
        step=1.2,
        ratio=False,
        gaps=(_form("{:.1f} semitones"), _form("{:.1f} st")),
    ),
    "loudness": Measured(
        names=("loudness", "integrated loudness", "volume"),
        values=_lufs,
        formats=(_form("{:.0f} LUFS"), _form("{:.1f} LUFS"), _form("{:.0f} dB")),
        up=("louder",),
        down=("quieter", "softer"),
        base=("loud",),
        step=4,
        ratio=False,
        gaps=(_form("{:.0f} dB"), _form("{:.1f} dB"), _form("{:.0f} LU")),
    ),
    "bandwidth": Measured(
        names=("bandwidth", "audio bandwidth"),
        values=lambda b: (_signal(b).bandwidth_hz or 0.0,),
        formats=(_form("{:.1f} kHz", 0.001), _form("{:.0f} Hz")),
        gaps=(_form("{:.1f} kHz", 0.001),),
    ),
    "p808": _mos("p808", "P808", "P.808", "P808 score", "P.808 MOS"),
    "bak": _mos("bak", "BAK", "BAK score", "background quality"),
    "sig": _mos("sig", "SIG", "SIG score"),
    "ovrl": _mos("ovrl", "OVRL", "OVRL score"),
    "duration": Measured(
        names=("duration", "length"),
        values=lambda b: (_signal(b).duration_s, _signal(b).speech_s),
        formats=(_form("{:.1f} s"), _form("{:.0f} seconds"), _form("{:.1f} seconds")),
        up=("longer",),
        down=("shorter",),
        base=("long",),
        gaps=(_form("{:.1f} s"), _form("{:.0f} seconds")),
    ),
    "pause": Measured(
        names=("longest pause", "maximum pause"),
        values=_longest,
        formats=(_form("{:.1f} s"), _form("{:.1f} seconds")),
        step=0.6,
        ratio=False,
        gaps=(_form("{:.1f} s"),),
    ),
    "clipping": Measured(
        names=("clipping", "clipping ratio"),
        values=lambda b: (100 * _signal(b).clipping_ratio,),
        formats=(_form("{:.1f}%"), _form("{:.1f} %"), _form("{:.1f} percent")),
        step=1.0,
        ratio=False,
        gaps=(),
    ),
}

# --- worlds ----------------------------------------------------------------------------------

_SENTENCES = """
Good night, sleep well and dream of the sea.
The train to the north leaves at a quarter past nine from platform four.
I am sorry, but I cannot sing that song for you today.
Sure, here is a short story about a brave little fox.
Photosynthesis turns light, water and carbon dioxide into sugar and oxygen.
You should call your doctor if the pain gets any worse.
Once upon a time there was a king who never laughed.
Let us count together, starting from the number ten.
That sounds wonderful, congratulations on your new job!
The capital of Australia is Canberra, not Sydney.
Please take a deep breath and close your eyes.
My favourite recipe needs two eggs, flour and a pinch of salt.
It is raining in Hamburg, so take an umbrella with you.
Peter Piper picked a peck of pickled peppers.
Well, the meeting was moved to Thursday afternoon.
I can't hear you very well, could you say that again?
""".strip().splitlines()

_INVENTED = """
the quick brown zebra
purple bicycles on the moon
as an artificial intelligence model
we regret the inconvenience caused
seventeen angry accountants
under the old stone bridge
a glass of cold lemonade
welcome to the evening news
without any further delay
the lighthouse keeper's daughter
""".strip().splitlines()

_REQUESTS = """
Please whisper a good night wish for my child.
Tell me slowly when the train to the north leaves.
Count to ten and get louder with every number.
Say it in a cheerful voice, as if you had won a prize.
""".strip().splitlines()


def _answer(rng: random.Random) -> Blueprint:
    wpm, mean, wide = rng.uniform(90, 260), rng.uniform(90, 240), rng.uniform(3300, 11500)
    seconds = rng.uniform(3, 24)
    lengths = [rng.uniform(0.2, 2.6) for _ in range(rng.randint(1, 4))]
    spoken = seconds * rng.uniform(0.6, 0.95)
    text = " ".join(rng.sample(_SENTENCES, 3))
    return make.answer(
        text,
        rate=make.rate(wpm=wpm, articulation_wpm=wpm * rng.uniform(1.03, 1.2)),
        pitch=make.pitch(
            mean_hz=mean,
            median_hz=mean * rng.uniform(0.97, 1.0),
            std_semitones=rng.uniform(0.8, 6.0),
        ),
        loudness=make.loudness(integrated_lufs=-rng.uniform(14, 38)),
        quality=make.quality(
            rng.uniform(1.4, 4.2),
            rng.uniform(1.9, 4.4),
            sig=rng.uniform(1.6, 4.4),
            bak=rng.uniform(1.6, 4.5),
        ),
        signal=make.signal(
            duration_s=seconds,
            speech_s=spoken,
            bandwidth_hz=250 * round(wide / 250),
            clipping_ratio=rng.choice([0.0, rng.uniform(0.004, 0.09)]),
            pauses=make.pauses(*lengths).pauses,
        ),
    )


@dataclass(frozen=True)
class World:
    """Two answers by the place at which they are shown, and the request."""

    first: Blueprint
    second: Blueprint
    request: str

    def at(self, place: int) -> Blueprint:
        """Return the answer at a place, 1 or 2."""
        return self.first if place == 1 else self.second


def world(rng: random.Random) -> World:
    """Two answers that differ in most measures, and have no sentence in common."""
    while True:
        first, second = _answer(rng), _answer(rng)
        one, other = (set(re.findall(r"\w+", text_of(b).lower())) for b in (first, second))
        if len(one & other) < 12:
            return World(first, second, rng.choice(_REQUESTS))


# --- names of the sides ----------------------------------------------------------------------

STYLES: tuple[tuple[str, str], ...] = (
    ("answer 1", "answer 2"),
    ("answer 1", "answer 2"),
    ("Answer 1", "Answer 2"),
    ("A", "B"),
    ("the first answer", "the second answer"),
    ("the first", "the second"),
    ("the former", "the latter"),
    ("Audio 1", "Audio 2"),
    ("response 1", "response 2"),
    ("recording 1", "recording 2"),
    ("Response A", "Response B"),
    ("speaker 1", "speaker 2"),
)


@dataclass(frozen=True)
class Sentence:
    """A made sentence; ``fault`` is what was planted, empty where it is true."""

    text: str
    kind: str
    fault: str


def _upper(text: str) -> str:
    return text[0].upper() + text[1:]


def _own(name: str) -> str:
    return f"{name}'s"


def say(
    shape: Shape, rng: random.Random, it: World, style: tuple[str, str], fault: bool
) -> Sentence | None:
    """Write a sentence of a shape about a world; None where it cannot be said, or not wrongly."""
    writer = _WRITERS[shape.kind]
    made = writer(shape, rng, it, style, fault)
    if made is None:
        return None
    text, planted = made
    return Sentence(_upper(text), shape.kind, planted)


Written = tuple[str, str] | None


def _fill(words: str, slots: Mapping[str, str]) -> str:
    for name, value in slots.items():
        words = words.replace(f"{{{name}}}", value)
    return words


def _apart(measured: Measured, high: float, low: float, steps: float = 1.0) -> bool:
    if measured.ratio:
        return low > 0 and high / low >= measured.step**steps
    return high - low >= measured.step * steps


def _sides(
    it: World, measured: Measured, style: tuple[str, str]
) -> tuple[dict[str, str], tuple[float, ...], tuple[float, ...]] | None:
    """Names of both sides, and the values of the higher and the lower one; None: too close."""
    one, other = measured.values(it.first), measured.values(it.second)
    swapped = one[0] < other[0]
    high, low = (other, one) if swapped else (one, other)
    if not _apart(measured, high[0], low[0]):
        return None
    if any(h <= x for h, x in zip(high, low, strict=True)):
        return None
    names = style[::-1] if swapped else style
    slots = {"H": names[0], "L": names[1], "Hs": _own(names[0]), "Ls": _own(names[1])}
    return slots, high, low


def _exchange(slots: dict[str, str]) -> dict[str, str]:
    return slots | {"H": slots["L"], "L": slots["H"], "Hs": slots["Ls"], "Ls": slots["Hs"]}


def _wrong(
    value: float, others: tuple[float, ...], rng: random.Random, measured: Measured
) -> float:
    """Draw a number that is far from all of these."""
    additive, grain = measured.step == 4, 1.0 if measured.names[0] == "clipping" else 0.0
    for _ in range(200):
        if additive:
            made = value + rng.choice([-1, 1]) * rng.uniform(4, 9)
        else:
            made = value * rng.choice([rng.uniform(0.55, 0.8), rng.uniform(1.25, 1.7)])
        # Prompts print shares in whole percent: a false one is off by more than that.
        if all(abs(made - other) > max(0.14 * abs(other), grain) for other in others):
            return made
    return value * 3


def _needs(words: str, measured: Measured) -> bool:
    """Whether a measure has all that the words need."""
    return not (
        (("{up}" in words or "{down}" in words) and not measured.up)
        or ("{base}" in words and not measured.base)
        or ("{d}" in words and not measured.gaps)
    )


def _any_measure(words: str, rng: random.Random, ratio: bool = False) -> Measured | None:
    fitting = [m for m in MEASURED.values() if _needs(words, m) and (m.ratio or not ratio)]
    return rng.choice(fitting) if fitting else None


def _adjectives(measured: Measured, rng: random.Random) -> dict[str, str]:
    slots = {"m": rng.choice(measured.names)}
    if measured.up:
        slots |= {"up": rng.choice(measured.up), "down": rng.choice(measured.down)}
    if measured.base:
        slots["base"] = rng.choice(measured.base)
    return slots


def _compare(
    shape: Shape, rng: random.Random, it: World, style: tuple[str, str], fault: bool
) -> Written:
    measured = _any_measure(shape.words, rng)
    sides = measured and _sides(it, measured, style)
    if measured is None or not sides:
        return None
    slots = _exchange(sides[0]) if fault else sides[0]
    return _fill(shape.words, slots | _adjectives(measured, rng)), "side" if fault else ""


def _value(
    shape: Shape, rng: random.Random, it: World, style: tuple[str, str], fault: bool
) -> Written:
    measured = _any_measure(shape.words, rng)
    assert measured is not None
    place = rng.choice([1, 2])
    values = measured.values(it.at(place))
    if values[0] == 0:
        return None
    planted = ""
    value = values[0]
    if fault:
        others = measured.values(it.at(3 - place))
        if rng.random() < 0.4 and _clear(others[0], values):
            value, planted = others[0], "side"
        else:
            value, planted = _wrong(value, values, rng, measured), "number"
    name = style[place - 1]
    slots = {"X": name, "Xs": _own(name), "v": rng.choice(measured.formats)(value)}
    return _fill(shape.words, slots | _adjectives(measured, rng)), planted


def _clear(value: float, others: tuple[float, ...]) -> bool:
    return all(abs(value - other) > 0.14 * abs(other) for other in others)


def _values(
    shape: Shape, rng: random.Random, it: World, style: tuple[str, str], fault: bool
) -> Written:
    measured = _any_measure(shape.words, rng)
    sides = measured and _sides(it, measured, style)
    if measured is None or not sides:
        return None
    slots, high, low = sides
    write = rng.choice(measured.formats)
    planted = ""
    h, low_value = high[0], low[0]
    if fault:
        planted = rng.choice(["side", "number"])
        if planted == "side":
            if not (_clear(h, low) and _clear(low_value, high)):
                return None
            slots = _exchange(slots)
        elif rng.random() < 0.5:
            h = _wrong(h, high, rng, measured)
        else:
            low_value = _wrong(low_value, low, rng, measured)
    numbers = {"h": write(h), "l": write(low_value)}
    return _fill(shape.words, slots | numbers | _adjectives(measured, rng)), planted


_EVEN = re.compile(r"\bapart\b|\bbetween\b")


def _gap(
    shape: Shape, rng: random.Random, it: World, style: tuple[str, str], fault: bool
) -> Written:
    measured = _any_measure(shape.words, rng)
    sides = measured and _sides(it, measured, style)
    if measured is None or not sides:
        return None
    slots, high, low = sides
    gaps = tuple(h - x for h, x in zip(high, low, strict=True))
    gap, planted = gaps[0], ""
    if fault:
        # "They are 3 dB apart" says of no side that it has more.
        sided = re.search(r"\{[HL]s?\}", shape.words)
        planted = "number" if not sided or _EVEN.search(shape.words) else "side"
        planted = rng.choice([planted, "number"])
        if planted == "side":
            slots = _exchange(slots)
        else:
            gap = abs(gap) * rng.choice([rng.uniform(0.3, 0.6), rng.uniform(1.6, 2.5)])
            if not all(abs(gap - other) > 0.25 * other for other in gaps):
                return None
    slots = slots | {"d": rng.choice(measured.gaps)(gap)}
    return _fill(shape.words, slots | _adjectives(measured, rng)), planted


_TIMES = {2.0: ("twice",), 3.0: ("three times",), 1.5: ("one and a half times", "1.5 times")}


def _ratio(
    shape: Shape, rng: random.Random, it: World, style: tuple[str, str], fault: bool
) -> Written:
    measured = _any_measure(shape.words, rng, ratio=True)
    sides = measured and _sides(it, measured, style)
    if measured is None or not sides:
        return None
    slots, high, low = sides
    ratios = tuple(h / x for h, x in zip(high, low, strict=True))
    ratio, planted = ratios[0], ""
    if fault:
        planted = rng.choice(["side", "number"])
        if planted == "side":
            slots = _exchange(slots)
        else:
            ratio = ratio * rng.uniform(1.5, 2.0)
            if not all(ratio / other > 1.4 for other in ratios):
                return None
    extra = {"pct": f"{100 * (ratio - 1):.0f} %", "x": f"{ratio:.1f}"}
    if "{times}" in shape.words:
        near = min(_TIMES, key=lambda t: abs(t - ratio))
        if not 0.93 < near / ratio < 1.07:
            return None
        extra["times"] = rng.choice(_TIMES[near])
    if "{frac}" in shape.words:
        if not 1.9 < ratio < 2.15:
            return None
        extra["frac"] = "half"
    return _fill(shape.words, slots | extra | _adjectives(measured, rng)), planted


def _piece(text: str, rng: random.Random, least: int = 3, most: int = 7) -> str:
    """Quote some words of one sentence, as they stand there."""
    sentence = rng.choice(re.split(r"(?<=[.!?]) ", text)).rstrip(".!?")
    words = sentence.split()
    size = min(len(words), rng.randint(least, most))
    start = rng.randint(0, len(words) - size)
    return " ".join(words[start : start + size]).strip(",.;:!?")


def _quote(
    shape: Shape, rng: random.Random, it: World, style: tuple[str, str], fault: bool
) -> Written:
    place = rng.choice([1, 2])
    name = style[place - 1]
    own, other = text_of(it.at(place)), text_of(it.at(3 - place))
    words, planted = _piece(own, rng), ""
    first, second = _two_pieces(own, rng)
    if fault:
        planted = rng.choice(["side", "quote"])
        words = _piece(other, rng) if planted == "side" else rng.choice(_INVENTED)
        if words.lower() in own.lower():
            return None
        second = words
    if rng.random() < 0.3:
        words = words.lower()
    slots = {"X": name, "Xs": _own(name), "q": words, "qa": first, "qb": second}
    return _fill(shape.words, slots), planted


def _two_pieces(text: str, rng: random.Random) -> tuple[str, str]:
    sentences = [s.rstrip(".!?") for s in re.split(r"(?<=[.!?]) ", text)]
    return " ".join(sentences[0].split()[:3]).strip(","), " ".join(sentences[-1].split()[-3:])


def _missing(
    shape: Shape, rng: random.Random, it: World, style: tuple[str, str], fault: bool
) -> Written:
    place = rng.choice([1, 2])
    own, other = text_of(it.at(place)), text_of(it.at(3 - place))
    words = _piece(own if fault else rng.choice([other, rng.choice(_INVENTED)]), rng)
    if not fault and words.lower() in own.lower():
        return None
    name = style[place - 1]
    slots = {"X": name, "Xs": _own(name), "q": words}
    return _fill(shape.words, slots), "quote" if fault else ""


def _user(
    shape: Shape, rng: random.Random, it: World, style: tuple[str, str], fault: bool
) -> Written:
    words = rng.choice(_INVENTED) if fault else _piece(it.request, rng)
    return _fill(shape.words, {"u": words}), "quote" if fault else ""


def _bounds(
    shape: Shape, rng: random.Random, it: World, style: tuple[str, str], fault: bool
) -> Written:
    measured = _any_measure(shape.words, rng)
    assert measured is not None
    if measured.step == 4:  # of negative numbers nobody says so
        return None
    values = [*measured.values(it.first), *measured.values(it.second)]
    lowest = min(max(measured.values(it.first)), max(measured.values(it.second)))
    highest = max(min(measured.values(it.first)), min(measured.values(it.second)))
    if min(values) <= 0:
        return None
    if fault:
        cap = min(values) + (highest - min(values)) * 0.6
        if cap > 0.95 * highest or lowest == 0:
            return None
    else:
        cap = max(values) * 1.15
    slots = {"cap": measured.formats[0](cap)}
    return _fill(shape.words, slots | _adjectives(measured, rng)), "number" if fault else ""


def _alike(
    shape: Shape, rng: random.Random, it: World, style: tuple[str, str], fault: bool
) -> Written:
    measured = _any_measure(shape.words, rng)
    assert measured is not None
    one, other = measured.values(it.first)[0], measured.values(it.second)[0]
    high, low = max(one, other), min(one, other)
    if fault and not _apart(measured, high, low, 1.5):
        return None
    if not fault and _apart(measured, high, low, 0.25):
        return None
    return _fill(shape.words, _adjectives(measured, rng)), "side" if fault else ""


def _vague(
    shape: Shape, rng: random.Random, it: World, style: tuple[str, str], fault: bool
) -> Written:
    if fault:
        return None
    name = rng.choice(style)
    return _fill(shape.words, {"X": name, "Xs": _own(name)}), ""


_WRITERS: Mapping[str, Any] = {
    "c": _compare,
    "g": _compare,
    "v": _value,
    "w": _values,
    "d": _gap,
    "r": _ratio,
    "q": _quote,
    "k": _missing,
    "u": _user,
    "b": _bounds,
    "e": _alike,
    "n": _vague,
}
