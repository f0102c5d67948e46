from __future__ import annotations

from pathlib import Path

import pytest

from blueprints import Blueprint, Extension, Provenance, Status, UserError
from extractors.voices import SpeakerExtractor
from tests.support.model_parts import known, measured, spoken_in, voice
from trace_eval.data.items import Pair
from trace_eval.data.measures.pair import measure_pair, speaker_similarity
from trace_eval.data.measures.text import text_errors


def test_word_errors_by_hand() -> None:
    # bravo is heard as brave, delta is not heard, golf is heard and was not said: 3 /
    # 6. Word by word instead, four would be wrong.
    errors = text_errors(
        "Alpha bravo charlie, delta echo foxtrot.",
        "alpha brave charlie echo foxtrot golf",
    )
    assert errors.wer == pytest.approx(0.5)
    assert (errors.substitutions, errors.deletions, errors.insertions) == (1, 1, 1)
    assert errors.words == 6


def test_what_the_normaliser_forgives_is_no_error() -> None:
    assert (
        text_errors("Mr. Smith's colour: twenty-one!", "mister smith's color 21").wer
        == 0
    )
    assert text_errors("Straße, BITTE!", "straße bitte", "de").wer == 0


def test_nothing_heard_is_all_deleted_and_too_much_passes_one() -> None:
    assert text_errors("one two", "").wer == 1
    assert text_errors("hello", "hello hello hello").wer == 2


def test_a_reference_without_words_is_refused() -> None:
    with pytest.raises(UserError, match="has no words"):
        text_errors("...", "hello")


def test_one_voice_is_itself_and_another_is_not(accent_folder: Path) -> None:
    # The accent network embeds as the speaker's does; random weights still tell clips
    # apart.
    extractor = SpeakerExtractor(model=str(accent_folder))

    def heard(seconds: float, rate: int = 16_000) -> Blueprint:
        clip = voice(seconds, rate)
        value = measured(extractor, clip)
        return known(clip).with_group("speaker", value, extractor.provenance())

    same = speaker_similarity(heard(3.0), heard(3.0))
    assert same.value == pytest.approx(1, abs=1e-6)
    other = speaker_similarity(heard(3.0), heard(2.6))
    assert other.value is not None
    assert -1 <= other.value < 0.99999


def test_a_second_of_speech_is_needed(accent_folder: Path) -> None:
    clip = voice(0.5)
    absent = SpeakerExtractor(model=str(accent_folder)).extract(clip, known(clip))
    assert absent.status is Status.TOO_SHORT


def embedded(clip: str, vector: list[float], revision: str = "r") -> Blueprint:
    source = Provenance(extractor="speaker", version="1", revision=revision)
    values = Extension(values={"embedding": list(vector)})
    return Blueprint(clip=clip).with_group("speaker", values, source)


def test_cosine_by_hand() -> None:
    # (3, 4) and (4, 3): 24 / 25.
    similarity = speaker_similarity(embedded("a", [3, 4]), embedded("b", [4, 3]))
    assert similarity.value == pytest.approx(0.96)


def test_embeddings_of_two_models_are_not_compared() -> None:
    similarity = speaker_similarity(
        embedded("a", [1, 0]), embedded("b", [1, 0], "other")
    )
    assert similarity.value is None
    assert similarity.reason == "the two embeddings come from different models"
    nothing = speaker_similarity(embedded("a", [1, 0]), Blueprint(clip="b"))
    assert nothing.value is None
    assert "no extractor was asked" in (nothing.reason or "")


def test_measures_of_a_pair() -> None:
    pair = Pair.model_validate(
        {
            "id": "1",
            "a": {"audio": "a.wav", "reference": "good morning"},
            "b": {"audio": "b.wav", "reference": "good morning"},
        }
    )
    heard = spoken_in("en").model_copy(update={"text": "Good evening."})
    a = embedded("a", [1, 0]).model_copy(update={"transcript": heard})
    b = embedded("b", [0, 1])
    measures = measure_pair(pair, a, b)
    assert measures["wer_a"].value == pytest.approx(0.5)
    assert measures["wer_b"].value is None
    assert "group transcript" in (measures["wer_b"].reason or "")
    assert measures["speaker_similarity_ab"].value == pytest.approx(0)
    assert "speaker_similarity_instruction_a" not in measures
    plain = Pair.model_validate(
        {"id": "2", "a": {"audio": "a.wav"}, "b": {"audio": "b.wav"}}
    )
    assert measure_pair(plain, Blueprint(clip="a"), Blueprint(clip="b")) == {}
