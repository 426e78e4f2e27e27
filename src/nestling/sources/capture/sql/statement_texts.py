"""INSERT, UPDATE and DELETE as texts, and what selects the rows they are about."""

from __future__ import annotations

from collections.abc import Iterable

from nestling.sources.capture.sql.words import quoted


def insert(entity: str, columns: Iterable[str], values: Iterable[str]) -> str:
    """`INSERT INTO entity (columns) VALUES (values)`."""
    return " ".join(
        ["INSERT INTO", quoted(entity), f"({', '.join(map(quoted, columns))})", f"VALUES ({', '.join(values)})"]
    )


def insert_selected(entity: str, columns: Iterable[str], query: str) -> str:
    """`INSERT INTO entity (columns) SELECT …`."""
    return f"INSERT INTO {quoted(entity)} ({', '.join(map(quoted, columns))}) {query}"


def update(entity: str, sets: Iterable[tuple[str, str]], where: str) -> str:
    """`UPDATE entity SET attribute = text, … WHERE where`."""
    assigned = ", ".join(f"{quoted(attribute)} = {text}" for attribute, text in sets)
    return " ".join(["UPDATE", quoted(entity), "SET", assigned, *(["WHERE", where] if where else [])])


def delete(entity: str, where: str) -> str:
    """`DELETE FROM entity WHERE where`."""
    return " ".join(["DELETE FROM", quoted(entity), *(["WHERE", where] if where else [])])


def selected(entity: str, attribute: str, where: str) -> str:
    """`SELECT attribute FROM entity WHERE where`."""
    return " ".join(["SELECT", quoted(attribute), "FROM", quoted(entity), *(["WHERE", where] if where else [])])
