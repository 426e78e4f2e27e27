"""Constants PostgreSQL casts to a type of a length, of so many digits or of a range."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from nestling.common.errors import ReadError, WorkloadError
from tests.planner.reads.beside_postgresql import Beside, beside_of

TABLES = """
CREATE TABLE part (id integer PRIMARY KEY, name varchar(8), code char(4), price numeric(8, 2), size numeric, made timestamp(3));
INSERT INTO part VALUES (1, 'ab', 'ab', 2.50, 100.05, '2024-01-31 10:00:00.5'), (2, 'abcdef', 'abcd', 10, -0.25, NULL),
    (3, NULL, NULL, NULL, NULL, NULL);
"""
VALUES = (
    "'abcdef'::varchar(3), 'abcdef'::text::varchar(3), varchar(2) 'abc', 'abc'::varchar",
    "'abc'::char(2), 'abc'::char, 'abcd  '::character(4), 'a'::char(3) || 'x', 'abc   '::varchar(4) || 'x'",
    "'a'::char(3), name::char(2)",
    "price::text, 'x' || price, concat(price, '!'), price::varchar(3), size::numeric(6,2)::text",
    "sign(price)::text, 2.50::text, 'x' || 1.10",
    "'12.345'::numeric(4,1), CAST('9.99' AS numeric(3,1)), numeric(3,1) '9.99', 12.345::numeric(4,1), 7::numeric(4,2)",
    "'-12.345'::numeric(5,2), '-0.005'::numeric(5,2), '0.5'::numeric(3), '1.5'::numeric(3), '2.5'::numeric(3), 2.5::numeric(2,0)",
    "'1e3'::numeric, 1e3, '1.50'::numeric, 'NaN'::numeric(3,1), '0.00001'::numeric(3,2)",
    "'5'::int, ' 5 '::int, '32767'::smallint, '-9223372036854775808'::bigint, 2.5::int",
    "'2024-01-31 10:00:00.5'::timestamp(3), '2024-01-31 10:00:00'::timestamp(0)",
    "size::numeric(4,1), size::numeric(5,2), name::varchar(2), code::varchar(2), name::char(5) || 'x'",
)
CONDITIONS = (
    "name = 'abcdef'::varchar(2)",
    "name = 'abcdefghijkl'::varchar(8)",
    "price = '2.499'::numeric(4,2)",
    "code = 'ab'::char(4)",
    "code = 'abcde'::char(4)",
    "name::char(2) = 'ab'",
    "name IN ('abx'::varchar(2), 'q')",
)
REFUSED = (
    "'99.99'::numeric(3,1)",
    "1234::numeric(4,1)",
    "99.5::numeric(2,0)",
    "'Infinity'::numeric(3,1)",
    "'40000'::smallint",
    "3000000000::int",
    "'9223372036854775808'::bigint",
)


parts = beside_of(TABLES, scope="module")
"""The table in PostgreSQL and in MongoDB."""


@pytest.mark.parametrize(
    "sql",
    [
        *(f"SELECT id, {each} FROM part ORDER BY id" for each in VALUES),
        *(f"SELECT id FROM part WHERE {each} ORDER BY id" for each in CONDITIONS),
    ],
)
def test_casts_are_postgresqls(parts: Beside, sql: str) -> None:
    """Texts are cut off, numbers rounded half away from zero."""
    assert repr(parts.ours(sql)) == repr(parts.theirs(sql))


@pytest.mark.parametrize("value", REFUSED)
def test_what_postgresql_refuses_is_a_mistake(parts: Beside, value: str) -> None:
    """A number beyond the type."""
    with pytest.raises(sa.exc.DataError):
        parts.theirs(f"SELECT {value}")
    with pytest.raises(WorkloadError, match=r"out of range for|too many digits before the point"):
        parts.ours(f"SELECT {value}")


def test_a_column_with_too_many_digits_fails(parts: Beside) -> None:
    """As in PostgreSQL, when the statement comes to such a row, and not before."""
    sql = "SELECT id, size::numeric(2, 1) FROM part"
    with pytest.raises(sa.exc.DataError):
        parts.theirs(sql)
    with pytest.raises(ReadError, match=r"too many digits before the point for decimal\(2,1\): 100"):
        parts.ours(sql)
    assert parts.ours(f"{sql} WHERE id = 2") == parts.theirs(f"{sql} WHERE id = 2")


@pytest.mark.parametrize("value", ["'2024-01-31 10:00:00.6'::timestamp(0)"])
def test_what_is_not_made_is_a_gap(parts: Beside, value: str) -> None:
    """Blanks that are seen, moments that are rounded."""
    assert "CAST to " in parts.gap(f"SELECT {value} FROM part")
