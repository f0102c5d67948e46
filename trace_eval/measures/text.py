"""Word and character error rate of a transcript against what should have been said.

Both texts go through Whisper's normaliser first (Radford et al. 2022, appendix C): case,
punctuation, fillers, numbers and spellings count as no error. Published rates are computed
like that, and differ from raw ones by several points.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from importlib.util import find_spec
from typing import Any

from pydantic import Field

from blueprints import Strict, UserError
from blueprints.distribution import install_line
from blueprints.languages import UNSPACED

_PACKAGES = {"jiwer": "jiwer", "whisper": "openai-whisper"}


class TextErrors(Strict):
    """Errors of one transcript. Rates pass 1 where much is said that should not be."""

    wer: float = Field(ge=0, description="(substitutions + deletions + insertions) / words")
    cer: float = Field(ge=0, description="the same in characters")
    words: int = Field(gt=0, description="words of the normalised reference")
    substitutions: int = Field(ge=0)
    deletions: int = Field(ge=0)
    insertions: int = Field(ge=0)


def unavailable() -> str | None:
    """Why text errors cannot be counted here, with the remedy."""
    missing = [dist for module, dist in _PACKAGES.items() if find_spec(module) is None]
    if missing:
        return f"text errors need {', '.join(missing)}; run: {install_line('models')}"
    return None


def text_errors(reference: str, hypothesis: str, language: str = "en") -> TextErrors:
    """Compare what was recognised with what should have been said.

    Args:
        reference: what should have been said.
        hypothesis: the transcript; may be empty, then every word is deleted.
        language: ISO 639-1 code; English has a normaliser of its own.

    Raises:
        UserError: a package is missing, or the reference has no words.
    """
    reason = unavailable()
    if reason:
        raise UserError(reason)
    import jiwer

    normal = _normaliser(language)
    wanted, found = normal(reference).strip(), normal(hypothesis).strip()
    if not any(letter.isalnum() for letter in wanted):
        raise UserError(f"reference {reference!r:.60} has no words; leave it out or mend it")
    by_word, by_letter = jiwer.process_words(wanted, found), jiwer.process_characters(wanted, found)
    return TextErrors(
        wer=by_word.wer,
        cer=by_letter.cer,
        words=by_word.hits + by_word.substitutions + by_word.deletions,
        substitutions=by_word.substitutions,
        deletions=by_word.deletions,
        insertions=by_word.insertions,
    )


@lru_cache(maxsize=8)
def _normaliser(language: str) -> Any:
    from whisper.normalizers import BasicTextNormalizer, EnglishTextNormalizer

    if language == "en":
        return EnglishTextNormalizer()
    return BasicTextNormalizer(split_letters=language in UNSPACED)


#: Name of :func:`whisper_en` in records.
WHISPER_EN = "whisper-en"


@lru_cache(maxsize=1)
def whisper_en() -> Callable[[str], str]:
    """Whisper's English normaliser without torch, by the package whisper-normalizer.

    On the answers of released benchmarks it says what the copies in their repositories say.
    """
    from whisper_normalizer.english import EnglishTextNormalizer

    normal: Callable[[str], str] = EnglishTextNormalizer()
    return normal
