from __future__ import annotations

import pickle
import shutil
from pathlib import Path

import numpy as np
import pytest

from blueprints import Span, Transcript, UserError
from extractors import device
from extractors.recognised import words_of
from extractors.stretches import first_speech, stretches
from extractors.suspect import suspicions
from extractors.whisper import WhisperExtractor, halve, load_checkpoint
from tests.support.model_parts import SENTENCE, measured, refused, voice
from tests.support.tiny_whisper import write_whisper


def spans(*pairs: tuple[float, float]) -> list[Span]:
    return [Span(start_s=start, end_s=end) for start, end in pairs]


def test_the_chosen_sentence_comes_back_with_word_times(whisper_file: Path) -> None:
    extractor = WhisperExtractor(model=str(whisper_file))
    assert extractor.unavailable() is None
    transcript = measured(extractor, voice(), (0.5, 3.5))
    assert transcript.text == SENTENCE
    assert (transcript.language, transcript.language_source) == ("en", "detected")
    assert transcript.language_probability > 0.9
    assert [word.text for word in transcript.words] == SENTENCE.split()
    assert transcript.suspect == []
    times = [time for word in transcript.words for time in (word.start_s, word.end_s)]
    assert times == sorted(times)
    # Only 0.2 s around the speech were decoded.
    assert times[0] >= 0.3
    assert times[-1] <= 3.7
    assert all(0.5 < word.confidence <= 1 for word in transcript.words)


def test_a_given_language_is_kept_and_said_so(whisper_file: Path) -> None:
    transcript = measured(
        WhisperExtractor(model=str(whisper_file), language="de"), voice()
    )
    assert (transcript.language, transcript.language_source) == ("de", "given")
    assert transcript.language_probability is None


def test_another_language_is_detected(tmp_path: Path) -> None:
    path = write_whisper(tmp_path / "fr.pt", "Bonjour à tous.", language="fr")
    transcript = measured(WhisperExtractor(model=str(path)), voice())
    assert (transcript.text, transcript.language) == ("Bonjour à tous.", "fr")


def test_an_english_model_writes_english_only(tmp_path: Path) -> None:
    path = write_whisper(tmp_path / "tiny.en.pt", SENTENCE, multilingual=False)
    transcript = measured(WhisperExtractor(model=str(path)), voice())
    assert (transcript.text, transcript.language, transcript.language_source) == (
        SENTENCE,
        "en",
        "model",
    )
    with pytest.raises(UserError, match=r"language 'de', but the model knows 1 \(en\)"):
        WhisperExtractor(model=str(path), language="de").load()


def test_an_unknown_language_is_refused(whisper_file: Path) -> None:
    with pytest.raises(UserError, match=r"language 'klingon'.*use one of them"):
        WhisperExtractor(model=str(whisper_file), language="klingon").load()


def test_a_loop_is_flagged(tmp_path: Path) -> None:
    path = write_whisper(tmp_path / "loop.pt", "and then " * 5)
    assert measured(WhisperExtractor(model=str(path)), voice()).suspect == [
        "repetition_loop"
    ]


def test_a_long_clip_is_heard_to_its_end(whisper_file: Path) -> None:
    # 150 s are five windows of 30 s, and the sentence is said in each.
    transcript = measured(WhisperExtractor(model=str(whisper_file)), voice(150.0))
    assert transcript.text == " ".join([SENTENCE] * 5)
    starts = [word.start_s for word in transcript.words if word.text == "Hello"]
    assert [int(start // 30) for start in starts] == [0, 1, 2, 3, 4]


def test_silence_between_speech_is_not_decoded(whisper_file: Path) -> None:
    transcript = measured(
        WhisperExtractor(model=str(whisper_file)), voice(12.0), (0, 2), (8, 10)
    )
    assert transcript.text == f"{SENTENCE} {SENTENCE}"
    assert all(not 2.2 < word.start_s < 7.8 for word in transcript.words)
    assert "text_over_silence" not in transcript.suspect


def test_stretches_join_short_pauses_and_stay_inside() -> None:
    # Pauses of 1 s join, of 3 s part; 0.2 s margins are cut at the ends of the clip.
    parts = stretches(spans((0.1, 1.0), (2.0, 3.0), (6.0, 7.0)), 7.105)
    assert [(s.start_s, s.end_s) for s in parts] == [(0.0, 3.2), (5.8, 7.1)]


def test_language_is_detected_in_thirty_seconds_of_speech() -> None:
    speech = np.arange(40 * 16_000, dtype=np.float32)
    heard = first_speech(speech, spans((1, 11), (15, 40)))
    assert len(heard) == 30 * 16_000
    assert heard[0] == 16_000
    assert heard[10 * 16_000] == 15 * 16_000


def test_missing_times_are_null_and_flagged_and_backward_ones_shared() -> None:
    segment = {
        "text": " one two three four",
        "words": [
            {"word": " one", "start": 0.1, "end": None, "probability": 0.9},
            {"word": " two", "start": 0.5, "end": float("nan"), "probability": 1.00001},
            {"word": " three", "start": 0.9, "end": 0.7, "probability": None},
            {"word": " four", "start": 1.0, "end": 99.0, "probability": 0.5},
        ],
    }
    words = words_of([segment], 2.0)
    # "three" ends before it begins: it shares 0.9 to 2.0 s with "four", 0.04 s each and
    # of the other 1.02 s five and four ninths.
    assert [word.end_s for word in words] == [None, None, 1.507, 2.0]
    assert words[3].start_s == 1.507
    assert [word.confidence for word in words] == [0.9, 1.0, None, 0.5]
    assert "word_end_missing" in suspicions(
        "one two three four", words, spans((0, 2)), 0.4
    )


def test_a_segment_without_words_keeps_its_text() -> None:
    words = words_of([{"text": " two words", "words": []}], 2.0)
    assert [(word.text, word.start_s, word.end_s) for word in words] == [
        ("two", None, None),
        ("words", None, None),
    ]


def test_equal_clips_give_equal_text_whatever_was_drawn_before(tmp_path: Path) -> None:
    import torch

    # Positions hardly stronger than chance, and a threshold that nothing meets: it
    # samples.
    path = write_whisper(tmp_path / "unsure.pt", SENTENCE, strength=6)
    extractor = WhisperExtractor(model=str(path), log_probability=-0.01, language="en")
    texts = []
    for seed in (1, 2):
        torch.manual_seed(seed)
        texts.append(measured(extractor, voice()).text)
    assert texts[0] != SENTENCE, "nothing was sampled"
    assert texts[0] == texts[1]


def test_revision_follows_the_file_and_not_its_path(
    whisper_file: Path, tmp_path: Path
) -> None:
    copy = Path(shutil.copy(whisper_file, tmp_path / "other-name.pt"))
    here, there = (
        WhisperExtractor(model=str(whisper_file)),
        WhisperExtractor(model=str(copy), device="cpu"),
    )
    assert here.provenance() == there.provenance()
    write_whisper(copy, "Something else.")
    assert here.revision() != there.revision()
    assert measured(there, voice()).text == "Something else."
    other = WhisperExtractor(model=str(whisper_file), beam_size=5)
    assert here.provenance() != other.provenance()


def test_options_travel_to_workers(whisper_file: Path) -> None:
    extractor = WhisperExtractor(model=str(whisper_file), beam_size=2)
    again = pickle.loads(pickle.dumps(extractor))
    assert again == extractor
    assert measured(again, voice()).text == SENTENCE


def test_close_forgets_the_model_and_extract_loads_it_again(whisper_file: Path) -> None:
    extractor = WhisperExtractor(model=str(whisper_file))
    extractor.load()
    assert len(device._MODELS) == 1
    extractor.close()
    extractor.close()
    assert device._MODELS == {}
    assert isinstance(measured(extractor, voice()), Transcript)


def test_a_model_that_is_not_here_is_one_line(tmp_path: Path) -> None:
    named = WhisperExtractor(model="base")
    assert named.unavailable() == (
        "whisper: model base is not on this machine; run: trace-eval models fetch"
        " whisper:base"
    )
    assert named.revision() is None
    path = tmp_path / "gone.pt"
    assert str(path) in (WhisperExtractor(model=str(path)).unavailable() or "")
    with pytest.raises(UserError, match="trace-eval models fetch whisper:base"):
        named.load()


def test_a_name_is_found_in_whispers_cache(
    whisper_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (tmp_path / "whisper").mkdir()
    shutil.copy(whisper_file, tmp_path / "whisper" / "large-v3.pt")
    assert measured(WhisperExtractor(model="large"), voice()).text == SENTENCE


def test_damaged_and_foreign_checkpoints_are_refused(
    whisper_file: Path, emotion_folder: Path, tmp_path: Path
) -> None:
    import torch

    cut = tmp_path / "cut.pt"
    cut.write_bytes(whisper_file.read_bytes()[:100_000])
    with refused(cut, "cannot be read as a checkpoint", "fetch it again"):
        WhisperExtractor(model=str(cut)).load()
    empty = tmp_path / "empty.pt"
    empty.write_bytes(b"")
    with refused(empty, "cannot be read as a checkpoint"):
        WhisperExtractor(model=str(empty)).load()
    foreign = emotion_folder / "model.pt"
    with refused(foreign, "is not a Whisper checkpoint"):
        WhisperExtractor(model=str(foreign)).load()
    content = torch.load(whisper_file, weights_only=True)
    partial = tmp_path / "partial.pt"
    content["model_state_dict"].pop("decoder.ln.weight")
    content["model_state_dict"]["decoder.extra"] = torch.zeros(1)
    content["model_state_dict"]["decoder.ln.bias"] = torch.zeros(3)
    torch.save(content, partial)
    with refused(
        partial,
        "1 tensors are missing (decoder.ln.weight)",
        "1 tensors are not part of the model (decoder.extra)",
        "decoder.ln.bias is 3, the model has 64",
    ):
        WhisperExtractor(model=str(partial)).load()
    assert device._MODELS == {}


class Bomb:
    """Writes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return Path.touch, (self.path,)


def test_a_checkpoint_cannot_run_code(tmp_path: Path) -> None:
    import torch

    path, mark = tmp_path / "bomb.pt", tmp_path / "exploded"
    torch.save({"dims": {}, "model_state_dict": Bomb(mark)}, path)
    with refused(path, "holds more than tensors"):
        WhisperExtractor(model=str(path)).load()
    assert not mark.exists()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"device": "gpu"}, "device 'gpu' is unknown; use auto, cpu, cuda or cuda:N"),
        ({"device": "cuda:99"}, "device 'cuda:99'"),
        ({"beam_size": 0}, "beam_size 0"),
    ],
)
def test_options_are_checked(
    whisper_file: Path, options: dict[str, object], told: str
) -> None:
    with pytest.raises(UserError, match=told):
        WhisperExtractor(model=str(whisper_file), **options).load()  # type: ignore[arg-type]


def test_half_precision_keeps_what_computes_in_single(whisper_file: Path) -> None:
    import torch

    model = load_checkpoint(whisper_file, "cpu")
    before = sum(p.numel() * p.element_size() for p in model.parameters())
    halve(model)
    after = sum(p.numel() * p.element_size() for p in model.parameters())
    assert after < before
    assert model.decoder.ln.weight.dtype is torch.float32
    assert model.decoder.blocks[0].attn.query.weight.dtype is torch.float16
    # The library computes in half precision on a GPU only; its parts do so here too.
    import whisper
    from whisper.timing import find_alignment
    from whisper.tokenizer import get_tokenizer

    mel = whisper.log_mel_spectrogram(whisper.pad_or_trim(voice().speech), 80).half()
    assert model.decode(mel, whisper.DecodingOptions(fp16=True)).text == SENTENCE
    assert model.detect_language(mel)[1]["en"] > 0.9
    tokenizer = get_tokenizer(True, num_languages=model.num_languages, language="en")
    words = find_alignment(model, tokenizer, tokenizer.encode(" Hello there"), mel, 400)
    assert [word.word for word in words] == [" Hello", " there"]


@pytest.mark.gpu
def test_on_a_gpu_the_text_is_the_same(whisper_file: Path) -> None:
    import torch

    before = torch.cuda.memory_allocated()
    extractor = WhisperExtractor(model=str(whisper_file), device="cuda")
    assert measured(extractor, voice()).text == SENTENCE
    assert torch.cuda.memory_allocated() > before
    extractor.close()
    assert torch.cuda.memory_allocated() == before
