"""The prompt of a judge of single answers: words, blueprints, a conversation or sound."""
