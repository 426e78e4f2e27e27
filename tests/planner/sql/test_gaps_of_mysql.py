"""What the documentation says is a gap in MySQL's dialect is one."""

from __future__ import annotations

import pytest

from nestling import pipeline
from nestling.common.errors import NestlingError
from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.programs.compiled import NotCompiled
from nestling.ir.proposal import Proposal
from nestling.ir.reading import Reading
from nestling.ir.statements.expression import Collation
from nestling.ir.types import Type

COLUMNS = {"id": "integer", "price": "decimal(12,2)", "n": "integer", "f": "float", "s": "text(20)", "at": "timestamp"}
EXPRESSIONS = (
    "price / :x", "s + 1", "CAST(s AS SIGNED)", "n & 1", "n | 1", "n << 1",
    "FORMAT(price, 2)", "HEX(s)", "FIND_IN_SET('x', s)", "ELT(n, 'a', 'b')",
    "REGEXP_REPLACE(s, 'a', 'b')", "MD5(s)", "SHA2(s, 256)", "MATCH (s) AGAINST ('x')", "TRIM('a' FROM s)", "LEFT(s, n)",
    "CONCAT(f, 'x')",
    "DATE_FORMAT(at, '%f')",
    "STR_TO_DATE(s, '%Y')", "FROM_UNIXTIME(n)", "TIMEDIFF(at, at)", "CONVERT_TZ(at, 'Europe/Berlin', 'UTC')", "CURTIME()",
    "UNIX_TIMESTAMP(at)", "TIMESTAMP_DIFF(at, at)",
    "STDDEV(n)", "BIT_OR(n)", "JSON_ARRAYAGG(n)", "JSON_EXTRACT(s, '$.a')", "RAND()", "UUID()", "LAST_INSERT_ID()",
    "FOUND_ROWS()", "@x := n",
)  # fmt: skip
STATEMENTS = (
    *(f"SELECT {text} FROM item" for text in EXPRESSIONS),
    "SELECT SQL_CALC_FOUND_ROWS n FROM item",
    "UPDATE item SET n = b'0101'",
    "DELETE a, b FROM item a JOIN item b ON a.id = b.n",
    "DELETE FROM part LIMIT 1",
    "TRUNCATE TABLE item",
    "LOAD DATA INFILE 'x' INTO TABLE item",
)
CONVERTED = (
    "SELECT price / CAST(:x AS DECIMAL(10, 2)) FROM item",
    "UPDATE item SET n = n + :x",
    "UPDATE item SET at = at + INTERVAL :x DAY",
    "INSERT INTO item (id, n) VALUES (:x, 1) RETURNING id",
    "DELETE FROM item ORDER BY at LIMIT 1",
)


@pytest.fixture(scope="module")
def proposal() -> Proposal:
    """A table of each kind of column, and one with two columns in its key."""
    attributes = tuple(
        Attribute(name, Type.parse(kind), nullable=name != "id", collation=_collation(kind))
        for name, kind in COLUMNS.items()
    )
    key = tuple(Attribute(name, Type.parse("integer"), nullable=False) for name in ("item", "line"))
    model = Model("shop", (Entity("item", attributes, ("id",)), Entity("part", key, ("item", "line"))))
    return pipeline.design(Reading(model, dialect="mysql"), "normalized")


def _collation(kind: str) -> Collation:
    return Collation.UNICODE_CI if kind.startswith("text") else Collation.BINARY


@pytest.mark.parametrize("sql", STATEMENTS)
def test_it_is_a_gap(proposal: Proposal, sql: str) -> None:
    """And is refused in words."""
    try:
        found = pipeline.convert(proposal, sql, dialect="mysql")
    except NestlingError:
        return
    assert isinstance(found, NotCompiled), found


@pytest.mark.parametrize("sql", CONVERTED)
def test_what_is_said_to_be_converted_is(proposal: Proposal, sql: str) -> None:
    """The other way to write it."""
    assert not isinstance(pipeline.convert(proposal, sql, dialect="mysql"), NotCompiled)
