"""Functions of MySQL alone, beside a MariaDB: times that passed, days of a week, parts of a text."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from nestling.common.errors import NestlingError
from nestling.emitters.python_code import module
from nestling.executors.run import run_read
from tests.beside_mariadb import Both, both_of

SCRIPT = """
CREATE TABLE moment (id int PRIMARY KEY, a datetime, b datetime(3), d date, at timestamp NULL,
    s varchar(60), e enum('open', 'Shut'), t time(3));
INSERT INTO moment VALUES
    (1, '2024-01-31 10:00:00', '2024-02-29 09:59:59.999', '2024-03-31', '2024-01-31 10:00:00', 'ann@mail.example.org',
        'open', '08:30:15'),
    (2, '2024-02-29 00:00:00', '2023-02-28 23:59:59.001', '1969-12-31', '1970-01-01 00:00:01', '@', 'Shut', '00:00:00'),
    (3, '1965-07-20 20:17:40', '1965-07-20 20:17:40.500', '1964-02-29', '2038-01-19 03:14:07', 'a@b@c@', NULL, NULL),
    (4, '2024-12-31 23:59:59', '2025-01-01 00:00:00.000', '2025-01-31', NULL, '', 'open', '12:05:00.5'),
    (5, NULL, NULL, NULL, '2001-09-09 01:46:40', NULL, 'Shut', '99:59:59'),
    (6, '2000-02-29 12:00:00', '2001-02-28 12:00:00.000', '2000-03-01', '2001-09-09 01:46:39', 'A$b@ß', 'open', '23:59:58.999')
"""
both = both_of(SCRIPT, "normalized")
UNITS = ("MICROSECOND", "SECOND", "MINUTE", "HOUR", "DAY", "WEEK", "MONTH", "QUARTER", "YEAR")
SIDES = ("a, b", "b, a", "d, a", "a, d", "d, '2024-02-29 10:30:00'", "'2023-12-31', b", "a, a", "at, b", "a, NULL")
EXPRESSIONS = (
    *(f"TIMESTAMPDIFF({unit}, {sides})" for unit in UNITS for sides in SIDES),
    *(f"{name}({side})" for name in ("WEEKDAY", "DAYOFWEEK") for side in ("a", "b", "d", "'2024-02-29'", "NULL")),
    *(f"TO_DAYS({side})" for side in ("a", "b", "d", "at", "'2024-02-29'", "'0001-01-01'", "NULL")),
    "TO_DAYS(a) - TO_DAYS(d)",
    *(f"TIMESTAMPADD({unit}, {count}, a)" for unit in UNITS[1:] for count in (1, -2, "id")),
    "DAYOFMONTH(a)",
    "DAYOFMONTH(d)",
    "CONCAT(SPACE(2), s, SPACE(id - 2))",
    *(f"{part}(t)" for part in ("HOUR", "MINUTE", "SECOND")),
    "FIELD(e, 'shut', 'open')",
    "FIELD('OPEN', s, e)",
    "FIELD(e, s, 'open')",
    "UNIX_TIMESTAMP(at)",
    *(f"SUBSTRING_INDEX(s, '@', {count})" for count in (1, -1, 2, -2, 3, -3, 99, -99)),
    *(f"SUBSTRING_INDEX(s, '{by}', 1)" for by in (".", "ample", "A", "$", "B", "ß")),
    "SUBSTRING_INDEX(SUBSTRING_INDEX(s, '@', -1), '.', 1)",
    "SUBSTRING_INDEX('a.b.c', '.', 2)",
    "IF(id > 3, e, s)",
    "IF(id > 3, e, 'none')",
    "CASE WHEN id > 2 THEN 'Shut' ELSE e END",
    "COALESCE(e, s, 'x')",
)
CONDITIONS = (
    "IF(id > 3, e, 'x') = 'OPEN'",
    "SUBSTRING_INDEX(s, '@', -1) = 'MAIL.example.org'",
    "CASE WHEN id > 2 THEN 'Shut' ELSE e END = 'shut'",
    "TIMESTAMPDIFF(DAY, a, b) > 0",
)
WRITES = (
    "UPDATE moment SET e = IF(e = 'open', 'Shut', e)",
    "UPDATE moment SET e = CASE WHEN id = 3 THEN 'open' ELSE e END",
    "UPDATE moment SET s = IF(id > 2, e, s)",
    "UPDATE moment SET e = IF(id > 2, 'OPEN', 'shut')",
    "UPDATE moment SET e = COALESCE(e, 'SHUT')",
)


def _row(values: Any) -> list[Any]:
    return [Decimal(each) if isinstance(each, int | Decimal) else each for each in values]


@pytest.mark.thorough
def test_they_are_mariadbs(both: Both) -> None:
    """Of moments before 1970, at ends of months and days; of texts with and without the separator."""
    both.cursor.execute("SET time_zone = '+00:00'")
    for text in EXPRESSIONS:
        here, there = both.answers(f"SELECT {text} AS v, id FROM moment ORDER BY id")
        assert [_row(row) for row in here] == [_row(row) for row in there], text


def test_emitted_code_says_a_moment_as_python_does(both: Both) -> None:
    """Also those that a function of its own compares with: MySQL converts none before 1970 to another time zone."""
    sql = "SELECT id, CONVERT_TZ(a, '+00:00', '+02:00') AS v FROM moment ORDER BY id"
    space: dict[str, Any] = {}
    exec(compile(module([replace(both.convert(sql), name="shown")]), "queries.py", "exec"), space)
    assert [tuple(row.values()) for row in space["shown"](both.database)] == both.answers(sql)[1]


@pytest.mark.thorough
def test_conditions_keep_their_collation(both: Both) -> None:
    """A text made of others is compared as they are."""
    for text in CONDITIONS:
        here, there = both.answers(f"SELECT id FROM moment WHERE {text} ORDER BY id")
        assert [row[0] for row in here] == [row[0] for row in there], text


@pytest.mark.thorough
def test_a_choice_is_stored_in_an_enum(both: Both) -> None:
    """Of labels and of the column itself."""
    for sql in WRITES:
        assert both.written(sql) == (True, True)
        both.assert_equal()


def test_what_hangs_on_the_session_or_the_encoding_is_a_gap(both: Both) -> None:
    """A DATETIME's seconds go by the session's time zone; separators that overlap themselves by the character set."""
    for text in (
        "UNIX_TIMESTAMP(a)",
        "SUBSTRING_INDEX(s, 'aa', -1)",
        "SUBSTRING_INDEX(s, s, 1)",
        "SUBSTRING_INDEX(s, '', 1)",
    ):
        assert both.gap(f"SELECT {text} FROM moment")


LETTERS = "abcxyzABCXYZ0-@ßàéîõøüýþÀÉÎÕØÜÝÞāăčďđęğħĳłńŋőœřşšţŧūŵŷźżžĀĂČĎĐĘĞĦĲŁŃŊŐŒŘŞŠŢŦŪŴŶŹŻŽ漢字🦄"
MORE = "ΑΒΓΔΣΩαβγδσωΆΈΪάέϊώАБВЯабвяЁЇёїџЏ"
BEYOND = ("µ", "ÿ", "ı", "İ", "ſ", "ƀ", "ǅ", "ς" + "ẞ", "ა", "Ⅷ", "ⓐ", "𐐀", "ƛ")


def test_case_is_mariadbs(both: Both) -> None:
    """Of letters on which all collations agree; a statement fails on others."""
    for text in (LETTERS, MORE):
        both.cursor.execute("REPLACE INTO moment (id, s) VALUES (7, %s)", (text[:60],))
        both.database["moment"].update_one({"_id": 7}, {"$set": {"s": text[:60]}}, upsert=True)
        both.cursor.execute("SET NAMES utf8mb4")
        for sql in (
            "SELECT UPPER(s), LOWER(s) FROM moment ORDER BY id",
            "SELECT id FROM moment WHERE LOWER(s) = 'ann@mail.example.org'",
            f"SELECT UPPER('{text}'), LOWER('{text}') FROM moment LIMIT 1",
        ):
            here, there = both.answers(sql)
            assert [list(row) for row in here] == [list(row) for row in there], sql
    for letter in BEYOND:
        assert both.gap(f"SELECT UPPER('{letter}') FROM moment"), letter
        both.database["moment"].update_one({"_id": 7}, {"$set": {"s": letter}})
        with pytest.raises(NestlingError, match="case is not known of a letter in"):
            list(run_read(both.database, both.convert("SELECT LOWER(s) FROM moment")))
