"""Judge ``turns``: how an agent handles its turns, by rules; no model, no network."""
