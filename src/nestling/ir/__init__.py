"""The nouns every stage shares: frozen, checked when built, equal by value, each with one text form."""
