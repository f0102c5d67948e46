"""Conclusions from judgements and few labels: screening, rates, plans, cards."""
