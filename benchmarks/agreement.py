"""How long `agree` takes for a million judgements, beside a plain loop over the items.

Run: python -m benchmarks.agreement [--items 1000000] [--resamples 10000] [--cluster]
"""

from __future__ import annotations

import argparse
import random
import resource
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np

from benchmarks.report import save, table
from fusion import DIMENSIONS, RATINGS
from trace_eval.decide.agree import agree
from trace_eval.estimate.options import BootstrapOptions
from trace_eval.opinions.labels import read_labels
from trace_eval.opinions.opinions import Opinions
from trace_eval.stats.options import AgreeOptions

#: Resamples of the plain loop; its time for all of them is extrapolated.
ITEMS = 1_000_000
LOOP_RESAMPLES = 2

#: Pairs per instruction.
PER_INSTRUCTION = 10


def write_files(folder: Path, items: int) -> tuple[Path, Path]:
    """A file of labels and one of judgements that agree in about 70 % of the cells."""
    rng = np.random.default_rng(0)
    columns = (*DIMENSIONS, "overall")
    truth = rng.choice(4, size=(items, len(columns)), p=[0.3, 0.3, 0.15, 0.25])
    noise = rng.integers(0, 4, truth.shape)
    judged = np.where(rng.random(truth.shape) < 0.6, truth, noise)
    paths = []
    for name, codes in (("labels", truth), ("judgements", judged)):
        path = folder / f"{name}.csv"
        with path.open("w", encoding="utf-8") as file:
            file.write(",".join(["id", "instruction_id", *columns]) + "\n")
            for row, cells in enumerate(codes.tolist()):
                labels = ",".join(RATINGS[cell] for cell in cells)
                file.write(f"p{row},i{row // PER_INSTRUCTION},{labels}\n")
        paths.append(path)
    return paths[0], paths[1]


def plain_loop(labels: Opinions, judged: Opinions, resamples: int) -> None:
    """The same five statistics by drawing and counting items one by one."""
    draw = random.Random(0)
    for name in labels.codes:
        pairs = list(zip(labels.codes[name].tolist(), judged.codes[name].tolist(), strict=True))
        for _ in range(resamples):
            counts = Counter(pairs[draw.randrange(len(pairs))] for _ in pairs)
            loop_statistics(counts)


def loop_statistics(counts: Counter[tuple[int, int]]) -> list[float]:
    """4-, 3- and 2-way accuracy, macro-F1 and kappa of counted (truth, predicted) pairs."""
    total = counts.total()
    truth: Counter[int] = Counter()
    predicted: Counter[int] = Counter()
    for (a, b), n in counts.items():
        truth[a] += n
        predicted[b] += n
    right = sum(n for (a, b), n in counts.items() if a == b)
    right_3 = sum(n for (a, b), n in counts.items() if min(a, 2) == min(b, 2))
    both = sum(n for (a, b), n in counts.items() if a < 2 and b < 2)
    right_2 = sum(n for (a, b), n in counts.items() if a == b < 2)
    f1 = sum(2 * counts[a, a] / (truth[a] + predicted[a]) for a in truth) / len(truth)
    chance = sum(truth[a] * predicted[a] for a in truth) / total**2
    kappa = (right / total - chance) / (1 - chance)
    return [right / total, right_3 / total, right_2 / both, f1, kappa]


def main() -> None:
    """Write the files, time everything, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=ITEMS)
    parser.add_argument("--resamples", type=int, default=10_000)
    parser.add_argument("--cluster", action="store_true", help="resample whole instructions")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        label_file, judgement_file = write_files(Path(folder), arguments.items)
        start = time.perf_counter()
        labels, judged = read_labels(label_file), read_labels(judgement_file)
    read = time.perf_counter() - start
    options = AgreeOptions(
        BootstrapOptions(arguments.resamples), cluster=arguments.cluster, policy="all"
    )
    start = time.perf_counter()
    report = agree([judged], labels, options)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    start = time.perf_counter()
    plain_loop(labels, judged, LOOP_RESAMPLES)
    loop = (time.perf_counter() - start) / LOOP_RESAMPLES * arguments.resamples
    results = {
        "judgements": arguments.items,
        "resamples": arguments.resamples,
        "resampled": "instructions" if arguments.cluster else "items",
        "reading two CSV files, s": round(read, 2),
        "all tables, s": round(seconds, 2),
        "dimensions": len(report.scores),
        "peak GiB": round(peak, 3),
        f"plain loop, from {LOOP_RESAMPLES} resamples, s": round(loop),
        "ratio": round(loop / seconds),
    }
    table("agree", ["what", "value"], [[what, str(value)] for what, value in results.items()])
    if arguments.items == ITEMS:
        save("agreement", results)


if __name__ == "__main__":
    main()
