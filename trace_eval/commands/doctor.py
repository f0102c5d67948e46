"""``trace-eval doctor``: what can run here, and why not."""

from __future__ import annotations


def doctor() -> None:
    """Say what is installed, and which extractors and judges can run here."""
    from trace_eval.doctor import diagnose
    from trace_eval.tables import print_diagnosis

    print_diagnosis(diagnose())
