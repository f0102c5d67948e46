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
        case = suite.case(f"{rubric or 'table'}.{dimension}", f"not worse than {report.baseline}")
        if row.verdict == "fail":
            suite.failure(case, _message(row), "regression", _table(report, row))
        elif row.verdict == "cannot tell":
            suite.skipped(case, row.why)
    allowed = report.options.severe
    failed = len({item.item for item in report.severe}) > allowed
    for item in report.severe:
        case = suite.case(f"{item.metric}.severe", f"item {item.item}")
        if failed:
            message = f"{item.before} before, {item.after} now; {allowed} allowed"
            suite.failure(case, message, "severe", "; ".join(item.why))
    _limits(suite, report.limits)
    covered = report.coverage
    case = suite.case("coverage", f"{covered.metric} scored as often as by {report.baseline}")
    if covered.verdict == "fail":
        message = f"{covered.candidate} scored, {covered.baseline} before, of {covered.items}"
        suite.failure(case, message, "coverage", message)
    return suite.document()


def junit_error(message: object, baseline: object, seconds: float = 0.0) -> str:
    """One test case that says why the runs cannot be compared."""
    suite = _Suite(seconds)
    suite.error(suite.case("gate", f"comparable with {baseline}"), message)
    return suite.document()


def junit_conditions(
    suite: str, conditions: Sequence[tuple[str, str, str]], failed: Sequence[bool]
) -> str:
    """A test case per condition of ``--fail-under``.

    Args:
        suite: its name.
        conditions: (whose figure, its name, what was found and wanted).
        failed: which of them were not met.
    """
    made = _Suite(0.0, suite)
    for (who, name, result), missed in zip(conditions, failed, strict=True):
        case = made.case(who, name)
        if missed:
            made.failure(case, result, "condition", result)
    return made.document()


def junit_limits(suite: str, rows: Sequence[Limited], started: float) -> str:
    """A test case per limit of ``turns``; what cannot be told is skipped.

    Args:
        suite: its name.
        rows: the limits.
        started: by the monotonic clock.
    """
    made = _Suite(time.monotonic() - started, suite)
    _limits(made, rows)
    return made.document()


def _limits(suite: _Suite, rows: Sequence[Limited]) -> None:
    for row in rows:
        case = suite.case(f"timing.{row.figure}", f"{row.limit} allowed")
        if row.verdict == "fail":
            suite.failure(case, row.why, "limit", row.why)
        elif row.verdict == "cannot tell":
            suite.skipped(case, row.why)


def write_junit(path: Path, document: str) -> None:
    """Write the document.

    Raises:
        UserError: the file cannot be written.
    """
    make_folder(path.parent)
    write_file(path, document)


def _message(row: GateRow) -> str:
    limits = row.difference.interval
    interval = f" (95 % {limits[0]:+.3f} to {limits[1]:+.3f})" if limits else ""
    return f"{row.difference.value or 0:+.3f}{interval}, p {p_value(row.p_holm)}"


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

    def case(self, group: str, name: str) -> Xml.Element:
        self._counts["tests"] += 1
        return Xml.SubElement(
            self._suite, "testcase", classname=text(group), name=text(name), time="0.000"
        )

    def failure(self, case: Xml.Element, message: str, kind: str, body: str) -> None:
        self._counts["failures"] += 1
        Xml.SubElement(case, "failure", message=text(message), type=kind).text = text(body)

    def error(self, case: Xml.Element, message: object) -> None:
        self._counts["errors"] += 1
        Xml.SubElement(case, "error", message=text(message), type="not comparable")

    def skipped(self, case: Xml.Element, message: str) -> None:
        self._counts["skipped"] += 1
        Xml.SubElement(case, "skipped", message=text(message))

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
