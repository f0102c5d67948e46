"""Cutting a reason into sentences, clauses and chunks, and what each takes over.

A chunk lies between commas, brackets and "and"; a clause between semicolons, "while",
"but" and their like.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from trace_eval.judges.claims.lexicon import THING
from trace_eval.judges.claims.sentences import Part, Sentence, named
from trace_eval.judges.claims.tokens import Token

#: Sentences with more sides, measures and numbers than this are not read.
MOST_TOKENS = 60

_SENTENCE = re.compile(
    r"\n|[.!?](?=\s|$)(?<!vs\.)(?<!approx\.)(?<!ca\.)(?<!i\.e\.)(?<!e\.g\.)"
    r"(?<! c\.)(?<!no\.)(?<!\.\.\.)"
)
_CLAUSE = re.compile(
    r";|,? \b(?:while|whereas|although|though|(?<!anything )(?<!nothing )but|yet|however"
    r"|(?<! or )(?<! do )(?<! does )(?<! did )so|because|since|given that)\b|, where\b"
    rf"| where\b(?= (?:the )?(?:{THING}|first|second|other|[12AB]\b))"
    r"|, as\b(?= (?:both|it|they|there|neither|the|answer|its)\b)"
    r"|[,:] (?:and |so )?(?:yes|yeah|no),(?= )"
    # Words that take back what stands before them.
    r"|(?:\.{2,}|,| -)? (?:(?:oh |hm+,? )?(?:wait|no),? (?:no|wait)|(?:scratch|strike) that"
    r"|or rather|correction|actually,? no|sorry),?(?= )"
    r"|(?:\.{2,}|,| -) wait,(?= )",
    re.I,
)
_CHUNK = re.compile(r"[,()\[\]]|:(?!\d)| - | / | and | which | namely ")


def sentences(text: str, tokens: list[Token]) -> Iterator[Sentence]:
    """Yield the sentences of a plain text."""
    line = list(text)
    for token in tokens:
        if token.kind == "quote":
            line[token.start : token.end] = "_" * (token.end - token.start)
            following = text[token.end :].lstrip()[:1]
            ends_sentence = not following or following.isupper()
            if token.value[-1:] in (".", "!", "?") and ends_sentence:
                line[token.end - 1] = "."
        elif token.kind == "side":  # "rec. 2"
            name = text[token.start : token.end]
            line[token.start : token.end] = name.replace(". ", "_ ")
    for side in _role_names(text, tokens):
        line[side.start - 1] = line[side.end] = " "
    blank = "".join(line)
    subject = topic = ""
    answers, question, echo = False, None, ("", "")
    for start, end in _cuts(_SENTENCE, blank, 0, len(blank)):
        whole = _part(tokens, start, end)
        if not 0 < len(whole.tokens) <= MOST_TOKENS:
            continue
        clauses = [_part(tokens, *at) for at in _cuts(_CLAUSE, blank, start, end)]
        chunks = []
        for clause in clauses:
            spans = _cuts(
                _CHUNK, blank, start=clause.start, end=clause.end, kept=_joining(tokens)
            )
            chunks += [_part(tokens, *at) for at in spans]
        made = Sentence(
            text=blank,
            whole=whole,
            clauses=clauses,
            chunks=chunks,
            subject=subject,
            topic=topic,
            answers=answers,
            echo=echo,
            question=question,
            shown=text,
        )
        yield made
        ends_line = text[end : end + 1] == "\n"
        topic = _heading(made) or (topic if ends_line else "")
        sides = {p for side, p in named(made, whole) if not made.marked(side)}
        if sides:
            subject = sides.pop() if len(sides) == 1 else _opening(made)
        answers = made.asks and [token.kind for token in whole.tokens] == ["side"]
        question = _question(made)
        echo = _echo(made)


def _opening(sentence: Sentence) -> str:
    """Return the side that opens a sentence of one clause: "Answer 2 has 4.1"."""
    sides = named(sentence, sentence.whole)
    if len(sentence.clauses) > 1 or not sides:
        return ""
    (first, place), *others = sides
    opens = not sentence.words(sentence.whole.start, first.start).strip()
    for side, _ in others:
        if not _BEHIND.search(sentence.words(side.start - 12, side.start)):
            return ""
    return place if opens else ""


_BEHIND = re.compile(r"\b(?:for|in|of|from|with|to|on|at) (?:the )?\Z", re.I)


def _role_names(text: str, tokens: list[Token]) -> Iterator[Token]:
    """Yield the sides in brackets that name a role: "the hare (answer 1) ran"."""
    ends = {token.end for token in tokens}
    for token in tokens:
        bracketed = (
            text[token.start - 1 : token.start] + text[token.end : token.end + 1]
        )
        if token.kind != "side" or bracketed != "()":
            continue
        word, blank = text[token.start - 3 : token.start - 2], text[token.start - 2]
        if word.isalpha() and blank == " " and token.start - 2 not in ends:
            yield token


def _heading(sentence: Sentence) -> str:
    """Return the measure that a sentence names alone; empty: it is no heading.

    A heading may be a question: "The pitch of answer 1?".
    """
    kinds = {token.kind for token in sentence.whole.tokens}
    keys = {token.value for token in sentence.whole.of("measure")}
    plain = kinds == {"measure"} or (sentence.asks and kinds == {"measure", "side"})
    return keys.pop() if plain and len(keys) == 1 else ""


def _echo(sentence: Sentence) -> tuple[str, str]:
    """Return the measure and unit of a sentence that gives one value of a side."""
    keys = {token.value for token in sentence.whole.of("measure")}
    numbers = sentence.whole.of("number")
    if len(keys) != 1 or len(numbers) != 1 or not named(sentence, sentence.whole):
        return "", ""
    return keys.pop(), numbers[0].unit


_WHICH = re.compile(r"\b(?:which|who)\b", re.I)


def _question(sentence: Sentence) -> Token | None:
    """Return the comparative of "Which one is faster?"; None: nothing is asked so."""
    comparatives = sentence.whole.of("more")
    if not sentence.asks or len(comparatives) != 1 or named(sentence, sentence.whole):
        return None
    (comparative,) = comparatives
    asks = _WHICH.search(sentence.words(sentence.whole.start, comparative.start))
    return comparative if asks else None


def _joining(tokens: list[Token]) -> set[int]:
    """Return where "and" joins two sides or two numbers: nothing is cut there."""
    places = set()
    for one, following in pairwise(tokens):
        apart = "neither" in (one.value, following.value)  # "... both, and neither ..."
        if one.kind == following.kind and one.kind in ("side", "measure") and not apart:
            places.add(one.end)
    return places


def _cuts(
    pattern: re.Pattern[str],
    line: str,
    start: int,
    end: int,
    kept: set[int] | None = None,
) -> list[tuple[int, int]]:
    spans, at = [], start
    for cut in pattern.finditer(line, start, end):
        if kept and cut.start() in kept and cut[0].strip() == "and":
            continue
        if line[at : cut.start()].strip():
            spans.append((at, cut.start()))
            at = cut.end()
    if line[at:end].strip() or not spans:
        spans.append((at, end))
    return spans


def _part(tokens: list[Token], start: int, end: int) -> Part:
    return Part(start, end, tuple(t for t in tokens if start <= t.start < end))
