"""What MySQL compares with dates and with numbers beyond 64 bits: each statement beside MariaDB."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from pymongo.database import Database

from tests.beside_mariadb import Both, beside_mariadb

_SCRIPT = """
SET SESSION sql_mode = 'STRICT_TRANS_TABLES';
CREATE TABLE sale (id int PRIMARY KEY, big bigint unsigned, small bigint, placed datetime NOT NULL,
  shipped datetime NOT NULL DEFAULT '0000-00-00 00:00:00', born date DEFAULT '0000-00-00', fine datetime(6));
INSERT INTO sale VALUES
  (1, 18446744073709551614, 9223372036854775807, '2024-01-05 10:00:00', '0000-00-00 00:00:00', '0000-00-00', NULL),
  (2, 18446744073709551613, 5, '2024-01-05 00:00:00', '2024-01-06 11:30:05', '2000-02-29', '2024-01-05 00:00:00.500001'),
  (3, 7, NULL, '2023-12-31 23:59:59', '2024-02-01 00:00:00', NULL, '0000-00-00 00:00:00'),
  (4, NULL, -3, '2024-03-01 08:15:00', '0000-00-00 00:00:00', '1999-12-31', '2024-03-01 00:00:00');
ALTER TABLE sale ADD flag tinyint(1) NOT NULL DEFAULT 1, ADD price decimal(6,2), ADD ratio double;
UPDATE sale SET flag = id % 2, price = id * 1.1, ratio = id / 10
"""


@pytest.fixture(scope="module")
def both(mariadb: str, mongo_client: Any) -> Iterator[Both]:
    """The schema filled, read and loaded."""
    database: Database[Any] = mongo_client["mysql_numbers_and_dates"]
    with beside_mariadb(mariadb, database, _SCRIPT, "normalized") as found:
        yield found
    mongo_client.drop_database(database.name)


COMPARISONS = (
    "concat(born, '!X') = '0000-00-00!x'",
    "concat(shipped, '') < '2024-01-31'",
    "big = 18446744073709551614",
    "big <> 18446744073709551614",
    "big > 18446744073709551613",
    "big >= 9223372036854775808",
    "big IN (18446744073709551613, 7)",
    "big NOT IN (18446744073709551613)",
    "big BETWEEN 7 AND 18446744073709551613",
    "big < 8",
    "big = 7.0",
    "small < 18446744073709551614",
    "small = 9223372036854775807",
    "big > small",
    "big = '7'",
    "big IN ('7', '8')",
    "small <> '5'",
    "small > '-3.5'",
    "flag = '1'",
    "flag <> '0'",
    "price = '1.10'",
    "price < '10'",
    "ratio >= '0.1'",
    "shipped > 0",
    "shipped = 0",
    "0 <> shipped",
    "shipped IN (0, 20240201)",
    "shipped <=> 0",
    "placed > 20240105",
    "placed = 20240105000000",
    "placed BETWEEN 20240101 AND 20240105100000",
    "NOT placed <= 20240105",
    "placed > 0",
    "born > 0",
    "born = '0000-00-00'",
    "born > '0000-00-00'",
    "born <> '0000-00-00 00:00:00'",
    "born >= 19991231",
    "born < 20000229000001",
    "fine = 0",
    "fine > 20240105",
    "0 <> fine",
    "fine > shipped",
    "NOT fine > placed",
    "year(shipped) = 0",
    "date(shipped) > '2024-01-03'",
    "date(shipped) < '2024-01-03'",
    "datediff(placed, shipped) IS NULL",
    "date_add(shipped, INTERVAL 1 DAY) > 20240101",
    "coalesce(shipped, placed) < '2024-01-31'",
    "year(coalesce(born, placed)) < 2000",
    "datediff(date(shipped), date(placed)) > 1",
    "CASE shipped WHEN 0 THEN id = 1 ELSE id = 3 END",
    "placed > shipped",
)


@pytest.mark.parametrize("condition", COMPARISONS)
def test_comparisons_are_mariadbs(both: Both, condition: str) -> None:
    """The same rows are found."""
    found, expected = both.answers(f"SELECT id FROM sale WHERE {condition}")
    assert Counter(map(str, found)) == Counter(map(str, expected))


VALUES = (
    *(
        f"{part}({column})"
        for part in ("year", "quarter", "month", "day", "dayofyear")
        for column in ("shipped", "born")
    ),
    *(f"{part}(shipped)" for part in ("hour", "minute", "second", "date")),
    "date(born)",
    "hour(born)",
    "cast(shipped AS date)",
    "datediff(placed, born)",
    "date_add(born, INTERVAL 1 MONTH)",
    "date_format(shipped, '%Y-%m %H:%i')",
    "date_format(born, '%d.%m.%Y %H')",
    "min(shipped)",
    "max(year(born))",
    "count(DISTINCT date(shipped))",
)


@pytest.mark.parametrize("value", VALUES)
def test_functions_of_zero_dates_are_mariadbs(both: Both, value: str) -> None:
    """The same values are shown."""
    found, expected = both.answers(f"SELECT id, {value} AS value FROM sale GROUP BY id")
    assert Counter(map(str, found)) == Counter(map(str, expected))


@pytest.mark.parametrize("key", ["shipped", "born", "year(born)", "date(shipped)"])
def test_zero_dates_are_grouped_and_sorted_first(both: Both, key: str) -> None:
    """They are one group, the first."""
    found, expected = both.answers(f"SELECT {key} AS k, count(*) AS n FROM sale GROUP BY k ORDER BY k")
    assert list(map(str, found)) == list(map(str, expected))


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("placed > 1", "digits"),
        ("placed = small", "digits"),
        ("placed > 20241399", "digits"),
        ("placed < 20240105.5", "digits"),
        ("born < shipped", "zero dates"),
        ("year(fine) = 0", "zero dates"),
        ("concat(fine, '!') = 'x'", "may be a zero date as a text"),
    ],
)
def test_what_is_no_date_is_a_gap(both: Both, condition: str, said: str) -> None:
    """What MySQL makes of such numbers depends on its mode; zero days and zero moments are spelled otherwise."""
    assert said in both.gap(f"SELECT id FROM sale WHERE {condition}")
