"""Results for people and programs: rows that name their columns, tables and records."""
