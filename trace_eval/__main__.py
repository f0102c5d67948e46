"""``python -m trace_eval``."""

from trace_eval.commands.start import main

main()
