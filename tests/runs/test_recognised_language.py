"""In which language a recogniser writes, and which of its words are guesses."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from scipy.stats import binomtest

from benchmarks.report import RESULTS
from blueprints import Blueprint, Span, UserError
from blueprints.groups.transcript import WEAK_SHARE
from extractors import default_asr, packaged
from extractors.audio import decode
from extractors.base import Extractor
from extractors.faster_whisper import FasterWhisperExtractor
from extractors.rate import word_rates
from extractors.registry import create
from extractors.suspect import WEAK_LANGUAGES, guessed
from tests.support import blueprints as make
from tests.support import calls
from tests.support.audio import tone, write
from tests.support.blueprints import answer
from tests.support.speech import write_espeak
from trace_eval.data.manifests import read_manifest
from trace_eval.extracting.engine import LocalEngine
from trace_eval.extracting.options import ExtractOptions
from trace_eval.extracting.plan import Plan
from trace_eval.extracting.start import extract, extractors_of
from trace_eval.judges.options.judge_options import JudgeOptions
from trace_eval.judges.registry.create import panel_of
from trace_eval.runs.pipeline import Pipeline

CLIPS = Path(__file__).resolve().parents[2] / "examples" / "clips"

SPANISH = (
    "Buenos días, ¿cómo puedo ayudarle hoy? El tren al aeropuerto sale en diez minutos"
    " desde el andén tres. Por favor, apaga la luz de la cocina antes de irte a la"
    " cama."
)


def test_the_weak_languages_are_those_of_the_measured_table() -> None:
    """A language is weak if over a tenth of its share is wrong beyond doubt.

    Counted are people, and built and neural voices in silence.
    """
    table = json.loads((RESULTS / "languages.json").read_text("utf-8"))["languages"]
    sums: Counter[str] = Counter()
    for row in table:
        if row["voices"] in ("Kokoro", "real", "recorded"):
            sums[row["language"], "units"] += row["units"]
            sums[row["language"], "errors"] += min(row["errors"], row["units"])
    limits = {
        code: binomtest(sums[code, "errors"], sums[code, "units"]).proportion_ci(
            method="wilson"
        )
        for code, _ in sums
    }
    assert {
        code for code, of in limits.items() if of.low > WEAK_SHARE
    } == WEAK_LANGUAGES
    assert {code for code, of in limits.items() if of.high <= WEAK_SHARE} == {"en"}


def test_impossible_rates_and_loops_outside_english_are_guesses() -> None:
    def told(
        text: str, language: str = "de", speech_s: float = 4.0, **more: Any
    ) -> str | None:
        stated = make.transcript(text, *more.pop("suspect", ()))
        rate = make.rate(syllables=more.pop("syllables", 99))
        return guessed(
            answer(
                transcript=stated.model_copy(update={"language": language}),
                signal=make.signal(speech_s=speech_s),
                rate=rate,
            )
        )

    long = "donaudampfschifffahrt " * 5  # 105 letters in 5 words
    assert told(long) == "it wrote 105 letters for 4.0 s of speech"
    assert told(long, speech_s=4.3) is None
    assert told("so gut " * 9, syllables=10) == "it wrote 18 words for 10 syllables"
    assert told("so gut " * 8, syllables=10) is None
    loop = {"suspect": ["repetition_loop"]}
    assert told("ja ja", **loop) == "its text loops, as it does by itself in German"
    assert told("ya ya", "en", **loop) is None  # an answer may hang
    # the norms of rates are English
    unsure = make.transcript("so gut", "unsure_language")
    language = word_rates(make.signal(), unsure).language
    rate = make.rate().model_copy(update={"language": language})
    assert "WPM (no norm: language unsure)" in rate.render(10.0)


class Told(Extractor):
    """Hears Italian, but only where it is told so; unsure else."""

    name: ClassVar[str] = "told"
    group: ClassVar[str] = "transcript"
    version: ClassVar[str] = "1"
    needs: ClassVar[tuple[str, ...]] = ("signal",)

    def __init__(self, given: str | None = None, assumed: str | None = None) -> None:
        object.__setattr__(self, "given", given)
        object.__setattr__(self, "assumed", assumed)

    def parameters(self) -> dict[str, Any]:
        return {"given": self.given, "assumed": self.assumed}

    def for_language(self, language: str | None, assumed: str | None) -> Told:
        if language == "de":
            raise UserError("told: language 'de', but it hears no German; take another")
        return Told(language, assumed)

    def extract(self, clip: Any, known: Blueprint) -> Any:
        wanted = self.parameters()
        unsure = [] if wanted["given"] else ["unsure_language"]
        stated = make.transcript("acqua", *unsure)
        return stated.model_copy(
            update={"language": wanted["given"] or wanted["assumed"] or "la"}
        )


def test_manifest_and_request_say_in_which_language_a_clip_is_written(
    tmp_path: Path,
) -> None:
    clip = tmp_path / "a.wav"
    write(clip, tone(0.3))
    lines = {
        "given": {"language": "Italian"},
        "asked": {"instruction": {"text": "Please answer in Italian."}},
        "plain": {},
        "refused": {"language": "de"},
        "typo": {"language": "Itlian"},
    }
    pairs = (
        {"id": name, "a": {"audio": "a.wav"}, "b": {"audio": "a.wav"}, **more}
        for name, more in lines.items()
    )
    read = read_manifest(calls.manifest(tmp_path, pairs, "pairs.jsonl"))
    assert [pair.language for pair in read.pairs] == ["it", None, None, "de"]
    assert "language 'Itlian' is unknown (near: italian)" in str(read.problems[0])
    seen: dict[str, Any] = {}

    async def work() -> None:
        plan = Plan((create("signal"), Told()), None)
        engine = LocalEngine(plan, 0)
        pipeline = Pipeline(engine, panel_of(["rules"], [], JudgeOptions(), set()))
        try:
            for pair in read.pairs:
                async with pipeline._clips_of(pair) as clips:
                    seen[pair.id] = clips["a"].blueprint.transcript
        finally:
            await engine.close()

    asyncio.run(work())
    assert "hears no German" in seen.pop("refused").reason
    written = {name: (result.language, result.suspect) for name, result in seen.items()}
    unsure = ["unsure_language"]  # what was asked for is still no evidence
    assert written == {
        "given": ("it", []),
        "asked": ("it", unsure),
        "plain": ("la", unsure),
    }


def test_an_unsure_clip_is_written_in_the_language_that_is_assumed() -> None:
    both = FasterWhisperExtractor(model="tiny.en", multilingual="base", device="cpu")
    told = both.for_language(None, "nl")
    assert (told.language, told.assumed) == (None, "nl")
    assert both.for_language("nl", "de").assumed is None
    assert told.parameters() == {**both.parameters(), "assumed": "nl"}
    assert told.others.assumed == "nl"
    given = FasterWhisperExtractor(model="base", device="cpu", language="fr")
    assert given.for_language("nl", None) is given  # the user overrules the manifest
    with pytest.raises(
        UserError, match=r"tiny.en writes English only; run: trace-eval models"
    ):
        FasterWhisperExtractor(model="tiny.en", device="cpu").for_language("nl", None)


def test_a_loop_ends_where_nobody_could_say_more() -> None:
    from extractors.faster_whisper import _most_tokens

    parts = [Span(start_s=0, end_s=4), Span(start_s=9, end_s=10)]
    assert [_most_tokens(parts, language) for language in (None, "en", "th")] == [
        None,
        None,
        180,
    ]


def test_a_language_is_given_by_code_or_name() -> None:
    for given in ("de", "DE", "German", "de-AT", "de_CH"):
        options = ExtractOptions(
            overrides={"transcript": "faster-whisper:base"}, language=given
        )
        assert "de" in [
            getattr(one, "language", None) for one in extractors_of(options)
        ]
    with pytest.raises(
        UserError, match=r"'Germn' is unknown \(near: german\); use an ISO"
    ):
        extractors_of(ExtractOptions(language="Germn"))


@pytest.fixture(scope="module")
def spanish(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("es") / "es.wav"
    return write_espeak(path, "es", SPANISH, "-s", "150")


def test_the_default_hears_english_as_before_and_spanish_as_spanish(
    spanish: Path, tmp_path: Path
) -> None:
    for model in (packaged.ENGLISH, packaged.MULTILINGUAL):
        if problem := packaged.problem(model):
            pytest.skip(problem)
    only = {
        "transcript": "auto",
        "quality": "none",
        "pitch": "none",
        "loudness": "none",
    }
    options = ExtractOptions(overrides=only, workers=0, cache=tmp_path / "cache")
    english = CLIPS / "three-times-b.ogg"
    both = [result.blueprint for result in extract([english, spanish], options)]
    tiny = FasterWhisperExtractor(model="tiny.en", device="cpu", beam_size=1)
    alone = ExtractOptions(
        overrides={**only, "transcript": tiny}, workers=0, cache=None
    )
    [before] = extract([english], alone)
    by_both, by_one = both[0].transcript, before.blueprint.transcript
    assert (by_both.text, by_both.words) == (by_one.text, by_one.words)
    assert by_both.spoken is not None
    assert (by_both.language, by_both.language_source) == ("en", "detected")
    result = both[1].transcript
    assert (result.language, result.language_source) == ("es", "detected")
    assert "puedo ayudar" in result.text
    assert "(no norm for Spanish)" in both[1].rate.render(5.0)
    # two languages in one clip are none
    mixed = tmp_path / "mixed.wav"
    write(
        mixed,
        np.concatenate([decode(path).speech for path in (spanish, english)]),
        16000,
    )
    [two] = extract([mixed], options)
    assert two.blueprint.certain_language is None
    assert two.blueprint.transcript.spoken.sure is False
    assert "unsure_language" in two.blueprint.transcript.suspect
    # who gives the language is believed; what was heard stays
    [told] = extract(
        [spanish], ExtractOptions(overrides=only, workers=0, language="English")
    )
    stated = told.blueprint.transcript
    assert (stated.language, stated.language_source) == ("en", "given")
    assert stated.spoken == result.spoken
    assert "spoken language es" in stated.render(5.0)
    assert default_asr.choose().extractor.parameters()["multilingual"] is True
