"""What a judge is shown of two answers: words and blueprints, or their recordings."""
