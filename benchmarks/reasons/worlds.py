"""Pairs of answers, drawn at random, that made reasons are about."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

from benchmarks.reasons.measured import text_of
from blueprints import Blueprint
from tests.support import blueprints as make

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

INVENTED = """
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
    wpm, mean, wide = (
        rng.uniform(90, 260),
        rng.uniform(90, 240),
        rng.uniform(3300, 11500),
    )
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
        one, other = (
            set(re.findall(r"\w+", text_of(b).lower())) for b in (first, second)
        )
        if len(one & other) < 12:
            return World(first, second, rng.choice(_REQUESTS))
