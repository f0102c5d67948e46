"""Which language was asked for, which was heard, and what an unsure one is worth."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from blueprints import Blueprint, Spoken, UserError
from extractors import default_asr, packaged
from extractors.catalogue import better_recogniser
from extractors.faster_whisper import FasterWhisperExtractor
from extractors.suspect import guessed
from tests.support import blueprints as make
from tests.support.blueprints import answer
from trace_eval.data.pairs import Answer, Instruction, Pair
from trace_eval.extracting.start import extract, extractors_of
from trace_eval.measures import measure_pair
from trace_eval.options import ExtractOptions

CLIPS = Path(__file__).resolve().parents[2] / "examples" / "clips"

SPANISH = (
    "Buenos días, ¿cómo puedo ayudarle hoy? El tren al aeropuerto sale en diez minutos desde el"
    " andén tres. Por favor, apaga la luz de la cocina antes de irte a la cama."
)


def heard(language: str, probability: float = 0.9, speech_s: float = 9.0, **more: Any) -> Blueprint:
    """A clip in which this language was heard."""
    spoken = Spoken(
        language=language,
        probability=probability,
        runner_up="pt",
        runner_up_probability=0.05,
        window_s=10,
        sure=probability >= 0.5,
    )
    said = make.transcript("agua pasada", *more.get("suspect", ()))
    transcript = said.model_copy(update={"language": language, "spoken": spoken})
    return answer(transcript=transcript, signal=make.signal(speech_s=speech_s))


def measured(text: str | None, request: Blueprint | None, *answers: Blueprint) -> list[Any]:
    pair = Pair(
        id="x", instruction=Instruction(text=text), a=Answer(audio="a"), b=Answer(audio="b")
    )
    found = measure_pair(pair, *answers, request)
    values = [found.get(f"answers_in_language_{side}") for side in "ab"]
    return [
        value and (value.value if value.value is not None else value.reason) for value in values
    ]


def test_an_answer_is_in_the_language_that_was_asked_for() -> None:
    order = "Tell me about rain, but please answer in Spanish."
    assert measured(order, None, heard("es"), heard("en")) == [1, 0]
    assert measured(order, heard("en"), heard("es"), heard("en")) == [1, 0]
    assert measured(None, heard("de"), heard("de", 0.6), heard("nl")) == [1, 0]
    # nobody is told to be wrong on a guess: low probability, little speech, no detection
    unsure = "asked for Spanish; spoken language"
    low, short = measured(order, None, heard("en", 0.8), heard("en", speech_s=2.0))
    assert (low, short) == (f"{unsure} en 0.80", f"{unsure} en 0.90")
    assert measured(order, None, answer(), heard("es", 0.4)) == [
        "its language was not heard (needs the extra base)",
        f"{unsure} unsure: es 0.40 or pt 0.05",
    ]
    # nothing was asked: no order, a word of another language, a request in an unsure one
    for text, request in (
        ("What is rain?", None),
        ("Tell me how to say rain in Spanish.", None),
        (None, heard("es", 0.4)),
        (None, answer()),
    ):
        assert measured(text, request, heard("es"), heard("en")) == [None, None]


def test_an_unsure_language_is_told_in_the_prompt_and_others_change_nothing() -> None:
    plain, sure, unsure = answer(), heard("es"), heard("es", 0.4, suspect=["unsure_language"])
    assert "spoken" not in plain.transcript.model_dump(mode="json")
    assert Blueprint.model_validate_json(sure.model_dump_json()) == sure
    lines = [b.transcript.render(5.0) for b in (plain, sure, unsure)]  # type: ignore[union-attr]
    assert not any("spoken" in line for line in lines[:2])
    assert lines[2].endswith("suspect unsure_language spoken language unsure: es 0.40 or pt 0.05")
    assert (guessed(sure), guessed(unsure)) == (None, "it is unsure of the language")
    assert "the extra base (pip install '.[base]')" in better_recogniser(named=False)
    assert better_recogniser(named=True).startswith("-x transcript=faster-whisper:small")


def test_a_language_is_given_by_code_or_name() -> None:
    for given in ("de", "DE", "German"):
        options = ExtractOptions(overrides={"transcript": "faster-whisper:base"}, language=given)
        assert "de" in [
            getattr(extractor, "language", None) for extractor in extractors_of(options)
        ]
    with pytest.raises(
        UserError, match=r"language 'Germn' is unknown \(near: german\); use an ISO"
    ):
        extractors_of(ExtractOptions(language="Germn"))


@pytest.fixture(scope="module")
def spanish(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = shutil.which("espeak-ng")
    if program is None:
        pytest.skip("espeak-ng is not installed; apt-get install espeak-ng")
    path = tmp_path_factory.mktemp("es") / "es.wav"
    subprocess.run([program, "-v", "es", "-s", "150", "-w", str(path), SPANISH], check=True)
    return path


def test_the_default_hears_english_as_before_and_spanish_as_spanish(
    spanish: Path, tmp_path: Path
) -> None:
    for model in (packaged.ENGLISH, packaged.MULTILINGUAL):
        if problem := packaged.problem(model):
            pytest.skip(problem)
    only = {"transcript": "auto", "quality": "none", "pitch": "none", "loudness": "none"}
    options = ExtractOptions(overrides=only, workers=0, cache=tmp_path / "cache")
    english = CLIPS / "three-times-b.ogg"
    both = [found.blueprint for found in extract([english, spanish], options)]
    alone = {
        **only,
        "transcript": FasterWhisperExtractor(model="tiny.en", device="cpu", beam_size=1),
    }
    [before] = extract([english], ExtractOptions(overrides=alone, workers=0, cache=None))
    assert both[0]
    assert both[1]
    assert before.blueprint
    by_both, by_one = both[0].transcript, before.blueprint.transcript
    assert (by_both.text, by_both.words) == (by_one.text, by_one.words)  # type: ignore[union-attr]
    assert by_both.spoken is not None  # type: ignore[union-attr]
    assert (by_both.language, by_both.language_source) == ("en", "detected")  # type: ignore[union-attr]
    found = both[1].transcript
    assert (found.language, found.language_source) == ("es", "detected")  # type: ignore[union-attr]
    assert "puedo ayudar" in found.text  # type: ignore[union-attr]
    assert "(no norm for Spanish)" in both[1].rate.render(5.0)  # type: ignore[union-attr]
    # who gives the language is believed; what was heard stays
    [told] = extract([spanish], ExtractOptions(overrides=only, workers=0, language="English"))
    assert told.blueprint is not None
    said = told.blueprint.transcript
    assert (said.language, said.language_source) == ("en", "given")  # type: ignore[union-attr]
    assert said.spoken == found.spoken  # type: ignore[union-attr]
    assert "spoken language es" in said.render(5.0)  # type: ignore[union-attr]
    assert default_asr.choose().extractor.parameters()["multilingual"] is True
