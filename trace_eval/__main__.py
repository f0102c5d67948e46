"""``python -m trace_eval``."""

from trace_eval.cli import main

main()
