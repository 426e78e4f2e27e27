"""Texts whose case and accents do not count: read from MariaDB, loaded, and asked beside it."""

from __future__ import annotations

from collections import Counter

import pytest

from nestling.common.errors import WorkloadError
from nestling.executors.run import run_read
from tests.beside_mariadb import Both, both_of

_SCRIPT = """
CREATE TABLE city (name varchar(20) PRIMARY KEY, land varchar(20), code varchar(9) COLLATE utf8mb4_bin);
CREATE TABLE person (id int PRIMARY KEY, name varchar(20), city varchar(20), FOREIGN KEY (city) REFERENCES city (name));
INSERT INTO city VALUES ('Rome', 'Italy', 'a'), ('Zürich', 'Switzerland', 'A'), ('Oslo', NULL, 'b');
INSERT INTO person VALUES (1, 'Ada', 'Rome'), (2, 'ADA', 'Rome'), (3, 'Émile', 'Zürich'), (4, 'emile', 'Oslo'), (5, NULL, NULL),
  (6, 'bob', 'Zürich'), (7, 'Bob', 'Oslo');
ALTER TABLE person ADD mood enum('sad', 'glad', 'Fine');
UPDATE person SET mood = id % 4 WHERE id % 4 > 0;
ALTER TABLE person ADD wakes time;
UPDATE person SET wakes = MAKETIME(4 + id, 30, 0) WHERE id <> 3;
ALTER TABLE person ADD badge varchar(5) COLLATE utf8mb4_bin;
UPDATE person SET badge = ELT(id, 'b', 'A', 'a', NULL, 'B', 'c', 'C');
"""

both = both_of(_SCRIPT, "normalized", "embedded", scope="module")


QUERIES = (
    "SELECT char_length(name) AS l, count(*) FROM person GROUP BY l ORDER BY l",
    "SELECT id % 2 AS odd, max(id) FROM person GROUP BY id % 2 HAVING count(*) > 1",
    "SELECT id, row_number() OVER (PARTITION BY id % 3 ORDER BY id) AS n FROM person",
    "SELECT DISTINCT mood FROM person ORDER BY mood DESC LIMIT 2",
    "SELECT mood, count(*) FROM person GROUP BY mood ORDER BY mood LIMIT 3",
    "SELECT id FROM person WHERE name > 'ADA' ORDER BY mood, id LIMIT 3",
    "SELECT mood, count(*) FROM person WHERE city = 'ZURICH' GROUP BY mood",
    "SELECT mood, city, count(*) FROM person GROUP BY mood, city HAVING city > 'r'",
    "SELECT DISTINCT mood FROM person WHERE city <> 'ROME'",
    "SELECT id FROM person WHERE city <> 'x' AND wakes > '06:00:00' ORDER BY wakes DESC",
    "SELECT city, count(wakes) FROM person WHERE wakes IN ('05:30:00', '10:30:00') GROUP BY city",
    "SELECT id FROM person WHERE name = 'ada'",
    "SELECT city, count(*) FROM person WHERE name IN ('ADA', 'bob', 'EMILE') GROUP BY city WITH ROLLUP",
    "SELECT mood, id % 2 AS odd, count(*) FROM person WHERE name <> 'ada' GROUP BY mood, id % 2 WITH ROLLUP",
    "SELECT name FROM person WHERE name = 'ADA' UNION ALL SELECT city FROM person WHERE city > 'p'",
    "SELECT 'person' AS kind, name FROM person UNION ALL SELECT 'city', name FROM city",
    "SELECT name FROM person WHERE id > 5 UNION ALL SELECT code FROM city WHERE code = 'a'",
    "(SELECT id, 'p' AS kind FROM person ORDER BY id DESC LIMIT 2) UNION ALL (SELECT 0, 'c' FROM city LIMIT 1)",
    "SELECT id FROM person WHERE name <> 'EMILE'",
    "SELECT id FROM person WHERE name IN ('BOB', 'x')",
    "SELECT id FROM person WHERE name BETWEEN 'B' AND 'f'",
    "SELECT id FROM person ORDER BY name, id",
    "SELECT id FROM person WHERE city = 'ZURICH' ORDER BY id LIMIT 1",
    "SELECT min(id), count(*) FROM person GROUP BY name HAVING count(*) > 1 AND max(name) < 'c'",
    "SELECT count(DISTINCT name), count(DISTINCT city) FROM person",
    "SELECT id, FIELD(name, 'ADA', 'Emile'), FIELD(id, 4, 2) FROM person ORDER BY FIELD(city, 'Oslo', 'rome') DESC, id",
    "SELECT id FROM person WHERE (name, id) > ('ADA', 2) ORDER BY name, id LIMIT 3",
    "SELECT count(*) FROM (SELECT DISTINCT name FROM person) d",
    "SELECT p.id, c.land FROM person p JOIN city c ON c.name = p.city WHERE c.land = 'ITALY'",
    "SELECT p.id FROM person p JOIN person q ON p.name = q.name AND p.id < q.id",
    "SELECT id FROM person WHERE name IN (SELECT name FROM person WHERE id > 6)",
    "SELECT name FROM city WHERE EXISTS (SELECT 1 FROM person WHERE person.city = city.name AND person.name = 'ADA')",
    "SELECT id, rank() OVER (ORDER BY name) FROM person",
    "SELECT id, IF(id > 2, id, 'few'), COALESCE(NULLIF(id, 2), name) FROM person",
    "SELECT id, LEFT(name, 1), RIGHT(name, 4) FROM person",
    "SELECT id FROM person WHERE LEFT(name, 1) = 'a'",
    "SELECT id FROM person WHERE LEFT(name, 1) IN ('A', 'e')",
    "SELECT id FROM person WHERE NOT SUBSTRING(name, 1, 2) = 'EM' OR LEFT(city, 1) = 'R'",
    "SELECT name FROM city WHERE EXISTS (SELECT 1 FROM person WHERE person.city = city.name AND LEFT(person.name, 1) = 'B')",
    "SELECT name FROM city WHERE LEFT(code, 1) = 'a'",
    "SELECT name FROM city WHERE LEFT(code, 1) = 'A' AND land = 'SWITZERLAND'",
    "SELECT name, LOCATE('A', code), INSTR(code, 'a') FROM city",
    "SELECT id, LOCATE('A', name COLLATE utf8mb4_bin) FROM person",
    "SELECT id, REPLACE(name, 'A', 'x') FROM person",
    "SELECT id, count(*) OVER (PARTITION BY name) FROM person",
    "SELECT count(*) FROM (SELECT name FROM person UNION SELECT land FROM city) u",
    "SELECT id FROM person WHERE id > 3",
    "SELECT id FROM person WHERE mood <> 'glad' ORDER BY badge LIMIT 2",
    "SELECT id FROM person WHERE mood = 'FINE' OR mood IN ('SAD', 'x') ORDER BY badge LIMIT 3",
    "SELECT id, CASE mood WHEN 'fine' THEN 1 ELSE 0 END FROM person ORDER BY badge",
    "SELECT id FROM person WHERE mood = 'nope' ORDER BY badge",
    "SELECT mood, min(badge) FROM person WHERE mood NOT IN ('SAD') GROUP BY mood",
    "SELECT name FROM city WHERE code = 'a'",
    "SELECT name FROM city ORDER BY code",
    "SELECT name FROM city WHERE code = 'a' AND land = 'ITALY'",
    "SELECT name FROM city WHERE code <> 'A' OR name = 'zurich'",
    "SELECT name FROM city WHERE (code = 'A') IS NULL OR land = 'x'",
    "SELECT name, code = 'a' FROM city WHERE NOT (code = 'a' AND land = 'italy') ORDER BY name",
)


LISTS: tuple[tuple[str, tuple[object, ...]], ...] = (
    ("name IN :these", ("ADA", "emile", "x")),
    ("name NOT IN :these", ("ÉMILE", "x")),
    ("name NOT IN :these", ("ada", None)),
    ("city IN :these AND name <> 'x'", ("ZURICH", None, "zürich")),
    ("id IN :these", (1, 4, 4, 99)),
    ("NOT id IN :these", (1, 4)),
)


@pytest.mark.thorough
def test_lists_are_compared_as_mariadb_does(both: Both) -> None:
    """A list that is one parameter, as PyMySQL writes it out."""
    for condition, these in LISTS:
        sql = f"SELECT id FROM person WHERE {condition}"
        both.cursor.execute(sql.replace(":these", "%(these)s"), {"these": these})
        found = run_read(both.database, both.convert(sql), {"these": these})
        assert Counter(found) == Counter(both.cursor.fetchall()), (condition, these)


@pytest.mark.thorough
def test_answers_as_mariadb_does(both: Both) -> None:
    """Comparisons, order, groups, joins and subqueries: every statement gives the same rows."""
    for sql in QUERIES:
        mine, theirs = both.answers(sql)
        if "ORDER BY" in sql and "OVER" not in sql:
            assert mine == theirs, sql
        else:
            assert Counter(map(repr, mine)) == Counter(map(repr, theirs)), sql


def test_the_operation_has_the_collation_only_where_texts_need_it(both: Both) -> None:
    """A statement without such texts asks for none; one that mixes two is a gap."""
    assert both.convert("SELECT id FROM person WHERE name = 'ada'").collation_option == {"locale": "en", "strength": 1}
    assert both.convert("SELECT id FROM person WHERE id = 1").collation_option is None
    assert both.convert("SELECT name FROM city WHERE code = 'a'").collation_option is None
    assert both.gap("SELECT name FROM city WHERE code > 'a' AND land = 'x'")


def test_a_parameter_beside_a_binary_text(both: Both) -> None:
    """Given as a text it is compared to the letter, NULL finds nothing; a number, which MariaDB compares as one, is refused."""
    sql = "SELECT name FROM city WHERE code = :code AND name <> 'x'"
    for code in ("a", "A", None, ""):
        both.cursor.execute(sql.replace(":code", "%(code)s"), {"code": code})
        assert list(run_read(both.database, both.convert(sql), {"code": code})) == list(both.cursor.fetchall()), code
    with pytest.raises(WorkloadError, match="`code` must be a text, not int"):
        list(run_read(both.database, both.convert(sql), {"code": 1}))


def test_a_position_whatever_the_case_is_a_gap(both: Both) -> None:
    """No operator of the server seeks so."""
    for found in ("LOCATE('ada', name)", "INSTR(name, 'ADA')", "POSITION('a' IN city)", "LOCATE('n', 'ANN')"):
        assert "the position of a text regardless of case and accents" in both.gap(f"SELECT {found} FROM person"), found
