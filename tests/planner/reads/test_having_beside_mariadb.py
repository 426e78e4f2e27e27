"""HAVING beside MariaDB: without GROUP BY and without an aggregate it is a condition on rows, by the select list's names."""

from __future__ import annotations

import pytest

from nestling.common.errors import WorkloadError
from nestling.pipeline.answer_shape import shape_of
from nestling.planner.sql import translate
from tests.beside_mariadb import Both, both_of

_SCRIPT = """
CREATE TABLE course (id int PRIMARY KEY, price decimal(10,2), n int, author int);
CREATE TABLE lesson (course_id int, no int, title varchar(9), PRIMARY KEY (course_id, no),
  FOREIGN KEY (course_id) REFERENCES course (id));
INSERT INTO course VALUES (1, 10, 5, 1), (2, 60, 1, 1), (3, 70, NULL, 2), (4, 80, 2, 2), (5, 10, 3, 3);
INSERT INTO lesson VALUES (1, 1, 'a'), (1, 2, 'b'), (2, 1, 'c'), (4, 1, 'd'), (4, 2, 'e'), (4, 3, 'f'), (5, 2, 'g')
"""

both = both_of(_SCRIPT, "normalized", "embedded", scope="module")

_COUNT = "(SELECT COUNT(*) FROM lesson WHERE course.id = lesson.course_id)"
_FIRST = "(SELECT title FROM lesson WHERE course.id = course_id AND no = 1)"


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT id, price * 2 AS m FROM course HAVING m > 100 ORDER BY id LIMIT 2",
        "SELECT id FROM course HAVING id > 3 ORDER BY price DESC",
        "SELECT id FROM course WHERE n > 1 HAVING id > 3 ORDER BY id",
        "SELECT -n AS n, id FROM course HAVING n < -1 ORDER BY id",
        "SELECT id + 1 AS n, n + 1 AS id FROM course HAVING id > 3 ORDER BY course.id",
        "SELECT price AS p, id FROM course HAVING course.price > 50 ORDER BY id",
        "SELECT course.* FROM course HAVING price > 50 ORDER BY id",
        f"SELECT course.*, {_COUNT} AS lessons FROM course HAVING lessons > 1 ORDER BY id LIMIT 5",
        f"SELECT id, {_COUNT} AS lessons FROM course HAVING lessons > 0 ORDER BY lessons DESC, id",
        f"SELECT id, {_FIRST} AS t FROM course HAVING t IS NOT NULL ORDER BY id",
        "SELECT id, EXISTS (SELECT 1 FROM lesson l WHERE l.course_id = course.id) AS has FROM course HAVING has = 0",
        "SELECT id AS no FROM course HAVING EXISTS (SELECT 1 FROM lesson WHERE course_id = course.id AND no > 1) ORDER BY id",
        "SELECT n AS x, id FROM course HAVING x = (SELECT MAX(c.n) FROM course c WHERE c.id > 1) ORDER BY id",
        "SELECT n AS x, id FROM course HAVING EXISTS (SELECT 1 FROM course c WHERE c.id > 3 AND c.n = x) ORDER BY id",
        "SELECT DISTINCT author FROM course HAVING author > 1 ORDER BY author",
        "SELECT id, SUM(n) OVER () AS s FROM course HAVING id > 2 ORDER BY id",
        "SELECT 1 AS a HAVING a > 0",
        "SELECT c.id FROM course c JOIN lesson l ON l.course_id = c.id HAVING id > 1 ORDER BY id, l.no",
        "SELECT * FROM (SELECT id, n * 2 AS m FROM course HAVING m > 4) AS t ORDER BY id",
        "SELECT COUNT(*) AS c FROM course WHERE id < 0 HAVING c = 0",
        "SELECT SUM(price) AS s FROM course HAVING s > 1000",
        "SELECT MIN(id) AS id, COUNT(*) AS n FROM course HAVING n > 1",
        "SELECT -n AS n FROM course GROUP BY n HAVING n > 1 ORDER BY n",
        "SELECT -n AS n FROM course GROUP BY id HAVING n < -1 ORDER BY id",
        "SELECT author AS a, COUNT(*) AS n FROM course GROUP BY a HAVING a > 1 AND n > 1 AND SUM(n) > 1",
        "SELECT author a FROM course GROUP BY a HAVING (SELECT COUNT(*) FROM lesson WHERE course_id = a) > 0 ORDER BY a",
    ],
)
def test_rows_are_mariadbs(sql: str, both: Both) -> None:
    """The same rows in the same order."""
    mine, theirs = both.answers(sql)
    assert mine == theirs


def test_no_choice_is_left(both: Both) -> None:
    """So a proof excuses no other answer."""
    sql = f"SELECT id, {_COUNT} AS lessons FROM course HAVING lessons > 1 ORDER BY id"
    assert not shape_of(sql, both.proposal.design.model, "mysql").choice


def test_sqlite_refuses_it(both: Both) -> None:
    """It is a mistake there; in PostgreSQL all rows are one group, of which no column can be shown."""
    sql = "SELECT id FROM course HAVING id > 3"
    with pytest.raises(WorkloadError, match="HAVING without GROUP BY"):
        translate(sql, both.proposal.design.model, "sqlite")
    with pytest.raises(WorkloadError, match="neither grouped by nor aggregated"):
        translate(sql, both.proposal.design.model, "postgresql")
