"""Where a number lies among published ones: cut points, words and their sources.

A word is a position, not a verdict: 210 WPM is ``fast`` beside lectures and radio, and
may be what the user asked for. Where the source gives no cut, the cut is ours and says
so.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from blueprints.notation import number

#: Midpoints between the five labelled points of an opinion scale.
_HALFWAY = (1.5, 2.5, 3.5, 4.5)


@dataclass(frozen=True)
class Norm:
    """A scale cut into named stretches.

    Attributes:
        quantity: what is measured.
        unit: its unit.
        cuts: ascending; ``words[i]`` holds from ``cuts[i - 1]`` up to but without
            ``cuts[i]``.
        words: one more than cuts.
        source: who published it, what they say, and which cuts are ours.
        usual: words that say nothing special, and are left out where the number stands;
            numbers beside them are left out where tokens are dear.
    """

    quantity: str
    unit: str
    cuts: tuple[float, ...]
    words: tuple[str, ...]
    source: str
    usual: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if len(self.words) != len(self.cuts) + 1 or list(self.cuts) != sorted(
            set(self.cuts)
        ):
            raise ValueError(
                f"norm {self.quantity}: {len(self.cuts)} ascending cuts need"
                f" {len(self.cuts) + 1} words, not {len(self.words)}"
            )

    def word(self, value: float) -> str:
        """Return the word for a value in :attr:`unit`."""
        return self.words[bisect_right(self.cuts, value)]

    def level(self, value: float, digits: int) -> str:
        """Return the word, after its number unless the word is a :attr:`usual` one."""
        word = self.word(value)
        return word if word in self.usual else f"{number(value, digits)} {word}"

    def mark(self, value: float) -> str:
        """Return a blank and the word, or nothing for a :attr:`usual` word."""
        word = self.word(value)
        return "" if word in self.usual else f" {word}"

    def scale(self) -> str:
        """Write all words with their cuts, e.g. ``brief <0.2 medium <1 long``.

        The legends of prompts have no more than that: where the cuts come from changes
        no verdict, and :attr:`source` says it to people.
        """
        steps = [f"{w} <{c:g}" for w, c in zip(self.words[:-1], self.cuts, strict=True)]
        return " ".join(steps + [self.words[-1]])


BANDWIDTH = Norm(
    quantity="bandwidth",
    unit="kHz",
    cuts=(5.2, 10.5, 17.0),
    words=("narrowband", "wideband", "super-wideband", "fullband"),
    source=(
        "upper band edges of codecs: ITU-T G.711 3.4 kHz, G.722 7 kHz, G.722.1 Annex C"
        " 14 kHz, G.719 20 kHz; our cuts lie halfway between them, so that a clip with"
        " all that 8 or 16 kHz sampling can hold (4 or 8 kHz) keeps its telephone name"
    ),
    usual=("wideband", "super-wideband", "fullband"),
)

SPEECH_RATE = Norm(
    quantity="speech rate",
    unit="English words per minute, pauses included",
    cuts=(100, 125, 170, 190),
    words=("slow", "rather slow", "average", "rather fast", "fast"),
    source=(
        "Tauroza & Allison 1990, Speech rates in British English (Applied Linguistics"
        " 11:90-105): lectures average 125-160, fast over 185; radio monologues average"
        " 150-170, fast over 190; means: lectures 140, radio 160, interviews 190,"
        " conversation 210. 'average' is the union of both monologue bands"
    ),
    usual=("average",),
)

TEMPO_TREND = Norm(
    quantity="tempo trend",
    unit="syllable rate of the second half over the first",
    cuts=(0.9, 1.1),
    words=("slowing", "steady", "accelerating"),
    source=(
        "Quené 2007, On the just noticeable difference for tempo in speech (J."
        " Phonetics 35:353-362): about 5 %; our cut is twice that, 10 %, because"
        " syllables are counted by machine"
    ),
    usual=("steady",),
)

PITCH = Norm(
    quantity="mean pitch",
    unit="Hz",
    cuts=(85, 155, 165, 255),
    words=("very low", "male range", "between ranges", "female range", "very high"),
    source=(
        "Titze 1994, Principles of Voice Production, and Baken & Orlikoff 2000,"
        " Clinical Measurement of Speech and Voice: typical adult men speak at 85-155"
        " Hz, women at 165-255 Hz"
    ),
    usual=("male range", "between ranges", "female range"),
)

PITCH_VARIATION = Norm(
    quantity="pitch variation",
    unit="semitones, standard deviation",
    cuts=(1.5, 4.0),
    words=("monotone", "typical", "lively"),
    source=(
        "Traunmüller & Eriksson 1995, The frequency range of the voice fundamental in"
        " the speech of male and female adults: in semitones the deviation is about the"
        " same for men and women and grows with the liveliness of the discourse; both"
        " cuts are ours"
    ),
    usual=("typical",),
)

LOUDNESS = Norm(
    quantity="integrated loudness",
    unit="LUFS",
    cuts=(-36, -26, -16),
    words=("very quiet", "quiet", "normal", "loud"),
    source=(
        "EBU R 128: programmes at -23 LUFS; AES TD1004.1.15-10: streams at -20 to -16"
        " LUFS. 'normal' reaches from 3 LU under the first to the top of the second;"
        " -26 and -36 are our cuts"
    ),
    usual=("normal",),
)

OPINION = Norm(
    quantity="overall quality",
    unit="MOS, 1-5",
    cuts=_HALFWAY,
    words=("bad", "poor", "fair", "good", "excellent"),
    source="ITU-T P.800 and P.808, absolute category rating; our cuts lie halfway between"
    " the points",
    usual=("good", "excellent"),
)

DISTORTION = Norm(
    quantity="speech signal quality",
    unit="MOS, 1-5",
    cuts=_HALFWAY,
    words=tuple(
        f"{how} distorted" for how in ("very", "fairly", "somewhat", "slightly", "not")
    ),
    source="ITU-T P.835, signal scale; our cuts lie halfway between the points",
    usual=("slightly distorted", "not distorted"),
)

NOISE = Norm(
    quantity="background quality",
    unit="MOS, 1-5",
    cuts=_HALFWAY,
    words=(
        "very intrusive",
        "somewhat intrusive",
        "noticeable",
        "slightly noticeable",
        "not noticeable",
    ),
    source=(
        "ITU-T P.835, background scale (3 is 'noticeable but not intrusive'); our cuts"
        " lie halfway between the points"
    ),
    usual=("slightly noticeable", "not noticeable"),
)

PAUSE = Norm(
    quantity="pause",
    unit="s",
    cuts=(0.2, 1.0),
    words=("brief", "medium", "long"),
    source=(
        "Campione & Véronis 2002, A large-scale multilingual study of silent pause"
        " duration (Speech Prosody): brief under 200 ms, medium, long over 1 s, the"
        " latter in spontaneous speech only"
    ),
    usual=("brief", "medium"),
)

#: Every norm, in the order in which the renderings use them.
NORMS: tuple[Norm, ...] = (
    BANDWIDTH,
    PAUSE,
    DISTORTION,
    NOISE,
    OPINION,
    PITCH,
    PITCH_VARIATION,
    LOUDNESS,
    SPEECH_RATE,
    TEMPO_TREND,
)
