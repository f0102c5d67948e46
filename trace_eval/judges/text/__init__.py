"""What is read of answers: words, blueprints and conversations, harmless and fenced off."""
