"""The shortest form of a write: one command, where the statement by itself says enough."""
