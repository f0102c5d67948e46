"""Text in prompts: fences, notes, conversations in words, templates, the second chance."""
