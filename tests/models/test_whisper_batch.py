from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest

from blueprints import Absent, Blueprint, Present, Status
from extractors import whisper as whisper_extractor
from extractors.audio import Clip
from extractors.base import Extractor, Item
from extractors.recognised import Decoded
from extractors.whisper import WhisperExtractor
from extractors.whisper_batch import hear_together
from tests.support.audio import write
from tests.support.model_parts import SENTENCE, known, silence, voice
from tests.support.tiny_whisper import write_whisper
from trace_eval.extracting.cache import Cache
from trace_eval.extracting.clip import ClipExtractor
from trace_eval.extracting.source import ClipSource


def items(*clips: Clip) -> list[Item]:
    return [Item(clip, known(clip)) for clip in clips]


def alone(extractor: Extractor, batch: Sequence[Item]) -> list[Present | Absent]:
    return [extractor.extract(item.clip, item.known) for item in batch]


def without_deadlock(call: Callable[[], Any], seconds: float = 120) -> Any:
    """Return the outcome of a call that must come back, and leave no thread behind."""
    found: list[Any] = []

    def run() -> None:
        try:
            found.append(call())
        except BaseException as error:
            found.append(error)

    before = threading.active_count()
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    assert found, "it hangs"
    assert threading.active_count() == before
    if isinstance(found[0], BaseException):
        raise found[0]
    return found[0]


@pytest.fixture
def unsure(tmp_path: Path) -> WhisperExtractor:
    """Return a model that samples: weak positions, a threshold that nothing meets."""
    path = write_whisper(tmp_path / "unsure.pt", SENTENCE, strength=6)
    return WhisperExtractor(
        model=str(path), log_probability=-0.01, language="en", batch=2
    )


def count_windows(model: Any, monkeypatch: pytest.MonkeyPatch) -> dict[str, list[int]]:
    """Count windows of each forward pass from now on, and check the model's state."""
    from whisper.model import MultiHeadAttention

    calls: dict[str, list[int]] = {"decode": [], "detect_language": []}
    for name, counts in calls.items():
        method = getattr(model, name)

        def counting(
            mel: Any, *rest: Any, method: Any = method, counts: list[int] = counts
        ) -> Any:
            counts.append(len(mel) if mel.ndim == 3 else 1)
            # No clip's word alignment is half done meanwhile.
            assert MultiHeadAttention.use_sdpa
            assert not any(
                block.cross_attn._forward_hooks for block in model.decoder.blocks
            )
            return method(mel, *rest)

        monkeypatch.setattr(model, name, counting)
    return calls


def test_a_batch_equals_its_clips_alone_with_fewer_passes(
    whisper_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    extractor = WhisperExtractor(model=str(whisper_file), batch=4)
    batch = items(voice(3.0), voice(45.0), silence(), voice(7.0))
    calls = count_windows(extractor.opened(), monkeypatch)
    single = alone(extractor, batch)
    # 45 s are two windows, 3 and 7 s one each; silence is not looked at.
    assert calls == {"decode": [1] * 4, "detect_language": [1] * 3}
    for counts in calls.values():
        counts.clear()
    # Scores of windows decoded together differ in the seventh digit, those that a
    # transcript keeps have four.
    assert without_deadlock(lambda: extractor.extract_batch(batch)) == single
    assert calls == {"decode": [3, 1], "detect_language": [3]}
    assert isinstance(single[2], Absent)
    assert single[2].status is Status.SILENT


def test_sampled_text_is_that_of_the_clip_alone(
    unsure: WhisperExtractor, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    batch = items(voice(31.0), voice(3.0))
    single = alone(unsure, batch)
    assert all(found.text != SENTENCE for found in single), "nothing was sampled"
    calls = count_windows(unsure.opened(), monkeypatch)
    torch.manual_seed(7)
    state = torch.get_rng_state()
    assert without_deadlock(lambda: unsure.extract_batch(batch)) == single
    assert torch.equal(torch.get_rng_state(), state)
    assert calls["decode"][0] == 2
    # At temperatures 0.2 to 1, five a window, each clip draws for itself.
    assert calls["decode"].count(1) >= 3 * 5


def test_clips_in_several_languages_share_what_they_can(
    whisper_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from whisper import DecodingOptions, log_mel_spectrogram, pad_or_trim

    model = WhisperExtractor(model=str(whisper_file)).opened()
    mel = log_mel_spectrogram(pad_or_trim(voice().speech), model.dims.n_mels)

    def hear(language: str) -> Callable[[Any], Decoded]:
        def told(model: Any) -> Decoded:
            result = model.decode(mel, DecodingOptions(language=language, fp16=False))
            return Decoded([{"text": result.text}], result.language)

        return told

    calls = count_windows(model, monkeypatch)
    heard = without_deadlock(
        lambda: hear_together(model, [hear(x) for x in ("de", "en", "de")])
    )
    assert [each.language for each in heard] == ["de", "en", "de"]
    assert calls["decode"] == [2, 1]


def test_with_a_beam_windows_are_decoded_alone(
    whisper_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    extractor = WhisperExtractor(model=str(whisper_file), beam_size=2, batch=2)
    batch = items(voice(3.0), voice(4.0))
    single = alone(extractor, batch)
    calls = count_windows(extractor.opened(), monkeypatch)
    assert without_deadlock(lambda: extractor.extract_batch(batch)) == single
    assert calls == {"decode": [1, 1], "detect_language": [2]}


def test_one_clip_takes_the_plain_path(
    whisper_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    extractor = WhisperExtractor(model=str(whisper_file), batch=8)
    monkeypatch.setattr(whisper_extractor, "hear_together", None)
    (spoken, silent) = extractor.extract_batch(items(voice(), silence()))
    assert spoken == extractor.extract(voice(), known(voice()))
    assert isinstance(silent, Absent)


@dataclass(frozen=True)
class Told(Extractor):
    """Says that there is speech in everything."""

    name: ClassVar[str] = "told"
    group: ClassVar[str] = "signal"
    version: ClassVar[str] = "1"

    def extract(self, clip: Clip, known_so_far: Blueprint) -> Present | Absent:
        return known(clip).signal


@dataclass(frozen=True)
class Picky(WhisperExtractor):
    """Fails on clips of 5 s, after it has detected their language."""

    def _decode(
        self, model: Any, speech: Any, parts: Any, language: str | None
    ) -> Decoded:
        if len(speech) == 5 * 16_000:
            whisper_extractor.detect(model, speech)
            raise RuntimeError("this clip is cursed")
        return super()._decode(model, speech, parts, language)


def test_a_clip_that_fails_costs_itself_only(
    whisper_file: Path, tmp_path: Path
) -> None:
    extractor = Picky(model=str(whisper_file), batch=3)
    seconds = (3.0, 5.0, 4.0)
    with pytest.raises(RuntimeError, match="cursed"):
        without_deadlock(lambda: extractor.extract_batch(items(*map(voice, seconds))))
    paths = [
        write(tmp_path / f"{number}.wav", voice(length).mono)
        for number, length in enumerate(seconds)
    ]
    clips = ClipExtractor([Told(), extractor], Cache(tmp_path / "cache"))
    outcomes = clips.run([ClipSource(path.name, path) for path in paths])
    transcripts = [each.blueprint.transcript for each in outcomes if each.blueprint]
    assert [group.status for group in transcripts] == ["ok", "failed", "ok"]
    assert "cursed" in transcripts[1].reason
    clips.close()


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_what_stops_the_model_stops_all_clips(
    whisper_file: Path, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    extractor = WhisperExtractor(model=str(whisper_file), batch=2)
    model = extractor.opened()

    def fails(mel: Any, options: Any) -> Any:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(model, "decode", fails)
        with pytest.raises(error):
            without_deadlock(
                lambda: extractor.extract_batch(items(voice(3.0), voice(4.0)))
            )
    assert all(
        found.text == SENTENCE
        for found in without_deadlock(
            lambda: extractor.extract_batch(items(voice(3.0), voice(4.0)))
        )
    )


@pytest.mark.gpu
def test_on_a_gpu_a_batch_has_the_same_text(whisper_file: Path) -> None:
    extractor = WhisperExtractor(model=str(whisper_file), device="cuda")
    assert extractor.batch_size > 1
    batch = items(voice(3.0), voice(45.0), voice(7.0))
    texts = [found.text for found in extractor.extract_batch(batch)]
    assert texts == [found.text for found in alone(extractor, batch)]
