"""Parts of the time between two moments, beside PostgreSQL."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from nestling.common.errors import NestlingError
from tests.planner.reads.beside_postgresql import Beside, beside_of

TABLES = """
CREATE TABLE trip (id integer PRIMARY KEY, begun timestamp, ended timestamp, booked timestamptz, paid timestamptz, day date);
INSERT INTO trip VALUES
    (1, '2024-01-31 10:00', '2024-02-29 09:59:59.5', '2024-01-31 10:00Z', '2024-01-31 12:30:15Z', '2024-01-30'),
    (2, '2024-03-01', '2024-02-28 23:00', '1969-12-31 23:59:59.999Z', '1970-01-01Z', '1999-12-31'),
    (3, '2024-03-01 12:00', '2024-03-01 12:00', NULL, '2024-01-01Z', NULL), (4, NULL, NULL, NULL, NULL, '2024-01-01'),
    (5, '2024-01-01 00:00:00.001', '2025-01-01', '2024-01-01Z', '2024-01-01 01:01:01.25Z', '2024-12-31');
CREATE TABLE dated (id integer PRIMARY KEY, at timestamp NOT NULL);
INSERT INTO dated SELECT n, at::timestamp FROM unnest(ARRAY['2024-01-31', '2024-02-29 12:00', '2023-02-28', '2024-03-01',
    '2024-03-31', '2024-03-30 23:59:59.999', '2000-02-29', '1999-12-31 12:00',
    '2024-01-30 13:00', '1969-12-31']) WITH ORDINALITY AS x (at, n);
CREATE TABLE flight (LIKE trip);
INSERT INTO flight SELECT id, begun + interval '456 microseconds', ended + interval '7 microseconds', booked,
    paid - interval '1 microsecond', day FROM trip;
INSERT INTO flight VALUES
    (6, '1969-12-31 23:59:59.999999', '1969-12-31 23:59:59.123456', '0001-01-01 00:00:00.000001Z', '9998-12-30 01:02:03.999999Z',
     '1969-12-31'),
    (7, '2024-01-31 23:59:59.999999', '2024-03-31 02:30:00.000001', '2024-03-31 01:30:00Z', '2024-10-27 00:59:59.999999Z', NULL)
"""
AGES = (
    *(f"SELECT id, extract({unit} FROM age(ended, begun)) AS a, date_part('{unit}', age(begun, ended)) AS b FROM trip"
      for unit in ("year", "month", "day")),
    *(f"SELECT a.id, b.id, extract({unit} FROM age(a.at, b.at)) FROM dated a, dated b" for unit in ("year", "month", "day")),
    "SELECT id, extract(year FROM age(day)), date_part('month', age(now(), day)) FROM trip",
    "SELECT id, extract(day FROM age(current_date, day)) FROM trip",
    "SELECT id FROM trip WHERE extract(year FROM age('2025-01-01', day)) >= 1 AND date_part('year', (age(paid, booked))) = 0",
    "SELECT date_part('year', age(day)) AS years, count(*) FROM trip GROUP BY 1",
    "SELECT id, make_date(extract(year FROM day)::int, 1, id) AS d, make_date(2024, 2, 29), make_date(id, NULL, 1) FROM trip",
    "SELECT count(*) FROM trip WHERE day >= make_date(2024, id, 1)",
)  # fmt: skip
UNITS = ("epoch", "day", "hour", "minute", "second")
STATEMENTS = (
    *(
        f"SELECT id, extract({unit} FROM ended - begun) AS a, date_part('{unit}', begun - ended) AS b FROM trip"
        for unit in UNITS
    ),
    *(
        f"SELECT id, EXTRACT({unit} FROM (paid - booked)) AS a, date_part('{unit}', ended - day) AS b FROM trip"
        for unit in UNITS
    ),
    "SELECT id, extract(epoch FROM begun), extract(epoch FROM booked), extract(epoch FROM day) FROM trip",
    *(f"SELECT id FROM trip WHERE ended - begun {operator} interval '29 days'" for operator in ("<", ">=", "<>")),
    "SELECT id, ended - begun = interval '0 seconds', interval '01:01:01.25' <= paid - booked AS b FROM trip",
    "SELECT id FROM trip WHERE paid - booked BETWEEN interval '00:00:00.001' AND '02:30:15'::interval",
    *(
        f"SELECT id FROM trip WHERE ended - begun {operator} interval '{text}'"
        for text in ("2 days 03:00", "1.5 hours", "1 day - 2 hours", "-03:30 1 mon", "P29DT1H")
        for operator in ("<", ">=")
    ),
    "SELECT id FROM trip WHERE (ended - begun) > '1 month'::interval OR paid - booked < interval '1' day",
    "SELECT count(*) FILTER (WHERE now() - booked > interval '1 year 3 days') FROM trip",
    "SELECT avg(extract(epoch FROM ended - begun) / 3600), max(date_part('day', ended - begun)) FROM trip",
    "SELECT id FROM trip WHERE extract(epoch FROM paid - booked) > 60 ORDER BY extract(epoch FROM paid - booked)",
    "SELECT id FROM trip ORDER BY ended - begun DESC, id LIMIT 3",
    "SELECT id FROM (SELECT id, paid - booked AS t FROM trip ORDER BY t NULLS FIRST, id LIMIT 3) x",
    "SELECT date_part('day', ended - begun) AS a FROM trip GROUP BY 1 HAVING max(extract(hour FROM ended - begun)) < 99",
)
OF_MICROSECONDS = (
    "SELECT id, begun + interval '1.001 seconds' AS a, booked - interval '0.25 days' AS b FROM trip",
    *(each.replace("FROM trip", "FROM flight") for each in STATEMENTS),
    "SELECT id, extract(epoch FROM begun) AS a, extract(second FROM ended) AS b, date_part('second', paid) AS c FROM flight",
    *(
        f"SELECT id, begun {sign} interval '{amount}' AS a, paid {sign} interval '{amount}' AS b FROM flight"
        for sign in "+-"
        for amount in (
            "1 month",
            "36 hours",
            "1.5 seconds",
            "1.25 days",
            "1.001 seconds",
            "0.5 weeks",
            "1 year",
            "2 weeks",
        )
    ),
    "SELECT id FROM flight WHERE ended > begun + interval '2 days' ORDER BY id",
    "SELECT id FROM flight WHERE paid - interval '36 hours' < booked ORDER BY id",
    "SELECT id, begun + id * interval '1 hour' AS a FROM flight ORDER BY begun + interval '1 day', id",
    "SELECT id, paid AT TIME ZONE 'Europe/Berlin' AS a, begun AT TIME ZONE 'Europe/Berlin' AS b FROM flight",
    "SELECT id, timezone('America/New_York', paid) + interval '1 day' AS a, (ended AT TIME ZONE 'Asia/Tokyo')::date FROM flight",
    "SELECT id, date_trunc('hour', paid AT TIME ZONE 'Europe/Berlin'), extract(hour FROM ended AT TIME ZONE 'UTC') FROM flight",
    "SELECT id, (paid AT TIME ZONE 'Europe/Berlin') AT TIME ZONE 'Asia/Kolkata' AS a FROM flight",
    "SELECT count(*) FROM flight WHERE paid AT TIME ZONE 'Europe/Berlin' >= '2024-10-27 02:00'",
    "SELECT ended AT TIME ZONE 'Europe/Berlin' AS a, count(*) FROM flight GROUP BY 1 ORDER BY 1",
)


trips = beside_of(TABLES, scope="module")
"""The table in PostgreSQL, and loaded."""


@pytest.mark.one_in(2)
@pytest.mark.parametrize("sql", [*STATEMENTS, *AGES, *OF_MICROSECONDS])
def test_answers_are_postgresqls(trips: Beside, sql: str) -> None:
    """To the last digit of a second, with a sign."""
    assert Counter(trips.ours(sql)) == Counter(trips.theirs(sql))


DIFFERENCES = (
    "SELECT id, {ended - begun}, {begun - ended}, {paid - booked}, {ended - day::timestamp} FROM trip",
    "SELECT id, {ended - begun}, {begun - ended}, {paid - booked}, {timestamptz '2024-01-01 00:00:00.5Z' - paid} FROM flight",
    (
        "SELECT {timestamp '2012-08-31 01:00' - timestamp '2012-07-30 01:00'}, {x.a - x.a}, {x.a - '2024-02-01 00:00:01.25'}"
        " FROM (SELECT timestamp '2024-01-01' AS a) x"
    ),
    "SELECT id, {max(ended) - min(begun)} FROM trip GROUP BY id",
)


@pytest.mark.parametrize("sql", DIFFERENCES)
def test_a_difference_is_shown_as_postgresql_shows_it(trips: Beside, sql: str) -> None:
    """As a duration of ISO 8601, in days and a time, which have one sign."""
    asked = re.sub(r"\{(.*?)\}", r"(\1)::text", sql)
    with trips.engine.begin() as connection:
        connection.exec_driver_sql("SET intervalstyle = 'iso_8601'")
        theirs = [tuple(row) for row in connection.exec_driver_sql(asked)]
    assert Counter(trips.ours(re.sub("[{}]", "", sql))) == Counter(theirs)


@pytest.mark.parametrize("date", ["2023, 2, 29", "2024, 13, 1", "2024, 0, 1", "0, 1, 1", "10000, 1, 1", "id, 4, 31"])
def test_what_is_no_date_fails(trips: Beside, date: str) -> None:
    """As in PostgreSQL; also of years that its driver has not."""
    with pytest.raises(NestlingError):
        trips.ours(f"SELECT make_date({date}) FROM trip")


def test_months_and_age_are_gaps(trips: Beside) -> None:
    """A difference has no months."""
    assert trips.gap("SELECT extract(month FROM ended - begun) FROM trip")
    assert "age" in trips.gap("SELECT age(day) FROM trip").casefold()
    assert "EXTRACT of hour of AGE()" in trips.gap("SELECT extract(hour FROM age(ended, begun)) FROM trip")
    assert "how many years lie between" in trips.gap("SELECT extract(year FROM age(begun)) FROM flight")
    assert "other than whole numbers" in trips.gap("SELECT make_date(2024, 2.5, 1)")
    assert "TO_CHAR() of the difference of two timestamps" in trips.gap(
        "SELECT to_char(ended - begun, 'HH24') FROM trip"
    )
    assert "DATE_TRUNC() of the difference of two timestamps" in trips.gap(
        "SELECT date_trunc('day', ended - begun) FROM trip"
    )
    assert "an interval added to or taken from the difference" in trips.gap(
        "SELECT (ended - begun) + interval '1 day' FROM trip"
    )
    assert "groups of intervals" in trips.gap("SELECT ended - begun FROM trip GROUP BY 1")
    assert "an interval finer than a millisecond" in trips.gap("SELECT begun + interval '0.0005 seconds' FROM trip")
    assert "an interval finer than a millisecond" in trips.gap("SELECT begun - interval '1.0005 seconds' FROM flight")
