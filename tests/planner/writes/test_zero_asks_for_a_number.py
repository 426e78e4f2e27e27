"""0 given for MySQL's AUTO_INCREMENT beside MariaDB: the row gets the next number, or is refused."""

from __future__ import annotations

from decimal import Decimal

import pytest

from nestling import Store
from nestling.common.errors import ReadError, WriteError
from tests.beside_mariadb import Both, both_of
from tests.written_module import written_function

_SCRIPT = """
CREATE TABLE thing (id int PRIMARY KEY AUTO_INCREMENT, name varchar(9) UNIQUE, n int);
INSERT INTO thing VALUES (1, 'one', 0), (5, 'five', NULL)
"""
_WRITES = (
    "INSERT INTO thing VALUES (0, 'a', 1), (0, 'b', 2)",
    "INSERT INTO thing VALUES (NULL, 'c', 0), (0, 'e', 0)",
    "INSERT INTO thing (id, name) VALUES ('0', 'f')",
    "INSERT INTO thing (id, name) VALUES (0.0, 'g')",
    "INSERT INTO thing (id, name) VALUES (0.4, 'h')",
    "INSERT INTO thing (id, name) VALUES (false, 'i')",
    "INSERT INTO thing (id, name) SELECT 0, 'j'",
    "INSERT INTO thing (id, name) VALUES (0, 'a') ON DUPLICATE KEY UPDATE n = 7",
    "INSERT INTO thing (id, name) VALUES (0, 'k') ON DUPLICATE KEY UPDATE n = 7",
    "INSERT IGNORE INTO thing (id, name) VALUES (0, 'l')",
    "REPLACE INTO thing (id, name) VALUES (0, 'one')",
    "INSERT INTO thing (id, name) SELECT id + 100, concat(name, '+') FROM thing WHERE id > 12",
    "INSERT INTO thing (name) VALUES ('last')",
    "UPDATE thing SET id = 0 WHERE name = 'five'",
)
_GIVEN = (0, "0", " 00 ", 0.0, 0.2, Decimal("0.0"), False, None, 3, "4")

both = both_of(_SCRIPT, "normalized", "embedded")


@pytest.mark.thorough
def test_zeros_in_a_statement(both: Both) -> None:
    """In one row or some of several, whatever is to be done about a row that is there."""
    store = Store(both.proposal, both.database)
    for sql in _WRITES:
        store.execute(sql)
        both.cursor.execute(sql)
        both.assert_equal()


@pytest.mark.thorough
def test_zeros_that_are_given(both: Both) -> None:
    """A store looks at the value each time."""
    store = Store(both.proposal, both.database)
    sql = "INSERT INTO thing (id, name, n) VALUES (:p, :name, 0)"
    for number, value in enumerate((*_GIVEN, 30, 0, 40)):
        given = {"p": value, "name": f"given {number}"[-9:]}
        store.execute(sql, **given)
        both.cursor.execute(sql.replace(":p", "%(p)s").replace(":name", "%(name)s"), given)
        both.assert_equal()


@pytest.mark.one_in(2)
def test_written_functions_refuse_zeros(both: Both) -> None:
    """As they refuse None."""
    function = written_function(both.proposal, "INSERT INTO thing (id) VALUES (:p)", "mysql")
    with pytest.raises(ValueError, match="asks MySQL for the next number"):
        function(both.database, p=0)
    function(both.database, p=9)
    both.cursor.execute("INSERT INTO thing (id) VALUES (9)")
    both.assert_equal()


@pytest.mark.thorough
def test_zeros_that_are_computed_are_refused(both: Both) -> None:
    """Nothing of the statement stays."""
    store = Store(both.proposal, both.database)
    for sql in (
        "INSERT INTO thing (id, name) SELECT id - 5, concat(name, '-') FROM thing WHERE id = 5",
        "INSERT INTO thing (id, name) VALUES (8, 'x'), (1 - 1, 'y')",
    ):
        with pytest.raises((ReadError, WriteError), match="MySQL would replace by the next number"):
            store.execute(sql)
        both.assert_equal()
