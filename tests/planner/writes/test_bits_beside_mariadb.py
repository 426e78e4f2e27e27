"""MySQL's bits, which are numbers to it and texts of digits here: compared, as conditions, given and stored, beside a MariaDB."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nestling import Store, pipeline
from nestling.common.errors import WorkloadError
from nestling.sources.front import open_rows
from nestling.sources.statements import parse_workload
from tests.beside_mariadb import Both, both_of

SCRIPT = """
CREATE TABLE team (id int PRIMARY KEY, active bit(1) NOT NULL DEFAULT b'1', flags bit(4) DEFAULT b'10', name varchar(20), n int);
INSERT INTO team VALUES
    (1, b'1', b'0101', '1', 1), (2, b'0', b'0', '0', 0), (3, b'1', NULL, '0101', 5), (4, b'0', b'1111', NULL, 2)
"""
both = both_of(SCRIPT, "normalized")
CONDITIONS = (
    "active", "NOT active", "active = 1", "active = TRUE", "active <> 1", "active IN (1)", "active IN (0, 1)", "active = b'1'",
    "active IS TRUE", "active IS NOT TRUE", "flags", "NOT flags", "flags = 5", "flags > 4", "flags BETWEEN 1 AND 5",
    "flags = b'101'", "flags IS NULL", "active OR n > 1", "IF(active, n, 0) = 1", "flags = (SELECT MAX(b.flags) FROM team b)",
    "EXISTS (SELECT 1 FROM team b WHERE b.active = team.active AND b.id <> team.id AND b.n = 5)",
)  # fmt: skip
COMPARED = ("active = :x", "active <> :x", "flags = :x", "flags > :x", "active IN (:x)")
REFUSED = (
    "active = flags", "flags = n", "name = flags", "active LIKE '1'", "active = '1'", "active = 2", "flags = 1.5", "n = b'1'",
    "active + 0 = 1", "CONCAT(active) = '1'",
)  # fmt: skip
WRITES = (
    "UPDATE team SET active = NOT active",
    "UPDATE team SET active = TRUE WHERE id = 2",
    "UPDATE team SET active = 0, flags = 9 WHERE id = 1",
    "UPDATE team SET flags = b'11' WHERE id = 3",
    "UPDATE team SET active = n > 1, flags = (n = 5)",
    "UPDATE team SET flags = DEFAULT, active = DEFAULT WHERE id = 4",
    "INSERT INTO team (id) VALUES (5)",
    "INSERT INTO team (id, active, flags) VALUES (6, FALSE, 15), (7, b'0', NULL)",
    "INSERT INTO team (id, active, flags) SELECT 8, 1, b'11'",
    "INSERT INTO team (id, active, flags) SELECT id + 20, FALSE, 7 FROM team WHERE id < 3",
    "INSERT INTO team (id, active, flags) SELECT id + 10, active, flags FROM team WHERE active",
    "INSERT INTO team (id, active) VALUES (1, 0) ON DUPLICATE KEY UPDATE active = VALUES(active), flags = 3",
    "UPDATE team SET flags = NULL WHERE NOT active",
    "DELETE FROM team WHERE active = 1 AND flags = 2",
)
GIVEN = (
    ("active", True), ("active", False), ("active", 1), ("active", b"\0"), ("active", b"\x01"),
    ("flags", 5), ("flags", 15), ("flags", b"\x09"), ("flags", None), ("flags", True),
)  # fmt: skip


@pytest.mark.thorough
def test_conditions_are_mariadbs(both: Both) -> None:
    """With constants and by themselves."""
    for text in CONDITIONS:
        here, there = both.answers(f"SELECT id FROM team WHERE {text} ORDER BY id")
        assert here == there, text


@pytest.mark.one_in(2)
@pytest.mark.parametrize("value", [0, 1, True, False, None])
def test_a_number_is_compared(both: Both, value: object) -> None:
    """As are True and False."""
    store = Store(both.proposal, both.database)
    for text in COMPARED:
        sql = f"SELECT id FROM team WHERE {text} ORDER BY id"
        both.cursor.execute(sql.replace(":x", "%s"), [value])
        assert [tuple(row.values()) for row in store.execute(sql, x=value)] == list(both.cursor.fetchall()), text


@pytest.mark.one_in(2)
@pytest.mark.parametrize("value", ["1", b"\x01", 2, -1, 0.5, "x"])
def test_what_is_none_of_its_numbers_is_refused(both: Both, value: object) -> None:
    """MySQL would compare these in ways of their own, or find nothing."""
    store = Store(both.proposal, both.database)
    with pytest.raises(WorkloadError, match="bits"):
        list(store.execute("SELECT id FROM team WHERE active = :x", x=value))


def test_other_comparisons_are_gaps(both: Both) -> None:
    """With texts, with numbers that are no constants, and with other bits."""
    for text in REFUSED:
        assert "bits" in both.gap(f"SELECT id FROM team WHERE {text}"), text


@pytest.mark.thorough
def test_what_is_stored_is_mariadbs(both: Both) -> None:
    """Constants, truths, defaults, and bits of other rows."""
    for sql in WRITES:
        assert both.written(sql) == (True, True), sql
        both.assert_equal()


@pytest.mark.thorough
def test_what_is_given_is_stored_as_mariadb_does(both: Both) -> None:
    """Numbers and bytes; what does not fit, and a text, whose letters MySQL would take for the bits, is refused."""
    store = Store(both.proposal, both.database)
    for name, value in GIVEN:
        both.cursor.execute(f"UPDATE team SET {name} = %s WHERE id = 2", [value])
        store.execute(f"UPDATE team SET {name} = :x WHERE id = 2", x=value)
        both.assert_equal()
    for wrong in ("1", 2, -1, 0.5, b"\x02"):
        with pytest.raises(WorkloadError, match=r"cannot be stored as bits\(1\)"):
            store.execute("UPDATE team SET active = :x WHERE id = 2", x=wrong)
    both.assert_equal()


def test_draws_are_numbers(both: Both) -> None:
    """Which both servers take for the bits they are of."""
    reading = pipeline.inspect(both.address)
    asked, _ = parse_workload("-- name: flagged\nSELECT id FROM team WHERE flags = :x;", reading.model, "mysql")
    rows = open_rows(both.address, reading.model)
    found = pipeline.bindings(replace(reading, workload=asked), rows)["flagged"]
    assert {value for draw in found.draws for value in draw} == {0, 5, 15}
