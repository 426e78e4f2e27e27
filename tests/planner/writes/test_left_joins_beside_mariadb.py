"""UPDATE and DELETE of tables joined by LEFT JOIN and its kin, and parameters that INSERT … SELECT adds, beside a MariaDB."""

from __future__ import annotations

from typing import Any

import pytest

from nestling import Store, pipeline
from nestling.ir.programs.compiled import NotCompiled
from tests.beside_mariadb import Both, both_of

SCRIPT = """
CREATE TABLE b (id int PRIMARY KEY, name varchar(20) NOT NULL, n int NULL);
CREATE TABLE a (id int PRIMARY KEY, x int, s varchar(20), b_id int, KEY (b_id));
CREATE TABLE c (id int PRIMARY KEY, a_id int, v int, FOREIGN KEY (a_id) REFERENCES a (id) ON DELETE CASCADE);
INSERT INTO b VALUES (1, 'one', 10), (2, 'two', NULL), (3, 'three', 30), (4, 'four', 4);
INSERT INTO a VALUES (1, 0, 'p', 1), (2, 0, 'q', 2), (3, 0, 'r', 9), (4, 0, 's', NULL), (5, 0, 't', 3);
INSERT INTO c VALUES (1, 1, 5), (2, 1, 6), (3, 3, 7), (4, NULL, 8)
"""
both = both_of(SCRIPT, "normalized", "embedded")
A_AND_B = "UPDATE a LEFT JOIN b ON b.id = a.b_id SET a.x ="
WRITES = (
    f"{A_AND_B} 1 WHERE b.id IS NULL",
    f"{A_AND_B} 1 WHERE b.name IS NULL AND a.id > 3",
    f"{A_AND_B} 1 WHERE b.n IS NULL",
    f"{A_AND_B} 1 WHERE b.n > 5",
    f"{A_AND_B} 1 WHERE b.n > 5 OR a.id = 4",
    f"{A_AND_B} 1 WHERE COALESCE(b.n, 99) > 20 AND b.name IS NOT NULL",
    f"{A_AND_B} 1 WHERE NOT (b.n > 20)",
    f"{A_AND_B} 1 WHERE b.n <=> NULL AND IFNULL(b.name, 'none') <> 'two'",
    f"{A_AND_B} COALESCE(b.n, -1), a.s = b.name",
    f"{A_AND_B} IF(b.id IS NULL, 0, b.n + a.id) WHERE a.id < 4",
    "UPDATE a LEFT JOIN b ON b.id = a.b_id AND b.n > 5 SET a.x = 9 WHERE b.id IS NULL",
    "UPDATE a LEFT OUTER JOIN b ON b.id = a.b_id SET x = 7, s = b.name WHERE a.id > 2",
    "UPDATE a LEFT JOIN c ON c.a_id = a.id SET a.x = 55 WHERE c.id IS NULL",
    "UPDATE a LEFT JOIN c ON c.a_id = a.id SET a.x = 55 WHERE c.a_id IS NULL OR c.v = 6",
    "UPDATE a LEFT JOIN (SELECT a_id, SUM(v) AS t FROM c GROUP BY a_id) q ON q.a_id = a.id SET a.x = COALESCE(q.t, 0)",
    "UPDATE a JOIN b ON b.id = a.b_id LEFT JOIN c ON c.a_id = a.id SET a.x = b.n WHERE c.id IS NULL",
    "UPDATE a LEFT JOIN b ON b.id = a.b_id LEFT JOIN c ON c.a_id = a.id SET a.x = 88 WHERE c.id IS NULL AND b.id IS NULL",
    "UPDATE b LEFT JOIN a ON b.id = a.b_id SET a.x = 3 WHERE b.n > 5",
    "UPDATE b RIGHT JOIN a ON b.id = a.b_id SET a.x = 3 WHERE b.id IS NULL",
    "UPDATE a LEFT JOIN b USING (id) SET a.x = 4 WHERE b.id IS NULL",
    "UPDATE a JOIN b USING (id) SET a.x = b.n",
    "DELETE a FROM a LEFT JOIN b ON b.id = a.b_id WHERE b.id IS NULL",
    "DELETE FROM a USING a LEFT JOIN b ON b.id = a.b_id WHERE b.id IS NULL AND a.b_id IS NOT NULL",
    "DELETE x FROM a AS x LEFT JOIN c ON c.a_id = x.id WHERE c.id IS NULL",
    "DELETE c FROM c LEFT JOIN a ON a.id = c.a_id WHERE a.id IS NULL OR a.b_id = 1",
    "DELETE b FROM b LEFT JOIN a ON a.b_id = b.id WHERE a.id IS NULL",
)
ROWS = "INSERT INTO a (id, x, s, b_id) SELECT"
INSERTS = (
    f"{ROWS} 100, :p, :s, :q",
    f"{ROWS} 100, :p, :s, :q FROM DUAL WHERE NOT EXISTS (SELECT * FROM a WHERE s = :s)",
    f"{ROWS} b.id + 100, :p, name, :q FROM b WHERE id > :q",
    f"{ROWS} id + 100, n, :s, :p FROM b WHERE name LIKE :s ORDER BY id LIMIT 2",
    f"{ROWS} MAX(id) + 100, MAX(x) + :p, :s, NULL FROM a",
    f"{ROWS} DISTINCT b_id + 100, :p, :s, :q FROM a WHERE b_id IS NOT NULL",
    f"{ROWS} * FROM (SELECT 100 AS id, :p AS x, :s AS s, :q AS b) AS t WHERE NOT EXISTS (SELECT 1 FROM a WHERE s = :s) LIMIT 1",
    f"{ROWS} id, x, s, b FROM (SELECT 100 AS id, :p AS x, :s AS s, :q AS b) t WHERE NOT EXISTS (SELECT 1 FROM a WHERE a.s = t.s)",
    "INSERT IGNORE INTO a (id, x, s, b_id) SELECT id, :p, :s, :q FROM b",
)
GIVEN: tuple[dict[str, Any], ...] = (
    {"p": 5, "q": 2, "s": "hey"}, {"p": None, "q": 1, "s": "t"}, {"p": 0, "q": None, "s": "%o%"},
)  # fmt: skip
GAPS = {
    "UPDATE a LEFT JOIN c ON c.a_id = a.id SET a.x = c.v": "several rows for one",
    "UPDATE a NATURAL JOIN b SET a.x = 4": "write ON",
    "UPDATE a LEFT JOIN b ON b.id = a.b_id SET a.x = 1, b.n = 2": "UPDATE of several tables; write one statement for each",
    "DELETE c, a FROM c JOIN a ON a.id = c.a_id WHERE a.id = 5": "DELETE from several tables; write one statement for each",
    "UPDATE a JOIN b ON b.id = a.b_id SET id = 9": "name its table, `table.id = …`",
    "UPDATE a LEFT JOIN b ON b.id = a.b_id LEFT JOIN c ON c.v = b.n SET a.x = 1 WHERE c.id IS NULL": "of another LEFT JOIN",
    "UPDATE a LEFT JOIN b ON b.id = a.b_id LEFT JOIN c ON c.a_id = a.id SET a.x = 1 WHERE c.v > b.n": "two LEFT JOINs",
    "UPDATE a LEFT JOIN b ON b.id = a.b_id SET a.x = 1 WHERE EXISTS (SELECT 1 FROM c WHERE v = b.n)": "a subquery that mentions",
    "UPDATE c JOIN b ON b.id = c.v RIGHT JOIN a ON a.id = c.a_id SET a.x = 1": "write LEFT JOIN",
}


@pytest.mark.one_in(8)
@pytest.mark.in_turn("both")
@pytest.mark.parametrize("sql", WRITES)
def test_it_changes_the_rows_mariadb_changes(both: Both, sql: str) -> None:
    """Rows with a partner, without one, or both; values that are NULL without one."""
    assert both.written(sql) == (True, True)
    both.assert_equal()


@pytest.mark.thorough
@pytest.mark.parametrize("sql", INSERTS)
@pytest.mark.parametrize("given", GIVEN)
def test_what_is_given_is_added(both: Both, sql: str, given: dict[str, Any]) -> None:
    """A parameter among the values of a query is converted as the column it is for, also out of a query in FROM."""
    both.cursor.execute(
        sql.replace("%", "%%").replace(":p", "%(p)s").replace(":q", "%(q)s").replace(":s", "%(s)s"), given
    )
    Store(both.proposal, both.database).execute(
        sql, **{name: each for name, each in given.items() if f":{name}" in sql}
    )
    both.assert_equal()


@pytest.mark.one_in(8)
@pytest.mark.parametrize("sql", GAPS)
def test_what_is_left_says_what_to_write(both: Both, sql: str) -> None:
    """What it is, and what to write instead, which is in the gap's words or its next move."""
    found = pipeline.convert(both.proposal, sql, dialect="mysql")
    assert isinstance(found, NotCompiled)
    assert GAPS[sql] in f"{found.gap.what}; {found.gap.next_move}"
