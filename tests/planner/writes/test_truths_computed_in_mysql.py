"""Numbers computed for a TINYINT(1) of 0 and 1, and truths given for numbers: beside a MariaDB."""

from __future__ import annotations

import pytest

from nestling import Store
from nestling.common.errors import NestlingError
from tests.beside_mariadb import Both, both_of

SCRIPT = """
CREATE TABLE guest (id int PRIMARY KEY, vip tinyint(1), points int NOT NULL, price decimal(6,2), big bigint unsigned);
INSERT INTO guest VALUES (1, 1, 5, 1.50, 18446744073709551615), (2, 0, 6, 2, 1), (3, NULL, 0, NULL, 2)
"""
both = both_of(SCRIPT, "normalized")
WRITES = (
    "UPDATE guest SET vip = 1 - vip",
    "UPDATE guest SET vip = IF(points > 5, 1, 0) WHERE id < 3",
    "UPDATE guest SET vip = CASE WHEN points = 5 THEN 1 WHEN points = 6 THEN 0 END",
    "UPDATE guest SET vip = COALESCE(vip, 0)",
    "UPDATE guest SET vip = vip * points WHERE points < 2",
    "UPDATE guest SET vip = points % 2",
    "INSERT INTO guest (id, vip, points) SELECT id + 10, 1 - vip, points FROM guest",
)


def test_it_is_the_truth_it_is_worth(both: Both) -> None:
    """Also NULL."""
    for sql in WRITES:
        assert both.written(sql) == (True, True)
        both.assert_equal()


def test_another_number_is_refused(both: Both) -> None:
    """Which a TINYINT(1) keeps, and a truth does not."""
    with pytest.raises(NestlingError, match="a value cannot be stored as boolean: 5"):
        Store(both.proposal, both.database).execute("UPDATE guest SET vip = points + 0 WHERE id = 1")
    both.assert_equal()


@pytest.mark.thorough
@pytest.mark.parametrize("value", [True, False])
def test_true_is_one_where_a_number_is_for_arithmetic(both: Both, value: bool) -> None:
    """As PyMySQL sends it."""
    store = Store(both.proposal, both.database)
    for sql in ("UPDATE guest SET points = points + :x", "UPDATE guest SET price = price * :x WHERE id = 1"):
        both.cursor.execute(sql.replace(":x", "%s"), [value])
        store.execute(sql, x=value)
        both.assert_equal()
    both.cursor.execute("SELECT points + %s FROM guest ORDER BY id", [value])
    here = store.execute("SELECT points + :x FROM guest ORDER BY id", x=value)
    assert [tuple(row.values()) for row in here] == list(both.cursor.fetchall())


def test_an_unsigned_number_ends_where_mysql_s_does(both: Both) -> None:
    """A column that holds numbers beyond 64 bits with a sign has those of 64 bits without one."""
    store = Store(both.proposal, both.database)
    both.cursor.execute("UPDATE guest SET big = %s WHERE id = 2", [2**64 - 1])
    store.execute("UPDATE guest SET big = :x WHERE id = 2", x=2**64 - 1)
    both.assert_equal()
    with pytest.raises(NestlingError, match="out of range for MySQL's integers"):
        store.execute("UPDATE guest SET big = :x WHERE id = 2", x=2**64)
    both.assert_equal()
