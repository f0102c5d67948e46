"""All measures of one pair."""

from __future__ import annotations

import math
from collections.abc import Mapping

from blueprints import (
    UNSPACED,
    UNSURE,
    Absent,
    Blueprint,
    Extension,
    Signal,
    Transcript,
    UserError,
    written_language,
)
from blueprints.decimals import written_apart
from trace_eval.data.items import Item, Pair
from trace_eval.data.measures.language import (
    answers_in_language,
    languages_of,
    ordered_language,
    requested_language,
)
from trace_eval.data.measures.numbers import PairMeasure
from trace_eval.data.measures.text import text_errors

#: Group that ``speaker:MODEL`` fills.
SPEAKER = "speaker"
COSINE = "cosine, -1 to 1"

WER_UNIT, CER_UNIT = "share of words", "share of characters"

#: Of a language without spaces, whose errors per word are those per character.
UNSPACED_UNIT = "share of characters (written without spaces)"


#: Bandwidths of voices. Those of a telephone are compared with each other only.
WIDE, NARROW = "wide", "narrow"

#: The highest frequency of a telephone, Hz.
_NARROW_HZ = 4500.0

#: Less speech on either side says too little of its voice, seconds.
LEAST_SPEECH_S = 2.0


def bandwidth_of(blueprint: Blueprint) -> str | None:
    """Return whether a clip has a telephone's bandwidth; None if not known."""
    signal = blueprint.signal
    if not isinstance(signal, Signal) or signal.bandwidth_hz is None:
        return None
    return NARROW if signal.bandwidth_hz <= _NARROW_HZ else WIDE


def speaker_similarity(a: Blueprint, b: Blueprint) -> PairMeasure:
    """Measure how alike two voices are; above about 0.25 ECAPA hears one speaker.

    Both embeddings must come from the same model; others have nothing to do with each
    other. Not known are voices of two bandwidths, and of under 2 s of speech.
    """
    vectors = []
    for side in (a, b):
        result = side.group(SPEAKER)
        if isinstance(result, Absent):
            return PairMeasure.without(COSINE, f"group {SPEAKER}: {result.reason}")
        vector = (
            result.values.get("embedding") if isinstance(result, Extension) else None
        )
        if not isinstance(vector, list):
            return PairMeasure.without(COSINE, f"group {SPEAKER} has no embedding")
        vectors.append([float(str(value)) for value in vector])
    first, second = vectors
    is_same_model = a.provenance.get(SPEAKER) == b.provenance.get(SPEAKER)
    if not is_same_model or len(first) != len(second):
        return PairMeasure.without(
            COSINE, "the two embeddings come from different models"
        )
    if why := _not_comparable(a, b):
        return PairMeasure.without(COSINE, why)
    dot = sum(x * y for x, y in zip(first, second, strict=True))
    lengths = math.hypot(*first) * math.hypot(*second)
    return PairMeasure(value=dot / lengths, unit=COSINE)


def _not_comparable(a: Blueprint, b: Blueprint) -> str | None:
    """Return why two voices cannot be compared; what was not measured is no reason."""
    bandwidths = {bandwidth_of(side) for side in (a, b)}
    if bandwidths == {WIDE, NARROW}:
        return "one recording has the bandwidth of a telephone and the other has not"
    signals = [side.signal for side in (a, b) if isinstance(side.signal, Signal)]
    least = min((signal.speech_s for signal in signals), default=LEAST_SPEECH_S)
    if least < LEAST_SPEECH_S:
        heard = written_apart(least, [LEAST_SPEECH_S], digits=1)
        return f"one side has {heard} s of speech; {LEAST_SPEECH_S:g} s are needed"
    return None


def measure_pair(
    pair: Pair,
    a: Blueprint,
    b: Blueprint,
    instruction: Blueprint | None = None,
    voice: Blueprint | None = None,
) -> dict[str, PairMeasure]:
    """Return measures by name; one without input is left out, one that failed says why.

    ``wer_a, cer_a, wer_b, cer_b`` where the answer has a reference text;
    ``speaker_similarity_ab`` where the speaker was extracted, and
    ``.._instruction_a/b`` where the instruction is spoken;
    ``speaker_similarity_voice_a/b`` where the pair names the voice that both should
    speak in (``voice`` is None: it could not be decoded); ``answers_in_language_a,
    .._b`` where a language is asked for, see
    :func:`~trace_eval.data.measures.language.requested_language`.
    """
    measures: dict[str, PairMeasure] = {}
    sides = {"a": a, "b": b}
    names_a_language = any(
        isinstance(x.transcript, Transcript) and x.transcript.spoken for x in (a, b)
    )
    text = pair.instruction.text
    language = ordered_language(text)
    if names_a_language:
        language = requested_language(text, instruction, pair.language)
    if language:
        for side, blueprint in sides.items():
            measures[f"answers_in_language_{side}"] = answers_in_language(
                language, blueprint
            )
    for side, answer in pair.sides.items():
        if answer.reference is not None:
            rates = _rates(answer.reference, sides[side], pair.language)
            measures[f"wer_{side}"], measures[f"cer_{side}"] = rates
    if SPEAKER in a.extensions or SPEAKER in b.extensions:
        measures["speaker_similarity_ab"] = speaker_similarity(a, b)
        sounds = {
            "instruction": instruction,
            "voice": voice if pair.voice is not None else None,
        }
        for name, sound in sounds.items():
            if sound is None:
                continue
            for side, blueprint in sides.items():
                measures[f"speaker_similarity_{name}_{side}"] = speaker_similarity(
                    sound, blueprint
                )
        if pair.voice is not None and voice is None:
            undecoded = PairMeasure.without(COSINE, "the voice could not be decoded")
            measures |= {
                f"speaker_similarity_voice_{side}": undecoded for side in sides
            }
    return measures


def measure_item(
    item: Item, blueprints: Mapping[str, Blueprint]
) -> dict[str, PairMeasure]:
    """Return measures of an item from its blueprints by role; pairs have some."""
    if not isinstance(item, Pair) or item.has_conversations:
        return {}
    requested, voice = blueprints.get("instruction"), blueprints.get("voice")
    return measure_pair(
        item, blueprints["a"], b=blueprints["b"], instruction=requested, voice=voice
    )


def pair_languages(item: Item, blueprints: Mapping[str, Blueprint]) -> dict[str, str]:
    """Return what ``languages_of`` says of a pair."""
    if len(item.answers) < 2:
        return {}
    answers = {
        role: blueprints[role] for role in item.answer_roles if role in blueprints
    }
    instruction = blueprints.get("instruction")
    return languages_of(item.instruction.text, instruction, answers, item.language)


def _rates(
    reference: str, blueprint: Blueprint, provided: str | None
) -> tuple[PairMeasure, PairMeasure]:
    """Count errors of words, then characters, by the reference language's rules."""
    transcript = blueprint.transcript
    if isinstance(transcript, Absent):
        reason = f"group transcript: {transcript.reason}"
        return PairMeasure.without(WER_UNIT, reason), PairMeasure.without(
            CER_UNIT, reason
        )
    written = written_language(reference)
    language = provided or transcript.language if written in (None, UNSURE) else written
    try:
        errors = text_errors(reference, transcript.text, language)
    except (
        Exception
    ) as error:  # a text that jiwer chokes on costs this measure, not the pair
        message = (
            str(error)
            if isinstance(error, UserError)
            else f"{type(error).__name__}: {error}"
        )
        return PairMeasure.without(WER_UNIT, message), PairMeasure.without(
            CER_UNIT, message
        )
    unit = UNSPACED_UNIT if language in UNSPACED else WER_UNIT
    by = f"; {errors.normaliser}"
    return PairMeasure(value=errors.wer, unit=unit + by), PairMeasure(
        value=errors.cer, unit=CER_UNIT + by
    )
