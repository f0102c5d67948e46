"""The measure of a number that no name stands beside: by its unit, or by its place.

"A deep voice, 118 Hz", "takes 11.4 s", "P808 309 and BAK 345, answer 2 has 285 and 227".
"""

from __future__ import annotations

import re

from trace_eval.data.word_lists import words_of
from trace_eval.judges.claims.lexicon import NAMING
from trace_eval.judges.claims.sentences import Sentence
from trace_eval.judges.claims.tokens import Token

#: "16 kHz recordings".
_RECORDINGS = re.compile(
    r" (?:recordings?|files?|clips?|sampling|audio(?! bandwidth))\b"
)


def key_of_sound(sentence: Sentence, token: Token, unit: str) -> str:
    """Return what hertz are of where a voice or a file is named; empty: of else."""
    if unit == "hz" and _is_of_voice(sentence, token):
        return "pitch"
    behind = sentence.words(token.end, token.end + 24)
    if unit == "khz" and _RECORDINGS.match(behind):
        return "sampling"
    if unit == "lu" and _DEVIATES.search(sentence.words(token.start - 30, token.start)):
        return "loudness_sd"
    return ""


#: "Its loudness is more even (SD 3 v 7 LU)".
_DEVIATES = re.compile(
    r"\b(?:SD|std|standard deviation|(?:varies|swings|moves) more in (?:loudness"
    r"|level|volume))"
    r"(?: of| is| at)? ?\(?"
    r"(?:[\d.]+(?: LU)?,? (?:vs\.?|v\.?|versus|against|and|to) )?\Z"
)


def key_of_unit(sentence: Sentence, token: Token, unit: str) -> str:
    """Return the measure of a unit where the sentence names none; empty: of several."""
    if unit == "hz" and _is_in_list(sentence, token):
        return "pitch"
    whole = sentence.words(sentence.whole.start, sentence.whole.end)
    takes = _TAKES.search(sentence.words(token.start - 16, token.start))
    stops = _STOPS.search(sentence.words(token.start - 16, token.start))
    if unit == "s" and stops:
        return "pause"
    if unit == "s" and takes and not _PAUSES.search(whole):
        return "duration"
    if unit == "st" and (_MOVES.search(whole) or _is_own(sentence, token)):
        return "variation"
    if unit == "%" and _COURSES.search(whole):
        return "trend"
    return NAMING.get(unit, "")


def _is_own(sentence: Sentence, token: Token) -> bool:
    """Tell whether a number is an answer's own: "the 7.1 st of answer 2"."""
    head = sentence.words(token.start - 24, token.start)
    behind = [side for side in sentence.whole.of("side") if side.start >= token.end]
    of_side = behind and sentence.words(token.end, behind[0].start) == " of "
    return bool(of_side and _THE_OWN.search(head)) or head.endswith("'s ")


_THE_OWN = re.compile(r"\bthe (?:\w+ )?\Z", re.I)

#: "Takes 11.4 s for the sentence".
_TAKES = re.compile(
    r"\b(?:takes?|took|lasts?|lasted|needs?|(?:words|sentence|text) in|through it in"
    r"|drags on"
    r"|goes on|runs|is (?:done|over|finished) (?:in|after)|finishes in)"
    r" (?:for |about |only |just )*\Z",
    re.I,
)
#: "Stops for 1.7 s in the middle".
_STOPS = re.compile(
    r"\b(?:stops|halts|breaks off|is silent) for (?:about |some )?\Z", re.I
)
_PAUSES = re.compile(r"\b(?:paus\w+|silen\w+|gaps?|breaks?)\b", re.I)
#: Words for how a voice moves: semitones beside them are of its variation.
_MOVES = re.compile(
    r"\b(?:pitch|variation|var(?:y|ies|ied)|intonation|monotone|monotonous|lively"
    r"|livelier|flat"
    r"|flatter|expressive|SDs?|swings?|deviat\w+|inflection|sing-song|melod\w+"
    r"|move(?:s|ment)?|modulat\w+)\b",
    re.I,
)
#: Words for a change of tempo: percents beside them are of its trend.
_COURSES = re.compile(
    r"\b(?:slow(?:s|ing)|drag(?:s|ging)|eas(?:es|ing) off|speed(?:s|ing)? up"
    r"|(?:picks?|picking) up|gain(?:s|ing)? (?:speed|pace)"
    r"|accelerat\w+)\b",
    re.I,
)

# --- hertz of a voice -----------------------------------------------------------------

_HIGHER = re.compile(
    r"\b(?:higher|lower|deeper)(?: voice)?(?: by [\d.]+ (?:steps?|semitones|st))?,?"
    r" \(?(?:[\d.]+ ?(?:Hz)? ?(?:vs\.?|v\.?|versus|against|and|to) )?\Z",
    re.I,
)


def _is_of_higher(sentence: Sentence, token: Token) -> bool:
    """Tell whether hertz explain a comparative: "A1 is higher (194 v 127 Hz)"."""
    return bool(_HIGHER.search(sentence.words(token.start - 60, token.start)))


_MEAN = re.compile(
    r"\b(?:(?:means?|medians?|averag(?:e|es|ed|ing))(?: of| at| is| was| about"
    r"| around)*"
    r"|(?:low|high|deep)(?: voice)? (?:at|with))(?: about| around| roughly| only)* \Z",
    re.I,
)
_ON_AVERAGE = re.compile(
    r",? (?:on average|in the mean|(?:on the )?mean|median)\b", re.I
)
#: Voices lie between these, Hz; what else does is named.
_VOICES_HZ = (40, 450)
#: Units of other measures of a voice, in a list of which hertz are of its pitch.
_OF_DELIVERY = {"wpm", "st", "lufs"}
_VOICE = re.compile(
    r"\b(?:voices?|speaks|speaking|spoken|higher|lower|deeper|deep|pitched|register"
    r"|bassier|tenor|soprano"
    r"|alto|baritone|high-pitched|low-pitched)\b",
    re.I,
)
#: Words between what tells of a voice and its hertz; any other tells of another sound.
_AT_HERTZ = words_of(
    "at of is sits sat lies low lower down high up round around about near nearly roughly some",
    "just only a an the in comes speaks voice pair much higher deeper with and mean median average",
    "averaging averages where while against compared to differ height by steps than which",
)


def _may_be_of_voice(token: Token) -> bool:
    low, high = _VOICES_HZ
    return low <= token.number <= high


def _is_of_voice(sentence: Sentence, token: Token) -> bool:
    """Tell whether a number of hertz is of a voice: "a deep voice, 118 Hz"."""
    if _is_of_higher(sentence, token):
        return True
    behind = sentence.words(token.end, token.end + 16)
    if _may_be_of_voice(token) and _ON_AVERAGE.match(behind):
        return True
    if _may_be_of_voice(token) and _MEAN.search(
        sentence.words(token.start - 30, token.start)
    ):
        return not sentence.around(token)[0].of("measure")
    if _speaks_at(sentence, token):
        return True
    head = sentence.words(sentence.whole.start, token.start)
    voices = list(_VOICE.finditer(head))
    if not voices or not _may_be_of_voice(token):
        return False
    between = head[voices[-1].end() :]
    for each in sentence.whole.of("side", "number"):
        between = between.replace(each.text, " ")
    return _AT_HERTZ.issuperset(re.findall(r"[a-z]+", between.lower()))


def _speaks_at(sentence: Sentence, token: Token) -> bool:
    """Tell whether an answer is at so many hertz: "answer 1 sits at 142 Hz"."""
    whole = sentence.words(sentence.whole.start, sentence.whole.end)
    if not _may_be_of_voice(token) or OTHER_SOUND.search(whole):
        return False
    chunk = sentence.around(token)[0]
    has_own = chunk.of("measure") or not chunk.of("side")
    stands_behind = any(
        sentence.words(side.end, token.start) == " " for side in chunk.of("side")
    )
    return not has_own and bool(
        stands_behind
        or _AT_OR_OF.search(sentence.words(token.start - 40, token.start))
        or _OF_SIDE.match(sentence.words(token.end, token.end + 8))
    )


#: Sounds beside a voice, whose hertz are no pitch.
OTHER_SOUND = re.compile(
    r"\b(?:hum|buzz\w*|mains|rumbl\w+|tones?|beeps?|bands?|band\w+|frequenc\w+|cuts?"
    r"|cut-?off"
    r"|filter\w*|energy|spectr\w+|formants?|noise|crossover|shelf|notch|bass|treble"
    r"|resonan\w+"
    r"|boosts?|harmonics?|overtones?|whistl\w+|rings?"
    r"|sampl\w+|steps?\b(?= in the contour))\b",
    re.I,
)
_AT_OR_OF = re.compile(
    r"\b(?:at|is|sits|lies|stays|remains|with|has|averages"
    r"|averaging|reads|measures|comes in at|against)"
    r"(?: (?:only|just|about|around|roughly|nearly|some|an?|the|very|quite|rather"
    r"|low|high|deep"
    r"|mean|average|modest|mere|still))* \Z",
    re.I,
)
_OF_SIDE = re.compile(r" (?:for|in|of) ")


def _is_in_list(sentence: Sentence, token: Token) -> bool:
    """Tell whether hertz stand among measures of delivery: "306 WPM, 90 Hz"."""
    units = {number.unit for number in sentence.whole.of("number")}
    return _may_be_of_voice(token) and bool(units & _OF_DELIVERY)


# --- lists ----------------------------------------------------------------------------

_AND = re.compile(r"(?:,| and|, and) (?:an? (?:[a-z]+ ){0,3})?")


def key_in_list(sentence: Sentence, token: Token) -> str | None:
    """Return the measure of "P808 309 and BAK 345, answer 2 has 285 and 227" by place.

    Bare numbers in a row are of the measures that were named with numbers before, in
    their order, if they are as many. Empty: of one of several; None: this is no list.
    """
    row = _row_of(sentence, token)
    if len(row) < 2:
        return None
    if key := _key_behind(sentence, row) or _key_of_each(sentence, row, token):
        return key
    named = _named_before(sentence, row[0])
    measures = list(dict.fromkeys(named))
    sides = [s for s in sentence.whole.of("side") if s.end <= row[0].start]
    before = [each for each in sentence.whole.tokens if each.end <= row[0].start]
    head = sentence.words(row[0].start - 20, row[0].start)
    behind_side = bool(sides) and before[-1] == sides[-1]
    is_told_before = behind_side or bool(_SET_AGAINST.search(head))
    if not is_told_before or len(measures) < 2:
        return None
    if len(named) != len(row) or len(set(named)) < 2:
        return ""
    return named[[each.start for each in row].index(token.start)]


def _key_behind(sentence: Sentence, row: list[Token]) -> str:
    """Return the measure behind a row: "343 and 342 for P808"; empty: there is none."""
    measures = sentence.whole.of("measure")
    if any(gives(sentence, measure, row[0]) for measure in measures):
        return ""
    for measure in measures:
        if _is_on(sentence, measure, row[-1]):
            return measure.value
    return ""


def _key_of_each(sentence: Sentence, row: list[Token], token: Token) -> str:
    """Return the measure of one number: "P808 and BAK are the same at 288 and 313"."""
    measures = [m for m in sentence.whole.of("measure") if m.end <= row[0].start]
    if len(measures) != 2 or len(row) != 2:
        return ""
    one, two = measures
    are_joined = sentence.words(one.end, two.start) in (
        " and ",
        " and the ",
        " and its ",
    )
    between = sentence.words(two.end, row[0].start)
    if not are_joined or not _SAME_AT.fullmatch(between):
        return ""
    return measures[row.index(token)].value


_SAME_AT = re.compile(
    r" (?:are|is|stay|remain) (?:both )?(?:the same|equal|identical|alike"
    r"|unchanged)(?: at|:|,) ",
    re.I,
)
_FOR = re.compile(r" (?:for|in|on|as) (?:the |its )?| the ")


def _named_before(sentence: Sentence, first: Token) -> list[str]:
    """Return the measures that have numbers before a token, in their order."""
    named: list[str] = []
    for token in sentence.whole.tokens:
        if token.end > first.start:
            break
        if token.kind == "number" and token.unit in NAMING:
            named.append(NAMING[token.unit])
        numbers = sentence.whole.of("number")
        has_number = any(
            gives(sentence, token, number) or _is_on(sentence, token, number)
            for number in numbers
        )
        if token.kind == "measure" and has_number:
            named.append(token.value)
    return named


#: "..., compared to 273 and 196 for answer 2".
_SET_AGAINST = re.compile(r"\b(?:compare[ds]? (?:to|with)|against|versus|vs\.?) \Z")
_GIVES = re.compile(r"(?: (?:of|is|at|was|\())?[:=]? ?")


def gives(sentence: Sentence, measure: Token, number: Token) -> bool:
    """Tell whether a number is the value of the measure right before it."""
    if number.start < measure.end:
        return False
    return bool(_GIVES.fullmatch(sentence.words(measure.end, number.start)))


def _is_on(sentence: Sentence, measure: Token, number: Token) -> bool:
    """Tell whether a number stands before its measure: "403 on P808"."""
    between = sentence.words(number.end, measure.start)
    if between == " " and measure.text.lower() == "overall":
        return True  # "3.67 overall"
    return bool(_FOR.fullmatch(between))


def _row_of(sentence: Sentence, token: Token) -> list[Token]:
    """Return the bare numbers that stand beside each other with a number."""
    row: list[Token] = []
    for number in sentence.whole.of("number"):
        if number.unit and row and row[-1].start >= token.start:
            break
        if number.unit:
            row = []
            continue
        joined = bool(row) and _AND.fullmatch(sentence.words(row[-1].end, number.start))
        if row and not joined:
            if row[-1].start >= token.start:
                break
            row = []
        row.append(number)
    holds_token = any(each.start == token.start for each in row)
    is_bare = not any(each.unit for each in row)
    return row if holds_token and is_bare else []
