"""Labels of an enum written in another case: stored as the enum spells them, where their collation leaves out the case."""

from __future__ import annotations

from typing import Any

import pytest
from pymongo.database import Database

from nestling import pipeline
from nestling.common.errors import NestlingError
from nestling.executors.write import run_write
from nestling.ir.programs.program import CompiledWrite
from tests.beside_mariadb import beside_mariadb

_SCRIPT = """
CREATE TABLE item (id int PRIMARY KEY, kind enum('Book', 'Toy', '') NOT NULL DEFAULT 'Book',
  exact enum('Book', 'Toy') COLLATE utf8mb4_bin);
INSERT INTO item VALUES (1, 'Book', 'Book'), (2, 'Toy', 'Toy'), (3, '', NULL)
"""
WRITES = (
    "UPDATE item SET kind = 'toy' WHERE id = 1",
    "INSERT INTO item (id, kind) VALUES (4, 'BOOK'), (5, '')",
    "UPDATE item SET exact = 'Toy' WHERE kind = 'toy'",
)


def test_labels_are_stored_as_they_are_declared(mariadb: str, database: Database[Any]) -> None:
    """Given or a parameter; of a binary collation they are refused."""
    with beside_mariadb(mariadb, database, _SCRIPT, "normalized") as both:
        for sql in WRITES:
            assert both.written(sql) == (True, True), sql
        both.assert_equal()
        write = pipeline.convert(both.proposal, "UPDATE item SET kind = :kind WHERE id = 2", dialect="mysql")
        assert isinstance(write, CompiledWrite)
        run_write(both.database, write, {"kind": "BOOK"})
        both.cursor.execute("UPDATE item SET kind = 'BOOK' WHERE id = 2")
        both.assert_equal()
        wrong = pipeline.convert(both.proposal, "UPDATE item SET exact = 'toy' WHERE id = 2", dialect="mysql")
        assert isinstance(wrong, CompiledWrite)
        with pytest.raises(NestlingError, match="exact"):
            run_write(both.database, wrong)
        both.assert_equal()
