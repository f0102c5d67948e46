"""What is heard of answers: recordings joined for a model that listens, and solved examples."""
