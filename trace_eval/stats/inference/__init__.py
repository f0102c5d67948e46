"""What may be concluded from judgements and few labels: screening, rates, plans, cards."""
