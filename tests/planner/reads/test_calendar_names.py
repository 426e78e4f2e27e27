"""MySQL's names of months and days, last days of months, and years with their months, beside MariaDB."""

from __future__ import annotations

from collections import Counter

import pytest

from nestling.executors.run import run_read
from tests.beside_mariadb import Both, both_of

_SCRIPT = """
CREATE TABLE day (id int PRIMARY KEY, d date, at datetime(3));
INSERT INTO day VALUES (1, '2024-02-10', '2024-02-29 23:59:59.999'), (2, '1999-12-31', '1999-12-31 10:00'), (3, NULL, NULL),
  (4, '1969-07-20', '1000-01-01'), (5, '2100-02-01', '9999-11-30'), (6, '2024-03-03', '2024-04-15 12:00')
"""
CALLS = ("LAST_DAY({})", "DAYNAME({})", "MONTHNAME({})", "EXTRACT(YEAR_MONTH FROM {})")
STATEMENTS = (
    *(
        f"SELECT id, {call.format(column)} AS value FROM day"
        for call in CALLS
        for column in ("d", "at", "'2024-02-10'")
    ),
    "SELECT DAYNAME(d) AS name, COUNT(*) FROM day GROUP BY DAYNAME(d) ORDER BY name",
    "SELECT id FROM day WHERE LAST_DAY(at) = '2024-02-29' OR MONTHNAME(d) = 'march' OR DAYNAME(d) LIKE 'sun%'",
    "SELECT EXTRACT(YEAR_MONTH FROM d) AS m, COUNT(*) FROM day GROUP BY m HAVING m > 200001",
    "SELECT DAY(LAST_DAY(d)), DATEDIFF(LAST_DAY(at), at) FROM day",
    "SELECT id FROM day WHERE d BETWEEN LAST_DAY(at - INTERVAL 1 MONTH) AND LAST_DAY(at)",
)
both = both_of(_SCRIPT, "normalized", scope="module")


@pytest.mark.parametrize("sql", STATEMENTS)
def test_answers_are_mariadbs(both: Both, sql: str) -> None:
    """Of days, moments and constants, in groups and conditions."""
    read = both.convert(sql)
    both.cursor.execute(sql)
    assert Counter(map(repr, run_read(both.database, read))) == Counter(map(repr, both.cursor.fetchall()))
