"""Words that matter: codes, dates, amounts, names; intended against heard, by rules."""
