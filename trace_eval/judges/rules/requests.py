"""Delivery requests that an instruction states in words.

The reader is a small grammar over English, not a model: it prefers to miss a request
over inventing one, since an invented request makes a good answer fail. A sentence that
asks about the world ("why do people speak slowly?") requests nothing; words behind
*about*, *how* or *which* belong to the topic; quoted text is to be spoken, not obeyed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import NamedTuple

import trace_eval.judges.rules.phrases as phrases
from blueprints import UNSURE, Transcript, language_name, written_language
from extractors import guessed
from trace_eval.judges.base import Case
from trace_eval.judges.rules.grammar import (
    in_topic,
    is_instruction,
    negated,
    noun_phrases,
    speaks,
)
from trace_eval.judges.rules.text import RuleReading, read
from trace_eval.judges.rules.vocabulary import (
    ACCENTS,
    ADJECTIVES,
    ADVERBS,
    EFFECTS,
    EMOTIONS,
    RequestKind,
)

#: Characters of a sentence that are read: every word is looked at in its whole context.
MAX_SENTENCE = 500

_SENTENCE_END = re.compile(r"(?<=[.?!;])\s+")


@dataclass(frozen=True, order=True)
class DeliveryRequest:
    """One request about the delivery."""

    at: int  # position in the instruction's body, for the order of requests
    kind: RequestKind  # what is asked
    # the emotion, accent, count, seconds or effect; empty for other kinds
    value: str = ""
    negated: bool = False  # it is to be avoided

    @property
    def label(self) -> str:
        """In print, e.g. ``not whisper`` or ``emotion sad``."""
        words = (str(self.kind).replace("_", " "), self.value)
        return ("not " if self.negated else "") + " ".join(filter(None, words))


@lru_cache(maxsize=64)  # several readers ask of one pair
def find_requests(instruction: str) -> tuple[DeliveryRequest, ...]:
    """Find the explicit delivery requests of an instruction in order; often none."""
    reading = read(instruction)
    results: list[DeliveryRequest] = []
    at = 0
    for sentence in _SENTENCE_END.split(reading.body):
        if is_instruction(sentence):
            for finder in (_adjectives, _adverbs, _patterns):
                for request in finder(sentence[:MAX_SENTENCE]):
                    results.append(replace(request, at=at + request.at))
        at += len(sentence) + 1
    requests = list(_notes(reading))
    requests += _merge(_unique(sorted(results)), reading.body)
    return tuple(requests)


def _notes(reading: RuleReading) -> Iterator[DeliveryRequest]:
    """Read ``[emotion: sad]``, how the user spoke; a fitting answer reacts to it."""
    for note in reading.notes:
        match = re.match(r"emotion ?: ?([a-z]+)", " ".join(note.lower().split()))
        if match and match[1] in EMOTIONS:
            yield DeliveryRequest(0, RequestKind.RESPOND, EMOTIONS[match[1]])


def _adjectives(sentence: str) -> Iterator[DeliveryRequest]:
    """Read ``in a slow, low tone``, ``with British accents``, ``styles: sad``."""
    for phrase in noun_phrases(sentence):
        for at, word in phrase.modifiers:
            no = negated(sentence, phrase.modifiers[0][0])
            kind = ADJECTIVES.get(word)
            if word in ACCENTS and phrase.noun in ("accent", "version"):
                yield DeliveryRequest(at, RequestKind.ACCENT, ACCENTS[word], no)
            elif phrase.noun == "accent":
                continue
            elif kind:
                if fitted := _fit(kind, phrase.noun):
                    yield DeliveryRequest(at, fitted, "", no)
            elif word in EMOTIONS:
                yield DeliveryRequest(at, RequestKind.EMOTION, EMOTIONS[word], no)
            elif word in EFFECTS:
                yield DeliveryRequest(at, RequestKind.EFFECT, EFFECTS[word], no)


def _fit(kind: RequestKind, noun: str) -> RequestKind | None:
    """Read high and low by the noun: a low volume is soft, a high speed fast."""
    if kind is RequestKind.STEADY_RATE and noun != "pace":
        return None
    high, low = RequestKind.HIGH_PITCH, RequestKind.LOW_PITCH
    meant = {
        "pace": {high: RequestKind.FAST, low: RequestKind.SLOW},
        "volume": {high: RequestKind.LOUD, low: RequestKind.SOFT},
    }
    return meant.get(noun, {}).get(kind, kind)


def _adverbs(sentence: str) -> Iterator[DeliveryRequest]:
    """Read ``say it slowly``, but not ``slowly increase``, ``quickly tell me``."""
    for match in re.finditer(r"\b[a-z]+\b(?!-)", sentence):
        word = match[0]
        before = sentence[: match.start()]
        after = sentence[match.end() :]
        kind = ADVERBS.get(word)
        emotion = EMOTIONS.get(word) if word.endswith("ly") else None
        if not (kind or emotion) or in_topic(before) or not speaks(before + after):
            continue
        if phrases.OTHER_WORD.match(after) or phrases.COMPARISON.search(before):
            continue
        if phrases.AS_VERB.match(sentence, match.start()):
            continue
        no = negated(sentence, match.start())
        if no and kind in _OPPOSITE and phrases.LESS_SO.search(before):
            kind, no = _OPPOSITE[kind], False
        value = "" if kind else str(emotion)
        yield DeliveryRequest(match.start(), kind or RequestKind.EMOTION, value, no)


def _patterns(sentence: str) -> Iterator[DeliveryRequest]:
    """Read verbs and set phrases: ``whisper``, ``getting louder``, ``three times``."""
    for kind, pattern in phrases.PATTERNS:
        for match in pattern.finditer(sentence):
            if kind is not RequestKind.REPEAT and in_topic(sentence[: match.start()]):
                continue
            if kind in _MANNERS and phrases.AT_ONCE.match(sentence):
                kind = _MANNERS[kind]
            # The deciding word, and a phrase that asks for the opposite.
            groups = match.groupdict()
            at = match.start("at" if groups.get("at") else 0)
            no = negated(sentence, at) or bool(groups.get("absent"))
            yield DeliveryRequest(at, kind, phrases.value_of(kind, match), no)


def _unique(results: list[DeliveryRequest]) -> list[DeliveryRequest]:
    """Keep the first mention of a kind and value; a named accent is the local one."""
    seen: dict[tuple[RequestKind, str, bool], DeliveryRequest] = {}
    for request in results:
        seen.setdefault((request.kind, request.value, request.negated), request)
    accents = [value for kind, value, _ in seen if kind is RequestKind.ACCENT]
    if set(accents) <= {"local"}:
        return list(seen.values())
    return [request for request in seen.values() if request.value != "local"]


class _Scale(NamedTuple):
    """Two ends of a scale, and what it is to go from one to the other."""

    low: RequestKind
    high: RequestKind
    up: RequestKind
    down: RequestKind


_SCALES = (
    _Scale(
        low=RequestKind.SLOW,
        high=RequestKind.FAST,
        up=RequestKind.ACCELERATING,
        down=RequestKind.DECELERATING,
    ),
    _Scale(
        low=RequestKind.SOFT,
        high=RequestKind.LOUD,
        up=RequestKind.CRESCENDO,
        down=RequestKind.DIMINUENDO,
    ),
    _Scale(
        low=RequestKind.LOW_PITCH,
        high=RequestKind.HIGH_PITCH,
        up=RequestKind.RISING,
        down=RequestKind.FALLING,
    ),
)

#: Trend -> the manner that it leads to.
_MANNERS: dict[RequestKind, RequestKind] = {}

#: "Not so fast" asks for slowly.
_OPPOSITE: dict[RequestKind, RequestKind] = {}

for _scale in _SCALES:
    _MANNERS[_scale.up] = _scale.high
    _MANNERS[_scale.down] = _scale.low
    _OPPOSITE[_scale.low] = _scale.high
    _OPPOSITE[_scale.high] = _scale.low


def _merge(results: list[DeliveryRequest], body: str) -> list[DeliveryRequest]:
    """Merge ``first slowly, then fast`` into one request: to accelerate.

    A trend swallows the ends that it leads from and to. Ends that alternate ask for
    variety.
    """
    for scale in _SCALES:
        wanted = [request for request in results if not request.negated]
        has_trend = any(one.kind in (scale.up, scale.down) for one in wanted)
        ends = [one for one in wanted if _end(one.kind) in (scale.low, scale.high)]
        has_both_ends = len({_end(one.kind) for one in ends}) == 2
        if not has_trend and not has_both_ends:
            continue
        results = [request for request in results if request not in ends]
        if not has_trend:
            results.append(replace(ends[0], kind=_trend_from(ends[0], scale, body)))
    return sorted(results)


def _trend_from(first: DeliveryRequest, scale: _Scale, body: str) -> RequestKind:
    """Return what it is to go from the first end of a scale to the other."""
    trend = scale.up if _end(first.kind) is scale.low else scale.down
    is_of_pitch = trend in (RequestKind.RISING, RequestKind.FALLING)
    if is_of_pitch and re.search(r"\balternat|\bswitch", body):
        return RequestKind.EXPRESSIVE
    return trend


def _end(kind: RequestKind) -> RequestKind:
    return RequestKind.SOFT if kind is RequestKind.WHISPER else kind


#: The language whose requests, refusals, fillers and stop words are known here.
LANGUAGE = "en"


@dataclass(frozen=True)
class RuleInstruction:
    """The words of a request."""

    text: str | None  # that can be read; None: there is none
    # why, for readers, as the beginning of a sentence
    unread: str = "The instruction has no words"
    exists: bool = False  # there are words, though they may not be readable

    @cached_property
    def reading(self) -> RuleReading:
        """The words taken apart."""
        return read(self.text or "")

    @cached_property
    def requests(self) -> tuple[DeliveryRequest, ...]:
        """What they request of the delivery."""
        return find_requests(self.text or "")

    def several(self, kind: RequestKind) -> bool:
        """Whether they request more than one value of a kind."""
        return sum(r.kind is kind and not r.negated for r in self.requests) > 1


#: Sound that may be requested and is no speech.
WORDLESS = re.compile(
    r"\b(?:whistl|sing|hum|laugh|giggl|chuckl|applau|clap|beatbox)"
    r"(?:e|s|es|d|ing|ming|ping|ter)?\b",
    re.I,
)


def instruction_text(case: Case) -> RuleInstruction:
    """Return the request of a pair: as it is written, else as it was heard."""
    text, provided = case.item.instruction.text, case.item.language
    if text:
        written = written_language(text)
        language = provided if provided and written in (None, UNSURE) else written
    else:
        transcript = case.instruction.transcript if case.instruction else None
        if case.instruction is None or not isinstance(transcript, Transcript):
            return RuleInstruction(None)
        if why := guessed(case.instruction):
            unread = f"The recogniser guessed the words of the instruction: {why}"
            return RuleInstruction(None, unread, exists=True)
        text, language = transcript.text, transcript.language
    if not text:
        return RuleInstruction(None)
    # Who orders in English may quote at length what is to be said in another language.
    instruction = RuleInstruction(text, exists=True)
    if language in (None, LANGUAGE) or instruction.requests:
        return instruction
    # "Laugh out loud for me." has no small words.
    if language == UNSURE and WORDLESS.search(text):
        return instruction
    name = "another language" if language == UNSURE else language_name(language)
    unread = f"The instruction is in {name}, in which no requests can be read"
    return RuleInstruction(None, unread, exists=True)
