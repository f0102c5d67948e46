"""Verdicts that replies say in sentences, such as "Overall, A is better".

A sentence counts where it says nothing else: every word of it names one side, calls it
better, or only holds the sentence together. "A is better in tone" and "B would be
better" are remarks.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from trace_eval.data.draft_words import ANSWER
from trace_eval.data.word_lists import words_of

#: Characters of a reply in which a verdict in a sentence is looked for.
_SEARCHED = 1_000

_SENTENCE = re.compile(r"(?P<words>[^.!?。！？；;\n]+)(?P<end>[.!?。！？；;\n]|\Z)")

#: What ends a question, which names no winner.
_ASKS = ("?", "？")

_TOKEN = re.compile(r"\w+")


#: Words that call one side better.
_BETTER = words_of(
    "better best superior stronger preferable preferred prefer choose pick wins won winner"
    " besser überlegen gewinnt stärker beter wint bättre vinner"
    " meilleure meilleur supérieure gagne mejor superior gana"
    " melhor vence ganha migliore vince lepsza lepszy wygrywa"
    " лучше лучший побеждает кращий краща daha iyi kazanır"
)

#: Words that call both sides equal, beside one that speaks of both.
_EQUAL = words_of(
    "tie tied draw equal equally unentschieden gleichwertig gleich égalité égales"
    " empate iguales pareggio"
)
_BOTH = words_of("both it its two beide es deux ambas las es")

#: Side -> what names it, in lower case but for the letter, which is also an article.
_SIDES = {
    "1": words_of(
        "A 1 first erste ersten eerste premier première primera primero primeira"
        " prima primo pierwsza первый ilk"
    ),
    "2": words_of(
        "B 2 second zweite zweiten tweede deuxième seconde segunda segundo seconda"
        " secondo druga второй ikinci"
    ),
}

#: Words that hold such a sentence together.
_BETWEEN = words_of(
    "overall in summary conclusion all to sum up total on balance ultimately so thus"
    " therefore hence however but yet nevertheless nonetheless"
    " the end taken together altogether conclude finally my verdict result"
    " final answer answers response responses assistant model audio recording recordings clip"
    " output option candidate reply system speaker agent version choice decision judgement"
    " judgment one s is was are clearly much far slightly bit still definitely simply a"
    " an somewhat marginally significantly i would think believe that this good of and"
    # German, Dutch
    " insgesamt im ganzen fazit zusammenfassend alles allem unterm strich also daher somit"
    " antwort antworten aufnahme assistent modell ausgabe urteil die der das ist war"
    " klar deutlich etwas viel eindeutig al met antwoord dus het"
    # French
    " dans l ensemble au final en conclusion globalement finalement donc la le réponse"
    " réponses enregistrement est nettement clairement un peu bien"
    # Spanish, Portuguese, Italian
    " general conclusión resumen definitiva por lo tanto respuesta respuestas grabación es"
    " claramente mucho el no geral conclusão resumo resposta gravação é muito"
    " conclusione sintesi nel complesso complessivamente quindi risposta"
    " registrazione è chiaramente molto"
    # Polish, Russian, Ukrainian, Turkish
    " ogólnie podsumowując odpowiedź jest в целом итоге итак ответ запись явно гораздо"
    " загалом відповідь genel olarak sonuç yanıt cevap"
) - {"no"}

#: What is said of the other side does not name a winner; nor does what is granted.
_THAN = re.compile(
    r"\b(?:than|over|als|dan|que|do que|di|niż|чем|ніж)\s+(?:\w{1,12}\s+){0,2}"
    r"(?:[AB12]|first|second)\b"
)
_GRANTED = re.compile(
    r"\A\W*(?:although|though|even though|while|whereas|despite|obwohl|zwar|bien que|aunque"
    r"|embora|sebbene|хотя)\b[^,，]{1,200}[,，]",
    re.IGNORECASE,
)

#: The articles of Portuguese and English, which are no side: "A better answer".
_ARTICLE = re.compile(
    r"\bA (?=(?:primeira |segunda )?(?:resposta|gravação|opção)\b)"
    r"|\AA (?=(?:(?:much|far|slightly|clearly|somewhat|marginally|significantly) )?"
    r"(?:better|stronger|superior|preferable)\b)"
)

#: Heading of a line that names a side, and nothing else.
_NAMED = re.compile(
    r"\A\W*(?:winner|better(?: (?:one|answer|response|reply|recording|audio|clip|model|system"
    r"|assistant|output|option|overall))?"
    rf"|my (?:choice|pick)|choice|preference|sieger|{ANSWER})"
    r"\s?(?:[:：=]|is\b)[\s*_`\"'\[(]*"
    r"(?:(?:assistant|answer|response|model|audio|recording|output|option|antwort|回答)\s?)?"
    r"(?P<side>[AB12])[\s*_`\"'\])]*\Z",
    re.IGNORECASE,
)

_OTHER_SCRIPTS = tuple(
    re.compile(pattern)
    for pattern in (
        # Chinese
        r"(?:(?:总体(?:而言|来说|上)?|总的来说|整体(?:而言|来说|上)?|综上(?:所述)?|综合来看|因此"
        r"|所以|最终|结论)[,，:：]?\s?)?(?:回答|答案|回复|助手|模型|选项|音频|录音)?\s?"
        r"(?P<side>[AB12])(?:的?(?:回答|回复|表现))?(?:明显|显然|总体上|整体上|稍|略|要|是|的)*"
        r"(?:比\s?[AB12])?(?:更好|更优|更胜一筹|胜出|更佳|较好|更强)(?:的(?:回答|答案))?",
        # Japanese
        r"(?:(?:総合的に(?:見て|は)?|全体的に(?:見て|は)?|全体として|結論として|したがって"
        r"|よって)[、,]?\s?)?(?:回答|応答|アシスタント|モデル|音声)?\s?(?P<side>[AB12])"
        r"(?:の(?:ほう|方|回答))?(?:の?(?:ほう|方))?(?:が|は)(?:より|明らかに|やや|わずかに)*"
        r"(?:優れて(?:います|いる)|良いです|良い|よい|勝って(?:います|いる)|勝ちです|上です)",
        # Korean
        r"(?:(?:전반적으로|종합적으로|결론적으로|따라서|결론은)[,]?\s?)?"
        r"(?:응답|답변|어시스턴트|모델|음성|녹음)?\s?(?P<side>[AB12])(?:의 (?:응답|답변))?"
        r"(?:번)?(?:가|이|은|는|쪽이)?\s?(?:(?:더|훨씬|약간|조금|확실히)\s?)*"
        r"(?:좋습니다|낫습니다|우수합니다|뛰어납니다|좋다|낫다|좋아요)",
    )
)


#: What may stand between a sentence and the verdict behind it.
_AROUND = "`*_# \n\t"


def last_winner(text: str) -> str | None:
    """Return what the last sentence that names a winner says: ``1``, ``2`` or ``tie``.

    >>> last_winner("Overall, A is the better answer."), last_winner("It is a tie.")
    ('1', 'tie')
    >>> last_winner("A is better in tone. B would be better.") is None
    True
    """
    winner = None
    for sentence in _SENTENCE.finditer(text):
        if sentence["end"] not in _ASKS:
            winner = winner_of(sentence["words"]) or winner
    return winner


def winner_behind(text: str, start: int) -> str | None:
    """Return the winner that a reply names in sentences behind its verdict."""
    return last_winner(text[start : start + _SEARCHED])


def winner_before(text: str, end: int) -> str | None:
    """Return the winner that the sentence right before a reply's verdict names."""
    before = text[max(end - _SEARCHED, 0) : end].rstrip(_AROUND)
    before = before.removesuffix("json").rstrip(_AROUND)
    sentences = list(_SENTENCE.finditer(before))
    if not sentences or sentences[-1]["end"] in _ASKS:
        return None
    return winner_of(sentences[-1]["words"])


def contradicts(labels: Collection[str], text: str, start: int, end: int) -> bool:
    """Tell whether a sentence beside a verdict's place names a winner that it denies.

    The labels are those of the verdict: ``1``, ``2``, or any other for a tie.
    """
    winners = {winner_before(text, start), winner_behind(text, end)} - {None}
    decided = {"1", "2"}.intersection(labels)
    for winner in winners:
        if winner == "tie":
            if len(decided) == 1 and decided.issuperset(labels):
                return True
        elif winner not in decided:
            return True
    return False


def winner_of(sentence: str) -> str | None:
    """Return the side that a sentence calls the winner, if it says nothing else."""
    plain = re.sub(r"[*_`#>\"“”„]+", " ", sentence).strip()
    if named := _NAMED.match(plain):
        return _side_of(named["side"].upper())
    for pattern in _OTHER_SCRIPTS:
        if matched := pattern.fullmatch(plain):
            return _side_of(matched["side"])
    plain = _ARTICLE.sub(" ", _THAN.sub(" ", _GRANTED.sub("", plain)))
    sides, better, equal, both = set(), False, False, False
    for token in _TOKEN.findall(plain):
        lower = token.lower()
        side = _side_of(token if token in ("A", "B") else lower)
        if side is not None:
            sides.add(side)
        elif lower in _BETTER:
            better = True
        elif lower in _EQUAL:
            equal = True
        elif lower in _BOTH:
            both = True
        elif lower not in _BETWEEN:
            return None
    if equal and both and not sides and not better:
        return "tie"
    return sides.pop() if better and len(sides) == 1 and not equal else None


def _side_of(name: str) -> str | None:
    return next((side for side, names in _SIDES.items() if name in names), None)


_VALUE = r"(?P<value>[\w.-]{1,20}?)(?:\s?(?:/|out of|von|sur|de|su|из)\s?\d{1,3})?"

_SCORED = re.compile(
    r"(?:^|[.!?。:：][ \t]{0,3})[ \t*_#>]{0,8}"
    r"(?:(?:so|thus|my|the|overall|final|revised|insgesamt|in summary)[, ]{1,2}){0,3}"
    r"(?:(?:verdict|label|score|rating|answer|decision|choice|preference"
    r"|(?:end|gesamt)note|(?:gesamt)?bewertung|punktzahl|urteil|note (?:finale|globale)"
    r"|puntuación(?: final)?|calificación(?: final)?|nota final|pontuação(?: final)?"
    r"|punteggio(?: finale)?|voto(?: finale)?|(?:итоговая )?оценка|ocena(?: końcowa)?|puan"
    r"|(?:最终|总体|总)?(?:评分|得分|分数)|(?:最終|総合)?(?:評価|スコア|点数)"
    r"|(?:최종 ?)?(?:점수|평점))"
    r"\s?(?:is\b|ist\b|est\b|es\b|[:：=为])"
    r"|i(?:'d| would)? (?:give|rate|award|score) (?:it|this|the answer|this answer|the response)"
    r"(?: with)?(?: an?)?"
    r"|(?:it|this|this answer|the answer|the response) (?:deserves|gets|earns|merits|receives)"
    rf"(?: an?)?)[\s*_`\"'\[]{{0,8}}{_VALUE}[\s.。*_`\"')\]]{{0,8}}$",
    re.IGNORECASE | re.MULTILINE,
)


def scores_behind(text: str, start: int) -> Iterator[str | int]:
    """Yield the values that sentences behind a reply's verdict give it.

    A number is yielded as it is written, and as an integer.

    >>> list(scores_behind("Final score: 5/5", 0))
    ['5', 5]
    """
    for said in _SCORED.finditer(text[start : start + _SEARCHED]):
        value = said["value"].rstrip(".")
        yield value
        if value.isdecimal():
            yield int(value)
