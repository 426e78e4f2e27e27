"""What MariaDB has beside plain tables and views is told as what it is."""

from __future__ import annotations

import uuid

from sqlalchemy import make_url

from nestling import pipeline
from tests.beside_mariadb import cursor_of

SCRIPT = (
    "CREATE SEQUENCE numbers START WITH 5",
    "CREATE TABLE priced (id int PRIMARY KEY, price int) WITH SYSTEM VERSIONING",
    "INSERT INTO priced VALUES (1, 10)",
    "UPDATE priced SET price = 11",
)


def test_a_sequence_and_a_history_are_left_out_by_name(mariadb: str) -> None:
    """The rows as they are now are read."""
    url, name = make_url(mariadb), f"t_{uuid.uuid4().hex}"
    with cursor_of(mariadb) as cursor:
        cursor.execute(f"CREATE DATABASE {name}")
        cursor.execute(f"USE {name}")
        for statement in SCRIPT:
            cursor.execute(statement)
        reading = pipeline.inspect(url.set(drivername="mysql", database=name).render_as_string(hide_password=False))
        cursor.execute(f"DROP DATABASE {name}")
    assert [entity.name for entity in reading.model.entities] == ["priced"]
    rows = reading.statistics.entity("priced").count
    assert rows is not None
    assert rows.value == 1
    said = "\n".join(reading.notes)
    assert "sequence `numbers` is left out" in said
    assert "`priced` is WITH SYSTEM VERSIONING" in said
    assert "view `numbers`" not in said
