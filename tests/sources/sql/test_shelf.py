"""A shelf is written and read again and again; each time it holds what was written last, to the type."""

from __future__ import annotations

from contextlib import closing
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from nestling.common.errors import SourceError
from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.rows import RowColumn, RowQuery, UndecodableText
from nestling.ir.types import Type, TypeName
from nestling.sources.sql.address import Address
from nestling.sources.sql.catalog import CatalogNames
from nestling.sources.sql.engines.sqlite import Sqlite
from nestling.sources.sql.shelf import SqliteShelf

THING = Entity(
    "thing",
    (
        Attribute("id", Type(TypeName.INTEGER), nullable=False),
        Attribute("name", Type(TypeName.TEXT)),
        Attribute("price", Type(TypeName.DECIMAL)),
        Attribute("at", Type(TypeName.TIMESTAMP)),
    ),
    ("id",),
)
MODEL = Model("things", (THING,))
QUERY = RowQuery("thing", tuple(map(RowColumn, THING.attribute_names)), (RowColumn("id"),))
TURNS: list[list[tuple[object, ...]]] = [
    [(1, "one", Decimal("1.50"), datetime(2026, 1, 2)), (2, None, None, None)],  # noqa: DTZ001 - a timestamp has no zone
    [],
    [(1, UndecodableText(b"\xff"), Decimal(3), None)],
    [(n, f"name {n}", None, None) for n in range(3)],
]


def test_each_turn_has_its_own_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of an earlier turn is left; tables and what is known of them are made once."""
    looked, names = list[object](), Sqlite.names

    def counted(engine: Sqlite, address: Address, connection: Any) -> CatalogNames:
        looked.append(address)
        return names(engine, address, connection)

    monkeypatch.setattr(Sqlite, "names", counted)
    with closing(SqliteShelf(tmp_path / "rows.db", kept=MODEL, model=MODEL)) as shelf:
        for rows in TURNS:
            shelf.empty()
            shelf.write(THING, rows)
            source = shelf.source()
            with source.snapshot():
                assert list(source.rows(QUERY)) == rows
    assert len(looked) == 1


def test_nothing_of_a_turn_that_failed_is_left(tmp_path: Path) -> None:
    """A row that is refused ends a turn; the next one begins with nothing."""
    with closing(SqliteShelf(tmp_path / "rows.db", kept=MODEL, model=MODEL)) as shelf:
        shelf.empty()
        shelf.write(THING, TURNS[0])
        with pytest.raises(SourceError):
            shelf.write(THING, [(1, "again", None, None)])
        shelf.empty()
        shelf.write(THING, TURNS[3])
        assert list(shelf.source().rows(QUERY)) == TURNS[3]
