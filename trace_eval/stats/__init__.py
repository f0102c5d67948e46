"""Statistics: agreement with human labels, rankings, and inference with few labels."""
