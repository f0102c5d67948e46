"""Judge ``lexical``: words in common with a reference; no model, no network."""
