"""Queries for documents that deviate from a design: unknown, NULL, reordered or missing fields."""
