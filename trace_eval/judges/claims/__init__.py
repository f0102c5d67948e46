"""Claims of a reason: numbers, comparisons and quotations, checked by blueprints."""
