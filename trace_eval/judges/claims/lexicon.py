"""The words by which a reason names sides, directions and units.

English alone. Measures are named in :mod:`trace_eval.judges.claims.measures`. Nothing
here says how words stand to each other; that is read by their order.
"""

from __future__ import annotations

from collections.abc import Mapping

from trace_eval.data.word_lists import words_of

# --- sides ----------------------------------------------------------------------------

THING_WORDS = (
    "answer",
    "response",
    "reply",
    "audio",
    "clip",
    "recording",
    "speaker",
    "candidate",
    "voice",
    "output",
    "sample",
    "system",
    "version",
    "option",
    "model",
    "agent",
    "assistant",
    "utterance",
    "take",
    "track",
    "file",
    "rendition",
    "speech",
)
THING = rf"(?:{'|'.join(THING_WORDS)})"
THINGS = rf"(?:{'|'.join(THING_WORDS)}|replie)s"
NUMBERED = (
    rf"(?:the )?(?:{THING}|(?:ans|resp|rec|spkr?|utt|cand|opt|sys)\.?|R|[Aa](?=[12]\b))"
    r" ?(?:#|no\. ?|number )?"
)
_NO_PLACE = (
    r"(?! (?:half|third|quarter|part|words?|sentences?|syllables?|pauses?|time"
    r"|seconds?|few|\d"
    r"|phrase|line|step|request|place|glance|attempt|thing|point|and foremost|language)\b)"
)

#: Not of a half: "22 % of the first", unlike "4 out of 5 of the first".
_NO_SHARE = r"(?<!% of )(?:(?<=out of \d of )|(?<!\b\d of ))"

#: Value of a side -> its names; letters and digits alone are read by what stands around
#: them.
SIDES: Mapping[str, str] = {
    "1": rf"{NUMBERED}(?:1|one|A)\b(?!\.\d)"
    rf"|(?<![Aa]t )(?:the )?(?:first|1st|left) (?:{THING}|one)\b"
    rf"|{_NO_SHARE}the (?:first|1st)\b{_NO_PLACE}"
    rf"|the former|(?:number"
    rf"|no\.) ?(?:1|one)\b(?! of)|#1\b",
    "2": rf"{NUMBERED}(?:2|two|B)\b(?!\.\d)|(?:the )?(?:second|2nd|right) (?:{THING}|one)\b"
    rf"|{_NO_SHARE}the (?:second|2nd)\b{_NO_PLACE}"
    r"|the latter|(?:number|no\.) ?(?:2|two)\b(?! of)|#2\b",
    "other": rf"the other(?: (?:one|{THING}))?\b"
    r"(?! (?:hand|way|direction|measures?|scores?)\b)"
    r"|its (?:rival|counterpart|competitor|opponent|neighbou?r|companion|partner|sibling)",
    "both": r"both(?! (?:the|an?) \w+er\b)"
    rf"(?: (?:{THINGS}|of (?:them|these|the two)|the {THINGS}))?\b"
    rf"|(?<!of )(?<!of the )(?<!of these )(?:(?:the |these )?two {THINGS}|the {THINGS}\b"
    rf"|(?:the|these) two\b)|each (?:{THING}|one|of them)|each(?: case"
    rf"| time)?(?= ?[.,;:)]|$| and\b)"
    r"|each(?= [a-z]+s\b)"
    rf"|either (?:one|of them|case|{THING})|either(?= ?[.,;:]|$)|whichever"
    r"|they\b",
    "neither": rf"neither(?! \w+ nor\b)(?: (?:{THING}|one|case|of (?:them|the two|these"
    rf"|the {THINGS})))?\b"
    rf"|(?:none|not (?:a single )?one)(?: of (?:them|the two|these|the {THINGS}))\b|none\b",
}

#: Words between which a side is what another is compared with. They end before it.
OBJECT = (
    r"(?:\b(?:than|unlike|versus|vs\.?|v\.?|against|over|above|below|behind|beneath|beside"
    r"|beyond|under|beats?|exceed(?:s|ed)?|tops|topped|outscore[sd]|surpass(?:es|ed)?"
    r"|trail(?:s|ed)"
    r"|lag(?:s|ged)|outpace[sd]|match(?:es|ed)"
    r"|as [\w-]+ as|(?:next|compared?|comparing|comparison|contrast|relative|respect"
    r"|close|superior"
    r"|inferior|opposed|short|ahead|loses|relation) (?:to|with|of|against)"
    r"|(?:ahead|short|front|excess) of|(?:\w+er|(?:more|less) [\w-]+|so [\w-]+) as"
    r"|\w+er that"
    r"|set beside|apart from|opposed to|rather than|instead of|not(?: (?:with|in|for"
    r"|of|by|from))?)"
    r"|(?<=\d )to|(?<=[^<>\s] )[<>]|(?<=[^<>\s])[<>])"
    r"(?:(?: (?:that|those|the one|the \w+|it (?:is|was|does)))?"
    r" ?\b(?:of|in|for|from|with|within|by|at|is|reported for))?"
    r"(?: (?:the(?: (?!of\b|same\b)[a-z-]+)?(?: [\d.]{1,6}(?: ?[A-Za-z/%]{1,8})? of)?"
    r"|that of|what(?: (?:\w+ ){1,2}(?:in|of"
    r"|for|with|from|by|at))?))?\s*$"
)

# --- directions -----------------------------------------------------------------------

_SLIGHTLY = (
    r"(?: about| around)?(?: rather| slightly| somewhat| a bit| a little| a lot| much"
    r"| far| clearly"
    r"| noticeably"
    r"| markedly| considerably| distinctly| audibly)?"
)
_MOVES = r"(?:swings|varies|moves|fluctuates|changes|wanders|modulates|sways)"
_OWN_PITCH = r"(?:its|the|his|her) (?:pitch|voice|intonation|melody)"
_BACKGROUND = r"(?:background(?: noise)?|noise)"
_BACKDROP = r"(?:background|backdrop|surroundings|ambience|ambient noise)"
_DISTURBANCE = r"(?:hiss|static|hum|interference|disturbance|(?:background )?noise)"
_PER_SECOND = (
    r"(?:(?:are )?(?:packed|fitted|squeezed) )?(?:in|into|per|to|a|each|every)"
    r"(?: (?:a|each|every|one|the))? sec(?:ond)?"
)
_NOTICEABLE = (
    r"(?:noticeable|audible|obtrusive|disturbing|distracting|annoying|prominent)"
)

#: Said of a background they are more or less of its score; of all else, no measure.
OF_BACKGROUND: Mapping[str, int] = {
    rf"cleaner|clearer|calmer|purer|tidier|less (?:{_NOTICEABLE}|disturbed)": 1,
    rf"more (?:{_NOTICEABLE}|disturbed)|dirtier": -1,
}

#: Comparatives with a measure of their own: pattern -> (measure, sign).
KEYED: Mapping[str, tuple[str, int]] = {
    r"(?:faster|quicker|speedier|brisker|swifter|snappier)(?:[ -]paced)?"
    r"|livelier in (?:pace|tempo|speed)": (
        "rate",
        1,
    ),
    r"slower(?:[ -]paced)?|calmer (?:pace|tempo|speed)|takes (?:its|her"
    r"|his) time more|takes more time"
    r"|more time over (?:its|the) \w+": (
        "rate",
        -1,
    ),
    r"more words (?:per|a) min(?:ute)?": ("rate", 1),
    r"fewer words (?:per|a) min(?:ute)?": ("rate", -1),
    r"louder": ("loudness", 1),
    r"quieter|softer|fainter": ("loudness", -1),
    r"higher[ -]pitched|higher in pitch|higher (?:voice|register)|pitched above": (
        "pitch",
        1,
    ),
    r"(?:lower|deeper)[ -](?:pitched|voiced(?! (?:share|portion|part|ratio|time))|sounding)"
    r"|deeper|lower (?:in pitch|register)"
    r"|bassier|pitched below": (
        "pitch",
        -1,
    ),
    r"livelier|more movement|moves more|more animated": ("variation", 1),
    r"flatter|less movement|moves less|less animated": ("variation", -1),
    rf"(?:pitch|voice|intonation|melody) {_MOVES}{_SLIGHTLY} more": ("variation", 1),
    rf"(?:pitch|voice|intonation|melody) {_MOVES}{_SLIGHTLY} less": ("variation", -1),
    rf"(?:loudness|level|volume) {_MOVES}{_SLIGHTLY} more": ("loudness_sd", 1),
    rf"(?:loudness|level|volume) {_MOVES}{_SLIGHTLY} less": ("loudness_sd", -1),
    rf"denser in syllables|more syllables {_PER_SECOND}"
    r"|syllables (?:\w+ ){1,2}more (?:tightly|densely|closely)|syllables faster": (
        "syllables",
        1,
    ),
    rf"fewer syllables {_PER_SECOND}|syllables (?:more slowly|slower)": (
        "syllables",
        -1,
    ),
    r"steadier (?:level|loudness|volume)|more even (?:level|loudness|volume)": (
        "loudness_sd",
        -1,
    ),
    r"(?:wider|larger|bigger) (?:swings|changes|jumps) (?:in|of) (?:level|loudness"
    r"|volume)": (
        "loudness_sd",
        1,
    ),
    rf"{_MOVES} (?:\w+ )?more in (?:loudness|level|volume)": ("loudness_sd", 1),
    rf"{_MOVES} (?:\w+ )?more in pitch": ("variation", 1),
    r"(?:loudness|level|volume) more (?:steadily|evenly)": ("loudness_sd", -1),
    r"(?:pitch|intonation) more (?:steadily|evenly)": ("variation", -1),
    r"steadier (?:pitch|intonation|melody)": ("variation", -1),
    rf"(?:var(?:y|ied)|{_MOVES}) {_OWN_PITCH}{_SLIGHTLY} more": (
        "variation",
        1,
    ),
    rf"(?:var(?:y|ied)|{_MOVES}) {_OWN_PITCH}{_SLIGHTLY} less": (
        "variation",
        -1,
    ),
    r"longer|more seconds": ("duration", 1),
    r"shorter|briefer": ("duration", -1),
    r"wordier|more words": ("words", 1),
    r"fewer words": ("words", -1),
    rf"noisier|more {_DISTURBANCE}|louder (?:background|noise)"
    rf"|more intrusive(?: {_BACKGROUND})?|more {_NOTICEABLE} {_BACKGROUND}": (
        "bak",
        -1,
    ),
    rf"less disturbed {_BACKDROP}|(?:quieter|cleaner|lower|calmer|purer|tidier"
    rf"|clearer) (?:noise"
    rf"|{_BACKDROP})(?: noise)?"
    rf"(?! (?:quality|score|rating|MOS|value))|less {_DISTURBANCE}"
    rf"|less intrusive(?: {_BACKGROUND})?|less {_NOTICEABLE} {_BACKGROUND}": (
        "bak",
        1,
    ),
    r"(?:higher|further)(?: up)? (?:in frequency|the spectrum)"
    r"|(?:reaches|extends) (?:further|higher|farther)(?: up)?|more (?:of the )?(?:treble"
    r"|(?:high(?:er)?|upper)[ -](?:frequenc(?:y|ies)|tones))"
    r"(?: \w+)?|less muffled": ("bandwidth", 1),
    r"(?:lower|less far) in frequency|more muffled|less (?:of the )?(?:treble"
    r"|(?:high(?:er)?|upper)[ -](?:frequenc(?:y|ies)|tones))"
    r"(?: \w+)?": ("bandwidth", -1),
    r"slow(?:s|ing|ed)?(?: down)?(?: rather| slightly| somewhat| a bit)? more": (
        "trend",
        -1,
    ),
    r"speed(?:s|ing)? up(?: rather| slightly| somewhat| a bit)? more|gain(?:s"
    r"|ing)? more speed"
    r"|accelerat(?:es|ing) more": ("trend", 1),
    r"more clipping|more clipped|clips more": ("clipping", 1),
    r"less clipping|less clipped|clips less": ("clipping", -1),
    r"more pauses|pauses more(?: often)?": ("pauses", 1),
    r"fewer pauses|pauses less(?: often)?": ("pauses", -1),
    r"(?:longer|bigger) (?:pauses?|silences?|gaps?)|pauses longer": ("pause", 1),
    r"(?:shorter|smaller|briefer) (?:pauses?|silences?|gaps?)": ("pause", -1),
}

#: Behind "up" and "down": "is up on answer 2", "is up 0.6 points".
_ON = r"(?= (?:on|in|by)\b)"
_IS = r"(?:(?<=\bis )|(?<=\bare )|(?<=\bwas )|(?<='s ))"
_AMOUNT = r"(?= \+?\d)"

#: "Answer 2 cannot match the speed of answer 1".
_UNMATCHED = (
    r"(?:(?:cannot|can't|can not|could not|couldn't|fails to) (?:match|rival|equal)"
    r"|(?:does not|doesn't) (?:match|rival)"
    r"|(?:cannot|can't|can not|could not|couldn't|does not|doesn't|fails to)"
    r" (?:keep up|compete) with)"
)

#: More or less of a measure that stands beside them.
MORE: Mapping[str, int] = {
    r"more (?:high|large|big)|higher|greater|larger|bigger|more|wider|broader"
    r"|stronger|increased|(?<!ly )raised|ahead(?: of)?"
    r"|in front(?: of)?|on top(?! (?:\(|the\b))|leads?|led|leading|exceed(?:s|ed"
    r"|ing)?|outscore[sd]?"
    rf"|surpass(?:es|ed)?|tops|topped|edge[sd] out|up{_ON}|{_IS}up{_AMOUNT}|above(?! all\b)"
    r"|outpace[sd]?"
    r"|outshine[sd]?|outrank(?:s|ed)?|outstrip(?:s|ped)?|dwarfs": 1,
    r"lower|smaller|less|fewer|narrower|weaker|reduced|behind|trail(?:s|ed"
    r"|ing)?(?! (?:off|away)\b)"
    r"|lag(?:s|ged|ging)?(?: behind)?|(?:falls|fell|drops|dropped) (?:short of|behind"
    r"|below)"
    r"|(?:is |falls |comes up )?short"
    r"(?= (?:of|by|in)\b)(?: of)?|deficit|below|beneath"
    rf"|down{_ON}|{_IS}down{_AMOUNT}|more (?:low|small)|{_UNMATCHED}": -1,
}

#: Better or worse: more or less of a measure of which more is surely better.
VALUED: Mapping[str, int] = {
    r"better|superior|beats?|outperform(?:s|ed)?|wins|won|outd(?:oes|id)|advantage|lead"
    r"|upper hand": 1,
    r"worse|poorer|inferior|loses|underperforms": -1,
}

#: Measures of which more is better, whatever was asked for.
GOOD = frozenset(
    {
        "p808",
        "bak",
        "sig",
        "ovrl",
        "overall",
        "signal",
        "mos",
        "distillmos",
        "bandwidth",
    }
)

#: Comparatives that name no measure, and are no claim that can be checked.
VAGUE = (
    r"more level|less level|"
    rf"{'|'.join(OF_BACKGROUND)}|nicer|smoother|crisper|warmer|friendlier|richer"
    rf"|livelier in tone"
    r"|more (?:natural|engaging|complete|helpful|fluent|expressive|pleasant"
    r"|convincing|accurate"
    r"|detailed|concise|fitting|appropriate|correct|relevant|robotic|intelligible"
    r"|polished|human)"
    r"|less (?:natural|robotic|engaging|clear|pleasant|fluent|convincing)"
)

#: Words that say how a comparative stands to its verb: it has a side on either hand.
TRANSITIVE = (
    r"(?:leads?|led|exceed(?:s|ed|ing)?|outscore[sd]?|surpass(?:es|ed)?|tops|topped"
    r"|edge[sd] out"
    r"|trail(?:s|ed|ing)?|beats?|outperform(?:s|ed)?|outd(?:oes|id)|outpace[sd]?"
    r"|outshine[sd]?|outrank(?:s|ed)?|outstrip(?:s|ped)?|dwarfs|pitched (?:above|below)"
    r"|lag(?:s|ged|ging)?(?: behind)?|underperform(?:s|ed)?"
    r"|(?:falls|fell|drops|dropped) (?:short of|behind|below)|above|below|behind|beneath"
    rf"|ahead(?: of)?|in front(?: of)?|{_UNMATCHED})"
)

_ADJECTIVES: Mapping[str, tuple[str, int]] = {
    "fast": ("rate", 1),
    "quick": ("rate", 1),
    "quickly": ("rate", 1),
    "rapid": ("rate", 1),
    "rapidly": ("rate", 1),
    "brisk": ("rate", 1),
    "briskly": ("rate", 1),
    "swiftly": ("rate", 1),
    "hurried": ("rate", 1),
    "hurriedly": ("rate", 1),
    "leisurely": ("rate", -1),
    "unhurried": ("rate", -1),
    "sluggish": ("rate", -1),
    "slow": ("rate", -1),
    "slowly": ("rate", -1),
    "loud": ("loudness", 1),
    "loudly": ("loudness", 1),
    "quiet": ("loudness", -1),
    "quietly": ("loudness", -1),
    "soft": ("loudness", -1),
    "softly": ("loudness", -1),
    "long": ("duration", 1),
    "lengthy": ("duration", 1),
    "short": ("duration", -1),
    "brief": ("duration", -1),
    "high-pitched": ("pitch", 1),
    "high": ("", 1),
    "low": ("", -1),
    "large": ("", 1),
    "wide": ("", 1),
    "narrow": ("", -1),
    "deep": ("pitch", -1),
    "low-pitched": ("pitch", -1),
    "lively": ("variation", 1),
    "varied": ("variation", 1),
    "melodic": ("variation", 1),
    "modulated": ("variation", 1),
    "monotone": ("variation", -1),
    "monotonous": ("variation", -1),
    "flat": ("variation", -1),
    "narrow-band": ("bandwidth", -1),
    "band-limited": ("bandwidth", -1),
    "noisy": ("bak", -1),
    "wordy": ("words", 1),
    "verbose": ("words", 1),
    "many words": ("words", 1),
    "many pauses": ("pauses", 1),
    "many": ("", 1),
    "much": ("", 1),
}


def _phrased() -> dict[tuple[str, int], str]:
    words: dict[tuple[str, int], list[str]] = {}
    for adjective, (key, sign) in _ADJECTIVES.items():
        if key:
            words.setdefault((key, sign), []).append(f"more {adjective}")
            words.setdefault((key, -sign), []).append(f"less {adjective}")
    return {made: "|".join(each) for made, each in words.items()}


#: Adjectives in "as fast as", "equally loud": word -> (measure, sign).
ADJECTIVES = _ADJECTIVES
ADJECTIVE = "|".join(sorted(_ADJECTIVES, key=len, reverse=True))

#: Comparatives of two words by their measure and sign: "more lively", "less loud".
PHRASED: Mapping[tuple[str, int], str] = _phrased()

#: Of a measure that is asked for by itself: "For pitch it doesn't matter which I pick".
EITHER_WILL_DO = (
    r"(?:does(?: not|n't)|did(?: not|n't)) (?:matter|make a difference) which (?:one )?"
    r"(?:I|you|we) (?:picked|pick|chose|choose|took|take)(?=[.;!]|$)"
)

SAME = (
    r"(?:the same|same|equal(?:ly)?|identical(?:ly)?|similar(?:ly)?"
    r"|(?<!not )(?<!n't )(?<!hardly )comparabl[ey]|alike"
    r"|on (?:a )?par|a dead heat|tie|a tie|indistinguishable|tied|matched|matches|a wash"
    r"|(?:nothing|(?:hardly|barely|scarcely) (?:anything|a thing)) between (?:them|the two)"
    r"|no (?:advantage|edge|lead) (?:for|to|on) either(?: \w+)?"
    r"|(?:difference|gap|margin)s?(?=[^.;:\n]{0,40}"
    r"(?:: (?:none|nil)\b(?! of\b)"
    r"| (?:is|rounds to|comes to|amounts to) (?:zero|nil|nothing(?! (?:short|to|but"
    r"|like))\b))"
    r")"
    r"|break(?:s|ing)? even"
    r"|(?:does(?: not|n't)|did(?: not|n't)) matter which(?! (?:one )?(?:you|i|we)\b)"
    r"(?: one)?(?: \w+ \w+)?"
    rf"|{EITHER_WILL_DO}"
    r"|equals that of)"
    rf"(?: (?P<what>{ADJECTIVE}))?"
    r"|neck and neck"
    r"|level with each other|within a hair"
    r"|a draw|(?:they|both|the two) are level"
)

#: What tells two answers apart; denied, it says that they are the same.
_THEM = r"(?:them|the two|both|the pair|the answers|the responses|either)"
DIFFER = (
    r"differ(?:s|ed|ent(?:ly)?|ences?|ing)?|diff|gap|distinctions?|distinguish(?:es"
    r"|ed|able)?"
    rf"|(?:separate|divide|distinguish|differentiate)[sd]? {_THEM}(?! from\b)"
    rf"|(?:tell|telling|told|set|sets|setting|keep|keeps) {_THEM} apart"
)
#: Between a negation and what tells apart.
LITTLE = (
    r"(?:\b(?:no|nil|not|never|cannot|hardly|barely|scarcely|little|without|zero)\b|n't\b)"
    r"(?: (?:a|an|any|to|be|is|are|much|real|really|big|great|clear|clearly|audible"
    r"|noticeable"
    r"|noticeably|significant|significantly|appreciable|perceptible|measurable"
    r"|meaningful|marked"
    r"|useful|actual|see|hear|find|tell|that|how|where|answers|can|do|does|it|telling"
    r"|very|so|one"
    r"|all that|enough|them|they|both|the|two|of|in))* \Z"
    r"|\b(?:no|nil|without any|zero)(?: [\w-]+){1,2} \Z"
)

FACTORS: Mapping[str, float] = {
    r"twice|two times|double[sd]?": 2.0,
    r"(?:three times|thrice|triple[sd]?|treble[sd]?)": 3.0,
    r"halve[sd]": 0.5,
    r"four times|quadruple": 4.0,
    r"half(?= (?:as|the))(?! as much again)(?! the (?:words|sentence|time))": 0.5,
    r"half as much again": 1.5,
    r"a third(?= (?:as|the))": 1 / 3,
    r"one and a half times": 1.5,
}

# --- numbers --------------------------------------------------------------------------

UNITS: Mapping[str, str] = {
    r"WPM|words?(?: per |/|(?: in)? (?:a|the) | each | every )min(?:ute)?s?\.?"
    r"(?: of (?:actual |pure )?speech)?": "wpm",
    r"syllables? ?(?:per |/ ?|a |each |every )s(?:ec(?:ond)?)?\b|syll?\.?/s"
    r"|per sec(?:ond)?\b": "syl",
    r"kHz|kilohertz": "khz",
    r"Hz|hertz": "hz",
    r"LUFS": "lufs",
    r"LU\b": "lu",
    r"dBFS": "dbfs",
    r"dB\b|decibels?": "db",
    r"ms\b|milliseconds?": "ms",
    r"s\b|secs?\b|seconds?": "s",
    r"min\b|minutes?": "min",
    r"%|percent|per cent|pct|percentage points?": "%",
    r"semi-?tones?|half-?tones?|st\b": "st",
    r"MOS(?: points?)?|points?(?: on (?:the )?MOS)?": "mos",
    r"x\b|×|times\b": "x",
    r"(?:audible |perceptible )?steps?\b": "steps",
    r"(?:recogni[sz]ed )?words?\b": "words",
    r"pauses?\b|(?:internal|silent) (?:gap|break)s?\b|interruptions?\b|breaks\b": "pauses",
}

#: Unit of a number -> units of the measures that it can be of.
OF_UNIT: Mapping[str, tuple[str, ...]] = {
    "khz": ("hz",),
    "lufs": ("db",),
    "lu": ("db",),
    "dbfs": ("db",),
    "ms": ("s",),
    "min": ("s",),
    "%": ("%", "share"),
}

#: Units that name a measure by themselves.
NAMING: Mapping[str, str] = {
    "wpm": "rate",
    "syl": "syllables",
    "lufs": "loudness",
    "khz": "bandwidth",
    "words": "words",
    "pauses": "pauses",
}

#: What may stand behind a bare number; behind any other word it counts that.
BEHIND_BARE = words_of(
    "overall rather for in on of at to by from with as than there here and or vs v versus against "
    "compared comparing respectively apart while whereas but because since though "
    "although which so is are was were has had can could may might would will should be "
    "being does seems makes suggests that i both only even also more less higher lower up "
    "down ahead between under over above below behind beneath next beside not then still "
    "lying standing sitting coming being making giving putting holding reaching "
    "just when it this the it's relative respect observed recorded measured noted found "
    "obtained seen instead fair poor good bad lie lies leans lean favours favors speaks "
    "speak points point argues supports hints hint leaves tells matters looks sounds puts"
)

HEDGES = (
    r"(?:about|around|approximately|approximate|roughly|nearly|almost|circa|ca\."
    r"|(?<= )c\.|some"
    r"|close to|~"
    r"|near|approx\.?|in the (?:region|order) of|like"
    r"|(?:just|a little|a bit) (?:under|over|about|below|above)"
    r"|slightly (?:under|over|above|below|more than|less than))"
)

OVER = (
    r"over|above(?! all\b)|at least|exceed(?:s|ed|ing)?|tops|topped|surpass(?:es|ed)?"
    r"|beyond"
    r"|upwards of|in excess of|past"
    r"|no less than|passes|superior to|north of|>=?|≥"
    r"|(?:more|greater|higher|faster|louder|longer|better|quicker|wider) than"
)
UNDER = (
    r"(?<!adds )(?<!add )(?<!adding )(?<!added )(?<!sums )up to|"
    r"under|short of|below|beneath|at most|no more than|not even|within|inferior to"
    r"|south of|shy of|<=?|≤"
    r"|(?:less|fewer|lower|slower|quieter|shorter|worse|narrower) than"
)
