"""The judge that reads blueprints: a text LLM."""
