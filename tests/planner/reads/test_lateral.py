"""LATERAL: a subquery that is asked anew for each row on its left, such as the newest rows of each parent, beside PostgreSQL."""

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
from nestling.ir.programs.compiled import CompiledRead
from nestling.ir.statements.algebra import Query
from nestling.planner.reads import NO_REWRITES, plan_read
from nestling.planner.sql import translate
from tests.planner.reads.beside_postgresql import STRATEGIES, Served, served_by_strategies, written

TABLES = """
CREATE TABLE customer (id integer PRIMARY KEY, name text NOT NULL, land text);
CREATE TABLE orders (id integer PRIMARY KEY, customer_id integer REFERENCES customer, at timestamp NOT NULL,
    total numeric(10, 2));
CREATE TABLE line (id integer PRIMARY KEY, order_id integer NOT NULL REFERENCES orders, article text NOT NULL,
    amount integer NOT NULL);
INSERT INTO customer VALUES (1, 'Ann', 'DE'), (2, 'Bob', 'FR'), (3, 'Cy', NULL), (4, 'Di', 'DE');
INSERT INTO orders SELECT n, n %% 3 + 1, timestamp '2024-01-01' + n * interval '7 hours', CASE WHEN n %% 5 > 0 THEN n * 1.25 END
    FROM generate_series(1, 20) n;
INSERT INTO orders VALUES (90, NULL, '2024-02-01', 7);
INSERT INTO line SELECT n, n %% 20 + 1, chr(97 + n %% 7), n %% 4 FROM generate_series(1, 60) n;
"""
NEWEST = "SELECT o.id, o.total FROM orders o WHERE o.customer_id = c.id ORDER BY o.at DESC"
STATEMENTS = (
    f"SELECT c.id, x.id, x.total FROM customer c CROSS JOIN LATERAL ({NEWEST} LIMIT 3) x",
    f"SELECT c.id, x.id, x.total FROM customer c, LATERAL ({NEWEST} LIMIT 1) AS x",
    f"SELECT c.id, x.id, x.total FROM customer c LEFT JOIN LATERAL ({NEWEST} LIMIT 2) x ON true",
    f"SELECT c.name, x.n, x.sum FROM customer c LEFT JOIN LATERAL ({NEWEST} LIMIT 2 OFFSET 1) AS x(n, sum) ON x.sum > 5",
    f"SELECT c.name, x.* FROM customer c JOIN LATERAL ({NEWEST} LIMIT 2) x ON true WHERE c.land = 'DE' AND x.total > 3",
    f"SELECT c.name, x.id FROM customer c LEFT JOIN LATERAL ({NEWEST} LIMIT 1) x ON true WHERE x.id IS NULL",
    f"SELECT c.name, x.id FROM customer c LEFT JOIN LATERAL ({NEWEST} LIMIT 1) x ON true WHERE x.total > 20",
    "SELECT c.id, x.n FROM customer c LEFT JOIN LATERAL (SELECT count(*) AS n FROM orders o WHERE customer_id = c.id) x ON true",
    ("SELECT c.id, x.n, x.most FROM customer c, LATERAL (SELECT count(*) AS n, max(total) AS most FROM orders o"
    " WHERE o.customer_id = c.id) x WHERE x.n > 0"),
    ("SELECT c.id, x.total FROM customer c LEFT JOIN LATERAL (SELECT o.total FROM orders o WHERE o.customer_id = c.id"
    " AND o.total IS NOT NULL ORDER BY o.total DESC LIMIT 1) x ON true"),
    (f"SELECT c.id, x.id, l.article FROM customer c CROSS JOIN LATERAL ({NEWEST} LIMIT 2) x"
        " JOIN line l ON l.order_id = x.id"
    " WHERE l.amount > 1"),
    (f"SELECT c.id, x.id, y.article FROM customer c LEFT JOIN LATERAL ({NEWEST} LIMIT 2) x ON true LEFT JOIN LATERAL"
    " (SELECT l.article FROM line l WHERE l.order_id = x.id ORDER BY l.amount DESC, l.id LIMIT 1) y ON true"),
    ("SELECT o.id, c.name, x.article FROM orders o JOIN customer c ON c.id = o.customer_id CROSS JOIN LATERAL"
    " (SELECT l.article FROM line l WHERE l.order_id = o.id AND l.article > c.name ORDER BY l.id LIMIT 2) x WHERE c.land <> 'x'"),
    ("SELECT o.id, x.name FROM orders o LEFT JOIN customer c ON c.id = o.customer_id JOIN LATERAL"
    " (SELECT c.name AS name, c.land AS land) x ON x.land = 'DE'"),
    f"SELECT c.land, count(*), sum(x.total) FROM customer c CROSS JOIN LATERAL ({NEWEST} LIMIT 3) x GROUP BY c.land",
    f"SELECT c.id FROM customer c WHERE EXISTS (SELECT 1 FROM line l, LATERAL ({NEWEST} LIMIT 1) x WHERE l.order_id = x.id)",
    f"SELECT c.id, x.id FROM customer c CROSS JOIN LATERAL ({NEWEST} LIMIT 2) x ORDER BY c.id DESC, x.id LIMIT 3",
    "SELECT c.id, x.doubled FROM customer c CROSS JOIN LATERAL (SELECT c.id * 2 AS doubled) x WHERE x.doubled > 2",
    ("SELECT c.id, x.id FROM customer c CROSS JOIN LATERAL (SELECT o.id FROM orders o WHERE o.customer_id = c.id UNION ALL"
    " SELECT c.id + 100) x WHERE c.id > 2"),
    ("SELECT c.id, x.n FROM customer c JOIN LATERAL (SELECT customer_id, count(*) AS n FROM orders GROUP BY customer_id) x"
    " ON x.customer_id = c.id"),
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
    """With all rewrites and with none: a join goes nowhere without the rows it asks about."""
    engine, designs = served
    proposal, database = designs[strategy]
    query = translate(sql, proposal.design.model, "postgresql")
    assert isinstance(query, Query)
    plain = plan_read(query, proposal.design, rewrites=NO_REWRITES)
    best = plan_read(query, proposal.design, statistics=proposal.statistics)
    with engine.connect() as connection:
        theirs = Counter(tuple(map(written, row)) for row in connection.exec_driver_sql(sql))
    for plan in (plain, best):
        assert Counter(tuple(map(written, row)) for row in run_read(database, compiled_read(plan))) == theirs


@pytest.mark.parametrize("few", ["LIMIT 2", "LIMIT 1 OFFSET 1"])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_any_few_are_different_rows(served: Served, few: str, strategy: str) -> None:
    """Which ones is open; each is there once, and meets the condition on the row to its left."""
    engine, designs = served
    proposal, database = designs[strategy]
    right = "SELECT l.id, l.amount FROM line l WHERE mod(l.id, 7) = mod(c.id * 6, 13)"
    sql = f"SELECT c.id, x.id, x.amount FROM customer c CROSS JOIN LATERAL ({right} {few}) x"
    found = pipeline.convert(proposal, sql, dialect="postgresql")
    assert isinstance(found, CompiledRead)
    rows = [tuple(map(written, row)) for row in run_read(database, found)]
    with engine.connect() as connection:
        theirs = Counter(row[0] for row in connection.exec_driver_sql(sql))
        all_of_them = connection.exec_driver_sql(sql.replace(few, ""))
        possible = {tuple(map(written, row)) for row in all_of_them}
    assert len(set(rows)) == len(rows)
    assert possible.issuperset(rows)
    assert Counter(row[0] for row in rows) == {written(one): count for one, count in theirs.items()}


def test_the_newest_of_each_parent_are_looked_up_by_its_key(served: Served) -> None:
    """The foreign key's index serves, and the limit is inside the lookup."""
    proposal, _ = served[1]["normalized"]
    found = pipeline.convert(proposal, STATEMENTS[0], dialect="postgresql")
    assert isinstance(found, CompiledRead)
    lookup: Any = found.pipeline[0]["$lookup"]
    assert (lookup["localField"], lookup["foreignField"]) == ("_id", "customer_id")
    assert lookup["pipeline"][-1] == {"$limit": 3}


@pytest.mark.parametrize("kind", ["RIGHT", "FULL"])
def test_what_postgresql_refuses_is_a_mistake(served: Served, kind: str) -> None:
    """A join that keeps the rows on its right cannot ask for them by the rows on its left."""
    proposal, _ = served[1]["normalized"]
    with pytest.raises(WorkloadError, match="no table or alias `c`"):
        translate(
            f"SELECT 1 FROM customer c {kind} JOIN LATERAL ({NEWEST}) x ON true", proposal.design.model, "postgresql"
        )
