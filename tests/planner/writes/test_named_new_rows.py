"""MySQL's name of a new row, hints, and other names of functions, beside MariaDB."""

from __future__ import annotations

import pytest

from nestling import pipeline
from nestling.common.errors import WorkloadError
from nestling.executors.write import run_write
from nestling.ir.programs.program import CompiledWrite
from tests.beside_mariadb import Both, both_of

_SCRIPT = """
CREATE TABLE stock (id int PRIMARY KEY, code varchar(10), n int, m int, KEY (n));
INSERT INTO stock VALUES (1, 'one', 1, 10), (2, 'two', 2, 20), (3, 'three', 3, NULL)
"""
both = both_of(_SCRIPT, "normalized")
NAMED = (
    ("(id, n) VALUES (1, 5) AS new ON DUPLICATE KEY UPDATE n = new.n", "n = VALUES(n)"),
    ("(id, n) VALUES (1, 5), (7, 8) AS new ON DUPLICATE KEY UPDATE n = stock.n + new.n", "n = stock.n + VALUES(n)"),
    ("(id, n) VALUES (2, 5) AS new(a, b) ON DUPLICATE KEY UPDATE n = n * 10 + new.b, m = a",
     "n = n * 10 + VALUES(n), m = VALUES(id)"),
    ("VALUES (3, 'x', 4, 5) AS r(a, b, c, d) ON DUPLICATE KEY UPDATE code = r.b, n = c, m = d",
     "code = VALUES(code), n = VALUES(n), m = VALUES(m)"),
    ("(id, n) VALUES (9, 5) AS new(a, b) ON DUPLICATE KEY UPDATE n = b", "n = VALUES(n)"),
)  # fmt: skip


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("named", "instead"), NAMED)
def test_the_new_row_has_a_name(both: Both, named: str, instead: str) -> None:
    """As MySQL has it since 8.0.19; MariaDB is asked by VALUES()."""
    before = named.partition(" AS ")[0]
    run_write(both.database, _write(both, f"INSERT INTO stock {named}"))
    both.cursor.execute(f"INSERT INTO stock {before} ON DUPLICATE KEY UPDATE {instead}")
    both.assert_equal()


def _write(both: Both, sql: str) -> CompiledWrite:
    found = pipeline.convert(both.proposal, sql, dialect="mysql")
    assert isinstance(found, CompiledWrite), found
    return found


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT STRAIGHT_JOIN a.id FROM stock a JOIN stock b ON a.id = b.n ORDER BY a.id",
        "SELECT SQL_NO_CACHE HIGH_PRIORITY id FROM stock ORDER BY id",
        "SELECT id FROM stock FORCE INDEX FOR ORDER BY (n) ORDER BY n",
        "SELECT id FROM stock IGNORE INDEX FOR JOIN (n) WHERE n > 1 ORDER BY id",
        "SELECT id, MID(code, 2, 2), MID(code, 2), MID(code, -2) FROM stock ORDER BY id",
    ],
)
def test_answers_are_mariadbs(both: Both, sql: str) -> None:
    """Hints change no answer."""
    here, there = both.answers(sql)
    assert here == there


def test_as_many_names_as_columns(both: Both) -> None:
    """Else it is a mistake, and what MySQL counts beside the rows a gap."""
    with pytest.raises(WorkloadError, match="2 columns, not 1"):
        _write(both, "INSERT INTO stock (id, n) VALUES (1, 5) AS new(a) ON DUPLICATE KEY UPDATE n = a")
    assert "SQL_CALC_FOUND_ROWS" in both.gap("SELECT SQL_CALC_FOUND_ROWS id FROM stock")
