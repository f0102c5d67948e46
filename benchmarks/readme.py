"""Tables of README and docs that are written from benchmarks/results.

python -m benchmarks.readme            # rewrites them
python -m benchmarks.readme --check    # exit 1 when one is not what the results say
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from functools import partial
from typing import Any

from benchmarks import cues, large_runs, many_clips, take_home
from benchmarks.coverage.rows import MOST
from benchmarks.drill.outcome import Outcome
from benchmarks.languages import page_table
from benchmarks.people import pages
from benchmarks.report import ROOT, markdown, renew, stored
from trace_eval.judges.beside.steps import DELIVERY, VOICE, VOICE_WITH_DISTILLMOS

Results = dict[str, Any]

#: What is published of judges of naturalness, and the judges that README names.
CARD = ROOT / "trace_eval" / "decide" / "published.toml"
PRINTED = ("DNSMOS", "GPT-4o audio", "Gemini-2.5-Flash", "SpeechJudge-GRM, SFT and RL")


def _cpu(results: Results) -> str:
    share = results["cpu_s_per_audio_s"]
    recognised = next(
        value for name, value in share.items() if name.startswith("transcript=")
    )
    rest = share["all but transcript"]
    return (
        f"{share['all']:.3f} (speech recognition {recognised:.3f}, all else {rest:.3f})"
    )


def _dnsmos_difference(results: Results) -> str:
    most = max(row["max |difference|"] for row in results["lengths"])
    return f"{most:.0e}".replace("e-0", "e-")


def _memory(results: Results) -> str:
    processes = results["memory"]["processes"]
    peak = max(row["peak MB"] for row in processes)
    ratio = max(row["last fifth / second"] for row in processes)
    return f"{peak:.0f} MB / {ratio:.2f} ({results['memory']['pairs']:,} pairs)"


def _hearing(results: Results) -> str:
    lines = {row["recogniser"]: row for row in results["lines"]}
    old = next(
        row for name, row in lines.items() if name.endswith("the library's defaults")
    )
    new = next(row for name, row in lines.items() if name.endswith("(screen)"))
    errors = (
        f"{100 * new['word error rate']:.1f} % against"
        f" {100 * old['word error rate']:.1f} %"
    )
    return f"{errors} / {new['CPU s / s'] / old['CPU s / s']:.2f} of it"


def naive_times(results: Results, clips: str) -> float:
    """Return how many times less CPU than the plain loop a set of clips takes."""
    return float(results[clips][-1]["times"])


def _naive(results: Results) -> str:
    sets = ("prompts", "codecs")
    return " / ".join(f"{naive_times(results, clips):.1f} times less" for clips in sets)


def _flat(kind: str, results: Results) -> str:
    """Write what grew over the clips of one folder or tar."""
    ratios = many_clips.growth(results[kind]["rows"]).values()
    return " / ".join(f"{ratio:.2f}" for ratio in ratios)


def _million(key: str) -> str:
    return f"{{{key}[CPU, s]:.0f}} s / {{{key}[peak GiB]:.1f}} GiB"


_WHOLE = "compact of paper"

#: Benchmark -> what it measured -> its value: a format of the results, or by a function
#: of them.
ROWS: dict[str, dict[str, str | Callable[[Results], str]]] = {
    "extract": {
        "pairs per minute of the five real pairs, 9 to 103 s per answer": "{pairs_per_minute:.1f}",
        "CPU seconds per second of audio": _cpu,
        "peak memory of the largest process": "{peak_mb} MB",
    },
    "dnsmos": {
        "DNSMOS and P.808 against `speechmos`, CPU time, 15-30 s / 60 s and more": (
            "{lengths[2][ratio]:.1f} / {lengths[4][ratio]:.1f} times less"
        ),
        "DNSMOS, largest difference from `speechmos`": _dnsmos_difference,
    },
    "fidelity": {
        "loudness, largest difference from ffmpeg": (
            "{loudness, largest difference from ffmpeg on 25 clips, LU:.2f} LU"
        ),
    },
    "hearing": {
        (
            "word error rate on ten spoken prompts / CPU time, the default against the"
            " plain library"
        ): (_hearing),
    },
    "naive": {
        (
            "CPU time against a plain loop over the same libraries, 24 prompts / 40"
            " codecs"
        ): _naive,
    },
    "tokens": {
        "prompt tokens per pair, `compact` against `paper`": (
            f"{{{_WHOLE}[all pairs]:.2f}} (worst pair {{{_WHOLE}[worst pair]:.2f}})"
        ),
        "tokens of a call on the five real pairs, `compact` / `brief` (at most)": (
            "{a call[compact][mean]:,.0f} / {a call[brief][mean]:,.0f} ({a"
            " call[brief][most]:,})"
        ),
    },
    "judge_overhead": {
        "CPU per LLM call / efficiency at 64 / at 256 calls of 200 ms in flight": (
            "{CPU per call[CPU ms per call]:.1f} ms, {CPU per call[of it ours]:.2f} of"
            " it ours / {concurrency[efficiency]:.2f} / {concurrency,"
            " 256[efficiency]:.2f}"
        ),
    },
    "pipeline": {
        "10,000 pairs through all stages: speed of the last tenth against the first": (
            "{stream[last tenth / first]:.2f}"
        ),
        "memory of a worker over a run: peak / last fifth against second": _memory,
        "two workers against one": "{scale[scaling]:.2f} times faster",
    },
    "many_clips": {
        "10,000 clips of 3 s from one tar, without networks: the last tenths against"
        " the first in CPU time / memory / open files": partial(_flat, "tar"),
        "the same from one folder": partial(_flat, "folder"),
    },
    "million": {
        "`agree` of 1,000,000 verdicts and labels, CPU / peak memory": _million(
            "agree"
        ),
        (
            "`rank --cluster --labels` of 1,000,000 verdicts and labels, CPU / peak"
            " memory"
        ): (_million("rank --cluster")),
        "`agree` of 1,000,000 scores and 3,000,000 ratings, CPU / peak memory": (
            _million("agree, scores")
        ),
    },
    "report_size": {
        "report of 1,000 pairs: size / until usable": (
            "{rows[0][size_mb]:.0f} MB / {rows[0][interactive_s]:.1f} s"
        ),
    },
}


def _speed() -> str:
    """Row by row, with the processor that each was measured on."""
    rows = []
    for benchmark, figures in ROWS.items():
        result = stored(benchmark)
        processor = str(result["machine"]["processor"]).replace("(R)", "")
        for what, value in figures.items():
            shown = value.format(**result) if isinstance(value, str) else value(result)
            rows.append(
                (what, shown, f"`{benchmark}`", processor.removesuffix(" Processor"))
            )
    return markdown("what | value | benchmark | processor", rows)


#: Parts of the drill, in the order of the table.
DRILL = ("kills", "inputs", "guided", "surroundings", "odd", "sounds", "faults")


def _drill() -> str:
    """Write what was tried to break the tool."""
    parts = [stored(f"drill_{name}") for name in DRILL]
    seeds: set[int] = set()
    rows = []
    for part in parts:
        seeds.add(part.pop("seed"))
        part.pop("machine", None)
        rows.append(Outcome(**part).row())
    table = markdown("tried | cases | lost | of which | s", rows)
    return f"{table}\n\nSeed {', '.join(map(str, sorted(seeds)))}."


def _columns(name: str, part: str, header: str, *columns: str) -> str:
    """Write a table of some columns of a result's rows, each by its name.

    Without columns, all are written.
    """
    rows: dict[str, Results] = stored(name)[part]
    lines = []
    for key, row in rows.items():
        cells = [row[column] for column in columns or row]
        lines.append((key.replace("_", " "), *cells))
    return markdown(header, lines)


#: Name of the table -> the result, its part, the headings, and the columns.
DEFECTS = {
    "defects, planted": (
        *("defects", "planted"),
        "planted | clips | recall | precision | wrong | at another defect | median"
        " error, s | spans within .1 s",
    ),
    "defects, clean": (
        *("defects", "clean"),
        "set | clips | without | but an end | cut to exactly 2 s",
        *(
            "clips",
            "without an event",
            "without one but an abrupt end",
            "exactly 2 s long",
        ),
    ),
    "defects, pairs": (
        *("defects_rules", "pairs"),
        (
            "planted | pairs | prefers the clean one | so without the group | names the"
            " defect"
        ),
        *("pairs", "with the group: clean", "without it: clean", "unacceptable"),
    ),
    "defects, wordless": (
        *("wordless", "kinds"),
        "made | clips | speech detected | words recognised | voiced | harmonicity, dB |"
        " pairs | unscored",
        *("clips", "speech", "words", "voiced", "harmonicity, dB", "pairs", "unscored"),
    ),
}


def _rated_defects() -> str:
    """Return the figures of defects on the first scale of each rated set."""
    rows = []
    for name, scales in stored("people")["defects"].items():
        scale, kinds = next(iter(scales.items()))
        for kind, row in kinds.items():
            if kind != "any" and row["clips with"]:
                value, low, high, *_ = row["difference"]
                limits = "" if low is None else f" [{low:.1f}, {high:.1f}]"
                shown = f"{value:+.1f}{limits}"
                rows.append((f"{name}, {scale}", kind, row["clips with"], shown))
    return markdown("set | kind | clips with | rating with less without", rows)


def _intervals() -> str:
    """Tabulate how often 95 % intervals of win rates hold, by how labels were drawn."""
    designs: dict[str, list[Results]] = {}
    for world, row in stored("coverage_intervals")["worlds"].items():
        designs.setdefault(re.sub(r".*labels.*?, (\w+).*:.*", r"\1", world), []).append(
            row
        )
    rows = []
    for design, some in designs.items():
        held = [row["both"]["share"] for row in some]
        widths = [row["against labels only"] for row in some]
        counts = [row["judge counts"] for row in some]
        above = sum(share > MOST for share in held)
        shares = (f"{min(held):.1%}", f"{max(held):.1%}", above)
        ratio = f"{min(widths):.2f} to {max(widths):.2f}"
        rows.append(
            (
                design,
                len(some),
                *shares,
                ratio,
                f"{min(counts):.0%} to {max(counts):.0%}",
            )
        )
    return markdown(
        (
            "labels drawn | worlds | held, least | most | above 97 % | width ratio |"
            " judge counts"
        ),
        rows,
    )


#: What a world of equals begins with -> what it is called in the table.
_EQUALS = {
    "equal systems": "two equal systems, several pairs of an instruction",
    "equal judges": "two equal judges, several pairs of an instruction",
    "": "two equal systems, a judge that leaves their losses or wins unscored, labels",
}


def _equals() -> str:
    """Tabulate how often an equal is shown better, and how often intervals hold."""
    kinds: dict[str, list[Results]] = {words: [] for words in _EQUALS.values()}
    for world, row in stored("coverage_claims")["worlds"].items():
        if "shown" in row:
            start = next(start for start in _EQUALS if world.startswith(start))
            kinds[_EQUALS[start]].append(row)
    rows = []
    for words, some in kinds.items():
        shown = [row["shown"]["share"] for row in some]
        held = min(row["held"]["share"] for row in some)
        rows.append(
            (words, len(some), f"{min(shown):.1%} to {max(shown):.1%}", f"{held:.1%}")
        )
    return markdown(
        "worlds | number | one shown to be better | interval held, least", rows
    )


def _calls() -> str:
    """How often limits of figures of calls hold, where most draws have them."""
    held: dict[str, list[float]] = {}
    for world, row in stored("coverage_claims")["worlds"].items():
        figures = row.items() if world.startswith("latencies") else ()
        for figure, one in figures:
            if isinstance(one, dict) and one["given"] >= 0.5:
                held.setdefault(figure, []).append(one["held"])
    rows = [(name, len(some), f"{min(some):.1%}") for name, some in held.items()]
    return markdown("figure | worlds | held, least", rows)


def _draws() -> str:
    """How often ``screen`` decides a part that it must not, and decides anything."""
    rows = []
    for name, row in stored("coverage_screen")["worlds"].items():
        shares = (row["violations"]["share"], row["decided"], row["refused"])
        rows.append((name, *(f"{share:.1%}" for share in shares)))
    return markdown("world | wrong decisions | decided | no promise was made", rows)


def _published() -> str:
    """README: what judges of naturalness reach in print."""
    printed = tomllib.loads(CARD.read_text(encoding="utf-8"))
    rows = {name: share for name, *_, share in printed["accuracy"]}
    said = ", ".join(f"{name} {rows[name]:.0f} %" for name in PRINTED)
    return (
        "Published judges of naturalness prefer the recording that people prefer in"
        f" this share of 1,000 pairs ({printed['source']}; none was run here): {said};"
        " chance is 50 %."
    )


def _costs() -> str:
    """README: what a judge costs."""
    cpu = stored("extract")["cpu_s_per_audio_s"]["all"]
    prompts, codecs = (
        naive_times(stored("naive"), clips) for clips in ("prompts", "codecs")
    )
    tokens = stored("tokens")["a call"]["compact"]["mean"]
    return (
        f"`rules` costs only computing time, {cpu:.3f} CPU seconds per second of audio"
        " ([large runs](docs/how-to/large-runs.md)):"
        f" {prompts:.1f} to {codecs:.1f} times less"
        " than a plain loop over the same libraries. An LLM judges each pair in both"
        f" orders, two calls of {tokens:,.0f} tokens on average."
    )


def _price() -> str:
    """docs/how-to/language-models.md: what a thousand pairs cost."""
    calls = stored("tokens")["a call"]
    compact, brief = (calls[name]["mean"] for name in ("compact", "brief"))
    return (
        "Each pair costs two calls, one per order, of about"
        f" {compact:,.0f} input tokens each: with `{large_runs.MODEL[1]}`, about US$"
        f" {large_runs.usd(1000, 'compact'):.2f} per 1,000 pairs. `-J rendering=brief`"
        f" needs {100 * brief / compact:.0f} % of the tokens."
    )


def _steps() -> str:
    """docs/explanation/how-good.md: every step, from the code."""
    groups = {
        "voice quality": VOICE,
        "voice quality, Distill-MOS measured": VOICE_WITH_DISTILLMOS[:-1],
        "delivery": DELIVERY,
    }
    rows = [
        (name, step.label, step.printed, step.source)
        for name, steps in groups.items()
        for step in steps
    ]
    return markdown("of | measure | one step | known from", rows)


MEASUREMENTS, COVERAGE = (
    "docs/contributors/measurements.md",
    "docs/contributors/coverage.md",
)
LARGE, LISTENERS = "docs/how-to/large-runs.md", "docs/results/listeners.md"
MODELS = "docs/how-to/language-models.md"
HOW_GOOD, LANGUAGES = "docs/explanation/how-good.md", "docs/explanation/languages.md"

#: (page, name of the table in its marks, what writes it).
TABLES: tuple[tuple[str, str, Callable[[], str]], ...] = (
    ("README.md", "readers", take_home.table),
    ("README.md", "listeners", pages.first_table),
    ("README.md", "judges", lambda: f"{pages.ties_sentence()}\n\n{_published()}"),
    ("README.md", "costs", _costs),
    (MODELS, "price", _price),
    (HOW_GOOD, "steps", _steps),
    (LISTENERS, "judges", pages.judge_table),
    (LISTENERS, "numbers", pages.number_table),
    (LISTENERS, "edges", pages.edge_table),
    (MEASUREMENTS, "how fast", _speed),
    (LANGUAGES, "languages", lambda: page_table(stored("languages")["languages"])),
    *((LISTENERS, name, partial(_columns, *row)) for name, row in DEFECTS.items()),
    (LISTENERS, "defects, rated", _rated_defects),
    (LISTENERS, "sounds in speech", pages.false_sound_table),
    (LISTENERS, "sounds", pages.found_sound_table),
    (LISTENERS, "voices and sounds, rated", pages.heard_table),
    (
        *(LISTENERS, "defects, cost"),
        lambda: (
            "Seed {seed}; it took {cpu_s_per_s:.4f} CPU s per s of mono at 16 kHz.".format(
                **stored("defects")
            )
        ),
    ),
    (MEASUREMENTS, "drill", _drill),
    (COVERAGE, "intervals", _intervals),
    (COVERAGE, "equals", _equals),
    (COVERAGE, "calls", _calls),
    (COVERAGE, "draws", _draws),
    (LARGE, "extraction", large_runs.extraction),
    (LARGE, "calls", large_runs.calls),
    (LARGE, "local", large_runs.local),
    (LARGE, "on ray", large_runs.judged_on_ray),
    ("docs/reference/api.md", "cues", cues.table),
    ("docs/reference/api.md", "needed", cues.pairs_needed),
)


def main() -> None:
    """Write, or compare."""
    renew(((page, name, table()) for page, name, table in TABLES), "readme")


if __name__ == "__main__":
    main()
