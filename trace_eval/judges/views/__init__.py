"""Views: what a judge is shown of an item, in which words and sounds."""
