"""What is judged and known of it: items, rubrics, labels, measures, files."""
