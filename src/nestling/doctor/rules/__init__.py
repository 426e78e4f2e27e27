"""The doctor's rules, one per file: `RULE`, `findings(seen)`, and a docstring that is the rule's manual page."""
