"""The nouns that all stages share: frozen, checked when built, equal by value. Those in files have one text form."""
