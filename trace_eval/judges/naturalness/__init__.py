"""Which of two recordings sounds more like a person speaking: prompts, texts."""
