"""One reader per benchmark; the table of them is :mod:`trace_eval.datasets.registry`."""
