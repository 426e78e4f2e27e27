"""Texts and names as every dialect of SQL reads them."""

from __future__ import annotations


def sql_text(text: str) -> str:
    """A text in single quotes."""
    doubled = text.replace("'", "''")
    return f"'{doubled}'"


def sql_name(name: str) -> str:
    """A name in double quotes."""
    doubled = name.replace('"', '""')
    return f'"{doubled}"'
