"""NULL for a NOT NULL attribute that others are computed of, beside PostgreSQL."""

from __future__ import annotations

from typing import Any

import pytest
from pymongo import MongoClient

from nestling.common.errors import ConstraintError
from nestling.ir.paths.write_path import Violation
from nestling.store import Store
from tests.planner.reads.beside_postgresql import beside

TABLES = """
CREATE TABLE person (id integer PRIMARY KEY, first_name varchar(80) NOT NULL, last_name varchar(80), age integer NOT NULL,
  full_name text GENERATED ALWAYS AS (first_name || ' ' || last_name) STORED, next text GENERATED ALWAYS AS (age::text) STORED);
INSERT INTO person VALUES (1, 'Ann', 'Lee', 30);
"""


def test_null_is_refused_as_null(postgresql: str, mongo_client: MongoClient[dict[str, Any]]) -> None:
    """By its constraint, whatever is computed of it; where it is allowed, what is computed is NULL too."""
    with beside(postgresql, mongo_client, TABLES) as found:
        store = Store(found.proposal, found.database)
        for sql in (
            "UPDATE person SET first_name = NULL WHERE id = 1",
            "UPDATE person SET age = NULL WHERE id = 1",
            "INSERT INTO person (id, first_name, age) VALUES (2, NULL, 1)",
        ):
            with pytest.raises(Exception, match="null value in column"):
                found.theirs(sql)
            with pytest.raises(ConstraintError) as refused:
                store.execute(sql)
            assert refused.value.violation == Violation.NOT_NULL
        allowed = "UPDATE person SET last_name = NULL WHERE id = 1"
        found.theirs(allowed)
        store.execute(allowed)
        read = "SELECT * FROM person"
        assert [tuple(row.values()) for row in store.execute(read)] == found.theirs(read)
