"""unnest: rows of the elements of arrays, beside PostgreSQL, by every strategy and with no rewrite."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from pymongo import MongoClient

from nestling import pipeline
from nestling.common.errors import WorkloadError
from nestling.emitters.mql.read import compiled_read
from nestling.executors.run import run_read
from nestling.ir.programs.compiled import CompiledRead, NotCompiled
from nestling.ir.statements.algebra import Query
from nestling.planner.reads import NO_REWRITES, plan_read
from nestling.planner.sql import translate
from nestling.planner.work import estimate
from nestling.sources.statements import parse_workload
from tests.planner.reads.beside_postgresql import STRATEGIES, Served, served_by_strategies, written

TABLES = """
CREATE TYPE grade AS ENUM ('low', 'high');
CREATE TABLE author (id integer PRIMARY KEY, name text NOT NULL, langs text[] NOT NULL);
CREATE TABLE post (id integer PRIMARY KEY, author_id integer REFERENCES author, title text, tags text[], marks integer[],
    rates numeric(6,2)[], shares float8[], grades grade[], days date[], flags boolean[], keys uuid[], label text);
CREATE TABLE note (id integer PRIMARY KEY, post_id integer NOT NULL REFERENCES post, words text[]);
INSERT INTO author VALUES (1, 'Ann', '{en,de}'), (2, 'Bob', '{}'), (3, 'Cy', '{fr}');
INSERT INTO post (id, author_id, title, tags, marks) VALUES (1, 1, 'a', '{sql,db}', '{1,2,3}'),
    (2, 1, 'b', '{sql,NULL,sql}', '{NULL,7}'),
    (3, 2, 'c', '{}', '{}'), (4, 2, 'd', NULL, NULL), (5, NULL, NULL, '{"",SQL,"a,b","$db","NULL"}', '{-1,1}'),
    (6, 3, 'sql', '{NULL}', '{0}');
UPDATE post SET rates = '{1.50,2,NULL}', shares = '{0.5,-0.25}', grades = '{high,low}', flags = '{t,NULL}', label = 'x',
    keys = '{a0000000-0000-0000-0000-00000000000a,NULL}' WHERE id < 3;
INSERT INTO note VALUES (1, 1, '{x,y}'), (2, 1, '{y}'), (3, 2, NULL), (4, 5, '{x,NULL}'), (5, 6, '{}');
"""
STATEMENTS = (
    "SELECT p.id, t.tag FROM post p, unnest(p.tags) AS t(tag)",
    "SELECT p.id, tag FROM post p CROSS JOIN LATERAL unnest(p.tags) tag",
    "SELECT p.id, p.tags, t FROM post p CROSS JOIN unnest(tags) t",
    "SELECT p.id, t.tag FROM post p LEFT JOIN LATERAL unnest(p.tags) AS t(tag) ON true",
    "SELECT p.id, t.tag FROM post p LEFT JOIN unnest(p.tags) AS t(tag) ON t.tag LIKE 's%%'",
    "SELECT p.id, t.tag FROM post p LEFT JOIN unnest(p.tags) AS t(tag) ON true WHERE t.tag IS NULL",
    "SELECT p.id, t.tag FROM post p JOIN unnest(p.tags) AS t(tag) ON t.tag = p.title",
    "SELECT p.id, unnest FROM post p, unnest(p.marks)",
    "SELECT p.tags, t.* FROM post p, unnest(p.tags) WITH ORDINALITY AS t(one, n) WHERE p.id < 3",
    "SELECT p.id, t.* FROM post p, unnest(p.tags) WITH ORDINALITY AS t WHERE ordinality > 1",
    "SELECT p.id, t.* FROM post p LEFT JOIN unnest(p.tags) WITH ORDINALITY AS t(x) ON true",
    "SELECT p.id, x, y FROM post p, unnest(p.tags) x, unnest(p.marks) y WHERE y > 1",
    "SELECT t.tag, count(*) FROM post p, unnest(p.tags) AS t(tag) GROUP BY t.tag ORDER BY count(*) DESC, t.tag LIMIT 3",
    "SELECT tag, count(DISTINCT p.author_id) FROM post p, unnest(p.tags) AS tag GROUP BY tag HAVING count(*) > 1",
    "SELECT tag, count(*) FROM post p, unnest(p.tags) AS tag WHERE tag IN ('sql', 'db') AND p.id <> 2 GROUP BY 1",
    "SELECT p.id FROM post p, unnest(p.tags) AS t(x) WHERE x = 'sql'",
    "SELECT p.id FROM post p, unnest(p.tags) AS t(x) WHERE x = 'sql' AND 'db' = ANY(p.tags)",
    "SELECT p.id FROM post p, unnest(p.tags) AS t(x) WHERE x IS NULL",
    "SELECT p.id, x FROM post p, unnest(p.tags) AS t(x) WHERE x IS NOT NULL",
    "SELECT p.id, x FROM post p, unnest(p.tags) AS t(x) WHERE x <> 'sql'",
    "SELECT p.id, x FROM post p, unnest(p.tags) AS t(x) WHERE x LIKE 's%%' OR x IS NULL",
    "SELECT p.id, upper(x), length(x) FROM post p, unnest(p.tags) AS t(x) WHERE x > 'a'",
    "SELECT p.id, sum(m), avg(m), max(m) FROM post p, unnest(p.marks) m GROUP BY p.id",
    "SELECT p.id, r * 2, r / 3 FROM post p, unnest(p.rates) r",
    "SELECT p.id, s + 1 FROM post p, unnest(p.shares) s WHERE s < 0.5",
    "SELECT p.id, g FROM post p, unnest(p.grades) g WHERE g > 'low'",
    "SELECT count(*), bool_and(f) FROM post p, unnest(p.flags) f",
    "SELECT k FROM post p, unnest(p.keys) k WHERE k = 'a0000000-0000-0000-0000-00000000000a'",
    "SELECT a.name, t, count(*) FROM author a JOIN post p ON p.author_id = a.id, unnest(p.tags) t GROUP BY a.name, t",
    ("SELECT a.name, l, t FROM author a LEFT JOIN post p ON p.author_id = a.id LEFT JOIN unnest(p.tags) t ON true,"
     " unnest(a.langs) l"),
    "SELECT a.name, t FROM post p CROSS JOIN unnest(p.tags) t JOIN author a ON a.id = p.author_id WHERE t = 'sql'",
    "SELECT n.id, w, p.title FROM note n JOIN post p ON p.id = n.post_id, unnest(n.words) w WHERE p.title = 'a'",
    "SELECT p.id, w FROM post p LEFT JOIN note n ON n.post_id = p.id LEFT JOIN unnest(n.words) w ON true",
    "SELECT unnest(tags) FROM post",
    "SELECT id, unnest(marks) + 1 AS next FROM post WHERE id < 5 ORDER BY next DESC, id LIMIT 3",
    "SELECT DISTINCT unnest(tags) AS tag FROM post ORDER BY tag",
    "SELECT unnest(tags) AS tag, count(*) FROM post GROUP BY tag ORDER BY 2 DESC, tag LIMIT 2",
    "SELECT unnest(p.tags) AS word, count(*) FROM post p JOIN author a ON a.id = p.author_id GROUP BY 1",
    "SELECT lower(unnest(tags)), count(*) FROM post GROUP BY lower(unnest(tags))",
    "SELECT x.tag, count(*) FROM (SELECT id, unnest(tags) AS tag FROM post) x GROUP BY x.tag",
    "WITH t AS (SELECT id, unnest(tags) AS tag FROM post) SELECT one.id, two.id FROM t one JOIN t two ON one.tag = two.tag",
    "SELECT id FROM post p WHERE EXISTS (SELECT 1 FROM unnest(p.tags) t WHERE t LIKE 's%%')",
    "SELECT id FROM post p WHERE NOT EXISTS (SELECT FROM unnest(p.tags) AS t(x) WHERE x = p.title OR x IS NULL)",
    "SELECT id, (SELECT count(*) FROM unnest(p.tags) t WHERE t = 'sql') FROM post p",
    "SELECT id, (SELECT max(m) FROM unnest(p.marks) m) AS most FROM post p ORDER BY most NULLS FIRST, id",
    "SELECT id, (SELECT string_agg(t, '-' ORDER BY n) FROM unnest(p.tags) WITH ORDINALITY t(t, n)) FROM post p",
    "SELECT id FROM post p WHERE 'sql' IN (SELECT lower(t) FROM unnest(p.tags) t)",
    ("SELECT id FROM author a WHERE 'x' IN (SELECT unnest(n.words) FROM note n JOIN post p ON p.id = n.post_id"
     " WHERE p.author_id = a.id)"),
    ("SELECT a.name, x.t FROM author a CROSS JOIN LATERAL (SELECT t FROM post p, unnest(p.tags) t WHERE p.author_id = a.id"
     " ORDER BY t LIMIT 2) x"),
    "SELECT p.id, x, row_number() OVER (PARTITION BY p.id ORDER BY n DESC) FROM post p, unnest(p.tags) WITH ORDINALITY t(x, n)",
    "SELECT label, t FROM post, unnest(tags) t WHERE label = 'x'",
    "SELECT p.id, t FROM post p, unnest(p.tags) t WHERE p.tags IS NOT NULL AND cardinality(p.tags) = 2",
    "SELECT t FROM post p, unnest(p.tags) t UNION SELECT l FROM author, unnest(langs) l",
)  # fmt: skip


@pytest.fixture(scope="module")
def served(postgresql: str, mongo_client: MongoClient[dict[str, Any]]) -> Iterator[Served]:
    """The tables in PostgreSQL and by each strategy."""
    with served_by_strategies(postgresql, mongo_client, TABLES) as found:
        yield found


@pytest.mark.in_turn("strategy")
@pytest.mark.parametrize("sql", STATEMENTS)
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_answers_are_postgresqls(served: Served, sql: str, strategy: str) -> None:
    """With all rewrites and with none, under the same names."""
    engine, designs = served
    proposal, database = designs[strategy]
    query = translate(sql.replace("%%", "%"), proposal.design.model, "postgresql")
    assert isinstance(query, Query)
    with engine.connect() as connection:
        rows = connection.exec_driver_sql(sql, ())
        names, theirs = tuple(rows.keys()), Counter(str([*map(written, row)]) for row in rows)
    assert query.names == names
    for plan in (
        plan_read(query, proposal.design, rewrites=NO_REWRITES),
        plan_read(query, proposal.design, statistics=proposal.statistics),
    ):
        ours = Counter(str([*map(written, row)]) for row in run_read(database, compiled_read(plan)))
        assert ours == theirs


GAPS = {
    "SELECT t.* FROM post p, unnest(p.tags, p.marks) AS t(x, y)": "UNNEST of several arrays",
    "SELECT d FROM post p, unnest(p.days) d": "a day of the array `days`",
    "SELECT x FROM post p, unnest(string_to_array(p.title, ',')) x": "as an array",
    "SELECT x FROM unnest(:ids::int[]) x": "as an array",
    "SELECT unnest(tags), unnest(marks) FROM post": "UNNEST() function",
    "SELECT unnest(tags), count(*) FROM post GROUP BY tags": "UNNEST() function",
    "SELECT id, unnest(tags), row_number() OVER (ORDER BY id) FROM post": "UNNEST() function",
    "SELECT max(unnest(marks)) FROM post": "UNNEST() function",
    "SELECT coalesce(unnest(marks), 0) FROM post": "UNNEST() function",
    "SELECT id FROM post WHERE unnest(marks) = 1": "UNNEST() function",
}


@pytest.mark.parametrize("sql", GAPS)
def test_what_is_a_gap(served: Served, sql: str) -> None:
    """It is said why."""
    found = pipeline.convert(served[1]["normalized"][0], sql, dialect="postgresql")
    assert isinstance(found, NotCompiled), found
    assert GAPS[sql] in found.gap.what


def test_more_names_than_columns_are_a_mistake(served: Served) -> None:
    """As PostgreSQL says."""
    with pytest.raises(WorkloadError, match="`t` has 1 column, not 2"):
        pipeline.convert(
            served[1]["normalized"][0], "SELECT 1 FROM post p, unnest(p.tags) t(a, b)", dialect="postgresql"
        )


@pytest.mark.parametrize("condition", ["x = 'sql'", "x IN ('sql', 'db')", "x = :tag"])
def test_an_index_on_the_array_serves(served: Served, condition: str) -> None:
    """Documents without such an element are not unwound."""
    found = pipeline.convert(
        served[1]["normalized"][0],
        f"SELECT p.id FROM post p, unnest(p.tags) t(x) WHERE {condition}",
        dialect="postgresql",
    )
    assert isinstance(found, CompiledRead)
    assert "tags" in str(found.pipeline[0]["$match"])
    assert "$unwind" in found.pipeline[1]


@pytest.mark.parametrize("asked", ["", "WHERE p.tags <> '{}'"])
def test_what_it_costs(served: Served, asked: str) -> None:
    """As many rows as there are elements, wherever the array is kept."""
    proposal, _ = served[1]["normalized"]
    query = translate(f"SELECT p.id, t FROM post p, unnest(p.tags) t {asked}", proposal.design.model, "postgresql")
    assert isinstance(query, Query)
    plan = plan_read(query, proposal.design, statistics=proposal.statistics)
    work = estimate(plan, proposal.design, proposal.statistics)
    elements = dict(proposal.statistics.entity("post").attributes)["tags"].elements
    assert elements is not None
    assert elements.value > 1
    assert work.elements >= work.results > 3 * elements.value


def test_a_workload_knows_the_elements(served: Served) -> None:
    """The array is read, and their names are none of the tables'."""
    text = """-- name: tags, rate: 1/s
    SELECT t.tag, n, count(*) FROM post p, unnest(p.tags) WITH ORDINALITY AS t(tag, n) WHERE tag <> 'x' GROUP BY t.tag, n;
    -- name: all, rate: 1/s
    SELECT unnest(tags) AS tag, count(*) FROM post GROUP BY tag"""
    workload, gaps = parse_workload(text, served[1]["normalized"][0].design.model, "postgresql", "w.sql")
    assert gaps == ()
    assert [[(a.entity, a.attributes) for a in each.accesses] for each in workload.statements] == [
        [("post", ("tags",))]
    ] * 2
