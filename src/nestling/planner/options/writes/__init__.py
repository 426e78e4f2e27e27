"""The ways to do each step of a write, and what it has to keep right."""
