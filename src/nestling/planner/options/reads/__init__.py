"""The ways to answer each step of a read."""
