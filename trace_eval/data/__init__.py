"""What is judged and what is known of it: pairs, labels, judgements, and how they are read."""
