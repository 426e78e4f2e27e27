"""A design made for one database, pointed at another."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from nestling.common.errors import SourceError
from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.types import INTEGER
from nestling.sources.sql import open_database
from nestling.sources.sql.presence import check_presence


def model(*entities: tuple[str, str]) -> Model:
    """Entities with their attributes' names."""
    made = ((name, tuple(Attribute(each, INTEGER) for each in attributes.split())) for name, attributes in entities)
    return Model("m", tuple(Entity(name, attributes) for name, attributes in made))


def test_what_is_missing_is_said_at_once(tmp_path: Path) -> None:
    """A sentence for all tables, one for the columns of each, and one next move."""
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE kept (a, B)")
    database = open_database(f"sqlite:///{path}")
    check_presence(database, model(("kept", "a b")))
    with pytest.raises(SourceError) as raised:
        check_presence(database, model(("one", "a"), ("two", "a"), ("kept", "a c d"), ("three", "a")))
    tables, columns = raised.value.problems
    assert (tables.what, tables.known) == ("no tables `one`, `two`, `three`", "there is `kept`")
    assert (columns.what, columns.known) == ("no columns `c`, `d` in `kept`", "it has `a`, `B`")
    assert (tables.next_move, bool(columns.next_move)) == ("", True)
    with pytest.raises(SourceError, match="no table `one`"):
        check_presence(database, model(("one", "a")))
