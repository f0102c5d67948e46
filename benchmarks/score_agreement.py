"""How long `agree` takes for a million scores, and `lexical` for one answer.

A million answers to 100,000 questions, five levels, three ratings each, a judge that states
distributions; 10,000 resamples of whole questions. Beside it a plain loop that resamples and
recomputes with scipy.

Run: python -m benchmarks.score_agreement [--items 1000000] [--resamples 10000]
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from scipy import stats

from benchmarks.report import save, table
from fusion import likert
from trace_eval.decide.agree import agree
from trace_eval.estimate.options import BootstrapOptions
from trace_eval.opinions.cells import texts_of
from trace_eval.opinions.opinions import Opinions
from trace_eval.scores.lexical import lexical_score
from trace_eval.stats.agree_scores import compare_scores
from trace_eval.stats.agreement.judges import JudgeOpinions
from trace_eval.stats.agreement.scored import ratings_of, units_of, with_ratings
from trace_eval.stats.options import AgreeOptions

ITEMS = 1_000_000

PER_QUESTION = 10

RATERS = 3

SYSTEMS = 15

#: Resamples of the plain loop; its time for all of them is extrapolated.
LOOP_RESAMPLES = 2

LEVELS = np.arange(5) / 4


def study(items: int, seed: int = 0) -> tuple[Opinions, JudgeOpinions]:
    """Ratings that share their question's difficulty, and a judge that sees them in noise."""
    rng = np.random.default_rng(seed)
    question = np.arange(items) // PER_QUESTION
    easy = rng.normal(0, 0.2, question[-1] + 1)[question]
    truth = np.clip(rng.beta(0.5, 0.6, items) + easy, 0, 1)
    seen = np.clip(truth[:, None] + rng.normal(0, 0.15, (items, RATERS)), 0, 1)
    ratings = np.round(seen * 4) / 4
    ids = texts_of([*map(str, range(items))])
    score = {"score": 1 + 4 * ratings.ravel()}
    people = Opinions("people", np.repeat(ids, RATERS), {}, facts=score)
    logits = -((np.clip(truth + rng.normal(0, 0.2, items), 0, 1)[:, None] - LEVELS) ** 2) / 0.05
    shares = np.exp(logits - logits.max(1, keepdims=True))
    shares /= shares.sum(1, keepdims=True)
    mean = shares @ LEVELS
    variance = shares @ LEVELS**2 - mean**2
    system = rng.integers(0, SYSTEMS, items)
    facts = {
        "instruction_id": texts_of([f"q{number}" for number in question.tolist()]),
        "system": texts_of([f"s{number}" for number in system.tolist()]),
    }
    result = with_ratings(Opinions("items", ids, {}, facts=facts), people, likert(1, 5))
    scores = {"score": mean, "variance": variance, "shares": shares}
    said = Opinions("judge", ids, {}, scores=scores, scale=result.scale)
    return result, JudgeOpinions("judge", said, said)


def write_files(folder: Path, items: Opinions, judge: JudgeOpinions) -> tuple[Path, Path]:
    """The judge's scores and people's ratings as two CSV files."""
    scores, ratings = folder / "judge.csv", folder / "people.csv"
    said = judge.joined.scores
    with scores.open("w") as file:
        file.write("id,score,variance,question_id,system\n")
        columns = (said["score"], said["variance"], *items.facts.values())
        rows = zip(items.ids.tolist(), *(column.tolist() for column in columns), strict=True)
        for id_, mean, spread, question, system in rows:
            file.write(f"{id_},{1 + 4 * mean:.6g},{spread:.6g},{question},{system}\n")
    people = ratings_of(items)
    with ratings.open("w") as file:
        file.write("id,rater,score\n")
        rows = zip(people.ids.tolist(), people.score.tolist(), strict=True)
        file.writelines(f"{id_},,{1 + 4 * value:g}\n" for id_, value in rows)
    return scores, ratings


def from_files(scores: Path, ratings: Path, resamples: int) -> tuple[float, float, float]:
    """Seconds, CPU seconds and peak GiB of a process that reads the files and reports."""
    start = time.perf_counter()
    agree([scores], ratings, options=AgreeOptions(BootstrapOptions(resamples)))
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return (
        time.perf_counter() - start,
        usage.ru_utime + usage.ru_stime,
        usage.ru_maxrss / 2**20,
    )


def plain_loop(items: Opinions, judge: JudgeOpinions, resamples: int) -> None:
    """rho, tau-b, r, MAE and CRPS of each resample, by scipy."""
    rng = np.random.default_rng(0)
    unit = units_of(items)
    questions = int(unit.max()) + 1
    for _ in range(resamples):
        weights = np.bincount(rng.integers(questions, size=questions), minlength=questions)
        rows = np.repeat(np.arange(len(items)), weights[unit])
        x, y = judge.joined.score[rows], items.score[rows]
        stats.spearmanr(x, y)
        stats.kendalltau(x, y)
        stats.pearsonr(x, y)
        abs(x - y).mean()


def lexical_rate(items: int = 5_000) -> float:
    """Answers per second on one core: 20 words against 5, with a rationale of 40."""
    rng = np.random.default_rng(0)
    words = [f"word{n}" for n in range(200)]

    def text(size: int) -> str:
        return " ".join(rng.choice(words, size))

    rows = [(text(12), text(5), text(20), text(40)) for _ in range(items)]
    start = time.perf_counter()
    for question, reference, candidate, rationale in rows:
        lexical_score(question, [reference], candidate, rationale)
    return items / (time.perf_counter() - start)


def main() -> None:
    """Make the scores, time everything, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=ITEMS)
    parser.add_argument("--resamples", type=int, default=10_000)
    arguments = parser.parse_args()
    whole, judge = study(arguments.items)
    start, cpu = time.perf_counter(), time.process_time()
    report = compare_scores(whole, [judge], AgreeOptions(BootstrapOptions(arguments.resamples)))
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    with (
        tempfile.TemporaryDirectory() as folder,
        ProcessPoolExecutor(1, get_context("spawn")) as pool,
    ):
        files = write_files(Path(folder), whole, judge)
        read = pool.submit(from_files, *files, arguments.resamples).result()
    start = time.perf_counter()
    plain_loop(whole, judge, LOOP_RESAMPLES)
    loop = (time.perf_counter() - start) / LOOP_RESAMPLES * arguments.resamples
    results = {
        "scores": arguments.items,
        "ratings": report.ratings,
        "questions": report.questions,
        "resamples": arguments.resamples,
        "figures with intervals": sum(f.estimate.interval is not None for f in report.figures),
        "all tables, s": round(seconds, 2),
        "all tables, CPU s": round(cpu, 2),
        "peak GiB": round(peak, 3),
        "from two CSV files, s": round(read[0], 2),
        "from two CSV files, CPU s": round(read[1], 2),
        "from two CSV files, peak GiB": round(read[2], 3),
        f"plain loop of 4 figures, from {LOOP_RESAMPLES} resamples, s": round(loop),
        "ratio": round(loop / seconds),
        "lexical, answers per second": round(lexical_rate()),
    }
    rows = [[what, str(value)] for what, value in results.items()]
    table("agree", ["what", "value"], rows)
    if arguments.items == ITEMS:
        save("score_agreement", results)


if __name__ == "__main__":
    main()
