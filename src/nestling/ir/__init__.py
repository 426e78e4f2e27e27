"""The nouns every stage shares: frozen, checked when built, equal by value; what people write or read has one text form."""
