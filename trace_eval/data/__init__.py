"""What is judged, asked and known of it: items, rubrics, labels, measures, and their files."""
