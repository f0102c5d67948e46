"""``python -m trace_eval``."""

from trace_eval.commands.cli import main

main()
