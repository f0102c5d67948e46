"""Results as text, tables and data: rows that name their columns, and records."""
