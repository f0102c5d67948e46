"""Every model path on one device: speed, memory, and whether it says what the CPU says.

    python -m benchmarks.devices --device cuda      # make bench-models DEVICE=cuda
    python -m benchmarks.devices --device cpu       # runs the same code, in minutes
    python -m benchmarks.devices --device cuda --checkpoint tiny.en.pt   # real words

Recognisers, emotion2vec and the accent's ECAPA take tiny checkpoints and clips of known
lengths; the reward judge and the scorer's training take tiny networks (published
shapes: :mod:`benchmarks.shapes`). DNSMOS and the networks of voices and sounds are the
real ones, and need no torch (``--only dnsmos``). Per path and batch: seconds of audio
in a second (rows, in training; of CPU, on one), peak memory of the device (of the
process, on a CPU, and for these networks), and the largest difference from the same
work on the CPU in float32, beside its tolerance. Exit code 1: a difference is over its
tolerance. With ``--checkpoint``, a file of openai-whisper's, real recordings of the
data are recognised instead: speed, words, and begins of words.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks import report
from benchmarks.models import MODELS, make
from benchmarks.report import data_folder, lines_of, options_of, save, table
from benchmarks.shapes import CLIP_S, conversations, scorer_of, timed, train
from benchmarks.watch import peak_mb
from blueprints import Absent, Accent, Emotion, Present, Quality, Transcript, UserError
from extractors.audio import Clip, Samples, decode
from extractors.base import Item
from extractors.device import gpu_count, is_gpu
from extractors.dnsmos.extractor import DnsmosExtractor
from extractors.networks import campplus, fireredvad, graphs, yamnet
from tests.support.model_parts import known, voice

#: Lengths of the clips, seconds, and how many are worked on at once.
CLIPS_S = (3.0, 5.0, 8.0, 12.0)
BATCHES = (1, 4)

#: Largest difference from the CPU that is rounding: of the words that differ, as a
#: share; of scores and similarities, absolute; of a reward; of a training's loss, as a
#: share. Halves have 11 bits, bfloat16 has 8.
TOLERANCES = {
    "whisper": 0.05,
    "faster-whisper": 0.05,
    "emotion2vec": 0.01,
    "ecapa": 0.01,
    "reward": 0.1,
    "scorer, training": 0.05,
    "dnsmos": 0.005,
    "campplus": 0.005,
    "fireredvad": 0.005,
    "yamnet": 0.005,
}

#: Network of voices or sounds -> its values of a sound.
SOUND_NETWORKS: dict[str, Callable[[Samples], Any]] = {
    "campplus": campplus.direction,
    "fireredvad": fireredvad.events,
    "yamnet": yamnet.classes,
}

#: A scorer's network that a CPU trains in seconds.
SMALL = {
    "vocab_size": 1000,
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
}
SMALL |= {
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 512,
}


class Measured(NamedTuple):
    """One line of the table."""

    path: str
    batch: int
    speed: float
    memory_mb: float
    difference: float

    @property
    def within(self) -> bool:
        """Whether the device says what the CPU says."""
        return self.difference <= TOLERANCES[self.path]


def difference(one: Present | Absent, other: Present | Absent) -> float:
    """Return how far two groups of one clip are apart; infinite if one is absent."""
    match one, other:
        case Transcript(), Transcript():
            import jiwer

            return float(jiwer.wer(other.text or "-", one.text or "-"))
        case Emotion(), Emotion():
            return max(
                abs(one.scores[name] - value) for name, value in other.scores.items()
            )
        case Accent(), Accent():
            return max(
                abs(one.similarities[n] - value)
                for n, value in other.similarities.items()
            )
    return 0.0 if one == other else float("inf")


def in_parts(extractor: Any, items: Sequence[Item], size: int) -> list[Any]:
    """Extract groups of all clips, so many at once."""
    parts = [items[at : at + size] for at in range(0, len(items), size)]
    return [group for part in parts for group in extractor.extract_batch(part)]


def extracting(name: str, device: str, folder: Path) -> list[Measured]:
    """Run an extractor with a tiny checkpoint, batch by batch."""
    items = [Item(clip, known(clip)) for clip in map(voice, CLIPS_S)]
    made = make(name, folder, device)
    exact = replace(made, device="cpu")
    exact.load()
    wanted = exact.extract_batch(items)
    rows = []
    for batch in BATCHES:
        extractor = replace(made, batch=batch)
        extractor.load()

        result, seconds, memory = timed(
            partial(in_parts, extractor, items, batch), device
        )
        apart = max(map(difference, result, wanted))
        rows.append(Measured(name, batch, sum(CLIPS_S) / seconds, memory, apart))
    return rows


def scores_of(clip: Clip, device: str) -> list[float]:
    """DNSMOS of a clip."""
    quality = DnsmosExtractor(device=device).extract(clip, known(clip))
    assert isinstance(quality, Quality)
    return [quality.sig, quality.bak, quality.ovrl, quality.p808]


def by_onnxruntime(name: str, device: str) -> list[Measured]:
    """Run DNSMOS, or a network of voices or sounds, clip by clip."""
    clips = [*map(voice, CLIPS_S)]

    def values(on: str) -> list[Any]:
        if name == "dnsmos":
            return [scores_of(clip, on) for clip in clips]
        with graphs.on(on):
            return [SOUND_NETWORKS[name](clip.speech) for clip in clips]

    wanted = values("cpu")
    values(device)  # opens it
    clock = time.perf_counter if is_gpu(device) else time.process_time
    result, seconds = report.timed(partial(values, device), clock)
    apart = max(
        float(np.max(np.abs(np.asarray(one) - np.asarray(other))))
        for one, other in zip(result, wanted, strict=True)
    )
    return [Measured(name, 1, sum(CLIPS_S) / seconds, peak_mb(), apart)]


def recordings(
    checkpoint: str, device: str, batches: Sequence[int] = (1, 8, 32)
) -> list[dict[str, Any]]:
    """Transcribe clips of the data by a Whisper, on the CPU and on the device."""
    import jiwer

    from extractors.whisper import WhisperExtractor

    folders = ("prompts", "rate_pairs", "speakbench_pairs")
    files = [
        file
        for name in folders
        for file in sorted((data_folder() / name).rglob("*.wav"))
    ]
    items = [Item(clip, known(clip)) for clip in map(decode, files)]

    def recognised(on: str, batch: int) -> tuple[list[Any], float]:
        extractor = WhisperExtractor(model=checkpoint, device=on, batch=batch)
        extractor.load()
        extractor.extract_batch(items[:2])
        return report.timed(
            lambda: in_parts(extractor, items, batch), time.perf_counter
        )

    wanted, _ = recognised("cpu", 1)
    rows = []
    for batch in batches:
        result, seconds = recognised(device, batch)
        same = [
            pair
            for pair in zip(result, wanted, strict=True)
            if pair[0].text == pair[1].text
        ]
        begins = [
            abs(ours.start_s - theirs.start_s)
            for one, other in same
            for ours, theirs in zip(one.words, other.words, strict=True)
            if ours.start_s is not None and theirs.start_s is not None
        ]
        wanted_texts = [group.text or "-" for group in wanted]
        texts = [group.text or "-" for group in result]
        rows.append(
            {
                "batch": batch,
                "s of audio / s": sum(item.clip.seconds for item in items) / seconds,
                "recordings with the same text": f"{len(same)} of {len(items)}",
                "WER against the CPU": jiwer.wer(wanted_texts, texts),
                "largest difference of a begin, s": max(begins, default=0.0),
            }
        )
    return rows


def rewarding(device: str, folder: Path) -> list[Measured]:
    """Run the reward judge with a tiny Thinker, on the device and on the CPU."""
    from tests.support.tiny_omni import write_reward, write_thinker
    from trace_eval.judges.reward.load import load, locate
    from trace_eval.judges.reward.outputs import rewards

    base = write_thinker(folder / "base")
    files = locate(str(write_reward(folder / "reward", base)), str(base))
    here, exact = (load(files, on) for on in (device, "cpu"))
    requested = conversations(max(BATCHES))
    wanted = rewards(exact, requested)
    rows = []
    for batch in BATCHES:
        result, seconds, memory = timed(
            lambda size=batch: rewards(here, requested, size), device
        )
        apart = float(np.max(np.abs(np.array(result) - np.array(wanted))))
        rows.append(
            Measured("reward", batch, len(requested) * CLIP_S / seconds, memory, apart)
        )
    return rows


def fitting(device: str) -> list[Measured]:
    """Training of a small scorer: the weights after equal steps from equal weights."""
    import torch

    def new(on: str) -> Any:
        torch.manual_seed(0)
        scorer = scorer_of(SMALL, on, 4)
        scorer.backbone.to(torch.float32)
        return scorer

    def weights(on: str, batch: int) -> float:
        scorer = new(on)
        train(scorer, SMALL["vocab_size"], batch, 3)
        with torch.no_grad():
            return sum(
                p.double().abs().sum().item() for p in scorer.backbone.parameters()
            )

    rows = []
    for batch in BATCHES:
        apart = abs(weights(device, batch) / weights("cpu", batch) - 1)
        work = partial(train, new(device), SMALL["vocab_size"], batch, 3)
        _, seconds, memory = timed(work, device)
        rows.append(
            Measured("scorer, training", batch, 3 * batch / seconds, memory, apart)
        )
    return rows


def _without_folder(
    measure: Callable[..., list[Measured]], *arguments: Any
) -> list[Measured]:
    """Measure a path that needs no files: the last argument is their folder."""
    return measure(*arguments[:-1])


def measured(device: str, names: Sequence[str]) -> list[Measured]:
    """All paths; one that cannot run here says why."""
    rows: list[Measured] = []
    with tempfile.TemporaryDirectory() as root:
        paths: dict[str, Callable[[Path], list[Measured]]] = {
            **{name: partial(extracting, name, device) for name in MODELS},
            "reward": partial(rewarding, device),
            "scorer, training": partial(_without_folder, fitting, device),
            **{
                name: partial(_without_folder, by_onnxruntime, name, device)
                for name in ("dnsmos", *SOUND_NETWORKS)
            },
        }
        for name in names:
            folder = Path(root, name.replace(", ", "-"))
            folder.mkdir()
            try:
                rows += paths[name](folder)
            except ImportError as error:
                print(f"{name} is skipped: {error.name} is not installed")
            except UserError as error:
                print(f"{name} is skipped: {error}")
    return rows


def gpu_name(device: str) -> str:
    """Return what torch calls a GPU."""
    import torch

    return str(torch.cuda.get_device_name(device))


def main() -> int:
    """Measure, print, save."""
    parser = options_of(__doc__)
    parser.add_argument("--device", default="cpu", help="cpu, cuda or cuda:N")
    parser.add_argument("--only", choices=list(TOLERANCES), action="append")
    parser.add_argument(
        "--checkpoint", help="of openai-whisper; recognises real recordings"
    )
    arguments = parser.parse_args()
    device = "cuda:0" if arguments.device == "cuda" else arguments.device
    if is_gpu(device) and not gpu_count():
        print(f"benchmarks.devices: there is no {device} here; nothing was measured")
        return 2
    name = gpu_name(device) if is_gpu(device) else "CPU"
    if arguments.checkpoint:
        real = recordings(arguments.checkpoint, device)
        lines_of(f"Real recordings on {name}", real)
        return 0
    rows = measured(device, arguments.only or list(TOLERANCES))
    header = [
        "path",
        "batch",
        "s of audio (rows) / s",
        "peak MB",
        "from CPU",
        "tolerance",
    ]
    table(
        f"Tiny networks on {name}",
        header,
        [[*row, TOLERANCES[row.path]] for row in rows],
    )
    if not arguments.only:
        lines = [{**row._asdict(), "within": row.within} for row in rows]
        save("devices", {"device": name, "tolerances": TOLERANCES, "rows": lines})
    return 0 if all(row.within for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
