"""Results as text, tables and data: rows that name their columns, tables and records."""
