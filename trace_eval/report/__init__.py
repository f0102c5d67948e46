"""The report: one HTML file about a run, to be read, heard and searched."""

from trace_eval.report.write import write_report

__all__ = ["write_report"]
