"""Judge ``rules``: named thresholds over blueprints; no model, no network, no chance."""
