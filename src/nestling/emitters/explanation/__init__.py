"""The explanation of a proposal, its scope, and its text for terminals and notebooks."""
