"""The rated sets as clips with ratings, from our folders or public repositories.

A set that is not there, or of which nothing can be read, is left out by name with the
remedy; a clip without its sound, or a rating that is no number on the scale, costs
itself and is counted.
"""

from __future__ import annotations

import csv
import json
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

#: MUSHRA and percentages.
PERCENT = (0.0, 100.0)

#: Standardised means of five raters; ours: nothing beyond is a z-score of ratings.
STANDARDISED = (-6.0, 6.0)

#: Order of the two axes of the listening test's MATLAB file.
SYSTEMS = (
    "noisy",
    "pe-se-bvm",
    "pe-bh-blw",
    "mmse",
    "mmse-se-bvm",
    "mmse-bh-blw",
    "clean",
)
NOISES = (
    "mod-pink-5",
    "mod-pink-10",
    "factory-5",
    "factory-10",
    "babble-5",
    "babble-10",
)

EMOTIONS = {"W": "anger", "L": "boredom", "E": "disgust", "A": "fear"}
EMOTIONS |= {"F": "happiness", "T": "sadness", "N": "neutral"}

#: Scales of the delivery set.
SCALES = ("natural", "trustworthy", "boring", "engaging", "empathetic", "polite")

#: What was planted in it.
PLANTED = ("intensity", "pitch", "rate")

#: Sets of means of raters who are not known -> scale -> its column; the others have a
#: rating a row.
RATINGS = {
    "emotion": {"recognised": "recognised_percent", "natural": "natural_percent"},
    "delivery": {scale: scale for scale in SCALES},
}

#: A rating, or the edges of a turn, as our folders have it, but that ``audio`` is a
#: path.
Row = dict[str, Any]


@dataclass
class Rated:
    """One clip and what human raters said of it.

    Attributes:
        item: its name within the set.
        audio: the recording.
        group: clips are compared with clips of the same group.
        unit: what is drawn together, a sentence, a noise or a speaker.
        condition: what was done to it, or how it was said.
        ratings: scale -> rater -> rating; a mean of raters who are not known has the
            one ``mean``.
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
        """Return the mean rating; NaN where nobody rated it."""
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
    repository, sign, reader = PUBLIC[name]
    ours = data / name / ("edges.csv" if name == "turns" else "ratings.csv")
    try:
        if ours.is_file():
            _take(
                folder,
                ({**row, "audio": ours.parent / row["audio"]} for row in _rows(ours)),
            )
        elif root := _repository(data, sign):
            _take(folder, reader(folder, root))
    except (OSError, UnicodeError, csv.Error, KeyError, ValueError) as error:
        folder.missing = f"{type(error).__name__}: {error}; clone it again"
        return folder
    _keep_what_has_sound(folder)
    if not (folder.clips or folder.edges):
        why = (
            ", ".join(f"{n} x {what}" for what, n in folder.dropped.items())
            or "not found"
        )
        folder.missing = f"{why}; git clone https://github.com/{repository} into {data}"
    return folder


def _repository(data: Path, sign: str) -> Path | None:
    """Find the clone: the folder, or one in it, that has the layout's file."""
    inside = (
        sorted(path for path in data.iterdir() if path.is_dir())
        if data.is_dir()
        else []
    )
    return next((root for root in (data, *inside) if (root / sign).exists()), None)


def _keep_what_has_sound(folder: Folder) -> None:
    def kept(rows: list[Any], why: str, fine: Callable[[Any], bool]) -> list[Any]:
        results = [row for row in rows if fine(row)]
        if lost := len(rows) - len(results):
            folder.dropped[why] += lost
        return results

    for kind in ("clips", "edges"):
        rows = kept(
            getattr(folder, kind), "recording missing", lambda row: row.audio.is_file()
        )
        setattr(folder, kind, rows)
    folder.clips = kept(
        folder.clips, "clip without ratings", lambda clip: any(clip.ratings.values())
    )


def _rows(path: Path) -> Iterator[Row]:
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


# -- rows as our folders have them -----------------------------------------------------


def _take(folder: Folder, rows: Iterable[Row]) -> None:
    """Clips with their ratings, or edges, of rows."""
    clips: dict[tuple[str, str], Rated] = {}
    columns = RATINGS.get(folder.name, {"quality": "rating"})
    for row in rows:
        if folder.name == "turns":
            _edge(folder, row)
            continue
        group, unit, condition, facts = _places(folder.name, row)
        key = (row["item"], group)
        if key not in clips:
            clips[key] = Rated(
                row["item"], row["audio"], group, unit, condition, facts=facts
            )
        elif folder.name in RATINGS:
            folder.dropped["second row of a clip"] += 1
            continue
        rater = "mean" if folder.name in RATINGS else str(row["rater"])
        for scale, column in columns.items():
            _rate(folder, clips[key], scale, row[column], rater)
    folder.clips = list(clips.values())


def _places(name: str, row: Row) -> tuple[str, str, str, dict[str, str]]:
    """(group, unit, condition, facts) of a clip."""
    if name == "emotion":
        emotion = row["emotion"]
        return (
            f"{row['speaker']} {row['text']}",
            row["speaker"],
            emotion,
            {"emotion": emotion},
        )
    if name == "delivery":
        text, voice = row["item"].split("_")[:2]
        facts = {key: row[key] for key in PLANTED}
        return f"{text} {voice}", text, " ".join(facts.values()), facts
    return row["group"], row["group"], row["condition"], {}


def _rate(folder: Folder, clip: Rated, scale: str, text: object, rater: str) -> None:
    try:
        value = float(str(text).replace(",", "."))
    except ValueError:
        value = math.nan
    low, high = STANDARDISED if folder.name == "delivery" else PERCENT
    if low <= value <= high:
        clip.ratings.setdefault(scale, {})[rater] = value
    else:
        folder.dropped["rating off the scale"] += 1


def _edge(folder: Folder, row: Row) -> None:
    start, end = float(row["start_s"]), float(row["end_s"])
    if 0 <= start < end:
        folder.edges.append(
            Edge(row["clip"], row["audio"], int(row["channel"]), start, end)
        )
    else:
        folder.dropped["edges that are no stretch of time"] += 1


# -- the public repositories -----------------------------------------------------------


def _codecs(folder: Folder, root: Path) -> Iterator[Row]:
    base = root / "mushra_results_dataset"
    for row in _rows(base / "ratings_formated_filtered.csv"):
        if not row.get("file"):  # the anchor
            continue
        place = Path(row["file"])
        clip = {
            "item": f"{place.parent.name}_{place.stem}",
            "audio": base / "audio" / place,
        }
        clip |= {"group": row["signal"], "condition": row["condition"]}
        raters, values = json.loads(row["participant_ids"]), json.loads(row["ratings"])
        for rater, value in zip(raters, values, strict=True):
            yield {**clip, "rater": rater, "rating": value}


def _enhanced(folder: Folder, root: Path) -> Iterator[Row]:
    from scipy.io import loadmat

    try:
        ratings = loadmat(root / "matlab" / "icpr_mushra_data.mat")["data"]
    except Exception as error:  # the reader raises what it likes
        raise ValueError(f"icpr_mushra_data.mat: {error}") from error
    if ratings.shape[:2] != (len(SYSTEMS), len(NOISES)):
        raise ValueError(
            f"data is {ratings.shape}, not {len(SYSTEMS)} systems x {len(NOISES)}"
        )
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
            system = (
                rest.removeprefix(f"{noise}-") if rest.startswith(f"{noise}-") else None
            )
            condition = "clean" if clean else system
            if condition not in SYSTEMS:
                continue
            clip = {
                "item": path.stem,
                "audio": path,
                "group": noise,
                "condition": condition,
            }
            for rater, value in enumerate(ratings[SYSTEMS.index(condition), number], 1):
                yield {**clip, "rater": rater, "rating": value}


def _turns(folder: Folder, root: Path) -> Iterator[Row]:
    for labels in sorted((root / "audio_clips").glob("*_labels_manual_rinor.txt")):
        clip = labels.name.removesuffix("_labels_manual_rinor.txt")
        named = {"clip": clip, "audio": labels.parent / f"{clip}.wav"}
        lines = labels.read_text(encoding="utf-8-sig").splitlines()
        for cells in map(str.split, lines):
            if len(cells) >= 3 and (talker := cells[0]) in ("Talker1", "Talker2"):
                channel = int(talker[-1]) - 1
                yield {
                    **named,
                    "channel": channel,
                    "start_s": cells[1],
                    "end_s": cells[2],
                }


def _emotion(folder: Folder, root: Path) -> Iterator[Row]:
    for line in (root / "erkennung.txt").read_text(encoding="latin-1").splitlines():
        cells = [cell.strip() for cell in line.split("\t") if cell.strip()]
        if len(cells) < 4 or not cells[1].lower().endswith(".wav"):
            continue
        item = cells[1][:-4]
        if len(item) < 6 or item[5] not in EMOTIONS:
            folder.dropped["name without an emotion"] += 1
            continue
        said = {"speaker": item[:2], "text": item[2:5], "emotion": EMOTIONS[item[5]]}
        rated = dict(zip(RATINGS["emotion"].values(), cells[2:4], strict=True))
        yield {"item": item, "audio": root / "wav" / f"{item}.wav", **said, **rated}


def _delivery(folder: Folder, root: Path) -> Iterator[Row]:
    sound = {
        path.stem: path
        for path in root.glob("recommendation_polite_audio/q*_wav/*.wav")
    }
    for row in _rows(root / "collected_ratings" / "processed_df_rec_pol.csv"):
        item = row["filename"]
        words = item.split("_")
        try:
            planted = {key: words[words.index(key) + 1] for key in PLANTED}
        except (ValueError, IndexError):
            folder.dropped["name without what was planted"] += 1
            continue
        yield {
            **row,
            "item": item,
            "audio": sound.get(item, root / f"{item}.wav"),
            **planted,
        }


#: Set -> (repository, its file that tells the layout, what reads it).
PUBLIC: dict[str, tuple[str, str, Callable[[Folder, Path], Iterator[Row]]]] = {
    "codecs": (
        "BenjSta/bernoulli-var-speech-codec",
        "mushra_results_dataset/ratings_formated_filtered.csv",
        _codecs,
    ),
    "enhanced": (
        "SiarheiBarysenka/inter-component-phase-speech-enhancement-MUSHRA",
        "matlab/icpr_mushra_data.mat",
        _enhanced,
    ),
    "turns": ("joieli/speech-FTO-naturalness", "audio_clips", _turns),
    "emotion": ("sylaschacko/voice-emotion-analysis", "erkennung.txt", _emotion),
    "delivery": (
        "yyw28/speech_generation",
        "collected_ratings/processed_df_rec_pol.csv",
        _delivery,
    ),
}
