"""The report: one HTML file about a run, to be read, heard and searched."""
