"""Defaults of bits and parts of texts that MySQL makes for a new row, beside a MariaDB."""

from __future__ import annotations

from pathlib import Path

import pytest

from nestling import Store
from nestling.ir.constraints.defaults import ConstantDefault
from nestling.sources.front import read_source
from tests.beside_mariadb import Both, both_of

SCRIPT = """
CREATE TABLE person (id int PRIMARY KEY, email varchar(50), domain varchar(50) AS (SUBSTRING_INDEX(email, '@', -1)) STORED,
    flags bit(4) NOT NULL DEFAULT b'0000', few bit(9) DEFAULT b'101', n tinyint DEFAULT b'11',
    a date, b datetime, nights int AS (DATEDIFF(b, a)));
INSERT INTO person (id, email) VALUES (1, 'ann@example.org'), (2, NULL)
"""
both = both_of(SCRIPT, "normalized")
WRITES = (
    "INSERT INTO person (id, email) VALUES (3, 'bob@mail.example.org'), (4, 'nobody')",
    "UPDATE person SET email = 'ann@b@c' WHERE id = 1",
    "UPDATE person SET email = NULL WHERE id = 3",
    "INSERT INTO person (id) VALUES (5)",
    "INSERT INTO person (id, a, b) VALUES (6, '2024-02-28', '2024-03-01 23:59:59'), (7, '2024-01-01', NULL)",
    "UPDATE person SET a = '1969-12-31' WHERE id = 6",
)


def test_new_rows_have_what_mariadb_gives_them(both: Both) -> None:
    """Also where an UPDATE changes what a column is computed of."""
    store = Store(both.proposal, both.database)
    for sql in WRITES:
        both.cursor.execute(sql)
        store.execute(sql)
        both.assert_equal()


@pytest.mark.thorough
def test_a_row_that_is_there_takes_the_new_one_s_values_by_either_word(both: Both) -> None:
    """MariaDB's VALUE() is VALUES()."""
    for sql in (
        "INSERT INTO person (id, email) VALUES (1, 'x@y') ON DUPLICATE KEY UPDATE email = VALUES(email)",
        "INSERT INTO person (id, email, flags) VALUES (2, 'z@y', 3) ON DUPLICATE KEY UPDATE email = VALUE(email), flags = 1",
    ):
        assert both.written(sql) == (True, True)
        both.assert_equal()


def test_ddl_says_the_same(both: Both, tmp_path: Path) -> None:
    """As it is written, and as the catalogue has it."""
    path = tmp_path / "person.sql"
    path.write_text(SCRIPT)
    written = read_source(path, dialect="mysql").model.entity("person")
    catalogued = both.proposal.design.model.entity("person")
    for name, value in {"flags": "0000", "few": "000000101", "n": 3}.items():
        assert written.attribute(name).default == catalogued.attribute(name).default == ConstantDefault(value)
