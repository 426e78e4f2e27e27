"""An index on an array has an entry for each element; conditions on elements are weighed with it, and the server uses it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
import sqlalchemy as sa
from pymongo.database import Database

from nestling import pipeline
from nestling.executors.run import run_read
from nestling.ir.programs.compiled import CompiledRead, bind
from nestling.ir.proposal import OPTIMAL, Proposal
from nestling.ir.reading import Reading
from nestling.sources.statements import parse_workload
from tests.planner.reads.beside_postgresql import created

TABLES = """
CREATE TABLE issue (id integer PRIMARY KEY, status text NOT NULL, title text NOT NULL, opened date NOT NULL,
    tags text[], watchers integer[] NOT NULL);
INSERT INTO issue SELECT n, CASE mod(n, 3) WHEN 0 THEN 'open' ELSE 'closed' END, repeat('title ' || n, 20),
    date '2024-01-01' + mod(n, 500),
    CASE WHEN mod(n, 50) <> 0 THEN ARRAY['t' || mod(n, 97), 't' || mod(n, 89), NULL, 't' || mod(n, 97)] END,
    ARRAY[mod(n, 7), mod(n, 11)]
    FROM generate_series(1, 4000) AS n;
"""
READS = {
    "tagged": ("SELECT id, title FROM issue WHERE :tag = ANY(tags) ORDER BY id", {"tag": "t5"}),
    "both": ("SELECT id FROM issue WHERE tags @> ARRAY['t3', :tag] ORDER BY id", {"tag": "t4"}),
    "either": ("SELECT id FROM issue WHERE tags && ARRAY['t1', :tag] ORDER BY id", {"tag": "t2"}),
    "two": ("SELECT id FROM issue WHERE 't6' = ANY(tags) AND :tag = ANY(tags) ORDER BY id", {"tag": "t7"}),
    "newest": (
        "SELECT id, title FROM issue WHERE status = :status AND :tag = ANY(tags) ORDER BY opened DESC LIMIT 5",
        {"status": "open", "tag": "t8"},
    ),
}
UNSERVED = {
    "or_status": ("SELECT id FROM issue WHERE :tag = ANY(tags) OR status = 'x' ORDER BY id", {"tag": "t5"}),
    "lacking": ("SELECT id FROM issue WHERE NOT (:tag = ANY(tags)) ORDER BY id", {"tag": "t5"}),
}
OPEN = "INSERT INTO issue VALUES (:id, 'open', :title, DATE '2025-01-01', ARRAY['t1', :tag], ARRAY[1])"


@pytest.fixture(scope="module")
def source(postgresql: str) -> Iterator[tuple[Reading, sa.Engine]]:
    """The issues in PostgreSQL, and what is read of them."""
    _, url, engine = created(postgresql, TABLES)
    yield pipeline.inspect(url), engine
    engine.dispose()


def designed(reading: Reading, *names: str, rate: float = 20.0, strategy: str = OPTIMAL, **others: float) -> Proposal:
    """The design for these statements, each at that rate, and for others at theirs."""
    known = {**READS, **UNSERVED, "opening": (OPEN, {})}
    rates = dict.fromkeys(names, rate) | others
    text = ";\n".join(f"-- name: {name}, rate: {each}/s\n{known[name][0]}" for name, each in rates.items())
    workload, gaps = parse_workload(text, reading.model, "postgresql", "w.sql")
    assert gaps == ()
    return pipeline.design(replace(reading, workload=workload), strategy)


def _examined(proposal: Proposal, database: Database[dict[str, Any]], name: str) -> int:
    """Documents the server looks at for a read."""
    sql, values = READS[name]
    read = pipeline.convert(proposal, sql, dialect="postgresql")
    assert isinstance(read, CompiledRead)
    asked = {"find": read.collection, "filter": bind(read, values).filter}
    told = database.command("explain", asked, verbosity="executionStats")
    return int(told["executionStats"]["totalDocsExamined"])


def keys(proposal: Proposal) -> list[tuple[tuple[str, int], ...]]:
    """What the indexes are on."""
    return [index.keys for index in proposal.design.indexes]


@pytest.mark.thorough
def test_elements_are_counted(source: tuple[Reading, sa.Engine]) -> None:
    """Of the arrays there are: how long, and how many different elements, of which NULL is none."""
    reading, _ = source
    known = dict(reading.statistics.entity("issue").attributes)
    tags, watchers = known["tags"], known["watchers"]
    assert (tags.elements and tags.elements.value, tags.distinct_elements and tags.distinct_elements.value) == (4, 97)
    assert (watchers.elements and watchers.elements.value) == 2
    assert (watchers.distinct_elements and watchers.distinct_elements.value) == 11
    assert known["status"].elements is None


@pytest.mark.thorough
@pytest.mark.parametrize("strategy", [OPTIMAL, "normalized"])
def test_the_server_finds_rows_by_elements(
    source: tuple[Reading, sa.Engine], database: Database[dict[str, Any]], strategy: str
) -> None:
    """The design has the index, the server takes it for each condition on elements, and all answers are PostgreSQL's."""
    reading, engine = source
    proposal = designed(reading, *READS, strategy=strategy)
    assert any(("tags", 1) in each for each in keys(proposal))
    pipeline.load(proposal, engine.url.render_as_string(hide_password=False), database)
    found: dict[str, list[tuple[object, ...]]] = {}
    for name, (sql, values) in (READS | UNSERVED).items():
        read = pipeline.convert(proposal, sql, dialect="postgresql")
        assert isinstance(read, CompiledRead), name
        with engine.connect() as connection:
            theirs = [tuple(row) for row in connection.execute(sa.text(sql), values)]
        bound = bind(read, values)
        found[name] = list(map(tuple, run_read(database, bound)))
        assert found[name] == theirs, name
        if name in READS:
            plan = database[str(bound.collection)].find(bound.filter or {}).explain()["queryPlanner"]["winningPlan"]
            assert "IXSCAN" in str(plan), name
            assert "tags" in str(plan), name
    assert _examined(proposal, database, "tagged") == len(found["tagged"])
    newest = pipeline.convert(proposal, READS["newest"][0], dialect="postgresql")
    assert isinstance(newest, CompiledRead)
    bound = bind(newest, READS["newest"][1])
    cursor = database[str(bound.collection)].find(bound.filter or {}).sort([*bound.sort])
    assert strategy != OPTIMAL or "'SORT'" not in str(cursor.explain()["queryPlanner"]["winningPlan"])


def test_an_index_for_each_condition_beside_it(source: tuple[Reading, sa.Engine]) -> None:
    """What is equal stands before the elements, the order behind them, as long as that is worth its entries."""
    reading, _ = source
    assert (("status", 1), ("tags", 1), ("opened", -1)) in keys(designed(reading, "newest"))
    assert keys(designed(reading, *UNSERVED)) == []


@pytest.mark.thorough
def test_each_element_of_a_new_row_is_paid_for(source: tuple[Reading, sa.Engine]) -> None:
    """A row has four entries: fewer new rows than of an index with one outweigh what a rare read saves."""
    reading, _ = source
    assert keys(designed(reading, "tagged", rate=1.0, opening=1.0)) == [(("tags", 1), ("_id", 1))]
    assert keys(designed(reading, "tagged", rate=0.01, opening=5_000.0)) == []


def test_two_arrays_are_never_in_one_index(source: tuple[Reading, sa.Engine]) -> None:
    """Which the server refuses: there is an index for one of them."""
    reading, _ = source
    sql = "SELECT id FROM issue WHERE 't1' = ANY(tags) AND :watcher = ANY(watchers)"
    workload, _ = parse_workload(f"-- name: s, rate: 9/s\n{sql}", reading.model, "postgresql", "w.sql")
    for strategy in (OPTIMAL, "normalized"):
        found = keys(pipeline.design(replace(reading, workload=workload), strategy))
        assert len(found) == 1
        assert len({path for path, _ in found[0]} & {"tags", "watchers"}) == 1
