"""Size of the report, and time until it can be used, by number of pairs.

``python -m benchmarks.report_size [PAIRS ...]``; default 1,000. Chromium is driven by
Playwright's library; without them the size alone is measured. Interactive means: a
search typed into the list has been answered.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from benchmarks.report import lines_of, save
from benchmarks.synthetic_run import Recipe, make_run
from tests.support.browser import chromium
from trace_eval.report.write import write_report


def in_browser(report: Path) -> dict[str, float]:
    """Seconds until interactive."""
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto("about:blank")
        started = time.perf_counter()
        page.goto(report.as_uri(), wait_until="commit")
        page.fill("#search", "pair-0007")
        page.locator("#found", has_text="1 of").wait_for()
        return {"interactive_s": time.perf_counter() - started}


def measure(pairs: int) -> dict[str, float]:
    """One run of that many pairs: 12 s of speech an answer, both orders, all groups."""
    with tempfile.TemporaryDirectory() as folder:
        run = make_run(Path(folder) / "run", Recipe(pairs, failing=50))
        started = time.perf_counter()
        report = write_report(run)
        results = {"pairs": float(pairs), "write_s": time.perf_counter() - started}
        results["size_mb"] = report.stat().st_size / 1e6
        try:
            results |= in_browser(report)
        except ImportError:
            print(
                "no browser was measured; pip install playwright, apt-get install"
                " chromium"
            )
    return results


def main() -> None:
    """Measure and save."""
    rows = [measure(int(number)) for number in sys.argv[1:] or ["1000"]]
    lines_of("report", rows)
    save("report_size", {"rows": rows})


if __name__ == "__main__":
    main()
