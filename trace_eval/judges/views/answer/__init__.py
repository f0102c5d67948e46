"""What a judge is shown of a single answer: words, blueprints, a conversation or sound."""
