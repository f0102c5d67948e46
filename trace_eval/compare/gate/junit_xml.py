"""The gate as JUnit XML, which every CI server shows."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree as Xml

from trace_eval.compare.gate.report import GateReport, GateRow
from trace_eval.data.files import make_folder
from trace_eval.data.outputs import write_file
from trace_eval.show.table import p_value
from trace_eval.turns.limits import Limited

#: What XML 1.0 cannot hold, not even escaped.
_NO_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

#: Verdict -> the element that the schema has for it, and where it is counted.
_OUTCOMES = {
    "fail": ("failure", "failures"),
    "error": ("error", "errors"),
    "cannot tell": ("skipped", "skipped"),
}

#: Name of the suite.
SUITE = "trace-eval gate"


def text(value: object) -> str:
    """A text without the characters that XML cannot hold.

    >>> text("a\\x00b\\x1b[1m")
    'ab[1m'
    """
    return _NO_XML.sub("", str(value))


def junit(report: GateReport, seconds: float = 0.0) -> str:
    """A test case per metric, per severe item, and one for coverage."""
    suite = _Suite(seconds)
    suite.properties(report.properties | {"verdict": report.verdict, "sentence": report.sentence})
    for row in report.rows:
        rubric, _, dimension = row.metric.rpartition(".")
        message, kind, body = row.why, "", ""
        if row.verdict == "fail":
            limits = row.difference.interval
            interval = f" (95 % {limits[0]:+.3f} to {limits[1]:+.3f})" if limits else ""
            message = f"{row.difference.value or 0:+.3f}{interval}, p {p_value(row.p_holm)}"
            kind, body = "regression", _table(report, row)
        group, name = f"{rubric or 'table'}.{dimension}", f"not worse than {report.baseline}"
        suite.case(group, name, row.verdict, message, kind, body)
    allowed = report.options.severe
    failed = len({item.item for item in report.severe}) > allowed
    for item in report.severe:
        message = f"{item.before} before, {item.after} now; {allowed} allowed"
        verdict, why = "fail" if failed else "pass", "; ".join(item.why)
        suite.case(f"{item.metric}.severe", f"item {item.item}", verdict, message, "severe", why)
    suite.limits(report.limits)
    covered = report.coverage
    name = f"{covered.metric} scored as often as by {report.baseline}"
    message = f"{covered.candidate} scored, {covered.baseline} before, of {covered.items}"
    suite.case("coverage", name, covered.verdict, message, "coverage", message)
    return suite.document()


def junit_error(message: object, baseline: object, seconds: float = 0.0) -> str:
    """One test case with the reason why the runs cannot be compared."""
    suite = _Suite(seconds)
    suite.case("gate", f"comparable with {baseline}", "error", str(message), "not comparable")
    return suite.document()


def junit_conditions(
    suite: str, conditions: Sequence[tuple[str, str, str]], failed: Sequence[bool]
) -> str:
    """A test case per condition of ``--fail-under``.

    Args:
        conditions: (whose figure, its name, its value and the wanted one).
        failed: which of them were not met.
    """
    made = _Suite(0.0, suite)
    for (who, name, result), missed in zip(conditions, failed, strict=True):
        made.case(who, name, "fail" if missed else "pass", result, "condition", result)
    return made.document()


def junit_limits(suite: str, rows: Sequence[Limited], started: float) -> str:
    """A test case per limit of ``turns``; those that cannot be decided are skipped.

    Args:
        rows: the limits.
        started: by the monotonic clock.
    """
    made = _Suite(time.monotonic() - started, suite)
    made.limits(rows)
    return made.document()


def write_junit(path: Path, document: str) -> None:
    """Write the document.

    Raises:
        UserError: the file cannot be written.
    """
    make_folder(path.parent)
    write_file(path, document)


def _table(report: GateReport, row: GateRow) -> str:
    lines = {
        report.baseline: f"{row.baseline:.4f}",
        report.candidate: f"{row.candidate:.4f}",
        "items": row.items,
        "p, one-sided": p_value(row.p),
        "p, Holm": p_value(row.p_holm),
        "flips": f"{row.flips.count} of {row.flips.of}",
        "A/A": row.noise.reason or f"{row.noise.flips.count} of {row.noise.flips.of}",
        "worst": f"{row.worst:+.4f}",
    }
    return "\n".join([row.why, *(f"{name}: {value}" for name, value in lines.items())])


class _Suite:
    """Elements in the order that the common schema wants, and their counts."""

    def __init__(self, seconds: float, name: str = SUITE) -> None:
        self._root = Xml.Element("testsuites")
        self._suite = Xml.SubElement(self._root, "testsuite", name=name)
        self._seconds = f"{seconds:.3f}"
        self._counts = dict.fromkeys(("tests", "failures", "errors", "skipped"), 0)

    def properties(self, values: dict[str, str]) -> None:
        parent = Xml.SubElement(self._suite, "properties")
        for name, value in values.items():
            Xml.SubElement(parent, "property", name=text(name), value=text(value))

    def case(
        self, group: str, name: str, verdict: str, message: str, kind: str = "", body: str = ""
    ) -> None:
        """Add a test case; its message is left out where it passed."""
        self._counts["tests"] += 1
        names = {"classname": text(group), "name": text(name), "time": "0.000"}
        case = Xml.SubElement(self._suite, "testcase", names)
        if verdict in _OUTCOMES:
            tag, count = _OUTCOMES[verdict]
            self._counts[count] += 1
            attributes = {"message": text(message)} | ({"type": kind} if kind else {})
            Xml.SubElement(case, tag, attributes).text = text(body) or None

    def limits(self, rows: Sequence[Limited]) -> None:
        """Add a test case per limit of timing."""
        for row in rows:
            kind, body = ("limit", row.why) if row.verdict == "fail" else ("", "")
            name = f"{row.limit} allowed"
            self.case(f"timing.{row.figure}", name, row.verdict, row.why, kind, body)

    def document(self) -> str:
        counts = {name: str(number) for name, number in self._counts.items()}
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S")
        for name, value in (counts | {"time": self._seconds, "timestamp": now}).items():
            self._suite.set(name, value)
        for name in ("tests", "failures", "errors"):
            self._root.set(name, counts[name])
        self._root.set("time", self._seconds)
        body = Xml.tostring(self._root, encoding="unicode")
        return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'
