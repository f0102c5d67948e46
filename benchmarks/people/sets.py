"""The rated sets, as clips with ratings: from our folders, or from the public repositories.

A set that is not there, or of which nothing can be read, is left out by name with the remedy; a
clip without its sound, or a rating that is no number on the scale, costs itself and is counted.
"""

from __future__ import annotations

import csv
import json
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

#: Set -> (repository, its file that tells the layout).
PUBLIC = {
    "codecs": (
        "BenjSta/bernoulli-var-speech-codec",
        "mushra_results_dataset/ratings_formated_filtered.csv",
    ),
    "enhanced": (
        "SiarheiBarysenka/inter-component-phase-speech-enhancement-MUSHRA",
        "matlab/icpr_mushra_data.mat",
    ),
    "turns": ("joieli/speech-FTO-naturalness", "audio_clips"),
    "emotion": ("sylaschacko/voice-emotion-analysis", "erkennung.txt"),
    "delivery": ("yyw28/speech_generation", "collected_ratings/processed_df_rec_pol.csv"),
}

#: MUSHRA and percentages.
PERCENT = (0.0, 100.0)

#: Standardised means of five raters; ours: nothing beyond is a z-score of ratings.
STANDARDISED = (-6.0, 6.0)

#: Order of the two axes of the listening test's MATLAB file.
SYSTEMS = ("noisy", "pe-se-bvm", "pe-bh-blw", "mmse", "mmse-se-bvm", "mmse-bh-blw", "clean")
NOISES = ("mod-pink-5", "mod-pink-10", "factory-5", "factory-10", "babble-5", "babble-10")

EMOTIONS = {"W": "anger", "L": "boredom", "E": "disgust", "A": "fear"}
EMOTIONS |= {"F": "happiness", "T": "sadness", "N": "neutral"}

#: Scales of the delivery set.
SCALES = ("natural", "trustworthy", "boring", "engaging", "empathetic", "polite")


@dataclass
class Rated:
    """One clip and what human raters said of it.

    Attributes:
        item: its name within the set.
        audio: the recording.
        group: clips are compared with clips of the same group.
        unit: what is drawn together, a sentence, a noise or a speaker.
        condition: what was done to it, or how it was said.
        ratings: scale -> rater -> rating; a mean of raters who are not known has the one ``mean``.
        facts: what else the set says of it.
    """

    item: str
    audio: Path
    group: str
    unit: str
    condition: str
    ratings: dict[str, dict[str, float]] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)

    def mean(self, scale: str) -> float:
        """The mean rating; NaN where nobody rated it."""
        values = list(self.ratings.get(scale, {}).values())
        return math.fsum(values) / len(values) if values else math.nan


@dataclass(frozen=True)
class Edge:
    """Where a listener put the turn of one channel of a two-channel clip, seconds."""

    clip: str
    audio: Path
    channel: int
    start_s: float
    end_s: float


@dataclass
class Folder:
    """One set as it was read.

    Attributes:
        name: of the set.
        clips: what was rated.
        edges: of the set ``turns``, which has no ratings.
        dropped: why -> how many rows or clips were left out.
        missing: why there is nothing, with the remedy; None: there is something.
    """

    name: str
    clips: list[Rated] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)
    missing: str | None = None


def read_sets(data: Path) -> list[Folder]:
    """All five sets, in order; those that cannot be read say why."""
    return [_read(name, data) for name in PUBLIC]


def _read(name: str, data: Path) -> Folder:
    folder = Folder(name)
    repository, sign = PUBLIC[name]
    ours = data / name
    try:
        if (ours / ("edges.csv" if name == "turns" else "ratings.csv")).is_file():
            _ours(folder, ours)
        elif root := _repository(data, sign):
            _THEIRS[name](folder, root)
    except (OSError, UnicodeError, csv.Error, KeyError, ValueError) as error:
        folder.missing = f"{type(error).__name__}: {error}; clone it again"
        return folder
    _keep_what_has_sound(folder)
    if not (folder.clips or folder.edges):
        why = ", ".join(f"{n} x {what}" for what, n in folder.dropped.items()) or "not found"
        folder.missing = f"{why}; git clone https://github.com/{repository} into {data}"
    return folder


def _repository(data: Path, sign: str) -> Path | None:
    """The clone: the folder itself, or one in it, that has the file that tells the layout."""
    inside = sorted(path for path in data.iterdir() if path.is_dir()) if data.is_dir() else []
    return next((root for root in (data, *inside) if (root / sign).exists()), None)


def _keep_what_has_sound(folder: Folder) -> None:
    def kept(rows: list[Any], why: str, fine: Callable[[Any], bool]) -> list[Any]:
        results = [row for row in rows if fine(row)]
        if lost := len(rows) - len(results):
            folder.dropped[why] += lost
        return results

    for kind in ("clips", "edges"):
        rows = kept(getattr(folder, kind), "recording missing", lambda row: row.audio.is_file())
        setattr(folder, kind, rows)
    folder.clips = kept(
        folder.clips, "clip without ratings", lambda clip: any(clip.ratings.values())
    )


def _rate(folder: Folder, clip: Rated, scale: str, text: object, rater: str = "mean") -> None:
    try:
        value = float(str(text).replace(",", "."))
    except ValueError:
        value = math.nan
    low, high = STANDARDISED if folder.name == "delivery" else PERCENT
    if low <= value <= high:
        clip.ratings.setdefault(scale, {})[rater] = value
    else:
        folder.dropped["rating off the scale"] += 1


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


# -- our folders ------------------------------------------------------------------------------


def _ours(folder: Folder, root: Path) -> None:
    if folder.name == "turns":
        for row in _rows(root / "edges.csv"):
            _edge(folder, row["clip"], root / row["audio"], row["channel"], row)
        return
    clips: dict[str, Rated] = {}
    for row in _rows(root / "ratings.csv"):
        item = row["item"]
        if item not in clips or folder.name in ("emotion", "delivery"):
            if item in clips:
                folder.dropped["second row of a clip"] += 1
                continue
            group, unit, condition, facts = _places(folder.name, row)
            clips[item] = Rated(item, root / row["audio"], group, unit, condition, facts=facts)
        if folder.name == "delivery":
            for scale in SCALES:
                _rate(folder, clips[item], scale, row[scale])
        elif folder.name == "emotion":
            for scale in ("recognised", "natural"):
                _rate(folder, clips[item], scale, row[f"{scale}_percent"])
        else:
            _rate(folder, clips[item], "quality", row["rating"], row["rater"])
    folder.clips = list(clips.values())


def _places(name: str, row: Mapping[str, str]) -> tuple[str, str, str, dict[str, str]]:
    """(group, unit, condition, facts) of a clip."""
    if name == "emotion":
        return _spoken(row["speaker"], row["text"], row["emotion"])
    if name == "delivery":
        return _planted(row["item"], {key: row[key] for key in ("intensity", "pitch", "rate")})
    return row["group"], row["group"], row["condition"], {}


def _spoken(speaker: str, text: str, emotion: str) -> tuple[str, str, str, dict[str, str]]:
    return f"{speaker} {text}", speaker, emotion, {"emotion": emotion}


def _planted(item: str, facts: dict[str, str]) -> tuple[str, str, str, dict[str, str]]:
    text, voice = item.split("_")[:2]
    return f"{text} {voice}", text, " ".join(facts.values()), facts


def _edge(folder: Folder, clip: str, audio: Path, channel: object, row: Mapping[str, str]) -> None:
    start, end = float(row["start_s"]), float(row["end_s"])
    if 0 <= start < end:
        folder.edges.append(Edge(clip, audio, int(str(channel)), start, end))
    else:
        folder.dropped["edges that are no stretch of time"] += 1


# -- the public repositories ------------------------------------------------------------------


def _codecs(folder: Folder, root: Path) -> None:
    base = root / "mushra_results_dataset"
    for row in _rows(base / "ratings_formated_filtered.csv"):
        if not row.get("file"):  # the anchor
            continue
        place = Path(row["file"])
        item = f"{place.parent.name}_{place.stem}"
        clip = Rated(item, base / "audio" / place, row["signal"], row["signal"], row["condition"])
        raters, values = json.loads(row["participant_ids"]), json.loads(row["ratings"])
        for rater, value in zip(raters, values, strict=True):
            _rate(folder, clip, "quality", value, str(rater))
        folder.clips.append(clip)


def _enhanced(folder: Folder, root: Path) -> None:
    from scipy.io import loadmat

    try:
        ratings = loadmat(root / "matlab" / "icpr_mushra_data.mat")["data"]
    except Exception as error:  # the reader raises what it likes
        raise ValueError(f"icpr_mushra_data.mat: {error}") from error
    if ratings.shape[:2] != (len(SYSTEMS), len(NOISES)):
        raise ValueError(f"data is {ratings.shape}, not {len(SYSTEMS)} systems x {len(NOISES)}")
    sound = sorted(root.glob("**/configs/resources/audio/*.wav"))
    talkers: dict[str, set[str]] = defaultdict(set)
    for path in sound:
        for noise in NOISES:
            if f"-{noise}-" in path.stem:
                talkers[noise].add(path.stem.split("-")[0])
    for path in sound:
        talker, _, rest = path.stem.partition("-")
        for number, noise in enumerate(NOISES):
            clean = rest == "clean" and talker in talkers[noise]
            system = rest.removeprefix(f"{noise}-") if rest.startswith(f"{noise}-") else None
            condition = "clean" if clean else system
            if condition not in SYSTEMS:
                continue
            clip = Rated(path.stem, path, noise, noise, str(condition))
            for rater, value in enumerate(ratings[SYSTEMS.index(str(condition)), number], 1):
                _rate(folder, clip, "quality", value, str(rater))
            folder.clips.append(clip)


def _turns(folder: Folder, root: Path) -> None:
    for labels in sorted((root / "audio_clips").glob("*_labels_manual_rinor.txt")):
        clip = labels.name.removesuffix("_labels_manual_rinor.txt")
        lines = labels.read_text(encoding="utf-8-sig").splitlines()
        for cells in map(str.split, lines):
            if len(cells) >= 3 and (talker := cells[0]) in ("Talker1", "Talker2"):
                row = {"start_s": cells[1], "end_s": cells[2]}
                _edge(folder, clip, labels.parent / f"{clip}.wav", int(talker[-1]) - 1, row)


def _emotion(folder: Folder, root: Path) -> None:
    for line in (root / "erkennung.txt").read_text(encoding="latin-1").splitlines():
        cells = [cell.strip() for cell in line.split("\t") if cell.strip()]
        if len(cells) < 4 or not cells[1].lower().endswith(".wav"):
            continue
        item = cells[1][:-4]
        if len(item) < 6 or item[5] not in EMOTIONS:
            folder.dropped["name without an emotion"] += 1
            continue
        group, unit, condition, facts = _spoken(item[:2], item[2:5], EMOTIONS[item[5]])
        clip = Rated(item, root / "wav" / f"{item}.wav", group, unit, condition, facts=facts)
        for scale, text in zip(("recognised", "natural"), cells[2:4], strict=True):
            _rate(folder, clip, scale, text)
        folder.clips.append(clip)


def _delivery(folder: Folder, root: Path) -> None:
    sound = {path.stem: path for path in root.glob("recommendation_polite_audio/q*_wav/*.wav")}
    for row in _rows(root / "collected_ratings" / "processed_df_rec_pol.csv"):
        item = row["filename"]
        words = item.split("_")
        try:
            facts = {key: words[words.index(key) + 1] for key in ("intensity", "pitch", "rate")}
        except (ValueError, IndexError):
            folder.dropped["name without what was planted"] += 1
            continue
        group, unit, condition, _ = _planted(item, facts)
        audio = sound.get(item, root / f"{item}.wav")
        clip = Rated(item, audio, group, unit, condition, facts=facts)
        for scale in SCALES:
            _rate(folder, clip, scale, row[scale])
        folder.clips.append(clip)


_THEIRS: dict[str, Callable[[Folder, Path], None]] = {
    "codecs": _codecs,
    "enhanced": _enhanced,
    "turns": _turns,
    "emotion": _emotion,
    "delivery": _delivery,
}
