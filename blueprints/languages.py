"""Languages by ISO 639-1 code: Whisper's names for them, and a text's own language."""

from __future__ import annotations

import re
from collections import Counter
from difflib import get_close_matches

from blueprints.errors import UserError

#: Code -> English name. Haw and yue are ISO 639-3, and jw is what Whisper calls jv.
LANGUAGES: dict[str, str] = {
    code: name
    for line in """
af Afrikaans, am Amharic, ar Arabic, as Assamese, az Azerbaijani, ba Bashkir, be Belarusian,
bg Bulgarian, bn Bengali, bo Tibetan, br Breton, bs Bosnian, ca Catalan, cs Czech, cy Welsh,
da Danish, de German, el Greek, en English, es Spanish, et Estonian, eu Basque, fa Persian,
fi Finnish, fo Faroese, fr French, gl Galician, gu Gujarati, ha Hausa, haw Hawaiian, he Hebrew,
hi Hindi, hr Croatian, ht Haitian Creole, hu Hungarian, hy Armenian, id Indonesian, is Icelandic,
it Italian, ja Japanese, jw Javanese, ka Georgian, kk Kazakh, km Khmer, kn Kannada, ko Korean,
la Latin, lb Luxembourgish, ln Lingala, lo Lao, lt Lithuanian, lv Latvian, mg Malagasy, mi Maori,
mk Macedonian, ml Malayalam, mn Mongolian, mr Marathi, ms Malay, mt Maltese, my Burmese,
ne Nepali, nl Dutch, nn Nynorsk, no Norwegian, oc Occitan, pa Punjabi, pl Polish, ps Pashto,
pt Portuguese, ro Romanian, ru Russian, sa Sanskrit, sd Sindhi, si Sinhala, sk Slovak,
sl Slovenian, sn Shona, so Somali, sq Albanian, sr Serbian, su Sundanese, sv Swedish, sw Swahili,
ta Tamil, te Telugu, tg Tajik, th Thai, tk Turkmen, tl Tagalog, tr Turkish, tt Tatar,
uk Ukrainian, ur Urdu, uz Uzbek, vi Vietnamese, yi Yiddish, yo Yoruba, yue Cantonese, zh Chinese
""".replace("\n", " ").split(",")
    for code, name in [line.strip().split(" ", 1)]
}

#: ISO 639-2 code of an undetermined language.
UNSURE = "und"

#: Written without spaces: their errors are counted by character, and a rate in words
#: says nothing.
UNSPACED = frozenset({"bo", "ja", "km", "lo", "my", "th", "yue", "zh"})

#: Names and codes that are used beside those of the table.
_ALSO = {
    "castilian": "es",
    "cmn": "zh",
    "farsi": "fa",
    "fil": "tl",
    "flemish": "nl",
    "iw": "he",
    "jv": "jw",
    "mandarin": "zh",
    "nb": "no",
}

_REGION = re.compile("[-_]")

_CODES = {name.casefold(): code for code, name in LANGUAGES.items()} | _ALSO


def language_name(code: str) -> str:
    """Return the English name of a code, or an unknown code as it is.

    >>> language_name("es"), language_name("tlh")
    ('Spanish', 'tlh')
    """
    return LANGUAGES.get(code, code)


def find_language(text: str) -> str | None:
    """Return the code of a language by its code or English name; None if it is unknown.

    A region is passed over: whoever writes zh-TW speaks Chinese.

    >>> find_language("Spanish"), find_language("pt-BR"), find_language("Klingon")
    ('es', 'pt', None)
    """
    name = text.strip().casefold()
    without_region = _REGION.split(name)[0]
    for part in (name, without_region):
        if part in LANGUAGES:
            return part
        if part in _CODES:
            return _CODES[part]
    return None


def language_code(text: str) -> str:
    """Return the code of a language, by its name or a code.

    Raises:
        UserError: the language is unknown; the message has the nearest name.
    """
    if code := find_language(text):
        return code
    near = get_close_matches(text.strip().casefold(), [*_CODES, *LANGUAGES], 1)
    suggestion = f" (near: {near[0]})" if near else ""
    raise UserError(
        f"language {text!r} is unknown{suggestion}; use an ISO 639-1 code, e.g. es, or"
        " an English name"
    )


#: Scripts that one language of the table uses, or nearly alone, by their Unicode
#: blocks. Japanese comes before Chinese: it mixes both.
_SCRIPTS = (
    ("ja", "\u3040-\u30ff"),
    ("ko", "\uac00-\ud7af\u1100-\u11ff"),
    ("zh", "\u3400-\u9fff"),
    ("th", "\u0e00-\u0e7f"),
    ("el", "\u0370-\u03ff"),
)

#: Frequent words that carry grammar, written for this purpose; a word of two lists
#: counts for none.
_SMALL_WORDS = {
    "en": """the and you what how of please for with your this that from are which about when where
        why who would should could tell give describe it be can does to my they there his if not
        but like say been he she has have had did some any many much more very use using each
        every then than its into while he's it's don't i'm""",
    "de": """der die das und ist nicht ein eine einen mit für auf wie wer wo warum bitte ich du sie
        den dem kann kannst können mir dir auch aus zu von im am""",
    "fr": """le la les des une est et dans pour avec qui que quoi comment pourquoi où quel quelle je
        vous tu nous sur pas du au aux un ce cette""",
    "es": """el la los las una un es y en para con qué cómo por dónde cuál cuándo quién del al se lo
        mi tu puedes cuáles está muy más""",
    "it": """il lo la gli le una un è e di che come perché dove quale quando chi per con del della
        nel nella mi puoi sono qual più""",
    "pt": """o os as um uma é e em para com que como por onde qual quando quem do da no na você meu
        pode ao dos das mais não""",
    "nl": """de het een en is van voor met hoe waar waarom wat wie welke kunt kun je u ik niet dat
        op in aan zijn""",
    "sv": """och att det som en ett är på för med hur vad var varför jag du inte av till den kan""",
    "da": """og at det som en et er på for med hvordan hvad hvor hvorfor jeg du ikke af til den""",
    "pl": """i w na z do jest się nie jak co gdzie dlaczego proszę czy że to dla po jaka jaki""",
    "tr": """ve bir bu için ne nasıl nerede neden ile mi mı değil lütfen bana çok daha olan""",
    "ru": """и в на с не что как где почему это по я вы ты мне для или из у какая какой""",
    "uk": """і в на з не що як де чому це по я ви ти мені для або із у яка який та""",
}

#: So many small words of one language alone identify it.
_ENOUGH = 3

#: In a text of so many words that is English, this share at least are small words of
#: English alone: of 622 questions of a benchmark, all but one in English, that holds
#: for 621.
_LONG, _LEAST = 5, 0.1


#: Small word -> the one language that has it.
_LISTS = {language: set(words.split()) for language, words in _SMALL_WORDS.items()}
_TIMES = Counter(word for words in _LISTS.values() for word in words)
_ONLY = {
    word: name for name, words in _LISTS.items() for word in words if _TIMES[word] == 1
}
_WORD = re.compile(r"[^\W\d_]+")


def written_language(text: str) -> str | None:
    """Tell in which language a text is written, as an ISO 639-1 code.

    ``und`` means that it is not English; None, that it cannot be told. No language is
    better than a wrong one: words of two languages give none.

    >>> written_language("¿Cuál es la capital de Francia, y qué río pasa por ella?")
    'es'
    >>> written_language("Sing Bruder Jakob")
    """
    letters = [letter for letter in text if letter.isalpha()]
    if not letters:
        return None
    foreign = sum(letter > "\u024f" for letter in letters) / len(letters)
    if foreign > 0.5:
        for language, block in _SCRIPTS:
            if len(re.findall(f"[{block}]", text)) > 0.1 * len(letters):
                return language
    words = [word.casefold() for word in _WORD.findall(text)]
    small_words = Counter(_ONLY[word] for word in words if word in _ONLY)
    english = small_words.pop("en", 0)
    others = small_words.total()
    if small_words and not english:
        language, times = small_words.most_common(1)[0]
        if times >= max(_ENOUGH, 3 * (others - times)):
            return language
    if foreign > 0.5 or (len(words) >= _LONG and english < _LEAST * len(words)):
        return UNSURE
    return "en" if english >= max(_ENOUGH, others) else None
