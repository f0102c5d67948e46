"""The prompt of a judge of pairs: words and blueprints, or their recordings."""
