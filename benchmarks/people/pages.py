"""The results as pages: tables of README and docs/results, and a figure per set.

python -m benchmarks.people.pages    # draws docs/people-SET.svg; tables: benchmarks.readme
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.people.figures import HALVES
from benchmarks.report import DOCS, markdown, stored
from trace_eval.show.draw import Point, forest, save

#: A figure as it is saved: value, low, high, pairs or clips, groups.
Saved = list[Any]

#: Number -> its name for people; the first is what the judge decides by.
NAMES = {
    "rules, voice quality": "what `rules` decides by",
    "signal.bandwidth_hz": "bandwidth",
    "quality.p808": "DNSMOS P.808",
    "quality.bak": "DNSMOS BAK",
    "quality.ovrl": "DNSMOS OVRL, personalised",
    "quality.sig": "DNSMOS SIG, personalised",
    "distillmos": "Distill-MOS, its package",
    "deepeval-naturalness": "deepeval, voice naturalness",
    "deepeval-intelligibility": "deepeval, intelligibility",
    "loudness.integrated_lufs": "the louder",
    "signal.duration_s": "the longer",
}

#: Those of README.
FIRST = (
    "rules, voice quality",
    "signal.bandwidth_hz",
    "quality.p808",
    "quality.ovrl",
    "distillmos",
    "deepeval-naturalness",
    "loudness.integrated_lufs",
)

CODECS, ENHANCED = "codecs", "enhanced, no references"

#: No share of fewer pairs is printed: of 16 pairs all can be in order by chance.
LEAST_PAIRS = 30


def concordance(saved: dict[str, Any], part: str, number: str) -> Saved | None:
    """Of a number on a set; None where it was not measured there."""
    row = saved["sets"][part]["numbers"]["quality"].get(number)
    return row["concordance"] if row else None


def shown(figure: Saved | None) -> str:
    """Value and interval, and of how many; nothing of fewer than ``LEAST_PAIRS``."""
    if figure is None or figure[0] is None:
        return "-"
    value, low, high, count, *_ = figure
    if count < LEAST_PAIRS:
        return f"only {count}"
    limits = "" if low is None else f" [{low:.2f}, {high:.2f}]"
    return f"{value:.2f}{limits} of {count}"


def first_table() -> str:
    """README: share of pairs in the order of listeners, at most eight rows."""
    saved = stored("people")
    rows = []
    for number in FIRST:
        figure = concordance(saved, CODECS, number)
        if figure is not None:
            value, low, high, count, *_ = figure
            rows.append((NAMES[number], f"{value:.2f} [{low:.2f}, {high:.2f}]", count))
    half = f"{saved['sets'][CODECS]['ceiling']['concordance']:.2f}"
    rows.append(("half of the listeners, for the other half", half, f"{HALVES} splits"))
    return markdown("number | in the order of listeners | pairs", rows)


def ties_sentence() -> str:
    """Say in README what ``rules`` adds to a number, and if it orders better."""
    saved = stored("people")
    judge = saved["sets"][CODECS]["judges"]["rules"]
    values = (1 - judge["decided"][0], *judge["right"][:3])
    ties, right, low, high = (f"{100 * value:.0f} %" for value in values)
    ours, plain = (concordance(saved, CODECS, name) for name in FIRST[:2])
    assert ours is not None
    assert plain is not None
    ahead = ours[1] > plain[2]
    order = "better than" if ahead else "no better than"
    return (
        f"By this table `rules` puts codecs in order {order} bandwidth alone. What it"
        f" adds are ties and reasons: of the {judge['decided'][3]} pairs that listeners"
        f" decide it leaves {ties} as ties, is right on {right} of the other"
        f" {judge['right'][3]} (95 % interval {low} to {high}), and each verdict names"
        " the measurements behind it. Its steps were chosen on these clips."
    )


def judge_table() -> str:
    """docs/results: decisions of ``rules``, per set."""
    parts = ("decided", "right", "against")
    rows = []
    for name in (CODECS, "enhanced", ENHANCED):
        result = stored("people")["sets"][name]
        for judge in ("rules", "the louder", "the longer"):
            rows.append(
                (name, judge, *(shown(result["judges"][judge][part]) for part in parts))
            )
        half = (f"{result['ceiling'][part]:.2f}" for part in parts)
        rows.append((name, "half of the listeners", *half))
    for name, kinds in _asked():
        for kind, row in kinds.items():
            rows.append(
                (f"{name}, {kind}", "rules", *(shown(row[part]) for part in parts))
            )
    return markdown("pairs | judge | decided | right | against", rows)


def _asked() -> Iterator[tuple[str, dict[str, Any]]]:
    sets = stored("people")["sets"]
    for steps, kinds in sets["delivery"]["asked"].items():
        yield f"planted delivery, {steps}", kinds
    yield "acted emotion", sets["emotion"]["asked"]["emotion"]


def number_table() -> str:
    """Tabulate, for docs/results, quality numbers and others that say something."""
    rows = []
    for part, result in stored("people")["sets"].items():
        for scale, numbers in result.get("numbers", {}).items():
            for number, row in numbers.items():
                says = row["words"] in ("with human labels", "against human labels")
                if row["concordance"][3] < LEAST_PAIRS:
                    continue
                if says or (
                    number in NAMES and scale == "quality" and part != "enhanced"
                ):
                    where = part if scale == "quality" else f"{part}, {scale}"
                    name = NAMES.get(number, f"`{number}`")
                    rows.append((where, name, shown(row["concordance"]), row["words"]))
    return markdown("set, scale | number | concordance | says", rows)


def edge_table() -> str:
    """docs/results: turn edges."""
    rows = []
    for edge, row in stored("people")["sets"]["turns"]["edges"].items():
        cells = [_seconds(row[name]) for name in ("median", "p95", "within", "bias")]
        rows.append((edge, *cells))
    return markdown(
        "edge | median, s | 95th percentile, s | within .1 s | mean, s", rows
    )


def _seconds(figure: Saved) -> str:
    """Value and interval of a few hand-made edges, with their number."""
    value, low, high, count, *_ = figure
    limits = "" if low is None else f" [{low:.2f}, {high:.2f}]"
    return f"{value:.2f}{limits} of {count}"


def agreement_with_listeners(group: str) -> str:
    """Say, for docs/reference/extractors.md, what a group's numbers are good for."""
    saved = stored("people")
    order = saved["sets"]["delivery"]["order"]

    def both(number: str) -> str:
        figure = concordance(saved, CODECS, number)
        return "-" if figure is None else f"{figure[0]:.2f} of {figure[3]}"

    return {
        "signal": f"bandwidth {both('signal.bandwidth_hz')}",
        "quality": ", ".join(
            f"{name} {both(f'quality.{key}')}"
            for name, key in (
                ("P.808", "p808"),
                ("BAK", "bak"),
                ("OVRL", "ovrl"),
                ("SIG", "sig"),
            )
        ),
        "pitch": f"planted pitch {order['pitch'][0]:.2f} of {order['pitch'][3]}",
        "loudness": f"planted loudness {order['intensity'][0]:.2f} of {order['intensity'][3]}",
        "rate": f"planted rate {order['rate'][0]:.2f} of {order['rate'][3]}",
    }.get(group, "not measured")


def draw() -> None:
    """One small picture per set: every number that is printed, with its interval."""
    for name, axis, marks in _pictures():
        points = [
            Point(
                label.replace("`", ""),
                value,
                low,
                high,
                label in ("the louder", "the longer"),
            )
            for label, (value, low, high, *_) in marks
            if value is not None
        ]
        picture = forest(points, axis, None if name == "turns" else (0.0, 1.0))
        # A command writes over nothing that it has no record of, so it draws elsewhere.
        with TemporaryDirectory() as folder:
            drawn = Path(folder) / f"people-{name}.svg"
            save(picture, drawn)
            (DOCS / drawn.name).write_bytes(drawn.read_bytes())


def _pictures() -> Iterator[tuple[str, str, list[tuple[str, Saved]]]]:
    """(name, what the axis shows, marks)."""
    sets = stored("people")["sets"]
    order = "pairs in the order of listeners (chance: .5)"
    for name, part, scale in (
        ("codecs", CODECS, "quality"),
        ("emotion", "emotion", "natural"),
    ):
        rows = sets[part]["numbers"][scale]
        yield (
            name,
            order,
            [(NAMES.get(k, k), row["concordance"]) for k, row in rows.items()],
        )
    marks = [
        (f"{part.split(', ')[-1]}, {kind}: {name}", row[name])
        for part, kinds in _asked()
        if part.startswith("planted")
        for kind, row in kinds.items()
        for name in ("decided", "against")
    ]
    yield "delivery", "pairs that rules decides", marks
    edges = sets["turns"]["edges"]
    marks = [
        (f"{e}: {n}", row[n]) for e, row in edges.items() for n in ("median", "p95")
    ]
    yield "turns", "error of turn edges beside a listener's, s", marks


if __name__ == "__main__":
    draw()


def heard_table() -> str:
    """Return what voices and sounds that nobody asked for say beside listeners."""
    rows = []
    for name, scales in stored("people_heard")["sets"].items():
        for scale, evidence in scales.items():
            of_events = [
                row["clips with"] for kind, row in evidence.items() if kind in _EVENTS
            ]
            likeness = evidence["likeness within"]
            value, low, high, count, _ = likeness.get("in order", [None] * 5)
            order = (
                "-"
                if value is None
                else f"{value:.2f} [{low:.2f}, {high:.2f}] of {count}"
            )
            shown = (f"{name}, {scale}", sum(of_events), likeness["clips with"], order)
            rows.append((*shown, likeness.get("words", "not measured")))
    header = (
        "set | events | likeness known of clips | pairs in order by likeness | says"
    )
    return markdown(header, rows)


#: Events of the groups ``speaker`` and ``sounds``.
_EVENTS = (
    "voice_change",
    "voice_or_mood_change",
    "laughter",
    "vocal_sound",
    "music",
    "tones",
)


def false_sound_table() -> str:
    """Return the clips of speech in which a kind of sound is named."""
    header = "band | speech | clips | laughter | vocal sound | music | tones"
    return markdown(header, stored("sounds")["false"])


def found_sound_table() -> str:
    """Return the sounds that are named as what they are."""
    rows = [
        (band, name, f"{named} of {count}", goal or "-")
        for band, name, named, count, goal in stored("sounds")["found"]
    ]
    return markdown("band | sound | named | goal", rows)
