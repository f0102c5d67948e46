"""Word and character error rate of a transcript against the intended text.

Both texts go through the package whisper-normalizer first: Whisper's own normalisers
(Radford et al. 2022, appendix C) without torch, kept up, under the licence of the
original. In English case, punctuation, fillers, numbers and spellings count as no
error, as in published rates, which differ from raw ones by several points. Its rules
for other languages take vowel signs for punctuation and split words at apostrophes, so
there the marks stay and apostrophes are joined; numbers stay as they are written.
:class:`TextErrors` names what was done.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache

from pydantic import Field

from blueprints import UNSPACED, Strict, UserError, install_line, is_installed

_PACKAGES = {"jiwer": "jiwer", "whisper_normalizer": "whisper-normalizer"}

#: Whose vowel marks are left out in everyday writing.
_WITHOUT_MARKS = frozenset({"ar", "fa", "he", "ps", "sd", "ur", "yi"})

#: Written with spaces, but not by everybody with the same.
_FREE_SPACES = frozenset({"ko"})

#: Digits in a row that Python makes no number of, and the normaliser tries to.
_ENDLESS = re.compile(r"\d{4301}")

_APOSTROPHE = re.compile(r"(?<=\w)['\u2019\u02bc](?=\w)")

#: Name of :func:`whisper_en` in records.
WHISPER_EN = "whisper-en"


class TextErrors(Strict):
    """Errors of one transcript. Rates pass 1 where much is said that should not be."""

    wer: float = Field(
        ge=0, description="(substitutions + deletions + insertions) / words"
    )
    cer: float = Field(ge=0, description="the same in characters")
    words: int = Field(gt=0, description="words of the normalised reference")
    substitutions: int = Field(ge=0)
    deletions: int = Field(ge=0)
    insertions: int = Field(ge=0)
    normaliser: str = Field(description="what both texts went through, in words")


def text_errors(reference: str, hypothesis: str, language: str = "en") -> TextErrors:
    """Compare the recognised with the intended text.

    Args:
        reference: what should have been said.
        hypothesis: the transcript; may be empty, then every word is deleted.
        language: ISO 639-1 code. Where it is written without spaces a word is a
            character.

    Raises:
        UserError: a package is missing, or the reference has no words.
    """
    if missing := [
        dist for module, dist in _PACKAGES.items() if not is_installed(module)
    ]:
        raise UserError(f"text errors need {', '.join(missing)}; run: {install_line()}")
    import jiwer

    normal, name = normaliser_of(language)
    wanted, result = normal(reference).strip(), normal(hypothesis).strip()
    if not any(letter.isalnum() for letter in wanted):
        raise UserError(
            f"reference {reference!r:.60} has no words; leave it out or mend it"
        )
    by_word = jiwer.process_words(wanted, result)
    if language in UNSPACED | _FREE_SPACES:
        wanted, result = wanted.replace(" ", ""), result.replace(" ", "")
    by_letter = jiwer.process_characters(wanted, result)
    return TextErrors(
        wer=by_word.wer,
        cer=by_letter.cer,
        words=by_word.hits + by_word.substitutions + by_word.deletions,
        substitutions=by_word.substitutions,
        deletions=by_word.deletions,
        insertions=by_word.insertions,
        normaliser=name,
    )


@lru_cache(maxsize=8)
def normaliser_of(language: str) -> tuple[Callable[[str], str], str]:
    """Return a language's normaliser of texts (ISO 639-1), and its name for records."""
    if language == "en":
        return whisper_en(), WHISPER_EN
    from whisper_normalizer.basic import BasicTextNormalizer

    plain = BasicTextNormalizer(split_letters=language in UNSPACED, preserve_marks=True)
    script, named = _one_script() if language == "zh" else (str, "")

    def normal(text: str) -> str:
        whole = unicodedata.normalize("NFKC", script(text)).casefold()
        whole = _APOSTROPHE.sub("", whole)
        if language in _WITHOUT_MARKS:
            whole = "".join(c for c in whole if unicodedata.category(c) != "Mn")
        words: str = plain(whole)
        return (
            words.replace("\u0451", "\u0435") if language == "ru" else words
        )  # e for io

    return normal, f"whisper-basic{named}"


def _one_script() -> tuple[Callable[[str], str], str]:
    """Write Chinese in simplified characters; Whisper base mixes both kinds."""
    if not is_installed("opencc"):
        return (
            str,
            f", both scripts as they are (to map them run: {install_line('base')})",
        )
    from opencc import OpenCC

    simplified: Callable[[str], str] = OpenCC("t2s").convert
    return simplified, ", simplified by OpenCC"


@lru_cache(maxsize=1)
def whisper_en() -> Callable[[str], str]:
    """Return Whisper's English normaliser, of whisper-normalizer, without torch.

    On the answers of released benchmarks it says what the copies in their repositories
    say. A text with more than 4,300 digits in a row, which nobody says, is a
    ``UserError``.
    """
    from whisper_normalizer.english import EnglishTextNormalizer

    plain: Callable[[str], str] = EnglishTextNormalizer()

    def normal(text: str) -> str:
        if _ENDLESS.search(text):
            raise UserError(
                f"text {text!r:.60}: more than 4,300 digits in a row; mend it"
            )
        return plain(text)

    return normal
