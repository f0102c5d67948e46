"""Text in prompts: fences, notes, conversations, templates, and the second chance."""
