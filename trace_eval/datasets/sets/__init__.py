"""One reader per benchmark; :mod:`trace_eval.datasets.registry` has the table."""
