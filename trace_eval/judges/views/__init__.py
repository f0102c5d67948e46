"""Views: what a judge is shown of an answer, its words, its blueprint or its sound."""
