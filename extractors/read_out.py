"""Manners that a voice may have read out before an English text.

"Yawn. Your pizza is here" is often written as "Your pizza is here", with a first word
that is drawn over the sound of the lost one: a word without context is unlikely, and no
other text of the search has it. So the recogniser is asked for the words with which
manners are read out. How much less likely is a text that begins with one of them than
the text that it wrote? Those that cost little are other hearings, whatever was asked:
what was heard stays independent of the request, and is kept once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from blueprints import OtherHearing, Word
from extractors.audio import SPEECH_RATE, Samples
from extractors.manner_words import read_out
from extractors.other_hearings import MARGIN_S
from extractors.short_windows import as_array, encoded

#: How much of the speech is listened to, and the window that it lies in, seconds.
BEGINNING_S, WINDOW_S = 2.5, 5.0

#: The first word is drawn out where it ends so long after the speech began, seconds,
#: and the first two are unsure where one has a lower probability. Of 145 real clips none
#: or one had such a first word, and 20 without acted moods were unsure.
DRAWN_S, UNSURE = 0.55, 0.5

#: Log probability that a text loses at most by a manner at its beginning: where its first
#: word is drawn out, and where its first words are unsure.
MOST_LOST_DRAWN, MOST_LOST_UNSURE = 8.0, 5.0

#: Log probability under which a manner is not followed, manners that are tried before
#: the text, and unfinished words that are followed at a time.
LEAST, MOST_MANNERS, MOST_BRANCHES = -13.0, 6, 8

#: Words of the text that are compared, and tokens that are decoded behind a manner.
TEXT_WORDS, TOKENS_BEHIND = 9, 5

#: Words that a manner may stand for.
MOST_REPLACED = 4

#: The tokens of a text, and a number for each token there is.
TokenIds = Sequence[int]
PerToken = npt.NDArray[np.floating[Any]]


class _Word(NamedTuple):
    """A word, and the log probability of the text up to it."""

    text: str
    total: float

    @property
    def spelled(self) -> str:
        """The letters and digits of the word."""
        return "".join(filter(str.isalnum, self.text.lower()))


class _Tree(dict[int, "_Tree"]):
    """How words go on by each token.

    Attributes:
        word: the one that ends here, if one does.
    """

    word = ""


class _Branch(NamedTuple):
    """A word that has begun: its tokens, how it may go on, and its log probability."""

    tokens: tuple[int, ...]
    tree: _Tree
    total: float


class _Shared(NamedTuple):
    """The places of a word among those behind a manner and among those written."""

    place: int
    written: int


class _Sound:
    """A recogniser that listens to one sound, and tells how likely texts are."""

    def __init__(self, whisper: Any, samples: Samples) -> None:
        self._model = whisper.model
        self.tokenizer = whisper.hf_tokenizer
        marks = ("<|startoftranscript|>", "<|notimestamps|>")
        self._prompt = [self.tokenizer.token_to_id(mark) for mark in marks]
        margin_s = WINDOW_S - BEGINNING_S
        self._window = as_array(encoded(whisper, samples, WINDOW_S, margin_s))

    def tokens_of(self, text: str) -> list[int]:
        """Return the tokens of a text."""
        tokens: list[int] = self.tokenizer.encode(text, add_special_tokens=False).ids
        return tokens

    def next_tokens(self, texts: Sequence[TokenIds]) -> list[PerToken]:
        """Return the log probability of each token behind each of some texts."""
        return [
            _log_probabilities(result.logits[0][-1])
            for result in self._decoded(texts, 1)
        ]

    def words(self, texts: Sequence[TokenIds], behind: int = 0) -> list[list[_Word]]:
        """Return the words of texts, with so many likeliest tokens behind each."""
        return [[*self._joined(result)] for result in self._decoded(texts, behind)]

    def _decoded(self, texts: Sequence[TokenIds], behind: int) -> list[Any]:
        from ctranslate2 import StorageView

        windows = np.repeat(self._window, len(texts), axis=0)
        results: list[Any] = self._model.generate(
            StorageView.from_array(windows),
            [[*self._prompt, *text] for text in texts],
            beam_size=1,
            # The library takes this for a prompt and a text of equal lengths.
            max_length=2 * (max(map(len, texts)) + behind),
            suppress_blank=False,
            suppress_tokens=[],
            return_logits_vocab=True,
        )
        return results

    def _joined(self, result: Any) -> Iterator[_Word]:
        """Join the tokens of a text to words; the last one may be cut."""
        text, total, total_of_word = "", 0.0, 0.0
        for token, logits in zip(
            result.sequences_ids[0], result.logits[0], strict=False
        ):
            piece = self.tokenizer.decode([token])
            if piece.startswith(" ") and text:
                yield _Word(text.strip(), total_of_word)
                text = ""
            text += piece
            total += float(_log_probabilities(logits)[token])
            if any(map(str.isalnum, piece)):
                total_of_word = total
        if text:
            yield _Word(text.strip(), total_of_word)


def _log_probabilities(logits: Any) -> PerToken:
    """Return the log probabilities of tokens."""
    values: PerToken = np.array(logits).ravel()
    lower: PerToken = values - values.max()
    result: PerToken = lower - np.log(np.exp(lower).sum())
    return result


def of_manners(
    whisper: Any, speech: Samples, text: str, *, words: Sequence[Word], start_s: float
) -> list[OtherHearing]:
    """Return manners with which a text may begin, the likeliest first.

    Args:
        whisper: a ``WhisperModel`` that writes English only.
        speech: samples at 16 kHz [shape=(n,)].
        text: what the recogniser wrote.
        words: the same, with their times and probabilities.
        start_s: where the speech begins, seconds.
    """
    most_lost = _most_lost(words, start_s)
    if most_lost is None:
        return []
    first = round(max(0.0, start_s - MARGIN_S) * SPEECH_RATE)
    samples = speech[first : first + round(BEGINNING_S * SPEECH_RATE)]
    sound = _Sound(whisper, samples)
    written = " ".join(text.split()[:TEXT_WORDS])
    [said] = sound.words([sound.tokens_of(f" {written}")])
    # A text cannot get likelier by what stands behind its manner.
    least = said[: MOST_REPLACED + 1][-1].total - most_lost
    manners = _likely_manners(sound, max(LEAST, least))
    if not manners:
        return []
    texts: list[TokenIds] = []
    for manner in manners:
        mark = "." if manner.tree.word.istitle() else ","
        texts.append([*manner.tokens, *sound.tokens_of(mark)])
    lost_by_hearing: dict[OtherHearing, float] = {}
    for others in sound.words(texts, TOKENS_BEHIND):
        shared = _last_shared(others, said)
        if shared is None:
            continue
        lost = said[shared.written].total - others[shared.place].total
        if lost <= most_lost:
            hearing = _instead(others, said, shared)
            lost_by_hearing[hearing] = min(lost, lost_by_hearing.get(hearing, lost))
    return sorted(lost_by_hearing, key=lost_by_hearing.__getitem__)


def _most_lost(words: Sequence[Word], start_s: float) -> float | None:
    """Return what a text may lose; None: nothing says that a word is missing."""
    if not words:
        return None
    end_s = words[0].end_s
    if end_s is None or end_s - start_s > DRAWN_S:
        return MOST_LOST_DRAWN
    if any((word.confidence or 0.0) < UNSURE for word in words[:2]):
        return MOST_LOST_UNSURE
    return None


def _likely_manners(sound: _Sound, least: float) -> list[_Branch]:
    """Return words with which manners are read out, the likeliest first."""
    results: list[_Branch] = []
    branches = [_Branch((), _tree_of(sound.tokenizer), 0.0)]
    while branches:
        every = sound.next_tokens([branch.tokens for branch in branches])
        longer: list[_Branch] = []
        for branch, following in zip(branches, every, strict=True):
            for token, tree in branch.tree.items():
                total = branch.total + float(following[token])
                if total >= least:
                    longer.append(_Branch((*branch.tokens, token), tree, total))
        longer.sort(key=lambda branch: -branch.total)
        results += [branch for branch in longer if branch.tree.word]
        branches = [branch for branch in longer if branch.tree][:MOST_BRANCHES]
    results.sort(key=lambda branch: -branch.total)
    return results[:MOST_MANNERS]


def _last_shared(others: Sequence[_Word], words: Sequence[_Word]) -> _Shared | None:
    """Find the last word behind a manner that was written, too."""
    for place in range(len(others) - 1, 0, -1):
        for written in range(place - 1, min(len(words), place + MOST_REPLACED)):
            if words[written].spelled == others[place].spelled:
                return _Shared(place, written)
    return None


def _instead(
    others: Sequence[_Word], words: Sequence[_Word], shared: _Shared
) -> OtherHearing:
    """Return what a text that begins with a manner has instead of the written words."""
    place, written = shared
    while place > 1 and written > 0:
        if others[place - 1].spelled != words[written - 1].spelled:
            break
        place, written = place - 1, written - 1
    manner = others[0].text.rstrip(",.").title()
    behind = [word.text for word in others[1:place]]
    return OtherHearing(start=0, end=written, text=" ".join([f"{manner}.", *behind]))


@lru_cache(maxsize=1)
def _tree_of(tokenizer: Any) -> _Tree:
    """Return the tokens of all words with which manners are read out."""
    result = _Tree()
    for word in read_out():
        for spelling in (word, word.title()):
            tree = result
            for token in tokenizer.encode(f" {spelling}", add_special_tokens=False).ids:
                tree = tree.setdefault(token, _Tree())
            tree.word = spelling
    return result
