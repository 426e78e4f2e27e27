"""PostgreSQL's intervals of several parts: months first, then days, then time, whatever the order they are written in."""

from __future__ import annotations

import pytest

from nestling.common.errors import GapError
from nestling.store import Store
from tests.planner.reads.beside_postgresql import Beside, beside_of, written

TABLES = """
CREATE TABLE visit (id int PRIMARY KEY, at timestamptz(3) NOT NULL, local timestamp(3) NOT NULL, day date NOT NULL);
INSERT INTO visit VALUES (1, '2024-01-31 10:00:00+00', '2024-01-31 23:30:00', '2024-01-31'),
  (2, '2024-02-29 23:59:59.5+00', '2023-12-31 00:00:00', '2024-02-29'),
  (3, '2023-11-30 00:00:00+00', '2024-03-31 12:00:00.25', '2023-10-31');
"""
TEXTS = (
    "1 month - 1 day",
    "1 month -1 day",
    "-1 month +3 days",
    "1 day 1 month",
    "1 year 1 month",
    "2 years -13 months 1 week",
    "1 month 2 days 03:00",
    "2 days 03:04:05.25",
    "1 month -03:30",
    "1 mon 1 d 2 h 5 min 7.5 s",
    "90 minutes 30 secs",
    "0.5 hours 1 day",
)
GAPS = (
    "0.5 months 1 day",
    "1.5 days 1 hour",
    "1 day 0.0001 s",
    "1 fortnight 1 day",
    "1 day 1",
    "1 day ago",
    "1 day, 2",
)


served = beside_of(TABLES, scope="module")


@pytest.mark.parametrize("text", TEXTS)
def test_the_parts_are_added_as_postgresql_does(text: str, served: Beside) -> None:
    """To moments with and without a zone, and to dates; taken off them, too; and in conditions."""
    store = Store(served.proposal, served.database)
    for sign in "+-":
        sql = (
            f"SELECT id, at {sign} interval '{text}' AS a, local {sign} interval '{text}' AS l,"
            f" day {sign} interval '{text}' AS d,"
            f" (date_trunc('month', day) {sign} interval '{text}')::date AS e FROM visit"
            f" WHERE local {sign} interval '{text}' <> timestamp '2024-01-01' ORDER BY id"
        )
        rows = [tuple(map(written, row.values())) for row in store.execute(sql)]
        assert rows == served.theirs(sql)
        assert rows


@pytest.mark.parametrize("text", GAPS)
def test_what_is_not_understood_says_so(text: str, served: Beside) -> None:
    """Fractions of which the server makes smaller units, what is finer than a millisecond, other words."""
    with pytest.raises(GapError, match="interval"):
        Store(served.proposal, served.database).execute(f"SELECT at + interval '{text}' FROM visit")
