"""The bundled shop, or a part of it, as rows and designs to move between."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from nestling import pipeline
from nestling.ir.design import Design
from nestling.ir.rows import RowColumn, RowQuery
from nestling.sources.front import open_rows
from tests.bundled_shop import shop_reading, write_shop
from tests.generators.worlds import World

_SMALL = """
DELETE FROM page_view WHERE rowid > 60;
DELETE FROM purchase_line WHERE purchase_id > 40;
DELETE FROM purchase WHERE purchase_id > 40;
DELETE FROM review WHERE review_id > 60;
DELETE FROM product_category WHERE product_id > 60 AND product_id NOT IN (SELECT product_id FROM purchase_line);
"""


def shop(folder: Path, strategies: tuple[str, ...], *, small: bool = True) -> tuple[World, Mapping[str, Design]]:
    """The shop's rows, and its design by each strategy."""
    address = write_shop(folder)
    reading = shop_reading(folder)
    made = {name: pipeline.design(reading, name).design for name in strategies}
    if small:
        with closing(sqlite3.connect(folder / "shop.db")) as connection:
            connection.executescript(_SMALL)
    source = open_rows(address, reading.model)
    rows = {
        entity.name: list(source.rows(RowQuery(entity.name, tuple(map(RowColumn, entity.attribute_names)))))
        for entity in reading.model.entities
    }
    return World(reading.model, rows, frozenset()), made
