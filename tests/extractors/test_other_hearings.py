"""Other hearings of the first and the last words of an English text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from blueprints import OtherHearing, Span, Transcript, Word, places_in
from extractors import packaged
from extractors.audio import decode
from extractors.base import Item
from extractors.faster_whisper import FasterWhisperExtractor
from extractors.other_hearings import ShortPiece, of_search, unsure_pieces, with_texts
from tests.support.speech import measured, write_espeak

TINY = FasterWhisperExtractor(model=packaged.ENGLISH, device="cpu")
REASON = TINY.unavailable()


def segment(text: str, *texts: str, seek: int = 0) -> dict[str, Any]:
    return {"text": text, "seek": seek, "texts": texts}


def other(start: int, end: int, text: str) -> OtherHearing:
    return OtherHearing(start=start, end=end, text=text)


def word(text: str, start_s: float, end_s: float, confidence: float) -> Word:
    return Word(text=text, start_s=start_s, end_s=end_s, confidence=confidence)


def test_other_texts_of_the_search_are_kept_where_they_differ() -> None:
    text = " With the side you go."
    found = of_search(
        [segment(text, text, " With a sigh you go.", " with the side, you go.")]
    )
    assert found == [other(1, 3, "a sigh"), other(2, 3, "side,")]


def test_words_that_were_left_out_stand_before_the_word_that_follows() -> None:
    found = of_search([segment(" My cousin works.", " Coughs, my cousin works.")])
    assert found == [other(0, 1, "Coughs, my")]


def test_words_in_the_middle_and_texts_without_words_are_not_kept() -> None:
    words = " ".join(str(number) for number in range(20))
    middle = words.replace("10", "ten")
    assert of_search([segment(words, words, middle, ". . .")]) == []


def test_places_count_the_words_of_all_windows() -> None:
    first = segment(" one two three", " one two three")
    last = segment(" side", " side", " sigh", seek=3000)
    assert of_search([first, last]) == [other(3, 4, "sigh")]


def test_a_window_that_is_decoded_again_keeps_its_texts_of_before() -> None:
    before = [segment("a", "a", "b"), segment("c", "c", seek=3000)]
    [again] = with_texts([segment("a", "a")], before)
    assert again["texts"] == ("a", "a", "b")


def test_a_short_unsure_piece_before_a_pause_is_heard_again() -> None:
    speech = [Span(start_s=0.1, end_s=0.6), Span(start_s=0.9, end_s=3.0)]
    # The recogniser wrote no word for the piece, and drew the next one over it.
    words = [word("My", 0.0, 1.04, 0.2), word("cousin", 1.04, 1.5, 0.9)]
    piece = ShortPiece(Span(start_s=0.0, end_s=0.7), 0, 1)
    assert unsure_pieces("My cousin", words, speech) == [piece]
    sure = [words[0].model_copy(update={"confidence": 0.9}), words[1]]
    assert unsure_pieces("My cousin", sure, speech) == []
    assert unsure_pieces("My cousin", words, [Span(start_s=0.1, end_s=3.0)]) == []


def test_a_piece_for_which_no_word_was_written_has_an_empty_place() -> None:
    speech = [Span(start_s=0.1, end_s=2.0), Span(start_s=2.5, end_s=3.0)]
    words = [word("My", 0.1, 0.5, 0.9), word("cousin", 0.5, 1.9, 0.9)]
    piece = ShortPiece(Span(start_s=2.4, end_s=3.1), 2, 2)
    assert unsure_pieces("My cousin", words, speech) == [piece]


def test_words_have_places_in_a_text_that_joins_them() -> None:
    assert places_in("At mid-day - go.", ["At", "mid", "-day", "go."]) == [0, 1, 1, 3]
    assert places_in("At noon.", ["At", "night."]) is None


@pytest.mark.skipif(REASON is not None, reason=str(REASON))
def test_a_word_that_is_lost_beside_a_sentence_is_heard_by_itself(
    tmp_path: Path,
) -> None:
    path = tmp_path / "answer.wav"
    words = "Coughs. My cousin works in a hospital near the sea."
    write_espeak(path, "en-gb-scotland", words, "-s", "150")
    clip = decode(path)
    known = measured(clip)
    alone = TINY.extract(clip, known)
    assert isinstance(alone, Transcript)
    assert alone.text.lower().startswith("my cousin")
    assert any("coughs" in one.text.lower() for one in alone.others), alone.others
    of_piece = [one for one in alone.others if (one.start, one.end) == (0, 1)]
    assert len(of_piece) > 5  # a direction is often none of the likeliest five
    for both in TINY.extract_batch([Item(clip, known), Item(clip, known)]):
        assert both == alone


@pytest.mark.skipif(REASON is not None, reason=str(REASON))
def test_a_text_that_was_heard_surely_has_no_piece_heard_again(tmp_path: Path) -> None:
    path = tmp_path / "answer.wav"
    write_espeak(path, "en-us", "Good morning. The train leaves at nine.", "-s", "150")
    transcript = TINY.extract(decode(path), measured(decode(path)))
    assert isinstance(transcript, Transcript)
    assert not [one for one in transcript.others if one.start == 0 and one.end == 2]


def test_without_a_pause_a_mark_sets_a_piece_apart() -> None:
    speech = [Span(start_s=0.1, end_s=4.0)]
    words = [word("Low,", 0.1, 0.7, 0.3)]
    words += [word(text, 0.9 + n, 1.9 + n, 0.9) for n, text in enumerate("abc")]
    cut = ShortPiece(Span(start_s=0.0, end_s=0.8), 0, 1)
    assert unsure_pieces("Low, a b c", words, speech) == [cut]
