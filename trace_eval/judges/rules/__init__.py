"""Judge ``rules``: named thresholds over blueprints; deterministic, without a model."""
