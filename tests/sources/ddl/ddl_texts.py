"""What the DDL tests share: reading a text, and the gaps and notes of it."""

from __future__ import annotations

from nestling.sources.ddl import read_ddl


def read(text, dialect=""):
    """The reading of a text called `s.sql`."""
    return read_ddl(text, "m", dialect=dialect, origin="s.sql")


def clean(text, dialect=""):
    """The model of a text that has no gaps."""
    reading = read(text, dialect)
    assert reading.gaps == ()
    return reading.model


def types(text, dialect):
    """The types of the first table's attributes, as text, by name."""
    return {attribute.name: str(attribute.type) for attribute in read(text, dialect).model.entities[0].attributes}
