"""The first children of one parent are found by their foreign key: PostgreSQL's answers, and an index has them in order."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nestling import pipeline
from nestling.executors.run import run_read
from nestling.ir.primitives import Index
from nestling.ir.programs.compiled import CompiledRead, bind
from nestling.ir.statements.algebra import Query
from nestling.planner.reads.rewrites.parent_as_foreign_key import by_foreign_key
from nestling.planner.reads.rewrites.pushdown import push_predicates
from nestling.planner.sql import translate
from tests.planner.reads.beside_postgresql import Beside, beside_of, written

TABLES = """
CREATE TABLE p (id integer PRIMARY KEY, name text NOT NULL);
CREATE TABLE t (id integer PRIMARY KEY, tag text NOT NULL);
CREATE TABLE c (id integer PRIMARY KEY, p_id integer NOT NULL REFERENCES p, t_id integer NOT NULL REFERENCES t,
  at timestamp NOT NULL, v integer NOT NULL);
CREATE TABLE n (id integer PRIMARY KEY, p_id integer REFERENCES p, at timestamp NOT NULL);
CREATE TABLE pair (a integer, b text, name text, PRIMARY KEY (a, b));
CREATE TABLE part (id integer PRIMARY KEY, a integer NOT NULL, b text NOT NULL, v integer NOT NULL,
  FOREIGN KEY (a, b) REFERENCES pair);
INSERT INTO p SELECT i, 'p' || i FROM generate_series(1, 6) i;
INSERT INTO t SELECT i, 't' || i FROM generate_series(1, 3) i;
INSERT INTO c SELECT i, i %% 5 + 1, i %% 3 + 1, timestamp '2025-01-01' + i * interval '1 hour', i %% 7
  FROM generate_series(1, 400) i;
INSERT INTO n SELECT i, nullif(i %% 5, 0), timestamp '2025-01-01' + i * interval '1 hour' FROM generate_series(1, 50) i;
INSERT INTO pair SELECT i %% 3, chr(97 + i / 3), 'pair ' || i FROM generate_series(0, 8) i;
INSERT INTO part SELECT i, i %% 3, chr(97 + i %% 9 / 3), i FROM generate_series(1, 60) i;
"""
PAGE = "SELECT p.name, c.id FROM p JOIN c ON c.p_id = p.id WHERE p.id = :id ORDER BY c.at DESC LIMIT 10"
MOVED = (
    PAGE,
    PAGE.replace("p JOIN c", "c JOIN p"),
    PAGE.replace("LIMIT 10", "LIMIT :n OFFSET 3"),
    PAGE.replace("p.id = :id", "p.id = :id AND c.v < 5"),
    "SELECT p.name, t.tag, c.id FROM p, c, t WHERE c.p_id = p.id AND t.id = c.t_id AND p.id = :id ORDER BY c.at LIMIT 5",
    "SELECT x.name, y.v FROM pair x JOIN part y ON y.a = x.a AND y.b = x.b WHERE x.a = :id AND x.b = 'b' ORDER BY y.v LIMIT 4",
)
STAYING = (
    PAGE.replace(" LIMIT 10", ""),
    PAGE.replace("JOIN c", "LEFT JOIN c"),
    PAGE.replace("ORDER BY c.at DESC", "ORDER BY p.name, c.id"),
    PAGE.replace("p.id = :id", "p.id >= :id").replace("c.at DESC", "c.at DESC, c.id"),
    PAGE.replace("p.id = :id", "p.id = :id AND p.name = 'p3'"),
    "SELECT p.name, n.id FROM p JOIN n ON n.p_id = p.id WHERE p.id = :id ORDER BY n.at, n.id LIMIT 4",
    "SELECT x.name, y.v FROM pair x JOIN part y ON y.a = x.a AND y.b = x.b WHERE x.a = :id ORDER BY y.v LIMIT 4",
)


tables = beside_of(TABLES, "normalized", "embedded", scope="module")
"""The tables in both, by two designs."""


def _compiled(tables: Beside, sql: str) -> CompiledRead:
    made = pipeline.convert(tables.proposal, sql, dialect="postgresql")
    assert isinstance(made, CompiledRead), made
    return made


@pytest.mark.in_turn("tables")
@pytest.mark.parametrize("sql", [*MOVED, *STAYING])
@pytest.mark.parametrize("number", [1, 2, 3, 6, 9])
def test_answers_are_those_of_postgresql(sql: str, number: int, tables: Beside) -> None:
    """Of parents with children, of one without, and of none."""
    values = {"id": number} | ({"n": 4} if ":n" in sql else {})
    rows = run_read(tables.database, _compiled(tables, sql), values)
    assert [tuple(map(written, row)) for row in rows] == tables.theirs(sql, values)


@pytest.mark.parametrize(("sql", "moves"), [*((sql, True) for sql in MOVED), *((sql, False) for sql in STAYING)])
def test_only_what_stays_the_same_is_moved(sql: str, moves: bool, tables: Beside) -> None:
    """Not without a limit, of an outer join, or where more than the whole key is asked of the parent."""
    model = tables.proposal.design.model
    query = translate(sql, model, "postgresql")
    assert isinstance(query, Query)
    pushed = push_predicates(query.relation)
    assert (by_foreign_key(pushed, model) is not pushed) is moves


@pytest.mark.parametrize("tables", ["normalized"], indirect=True)
def test_an_index_has_the_children_in_order(tables: Beside) -> None:
    """The server reads no more children than the limit."""
    design = tables.proposal.design
    indexed = replace(design, indexes=(*design.indexes, Index("c", (("p_id", 1), ("at", -1)))))
    tables.database["c"].create_index([("p_id", 1), ("at", -1)])
    read = _compiled(replace(tables, proposal=replace(tables.proposal, design=indexed)), PAGE)
    assert read.collection == "c"
    command = {"aggregate": "c", "pipeline": list(bind(read, {"id": 3}).pipeline), "cursor": {}}
    told = tables.database.command("explain", command, verbosity="executionStats")
    (cursor,) = (stage["$cursor"] for stage in told["stages"] if "$cursor" in stage)
    assert cursor["executionStats"]["totalDocsExamined"] <= 2 * 10  # the children, and the parent of each
    assert "p_id_1_at_-1" in str(cursor["queryPlanner"]["winningPlan"])
