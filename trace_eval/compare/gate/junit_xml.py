"""The gate as JUnit XML, which every CI server shows."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple
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
    """Remove the characters that XML cannot hold.

    >>> text("a\\x00b\\x1b[1m")
    'ab[1m'
    """
    return _NO_XML.sub("", str(value))


def junit(report: GateReport, seconds: float = 0.0) -> str:
    """Write a test case per metric, per severe item, and one for coverage."""
    cases = []
    for row in report.rows:
        rubric, _, dimension = row.metric.rpartition(".")
        message = row.why
        kind = ""
        body = ""
        if row.verdict == "fail":
            limits = row.difference.interval
            interval = f" (95 % {limits[0]:+.3f} to {limits[1]:+.3f})" if limits else ""
            message = (
                f"{row.difference.value or 0:+.3f}{interval}, p {p_value(row.p_holm)}"
            )
            kind = "regression"
            body = _table(report, row)
        group = f"{rubric or 'table'}.{dimension}"
        name = f"not worse than {report.baseline}"
        cases.append(
            _Case(
                group=group,
                name=name,
                verdict=row.verdict,
                message=message,
                kind=kind,
                body=body,
            )
        )
    allowed = report.options.severe
    failed = len({item.item for item in report.severe}) > allowed
    for item in report.severe:
        message = f"{item.before} before, {item.after} now; {allowed} allowed"
        case = _Case(
            group=f"{item.metric}.severe",
            name=f"item {item.item}",
            verdict="fail" if failed else "pass",
            message=message,
            kind="severe",
            body="; ".join(item.why),
        )
        cases.append(case)
    cases += _of_limits(report.limits)
    covered = report.coverage
    name = f"{covered.metric} scored as often as by {report.baseline}"
    message = (
        f"{covered.candidate} scored, {covered.baseline} before, of {covered.items}"
    )
    cases.append(
        _Case(
            group="coverage",
            name=name,
            verdict=covered.verdict,
            message=message,
            kind="coverage",
            body=message,
        )
    )
    properties = report.properties | {
        "verdict": report.verdict,
        "sentence": report.sentence,
    }
    return _document(SUITE, cases, seconds, properties)


def junit_error(message: object, baseline: object, seconds: float = 0.0) -> str:
    """Write one test case with the reason why the runs cannot be compared."""
    name = f"comparable with {baseline}"
    return _document(
        SUITE,
        [
            _Case(
                group="gate",
                name=name,
                verdict="error",
                message=str(message),
                kind="not comparable",
            )
        ],
        seconds,
    )


def junit_conditions(
    suite: str, conditions: Sequence[tuple[str, str, str]], failed: Sequence[bool]
) -> str:
    """Write a test case per condition of ``--fail-under``; those not met fail.

    A condition is (whose figure, its name, its value and the wanted one).
    """
    cases: list[_Case] = []
    for (who, name, result), missed in zip(conditions, failed, strict=True):
        case = _Case(
            group=who,
            name=name,
            verdict="fail" if missed else "pass",
            message=result,
            kind="condition",
            body=result,
        )
        cases.append(case)
    return _document(suite, cases)


def junit_limits(suite: str, rows: Sequence[Limited], started: float) -> str:
    """Write a test case per limit of ``turns``, begun at a time of the monotonic clock.

    Those that cannot be decided are skipped.
    """
    return _document(suite, _of_limits(rows), time.monotonic() - started)


def write_junit(path: Path, document: str) -> None:
    """Write the document; raises UserError where the file cannot be written."""
    make_folder(path.parent)
    write_file(path, document)


def _table(report: GateReport, row: GateRow) -> str:
    lines = {
        report.baseline: f"{row.baseline:.4f}",
        report.candidate: f"{row.candidate:.4f}",
        "items": row.items,
        "p, one-sided": p_value(row.p),
        "p, Holm": p_value(row.p_holm),
        "flips": row.flips.counts,
        "A/A": row.noise.counts,
        "worst": f"{row.worst:+.4f}",
    }
    table = [row.why]
    table += [f"{name}: {value}" for name, value in lines.items()]
    return "\n".join(table)


class _Case(NamedTuple):
    """A test case; its message is left out where it passed."""

    group: str
    name: str
    verdict: str
    message: str
    kind: str = ""
    body: str = ""


def _of_limits(rows: Iterable[Limited]) -> list[_Case]:
    """Make a test case per limit of timing."""
    cases: list[_Case] = []
    for row in rows:
        case = _Case(
            group=f"timing.{row.figure}",
            name=f"{row.limit} allowed",
            verdict=row.verdict,
            message=row.why,
        )
        if row.verdict == "fail":
            case = case._replace(kind="limit", body=row.why)
        cases.append(case)
    return cases


def _document(
    suite: str,
    cases: Sequence[_Case],
    seconds: float = 0.0,
    about: Mapping[str, str] | None = None,
) -> str:
    """Write elements in the order that the common schema wants, and their counts."""
    counts = {"tests": len(cases), "failures": 0, "errors": 0, "skipped": 0}
    root = Xml.Element("testsuites")
    parent = Xml.SubElement(root, "testsuite", name=suite)
    if about is not None:
        properties = Xml.SubElement(parent, "properties")
        for name, value in about.items():
            Xml.SubElement(properties, "property", name=text(name), value=text(value))
    for one in cases:
        names = {"classname": text(one.group), "name": text(one.name), "time": "0.000"}
        case = Xml.SubElement(parent, "testcase", names)
        if one.verdict in _OUTCOMES:
            tag, count = _OUTCOMES[one.verdict]
            counts[count] += 1
            attributes = {"message": text(one.message)}
            if one.kind:
                attributes["type"] = one.kind
            Xml.SubElement(case, tag, attributes).text = text(one.body) or None
    whole = {name: str(number) for name, number in counts.items()} | {
        "time": f"{seconds:.3f}"
    }
    for name, value in whole.items():
        parent.set(name, value)
        if name != "skipped":
            root.set(name, value)
    parent.set("timestamp", datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S"))
    body = Xml.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'
