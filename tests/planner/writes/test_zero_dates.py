"""Zero dates that statements store: by a default, a constant and a parameter, each on a design and on MariaDB."""

from __future__ import annotations

import pytest

from nestling import pipeline
from nestling.common.errors import WorkloadError
from nestling.executors.write import run_write
from nestling.ir.programs.program import CompiledWrite
from tests.beside_mariadb import Both, both_of

_SCRIPT = """
SET SESSION sql_mode = 'STRICT_TRANS_TABLES';
CREATE TABLE buyer (id int PRIMARY KEY, born date NOT NULL DEFAULT '0000-00-00', died date);
CREATE TABLE sale (id int PRIMARY KEY, buyer int NOT NULL, placed datetime NOT NULL,
  closed datetime(6) DEFAULT '0000-00-00 00:00:00',
  shipped datetime NOT NULL DEFAULT '0000-00-00 00:00:00',
  paid datetime(3) DEFAULT '0000-00-00 00:00:00', FOREIGN KEY (buyer) REFERENCES buyer (id));
INSERT INTO buyer VALUES (1, '0000-00-00', NULL), (2, '2000-01-02', '2020-01-01');
INSERT INTO sale VALUES (1, 1, '2024-01-05 10:00:00', NULL, '2024-01-06 11:00:00', '0000-00-00 00:00:00'),
  (2, 2, '2024-01-05 10:00:00', '2024-01-05 10:00:00.123456', '2024-01-06 11:00:00', '2024-01-06 11:00:00.125')
"""
WRITES = (
    "INSERT INTO sale (id, buyer, placed) VALUES (3, 1, '2024-02-01')",
    "INSERT INTO sale (id, buyer, placed) SELECT id + 3, buyer, placed FROM sale WHERE id = 1",
    "INSERT INTO buyer (id) VALUES (3)",
    "UPDATE sale SET shipped = '0000-00-00 00:00:00.000' WHERE id = 1",
    "UPDATE sale SET shipped = '0000-00-00', closed = '0000-00-00' WHERE id = 2",
    "UPDATE buyer SET born = '0000-00-00' WHERE id = 2",
    "UPDATE sale SET shipped = '2024-03-01' WHERE shipped = 0 AND id = 3",
    "UPDATE sale SET shipped = DEFAULT WHERE id = 3",
)

both = both_of(_SCRIPT, "normalized", "embedded")


@pytest.mark.thorough
def test_zero_dates_are_stored_as_loading_stores_them(both: Both) -> None:
    """Every row is as it is in MariaDB."""
    for sql in WRITES:
        assert both.written(sql) == (True, True), sql
        both.assert_equal()


def test_the_least_and_the_last_are_dates(both: Both) -> None:
    """Where others are zero dates: a day is no moment."""
    for sql in (
        "SELECT MIN(born), MAX(born), MAX(died) FROM buyer",
        "SELECT died, MAX(born) FROM buyer GROUP BY died HAVING MAX(born) > '1999-01-01'",
        "SELECT MAX(shipped), MIN(closed) FROM sale",
    ):
        here, there = both.answers(sql)
        assert [[*map(str, row)] for row in here] == [[*map(str, row)] for row in there], sql


def test_a_function_takes_no_moments_finer_than_a_millisecond(both: Both) -> None:
    """Where there are zero dates among them; of milliseconds it does."""
    here, there = both.answers("SELECT id, YEAR(paid), DATE(paid) FROM sale")
    assert [[*map(str, row)] for row in here] == [[*map(str, row)] for row in there]
    assert "timestamps finer than a millisecond that also contain zero dates" in both.gap(
        "SELECT YEAR(closed) FROM sale"
    )


def test_what_is_taken_from_another_row_is_a_date(both: Both) -> None:
    """By a window function and by a subquery."""
    for sql in (
        "SELECT id, LAG(born) OVER (ORDER BY id), LEAD(born, 1) OVER (ORDER BY id), MAX(born) OVER () FROM buyer",
        "SELECT id, FIRST_VALUE(shipped) OVER (ORDER BY id), NTH_VALUE(closed, 2) OVER (ORDER BY id) FROM sale",
        "SELECT id, (SELECT MAX(b.born) FROM buyer b) AS last, (SELECT born FROM buyer b WHERE b.id = s.buyer) AS b FROM sale s",
        "SELECT id FROM buyer WHERE born = (SELECT MIN(b.born) FROM buyer b)",
        "SELECT id FROM buyer WHERE born > (SELECT b.born FROM buyer b WHERE b.id = 1) ORDER BY id",
        "SELECT id, earlier FROM (SELECT id, LAG(born) OVER (ORDER BY id) AS earlier FROM buyer) x WHERE earlier IS NOT NULL",
        "SELECT id FROM (SELECT id, LAG(born) OVER (ORDER BY id) AS earlier FROM buyer) x WHERE earlier < '1999-01-01'",
        "SELECT YEAR((SELECT MAX(b.born) FROM buyer b)) AS y, DATE_FORMAT((SELECT MIN(born) FROM buyer), '%Y') AS t",
    ):
        here, there = both.answers(sql)
        assert [[*map(str, row)] for row in here] == [[*map(str, row)] for row in there], sql


@pytest.mark.thorough
def test_a_parameter_may_be_a_zero_date(both: Both) -> None:
    """Where the column holds such; another column of dates refuses it."""
    for name, expected in (("shipped", True), ("placed", False)):
        write = pipeline.convert(both.proposal, f"UPDATE sale SET {name} = :day WHERE id = 1", dialect="mysql")
        assert isinstance(write, CompiledWrite)
        if expected:
            run_write(both.database, write, {"day": "0000-00-00 00:00:00"})
            assert both.answers("SELECT id FROM sale WHERE shipped = 0")[0] == [(1,)]
        else:
            with pytest.raises(WorkloadError, match="cannot be stored"):
                run_write(both.database, write, {"day": "0000-00-00 00:00:00"})
