"""The measures that a reason can name: words, units, and values in a clip."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from blueprints import (
    Absent,
    Accent,
    Blueprint,
    Emotion,
    Extension,
    Loudness,
    Pitch,
    Quality,
    Rate,
    Signal,
    Transcript,
)
from trace_eval.judges.beside.steps import (
    BANDWIDTH,
    CLIPPING,
    DISTILLMOS,
    LOUDNESS,
    P808,
    PAUSE,
    PITCH,
    PROMINENCE,
    RATE,
    TREND,
    VARIATION,
    Step,
    StepScale,
)

#: A value as it was measured, and the digits with which prompts print it.
Reading = tuple[float, int]

#: The readings of a measure in one clip, by the name of the field; empty: it is absent.
Readings = Mapping[str, Reading]


@dataclass(frozen=True)
class Measure:
    """A measure that a reason names, e.g. the rate.

    Attributes:
        title: its name in print.
        pattern: the words that name it, as a regular expression.
        fields: its readings in a clip.
        step: from which difference on two values are not the same.
        scale: what a printed number may be divided by; prompts print MOS in hundredths.
        unit: its usual unit, as :mod:`trace_eval.judges.claims.words` names units.
    """

    title: str
    pattern: str
    fields: Callable[[Blueprint], Readings]
    step: Step
    scale: float = 1.0
    unit: str = ""

    def same(self, one: float, other: float) -> bool:
        """Whether two values are less than one step apart."""
        if self.step.scale != "linear" and min(one, other) <= 0:
            return one == other
        return abs(self.step.between(one, other)) < 1


def _step(size: float, scale: StepScale = "linear") -> Step:
    """Return the step of a measure that is not shown in steps; the cut is ours."""
    return Step(name="", label="", unit="", size=size, scale=scale, source="our cut")


def _of(group: str, kind: type[Any], **fields: tuple[str, float, int]) -> Any:
    """Make the reader of a group's fields: name -> (attribute, factor, digits)."""

    def read(blueprint: Blueprint) -> Readings:
        present = blueprint.group(group)
        if not isinstance(present, kind):
            return {}
        readings: dict[str, Reading] = {}
        for name, (attribute, factor, digits) in fields.items():
            value = getattr(present, attribute)
            if value is not None:
                readings[name] = (value * factor, digits)
        return readings

    return read


def _pauses(blueprint: Blueprint) -> Readings:
    signal = blueprint.signal
    if not isinstance(signal, Signal):
        return {}
    lengths_s = [pause.seconds for pause in signal.pauses]
    longest_s = max(lengths_s, default=0.0)
    return {"longest": (longest_s, 1), "sum": (sum(lengths_s), 1)}


def _pause_count(blueprint: Blueprint) -> Readings:
    signal = blueprint.signal
    if not isinstance(signal, Signal):
        return {}
    shown = sum(pause.seconds >= 0.5 for pause in signal.pauses)
    return {"pauses": (len(signal.pauses), 0), "from 0.5 s": (shown, 0)}


def _only(
    name: str, read: Callable[[Blueprint], Readings]
) -> Callable[[Blueprint], Readings]:
    """Make the reader of one of several readings."""

    def one(blueprint: Blueprint) -> Readings:
        readings = read(blueprint)
        return {name: readings[name]} if name in readings else {}

    return one


def _words(blueprint: Blueprint) -> Readings:
    transcript = blueprint.transcript
    if isinstance(transcript, Absent):
        return {}
    count = len(transcript.text.split())
    readings: dict[str, Reading] = {"words": (count, 0)}
    if transcript.words:
        readings["recognised"] = (len(transcript.words), 0)
    return readings


def _doubtful(blueprint: Blueprint) -> Readings:
    transcript = blueprint.transcript
    if not isinstance(transcript, Transcript):
        return {}
    doubtful = 0
    for word in transcript.words:
        if word.confidence is not None and word.confidence < 0.5:
            doubtful += 1
    return {"doubtful": (doubtful, 0)}


def _mos(blueprint: Blueprint) -> Readings:
    return {**_quality(blueprint), **_distilled(blueprint)}


def _distilled(blueprint: Blueprint) -> Readings:
    group = blueprint.extensions.get("distillmos")
    if not isinstance(group, Extension):
        return {}
    mos = group.values.get("mos")
    return {"distillmos": (mos, 2)} if isinstance(mos, float) else {}


_quality = _of(
    "quality",
    Quality,
    p808=("p808", 1, 2),
    ovrl=("ovrl", 1, 2),
    sig=("sig", 1, 2),
    bak=("bak", 1, 2),
)

_SCORE = r"(?:[ -](?:score|value|rating|MOS))?s?"


def _mos_part(name: str, title: str, pattern: str) -> Measure:
    return Measure(
        title=title,
        pattern=rf"(?:{pattern}){_SCORE}",
        fields=_only(name, _quality),
        step=P808,
        scale=100,
        unit="mos",
    )


def _in_words(title: str, name: str, pattern: str) -> Measure:
    """Return a score that is named in words, which may mean P.808, too."""
    return Measure(
        title=title,
        pattern=rf"(?:{pattern}){_SCORE}",
        fields=lambda b: {**_only(name, _quality)(b), **_only("p808", _quality)(b)},
        step=P808,
        scale=100,
        unit="mos",
    )


#: Scores of quality that prompts print as bare hundredths beside each other.
SCORES = ("p808", "bak", "sig", "ovrl", "distillmos")

#: The same, and what names one of them in words.
NAMED_SCORES = frozenset({*SCORES, "overall", "signal", "mos"})

#: The title of the measure that both answers have together.
WORDS_IN_COMMON = "words in common"

#: Name -> measure. Of two patterns that begin at one place the longer match counts.
MEASURES: Mapping[str, Measure] = {
    "articulation": Measure(
        title="articulation rate",
        pattern=r"articulation(?: (?:rate|speed|tempo|WPM))?",
        fields=_of("rate", Rate, articulation=("articulation_wpm", 1, 0)),
        step=RATE,
        unit="wpm",
    ),
    "rate": Measure(
        title="rate",
        pattern=r"(?:(?:speech|speaking|talking|word|delivery|reading|overall) )?"
        r"(?:(?<!sampling )(?<!sample )(?<!steeper )rates?(?! (?:it|this|that|them|both"
        r"|answer|response|candidate|the|lower|higher|better|worse|as|poor|fair)\b)"
        r"|paces?|tempos?|tempi|speeds?)(?! of (?:breath|loss))"
        r"|WPM|words per minute|words/min|words a minute",
        fields=_of(
            "rate",
            Rate,
            wpm=("wpm", 1, 0),
            articulation=("articulation_wpm", 1, 0),
        ),
        step=RATE,
        unit="wpm",
    ),
    "syllables": Measure(
        title="syllable rate",
        pattern=r"syllab(?:le|ic) (?:rate|speed)|syllables? (?:per|a|/) ?s(?:ec(?:ond)?)?",
        fields=_of("rate", Rate, syllables=("syllables_per_s", 1, 1)),
        step=RATE,
        unit="syl",
    ),
    "trend": Measure(
        title="tempo trend",
        pattern=r"(?:tempo |rate |speed )?trend|second half(?: over (?:the )?first)?",
        fields=_of("rate", Rate, trend=("trend", 100, 0)),
        step=TREND,
        scale=0.01,
        unit="%",
    ),
    "pitch": Measure(
        title="pitch",
        pattern=r"(?:(?:mean|median|average|fundamental|overall) )?(?:voice )?(?:pitch|f0"
        r"|fundamental(?: frequency)?)",
        fields=_of(
            "pitch",
            Pitch,
            mean=("mean_hz", 1, 0),
            median=("median_hz", 1, 0),
        ),
        step=PITCH,
        unit="hz",
    ),
    "variation": Measure(
        title="pitch variation",
        pattern=r"(?:pitch|intonation|f0|melodic|semitone)[ -](?:variation|variability|variety"
        r"|SDs?|std|(?:standard )?deviation|spread|movement|modulation)"
        r"|(?:SD|std|(?:standard )?deviation|variation|variability|changes?|swings?"
        r"|movement)"
        r" (?:of|in) (?:the |its )?(?:pitch|f0|intonation)|intonation|melody|modulation"
        r"|inflections?|sing-song|SDs?(?= (?:of )?[\d.]+ ?(?:v\.?|vs\.?|against|and"
        r"|st\b|semi|\())",
        fields=_of("pitch", Pitch, semitones=("std_semitones", 1, 1)),
        step=VARIATION,
        unit="st",
    ),
    "variation_hz": Measure(
        title="pitch deviation in Hz",
        pattern=r"(?!)",
        fields=_of("pitch", Pitch, hertz=("std_hz", 1, 0)),
        step=_step(7.5),
        unit="hz",
    ),
    "pitch_slope": Measure(
        title="pitch slope",
        pattern=r"(?:pitch|intonation|f0|melodic) slope|slope of (?:the |its )?pitch",
        fields=_of("pitch", Pitch, slope=("slope_semitones_per_s", 100, 0)),
        step=_step(100),
    ),
    "slope": Measure(
        title="slope",
        pattern=r"slope",
        fields=lambda b: {
            **_of("pitch", Pitch, pitch=("slope_semitones_per_s", 100, 0))(b),
            **_of("loudness", Loudness, loudness=("slope_lu_per_s", 100, 0))(b),
        },
        step=_step(100),
    ),
    "pitch_range": Measure(
        title="pitch range",
        pattern=r"(?:pitch|intonation|f0|melodic) (?:range|span)|range of (?:the |its )?pitch",
        fields=_of("pitch", Pitch, span=("range_semitones", 1, 0)),
        step=_step(3),
        unit="st",
    ),
    "voiced": Measure(
        title="voiced share",
        pattern=r"voiced(?: (?:share|portion|ratio|time|part|speech))?|(?:share|ratio) of voiced"
        r"(?: (?:time|speech))?|voicing",
        fields=_of("pitch", Pitch, voiced=("voiced_ratio", 100, 0)),
        step=_step(7.5),
        scale=0.01,
        unit="%",
    ),
    "loudness": Measure(
        title="loudness",
        pattern=r"(?:(?:integrated|overall|average|mean) )?(?:loudness|volume|LUFS)",
        fields=_of("loudness", Loudness, integrated=("integrated_lufs", 1, 0)),
        step=LOUDNESS,
        unit="db",
    ),
    "loudness_range": Measure(
        title="loudness range",
        pattern=r"loudness (?:range|span)|dynamic range|range of (?:the |its )?loudness",
        fields=_of("loudness", Loudness, range=("range_lu", 1, 0)),
        step=_step(3),
        unit="db",
    ),
    "loudness_sd": Measure(
        title="loudness deviation",
        pattern=r"(?:loudness|level|volume) (?:SD|std|(?:standard )?deviation|variation"
        r"|variability|changes?|swings?|dynamics|fluctuations?)"
        r"|(?:changes?|swings?|fluctuations?) (?:of|in) (?:the |its )?(?:loudness"
        r"|level|volume)"
        r"|(?:SD|std|(?:standard )?deviation|variation) (?:of|in) (?:the |its )?loudness",
        fields=_of("loudness", Loudness, deviation=("std_lu", 1, 0)),
        step=_step(1.5),
        unit="db",
    ),
    "loudness_slope": Measure(
        title="loudness slope",
        pattern=r"(?:loudness|level|volume) slope|slope of (?:the |its )?(?:loudness|level)",
        fields=_of("loudness", Loudness, slope=("slope_lu_per_s", 100, 0)),
        step=_step(100),
    ),
    "level": Measure(
        title="level",
        pattern=r"(?:(?:RMS|signal|recording|overall) )?(?<!on the same )(?<!are )(?<!nearly )"
        r"(?<!practically )(?<!virtually )(?<!stay )level|RMS",
        fields=lambda b: {
            **_of("signal", Signal, rms=("rms_dbfs", 1, 0))(b),
            **_of("quality", Quality, level=("level_dbfs", 1, 0))(b),
            **_of("loudness", Loudness, loudness=("integrated_lufs", 1, 0))(b),
        },
        step=LOUDNESS,
        unit="db",
    ),
    "peak": Measure(
        title="peak",
        pattern=r"peaks?(?: level)?",
        fields=_of("signal", Signal, peak=("peak_dbfs", 1, 0)),
        step=_step(1.5),
        unit="db",
    ),
    "bandwidth": Measure(
        title="bandwidth",
        pattern=r"(?:audio |frequency |speech )?band(?:width)?|frequency range|upper band edge"
        r"|cut-?off(?: frequency)?|bandlimit",
        fields=_of("signal", Signal, bandwidth=("bandwidth_hz", 1, -2)),
        step=BANDWIDTH,
        unit="hz",
    ),
    "sampling": Measure(
        title="sampling rate",
        pattern=r"sampl(?:ing|e) (?:rate|frequency)|sampled",
        fields=_of("signal", Signal, sampling=("rate_hz", 1, -2)),
        step=_step(1.015, "ratio"),
        unit="hz",
    ),
    "clipping": Measure(
        title="clipping",
        pattern=r"clipping(?: (?:ratio|rate|share))?|clipped(?: samples)?|clips(?= (?:in|on|at|for"
        r"|\d))",
        fields=_of("signal", Signal, clipped=("clipping_ratio", 100, 0)),
        step=CLIPPING,
        scale=0.01,
        unit="%",
    ),
    # Beside each other P.808 is the one quality that prompts predict.
    "p808": _mos_part(
        "p808",
        "P.808",
        r"(?:DNSMOS )?P\.?[ -]?808|predicted (?:overall |sound )*quality",
    ),
    "bak": _mos_part(
        "bak",
        "BAK",
        r"(?:DNSMOS )?BAK|background(?:[ -]noise)?(?: quality)?"
        r"|(?:ambient )?noise(?= (?:score|rating|MOS))|ambient noise"
        r"|freedom from (?:noise|disturbance|interference)",
    ),
    "sig": _mos_part("sig", "SIG", r"(?:DNSMOS )?SIG"),
    "ovrl": _mos_part("ovrl", "OVRL", r"(?:DNSMOS )?OVRL"),
    # Prompts of pairs print P.808 alone, so in words it may be meant by either.
    "overall": _in_words(
        "overall quality",
        "ovrl",
        r"overall(?: quality| sound)?(?= (?:score|MOS|rating)s?\b(?! \((?:P|D)))"
        r"|overall quality(?= (?:is|being|of|at|comes|around|near)\b[^,;.]{0,24}\d)"
        r"|overall quality(?=,? \(?\d)|(?<=\d )overall\b(?! (?:score|quality|rating|MOS))"
        r"|overall (?:quality |sound )?scale|general rating"
        r"|(?:(?<=higher on )|(?<=lower on )|(?<=better on )|(?<=higher in )"
        r"|(?<=lower in ))"
        r"overall quality",
    ),
    "signal": _in_words("signal quality", "sig", r"(?:speech[ -])?signal quality"),
    "distillmos": Measure(
        title="Distill-MOS",
        pattern=r"Distill[ -]?MOS" + _SCORE,
        fields=_distilled,
        step=DISTILLMOS,
        scale=100,
        unit="mos",
    ),
    "mos": Measure(
        title="MOS",
        pattern=r"(?:(?:DNS|predicted |quality )?MOS|(?:mean|predicted) opinions?)(?: (?:score"
        r"|value|rating)s?)?|(?:opinion|quality) (?:score|measure|rating|grade)s?",
        fields=_mos,
        step=P808,
        scale=100,
        unit="mos",
    ),
    # Prompts tell it in steps alone.
    "periodicity": Measure(
        title="periodicity",
        pattern=r"periodicity",
        fields=lambda _: {},
        step=PROMINENCE,
        unit="db",
    ),
    "duration": Measure(
        title="duration",
        pattern=r"(?:total |overall )?(?:duration|length|running time)(?! of (?:the )?paus)",
        fields=lambda b: {
            **_of("signal", Signal, duration=("duration_s", 1, 1))(b),
            **_of("signal", Signal, speech=("speech_s", 1, 1))(b),
        },
        step=_step(1.23, "ratio"),
        unit="s",
    ),
    "speech": Measure(
        title="seconds of speech",
        pattern=r"(?:(?<!\d )seconds )?(?<!minute )of (?:actual |pure )?speech(?! rate)|speech time"
        r"|(?:speaking|talking) time|speech duration|(?<=, )speech(?= \d[\d.]*(?: ?s)?\b)",
        fields=_of("signal", Signal, speech=("speech_s", 1, 1)),
        step=_step(1.23, "ratio"),
        unit="s",
    ),
    "pause": Measure(
        title="longest pause",
        pattern=r"(?:(?:longest|maximum|max|single|biggest|largest|main|mid-\w+) )?"
        r"(?:pause|silence)(?: (?:length|duration))?|(?:longest|biggest"
        r"|largest) (?:silent )?gap"
        r"|dead air",
        fields=_only("longest", _pauses),
        step=PAUSE,
        unit="s",
    ),
    "pause_sum": Measure(
        title="sum of pauses",
        pattern=r"(?:total|sum of|summed|combined|overall)(?: of)?(?: the)? (?:pauses?|silences?"
        r"|pausing|pause (?:time|length|duration))|(?:pause|pausing) time",
        fields=_only("sum", _pauses),
        step=_step(0.75),
        unit="s",
    ),
    "pauses": Measure(
        title="number of pauses",
        pattern=r"(?:(?:number|count) of )?pauses|pause count",
        fields=_pause_count,
        step=_step(1.5),
        unit="pauses",
    ),
    "words": Measure(
        title="number of words",
        pattern=r"word[ -]counts?|number of words|words(?! (?:per|a) min)",
        fields=_words,
        step=_step(1.23, "ratio"),
        unit="words",
    ),
    # Of both answers together, so that it is read from both blueprints.
    "shared": Measure(
        title=WORDS_IN_COMMON,
        pattern=r"(?:shared|common) (?:words?|vocabulary|wording)"
        r"|(?:words? |vocabulary )?in common|(?:word |lexical )?overlap",
        fields=lambda _: {},
        step=_step(7.5),
        scale=0.01,
        unit="%",
    ),
    "doubtful": Measure(
        title="doubtful words",
        pattern=r"(?:doubtful|uncertain|low-confidence)(?: words?)?",
        fields=_doubtful,
        step=_step(1.5),
        unit="words",
    ),
}


def labelled(label: str) -> Measure:
    """Return the score of an emotion or accent, by the classifier's own label."""

    def fields(blueprint: Blueprint) -> Readings:
        readings: dict[str, Reading] = {}
        if isinstance(blueprint.emotion, Emotion):
            scores = blueprint.emotion.scores
            if label in scores:
                readings["emotion"] = (scores[label], 2)
        if isinstance(blueprint.accent, Accent):
            similarities = blueprint.accent.similarities
            if label in similarities:
                readings["accent"] = (similarities[label], 2)
        return readings

    return Measure(
        title=label,
        pattern=r"(?!)",
        fields=fields,
        step=_step(0.15),
        scale=100,
        unit="share",
    )
