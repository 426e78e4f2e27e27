"""INSERT IGNORE leaves out rows that are there and rows without their parent, as MariaDB does."""

from __future__ import annotations

import uuid
from contextlib import closing
from typing import Any

import pymysql
import pytest
from pymongo.database import Database
from sqlalchemy import make_url

from nestling import Store, pipeline
from nestling.common.errors import ConstraintError

TABLES = (
    "CREATE TABLE shelf (id int PRIMARY KEY)",
    """CREATE TABLE thing (
      id int PRIMARY KEY, shelf_id int NOT NULL, above int, code varchar(10) NOT NULL UNIQUE,
      FOREIGN KEY (shelf_id) REFERENCES shelf (id), FOREIGN KEY (above) REFERENCES thing (id)
    )""",
    "CREATE TABLE note (id int PRIMARY KEY, shelf_id int, FOREIGN KEY (shelf_id) REFERENCES shelf (id))",
    "INSERT INTO shelf VALUES (1), (2)",
    "INSERT INTO thing VALUES (1, 1, NULL, 'a')",
)
STATEMENTS = (
    "INSERT IGNORE INTO thing VALUES (2, 99, NULL, 'b')",
    "INSERT IGNORE INTO thing VALUES (3, 1, 1, 'c'), (4, 98, 1, 'd'), (5, 2, 4, 'e'), (6, 2, 3, 'f'), (7, 2, 7, 'g')",
    "INSERT IGNORE INTO thing (id, shelf_id, code) VALUES (8, 1, 'a'), (9, 1, 'i')",
    "INSERT IGNORE INTO thing (id, shelf_id, above, code) VALUES (1, 99, NULL, 'k')",
    "INSERT IGNORE INTO note SELECT id + 10, id FROM thing",
    "INSERT IGNORE INTO note SELECT id, above FROM thing",
)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("strategy", ["normalized", "embedded"])
def test_rows_are_mariadbs(strategy: str, database: Database[Any], mariadb: str) -> None:
    """And so is how many there are; a value that is NULL is refused still."""
    url, name = make_url(mariadb), f"t_{uuid.uuid4().hex}"
    connection = pymysql.connect(
        host=url.host, port=url.port or 3306, user=url.username, password=str(url.password), autocommit=True
    )
    with closing(connection), connection.cursor() as cursor:
        for sql in (f"CREATE DATABASE {name}", f"USE {name}", *TABLES):
            cursor.execute(sql)
        address = url.set(drivername="mysql", database=name).render_as_string(hide_password=False)
        proposal = pipeline.design(pipeline.inspect(address), strategy)
        pipeline.load(proposal, address, database)
        store = Store(proposal, database)
        for sql in STATEMENTS:
            assert store.execute(sql).affected == cursor.execute(sql), sql
            for rows in ("SELECT id, shelf_id, above, code FROM thing ORDER BY id", "SELECT * FROM note ORDER BY id"):
                cursor.execute(rows)
                found = [tuple(row.values()) for row in store.execute(rows)]
                assert found == [tuple(row) for row in cursor.fetchall()], sql
        with pytest.raises(ConstraintError):
            store.execute("INSERT IGNORE INTO thing VALUES (20, 1, NULL, NULL)")
        cursor.execute(f"DROP DATABASE {name}")
