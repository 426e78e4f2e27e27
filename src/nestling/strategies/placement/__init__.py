"""Shared by the strategies: facts about each relationship, what may be embedded, and the resulting design."""
