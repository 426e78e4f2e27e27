"""Parameters where MySQL takes a time: dates, datetimes and texts in ISO form, beside PyMySQL and MariaDB."""

# ruff: noqa: DTZ001 - a DATETIME has no zone
from __future__ import annotations

import re
from datetime import date, datetime
from typing import Any

import pytest

from nestling import Store, pipeline
from nestling.common.errors import WorkloadError
from nestling.emitters.python_code import module
from nestling.ir.programs.compiled import CompiledRead
from tests.beside_mariadb import Both, both_of

SCRIPT = """
CREATE TABLE loan (id INT PRIMARY KEY, due DATE, at DATETIME, fine DATETIME(6), n INT, note TEXT, KEY (due)) ENGINE=InnoDB;
INSERT INTO loan VALUES (1, '2026-01-01', '2026-01-01 12:00:00', '2026-01-01 12:00:00.123456', 3, 'x'),
    (2, '2026-02-28', '2026-01-05 00:00:00', '2026-01-05 00:00:00.5', 4, NULL), (3, NULL, NULL, NULL, NULL, NULL),
    (4, '2026-01-03', '2026-01-03 15:30:00', '2026-01-03 15:30:00', 3, NULL),
    (5, '2024-02-29', '2024-02-29 01:00:00', NULL, 5, NULL)"""
MOMENTS = (
    date(2026, 1, 3),
    datetime(2026, 1, 3, 15, 30),
    "2026-01-03",
    "2026-01-03 15:30:00",
    "2026-01-03T15:30",
    None,
)
FINE = datetime(2026, 1, 3, 23, 59, 59, 999900)
ITEMS = (
    "DATEDIFF(:t, due)", "DATEDIFF(at, :t)", "DATEDIFF(fine, :t)", "DATEDIFF(:t, :t)", "IF(due < :t, DATEDIFF(:t, due), 0)",
    "CAST(:t AS DATE)", "CONVERT(:t, DATE)", "DATE(:t)", "CAST(CAST(:t AS DATE) AS DATETIME)",
    "CAST(:t AS DATE) + INTERVAL 7 DAY", "DATE_SUB(CAST(:t AS DATE), INTERVAL WEEKDAY(:t) DAY)",
    "COALESCE(due, CAST(:t AS DATE))", "CASE WHEN n = 3 THEN due ELSE CAST(:t AS DATE) END",
    "YEAR(:t)", "EXTRACT(DAY FROM :t)", "QUARTER(:t)", "WEEK(:t, 3)", "WEEKDAY(:t)", "DAYOFWEEK(:t)", "TO_DAYS(:t)",
    "DAYNAME(:t)", "DATE_FORMAT(:t, '%Y-%m')", "DATE_FORMAT(:t, '%d. %M, %H:%i')", "TIMESTAMPDIFF(SECOND, fine, :t)",
    "due = CAST(:t AS DATE)", "due <= DATE(:t)", "at >= CAST(:t AS DATE)", "due > CAST(:t AS DATE) - INTERVAL 1 DAY",
)  # fmt: skip
OF_WHOLE_SECONDS = (
    "CAST(:t AS DATETIME)", "DATE_ADD(CAST(:t AS DATETIME), INTERVAL 7 DAY)", "HOUR(CAST(:t AS DATETIME))", "LAST_DAY(:t)",
    "at = CAST(:t AS DATETIME)", "MAKEDATE(YEAR(:t), 1)", "CAST(DATE_FORMAT(:t, '%Y-%m-01') AS DATE)",
    "CONVERT_TZ(:t, '+00:00', '+02:00')",
    "TIMESTAMPDIFF(DAY, :t, at)", "TIMESTAMPDIFF(HOUR, at, :t)", "TIMESTAMPDIFF(YEAR, due, :t)",
    "GREATEST(at, CAST(:t AS DATETIME))",
    "due < DATE_ADD(:t, INTERVAL 7 DAY)", "at < :t + INTERVAL 2 HOUR", "at BETWEEN :t - INTERVAL 7 DAY AND :t",
    "DATE(:t + INTERVAL 3 DAY)", "DATEDIFF(ADDDATE(:t, 3), due)", "YEAR(TIMESTAMPADD(DAY, 3, :t))",
)  # fmt: skip
WRITES = (
    "UPDATE loan SET due = CAST(:t AS DATE) WHERE id = 1",
    "UPDATE loan SET due = :t + INTERVAL 1 DAY WHERE id = 1",
    "UPDATE loan SET at = CAST(:t AS DATETIME), n = DATEDIFF(:t, due) WHERE id = 2",
    "UPDATE loan SET at = GREATEST(at, :t) WHERE id = 4",
    "INSERT INTO loan (id, due, at) VALUES (9, DATE(:t), :t + INTERVAL 3 HOUR)",
    "DELETE FROM loan WHERE DATEDIFF(:t, due) > 300",
)
read_only = both_of(SCRIPT, "normalized", scope="module")
written = both_of(SCRIPT, "normalized")


def _sides(both: Both, sql: str, given: object) -> tuple[list[Any], list[Any]]:
    rows = Store(both.proposal, both.database).execute(sql, {"t": given})
    both.cursor.execute(re.sub(r":t\b", "%(t)s", sql.replace("%", "%%")), {"t": given})
    return [tuple(row.values()) for row in rows], list(both.cursor.fetchall())


@pytest.mark.one_in(3)
@pytest.mark.parametrize("item", [*ITEMS, *OF_WHOLE_SECONDS])
def test_a_parameter_is_the_time_that_is_asked_for(read_only: Both, item: str) -> None:
    """A date, a datetime, the text of either, and NULL."""
    for given in (*MOMENTS, FINE) if item in ITEMS else MOMENTS:
        here, there = _sides(read_only, f"SELECT id, {item} AS x FROM loan ORDER BY id", given)
        assert (here, list(map(type, here[0]))) == (there, list(map(type, there[0]))), given


@pytest.mark.parametrize("sql", WRITES)
def test_what_is_written(written: Both, sql: str) -> None:
    """Is what the source writes."""
    store = Store(written.proposal, written.database)
    for given in (date(2026, 1, 3), "2026-01-04", datetime(2026, 1, 3, 4, 5)):
        store.execute(sql, {"t": given})
        written.cursor.execute(sql.replace(":t", "%(t)s"), {"t": given})
        written.assert_equal()
        if "INSERT" in sql:
            store.execute("DELETE FROM loan WHERE id = 9")
            written.cursor.execute("DELETE FROM loan WHERE id = 9")


@pytest.mark.parametrize("item", ["CAST(:t AS DATE)", "CAST(:t AS DATETIME)", "DATEDIFF(:t, due)", "YEAR(:t)"])
@pytest.mark.parametrize("wrong", [3, 2.5, True, b"2026-01-03", "tomorrow", "15:30", "2026-01-03 10:00:00+02:00"])
def test_anything_else_is_refused(read_only: Both, item: str, wrong: object) -> None:
    """By its name, before the server is asked."""
    store = Store(read_only.proposal, read_only.database)
    with pytest.raises(WorkloadError, match="parameter `t`"):
        store.execute(f"SELECT {item} AS x FROM loan", {"t": wrong})


@pytest.mark.parametrize("item", ["CAST(:t AS DATETIME)", "TIMESTAMPDIFF(DAY, :t, at)", "at < :t + INTERVAL 2 HOUR"])
def test_a_moment_that_is_finer(read_only: Both, item: str) -> None:
    """Is refused where servers round or cut it, or MongoDB takes into account it."""
    with pytest.raises(WorkloadError, match=r"whole (seconds|milliseconds)"):
        Store(read_only.proposal, read_only.database).execute(f"SELECT {item} AS x FROM loan", {"t": FINE})


def test_the_digits_of_a_cast(read_only: Both) -> None:
    """Are those it says."""
    sql = "SELECT id FROM loan WHERE fine <= CAST(:t AS DATETIME(3)) ORDER BY id"
    here, there = _sides(read_only, sql, datetime(2026, 1, 1, 12, 0, 0, 124000))
    assert here == there == [(1,)]


@pytest.mark.parametrize(
    ("column", "given"), [("due", "2026-01-02"), ("at", "2026-01-03 15:30:01"), ("due", date(2026, 1, 2))]
)
def test_the_greatest_of_a_column_and_a_text(read_only: Both, column: str, given: object) -> None:
    """Compares times, though MongoDB has texts in front of them; a moment beside a day is refused."""
    for function in ("GREATEST", "LEAST"):
        here, there = _sides(read_only, f"SELECT id, {function}({column}, :t) AS x FROM loan ORDER BY id", given)
        assert here == there
    with pytest.raises(WorkloadError, match="must be of type date"):
        Store(read_only.proposal, read_only.database).execute(
            "SELECT GREATEST(due, :t) AS x FROM loan", {"t": MOMENTS[1]}
        )


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("SELECT DATE_ADD(:t, INTERVAL 7 DAY) FROM loan", "write `CAST(:t AS DATE)`"),
        ("SELECT id FROM loan WHERE note = :t + INTERVAL 7 DAY", "write `CAST(:t AS DATE)`"),
        ("SELECT id FROM loan WHERE :t + INTERVAL 1 DAY > :u", "write `CAST(:t AS DATE)`"),
        ("SELECT COALESCE(at, :t - INTERVAL 7 DAY) FROM loan", "write `CAST(:t AS DATE)`"),
        ("SELECT GREATEST(at, :t - INTERVAL 7 DAY) FROM loan", "write `CAST(:t AS DATE)`"),
        ("SELECT HOUR(:t) FROM loan", "write `CAST(… AS DATETIME)`"),
        ("SELECT MINUTE(:t + INTERVAL 1 DAY) FROM loan", "write `CAST(… AS DATETIME)`"),
    ],
)
def test_what_mysql_makes_a_text_or_a_time_of_day_of(read_only: Both, sql: str, said: str) -> None:
    """Is a gap that says what to write."""
    assert said in read_only.gap(sql)


def test_a_day_that_is_cast_is_found_by_an_index(read_only: Both) -> None:
    """It is known before the server is asked."""
    read = read_only.convert("SELECT id FROM loan WHERE due = CAST(:t AS DATE)")
    assert "$expr" not in (read.filter or {})
    assert "due" in (read.filter or {})


def test_what_is_emitted_does_the_same(read_only: Both) -> None:
    """In Python."""
    sql = "SELECT id, DATEDIFF(:t, due) AS days FROM loan WHERE due <= CAST(:t AS DATE) AND at < CAST(:t AS DATETIME) ORDER BY id"
    read = pipeline.convert(read_only.proposal, sql, dialect="mysql")
    assert isinstance(read, CompiledRead), read
    space: dict[str, Any] = {}
    exec(compile(module([read]), "queries.py", "exec"), space)
    for given in (date(2026, 1, 4), datetime(2026, 1, 3, 15, 30), "2026-01-03 15:31:00"):
        rows = [tuple(row.values()) for row in space["statement"](read_only.database, t=given)]
        assert rows == _sides(read_only, sql, given)[1]
    with pytest.raises(ValueError, match="whole seconds"):
        space["statement"](read_only.database, t=FINE)
