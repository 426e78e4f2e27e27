"""The first label of an enum that an INSERT leaves out, beside MariaDB."""

from __future__ import annotations

import pytest

from nestling import pipeline
from nestling.common.errors import WorkloadError
from tests.beside_mariadb import Both, both_of

both = both_of(
    """CREATE TABLE item (id int PRIMARY KEY, kind enum('sold', 'new') NOT NULL, other enum('x', 'y'), n int NOT NULL DEFAULT 5,
  state enum('on', 'off') NOT NULL DEFAULT 'off');
CREATE TABLE strict (id int PRIMARY KEY, words set('x', 'y') NOT NULL, s varchar(5) NOT NULL, n int NOT NULL, d date NOT NULL);
INSERT INTO item VALUES (1, 'new', 'x', 1, 'on');
INSERT INTO strict VALUES (1, 'x', 'a', 1, '2024-01-01')""",
    "normalized",
)


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO item (id) VALUES (2), (3)",
        "INSERT INTO item (id, kind, n) VALUES (2, DEFAULT, 1), (3, DEFAULT, 2)",
        "INSERT INTO item (id, kind) VALUES (2, 'new'), (3, DEFAULT)",
        "INSERT INTO item (id, n) SELECT id + 10, 7 FROM item",
        "INSERT INTO item (id, n) VALUES (1, 9) ON DUPLICATE KEY UPDATE n = 10",
        "INSERT INTO item SET id = 2",
        "INSERT IGNORE INTO item (id) VALUES (1), (2)",
        "REPLACE INTO item (id, n) VALUES (1, 9), (2, 8)",
    ],
)
def test_the_first_label_is_stored(both: Both, sql: str) -> None:
    """Of a column without a default; another has its own, or NULL."""
    assert both.written(sql) == (True, True)
    both.assert_equal()


@pytest.mark.parametrize("name", ["words", "s", "n", "d"])
def test_other_types_must_be_given(both: Both, name: str) -> None:
    """MariaDB refuses them too in strict mode."""
    columns = {"id": "2", "words": "'x'", "s": "'a'", "n": "1", "d": "'2024-01-01'"}
    del columns[name]
    with pytest.raises(WorkloadError, match="NOT NULL without a default"):
        pipeline.convert(
            both.proposal,
            f"INSERT INTO strict ({', '.join(columns)}) VALUES ({', '.join(columns.values())})",
            dialect="mysql",
        )


def test_null_is_refused(both: Both) -> None:
    """It is given, and not left out."""
    assert both.written("INSERT INTO item (id, kind) VALUES (2, NULL)") == (False, False)
