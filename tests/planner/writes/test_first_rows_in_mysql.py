"""MySQL's UPDATE and DELETE with ORDER BY and LIMIT, beside a MariaDB."""

from __future__ import annotations

import pytest

from nestling import Store
from tests.beside_mariadb import Both, both_of

SCRIPT = """
CREATE TABLE job (id int PRIMARY KEY, state varchar(10) NOT NULL, worker int, due datetime);
CREATE TABLE part (job_id int NOT NULL, line int NOT NULL, n int NOT NULL, PRIMARY KEY (job_id, line),
    FOREIGN KEY (job_id) REFERENCES job (id) ON DELETE CASCADE);
INSERT INTO job SELECT seq, IF(seq % 3, 'new', 'done'), NULL, IF(seq % 4, '2024-01-31' - INTERVAL seq % 7 DAY, NULL)
    FROM seq_1_to_30;
INSERT INTO part SELECT seq, 1, seq FROM seq_1_to_30
"""
both = both_of(SCRIPT, "normalized", "embedded")
WRITES = (
    "UPDATE job SET worker = :k WHERE state = 'new' AND worker IS NULL ORDER BY due, id LIMIT 3",
    "UPDATE job SET state = 'done' WHERE worker = :k ORDER BY due DESC, id DESC LIMIT 1",
    "UPDATE job AS j SET j.worker = j.id * 100 WHERE j.due IS NULL ORDER BY j.id LIMIT 2",
    "UPDATE job SET worker = -:k ORDER BY id DESC LIMIT 1",
    "DELETE FROM job WHERE state = 'done' ORDER BY due, id LIMIT 4",
    "DELETE FROM job ORDER BY id LIMIT 2",
)


@pytest.mark.thorough
def test_the_first_rows_are_written(both: Both) -> None:
    """The same rows as there, NULLs in their place of the order."""
    store = Store(both.proposal, both.database)
    for sql in WRITES:
        there = both.cursor.execute(sql.replace(":k", "%(k)s"), {"k": 7})
        assert store.execute(sql, **({"k": 7} if ":k" in sql else {})).affected == there, sql
        both.assert_equal()


def test_a_parameter_may_say_how_many(both: Both) -> None:
    """As drivers send it."""
    store = Store(both.proposal, both.database)
    both.cursor.execute("DELETE FROM job WHERE state = 'new' ORDER BY id LIMIT 5")
    assert store.execute("DELETE FROM job WHERE state = 'new' ORDER BY id LIMIT :n", n=5).affected == 5
    both.assert_equal()


def test_of_a_composite_key_it_is_a_gap(both: Both) -> None:
    """Rows are found by one column."""
    assert "key is not one column" in both.gap("DELETE FROM part WHERE n > 3 LIMIT 1")
