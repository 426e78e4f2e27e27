"""The doctor's rules, one a file: `RULE`, `findings(seen)`, and a docstring that is its manual page."""
