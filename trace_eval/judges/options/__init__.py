"""What a judge may be asked for: small classes of options, and all of them in one."""
