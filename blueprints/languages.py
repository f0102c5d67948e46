"""Languages by ISO 639-1 code: those that Whisper names, with their English names."""

from __future__ import annotations

import re
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

#: Written without spaces: their errors are counted by character, and a rate in words says nothing.
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
    """English name of a code; the code itself where it is unknown.

    >>> language_name("es"), language_name("tlh")
    ('Spanish', 'tlh')
    """
    return LANGUAGES.get(code, code)


def find_language(text: str) -> str | None:
    """Code of a language that is named by its code or its English name; None: unknown.

    A region is passed over: who writes zh-TW speaks Chinese.

    >>> find_language("Spanish"), find_language("pt-BR"), find_language("Klingon")
    ('es', 'pt', None)
    """
    named = text.strip().casefold()
    for part in (named, _REGION.split(named)[0]):
        if code := part if part in LANGUAGES else _CODES.get(part):
            return code
    return None


def language_code(text: str) -> str:
    """The code of a language, by its name or a code.

    Raises:
        UserError: the language is unknown.
    """
    if code := find_language(text):
        return code
    near = get_close_matches(text.strip().casefold(), [*_CODES, *LANGUAGES], 1)
    meant = f" (near: {near[0]})" if near else ""
    raise UserError(
        f"language {text!r} is unknown{meant}; use an ISO 639-1 code, e.g. es, or an English name"
    )
