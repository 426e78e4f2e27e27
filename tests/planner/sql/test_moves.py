"""What a gap of a statement says to do instead."""

from __future__ import annotations

import pytest

from nestling import pipeline
from nestling.ir.programs.compiled import NotCompiled
from nestling.ir.proposal import Proposal
from nestling.ir.reading import BY_HAND
from nestling.sources.ddl import read_ddl

_DDL = """CREATE TABLE person (id int PRIMARY KEY, name varchar(40), balance decimal(10, 2) NOT NULL, boss int,
at timestamp, f float, FOREIGN KEY (boss) REFERENCES person (id));"""
_WALK = """WITH RECURSIVE c AS (SELECT id, boss, {} AS x FROM person WHERE id = 3
UNION ALL SELECT p.id, p.boss, {} FROM person p {}"""
CASES = {
    "mysql": {
        "SELECT MD5(name) FROM person": "compute the digest in the application",
        "SELECT UUID()": "give it as a parameter",
        "SELECT RAND() FROM person": "`ORDER BY RAND()` is converted",
        "SELECT POWER(balance, 2) FROM person": "`x * x`",
        "SELECT id FROM person WHERE FIND_IN_SET('x', name)": "LIKE '%,word,%'",
        "SELECT STR_TO_DATE(name, '%Y') FROM person": "give the time as a parameter",
        "SELECT TIMEDIFF(at, at) FROM person": "TIMESTAMPDIFF(SECOND",
        "SELECT FORMAT(balance, 2) FROM person": "ROUND(x, 2)",
        "SELECT ELT(boss, 'a', 'b') FROM person": "CASE n WHEN 1",
        "SELECT REGEXP_REPLACE(name, 'a', 'b') FROM person": "REPLACE and SUBSTRING",
        "SELECT id FROM person WHERE MATCH (name) AGAINST ('x')": "LIKE '%word%'",
        "SELECT STDDEV(balance) FROM person": "SUM(x * x)",
        "SELECT JSON_ARRAYAGG(name) FROM person": "make the list in the application",
        "SELECT FOUND_ROWS()": "SELECT COUNT(*)",
        "SELECT SQL_CALC_FOUND_ROWS id FROM person": "SELECT COUNT(*)",
        "SELECT ROW_COUNT()": "`affected`",
        "SELECT LAST_INSERT_ID()": "INSERT … RETURNING id",
        "SELECT @x := 1": "ROW_NUMBER()",
        "SELECT boss & 1 FROM person": "a column of its own",
        "SELECT name + 1 FROM person": "give a number as a parameter",
        "SELECT CONCAT(f, 'x') FROM person": "select the float by itself",
        "SELECT COUNT(DISTINCT name) OVER () FROM person": "join a subquery that groups",
        "DELETE a, b FROM person a JOIN person b ON b.id = a.boss": "one statement for each table",
        _WALK.format(
            "1", "c.x + 1", "JOIN c ON c.boss = p.id WHERE x < 20) SELECT id FROM c"
        ): "put conditions outside",
        _WALK.format(
            "name", "CONCAT(c.x, p.name)", "JOIN c ON c.boss = p.id) SELECT id FROM c"
        ): "a depth, and make paths",
        "WITH RECURSIVE c AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM c WHERE n < 9) SELECT n FROM c": "make the series",
    },
    "postgresql": {
        "SELECT md5(name) FROM person": "compute the digest in the application",
        "SELECT gen_random_uuid()": "give it as a parameter",
        "SELECT regexp_replace(name, 'a', 'b') FROM person": "REPLACE and SUBSTRING",
    },
    "sqlite": {
        "SELECT hex(name) FROM person": "convert it in the application",
        "SELECT last_insert_rowid()": "INSERT … RETURNING id",
    },
}


@pytest.fixture(scope="module", params=list(CASES))
def proposal(request: pytest.FixtureRequest) -> Proposal:
    """The tables in each dialect."""
    return pipeline.design(read_ddl(_DDL, "shop", dialect=request.param), "normalized")


def test_a_gap_says_what_to_do(proposal: Proposal) -> None:
    """Not only to write other SQL."""
    for sql, move in CASES[proposal.dialect].items():
        found = pipeline.convert(proposal, sql)
        assert isinstance(found, NotCompiled), sql
        assert move in found.gap.next_move, f"{sql}: {found.gap.next_move}"
        assert found.gap.next_move != BY_HAND


def test_a_condition_outside_a_walk_is_converted() -> None:
    """As the gap of one inside says."""
    proposal = pipeline.design(read_ddl(_DDL, "shop", dialect="mysql"), "normalized")
    sql = _WALK.format("1", "c.x + 1", "JOIN c ON c.boss = p.id) SELECT id FROM c WHERE x <= 20")
    assert not isinstance(pipeline.convert(proposal, sql), NotCompiled)
