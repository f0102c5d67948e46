"""Options of judges: small classes of options, and all of them in one."""
