"""The prompt of a judge of single answers: words, blueprints, conversation or sound."""
