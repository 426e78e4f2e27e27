"""Zero of decimals has no sign in SQL, whatever it is computed of; MongoDB's may have one: beside PostgreSQL and MariaDB."""

from __future__ import annotations

from decimal import Decimal

import pytest

from nestling import Store
from tests.beside_mariadb import Both, both_of
from tests.planner.reads.beside_postgresql import Beside, beside_of
from tests.written_module import written_function

ROWS = "INSERT INTO bill VALUES (1, -0.0001, 0, -0.4), (2, 0, -3.5, 0), (3, 12.3456, 2, -12.5)"
TABLE = "CREATE TABLE bill (id integer PRIMARY KEY, balance decimal(12,4), total decimal(10,2), other decimal(10,1))"
COMPUTED = (
    "round(balance, 1)", "round(balance)", "ceil(balance)", "total * -1", "-1 * total", "-total", "total * other",
    "other * 0", "0 - total", "abs(total * -1)", "total * -1 * balance", "mod(balance, 1)", "total / -3",
    "CAST(balance AS decimal(10,2))",
    "CASE WHEN id > 1 THEN total * -1 ELSE 0.00 END", "round(total * -1, 1)",
)  # fmt: skip
OF_POSTGRESQL = (
    "trunc(balance, 2)", "trunc(other)", "balance::numeric(10,2)", "(total * -1)::numeric(10,2)::text",
    "concat('x', balance::numeric(10,2))", "(SELECT array_agg(total * -1 ORDER BY id) FROM bill)",
    "(SELECT max(b.total * -1) FROM bill b WHERE b.id = 1)", "(SELECT sum(b.total * -1) FROM bill b WHERE b.id = 1)",
    "(SELECT avg(b.balance * 0.000000000000000001) FROM bill b WHERE b.id = 1)",
)  # fmt: skip
OF_MARIADB = ("truncate(balance, 2)", "CAST(total * -1 AS char)", "concat('x', round(balance, 1))")
WRITES: tuple[tuple[str, dict[str, object]], ...] = (
    ("UPDATE bill SET balance = round(balance, 2) WHERE id = 1", {}),
    ("UPDATE bill SET total = total * -1 WHERE id = 1", {}),
    ("UPDATE bill SET total = balance WHERE id = 1", {}),
    ("UPDATE bill SET other = :v WHERE id = 1", {"v": Decimal("-0.01")}),
    ("UPDATE bill SET total = :v WHERE id = 1", {"v": -0.0}),
    ("UPDATE bill SET total = '-0' WHERE id = 1", {}),
)

both = both_of(f"{TABLE};\n{ROWS}", "normalized")


bills = beside_of(f"{TABLE};\n{ROWS}", scope="module")
"""Bills of nothing, and of a little less."""


def _shown(rows: object) -> list[list[str]]:
    return [[str(value) for value in row] for row in rows]  # type: ignore[attr-defined]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("computed", [*COMPUTED, *OF_POSTGRESQL])
def test_zeros_are_postgresqls(bills: Beside, computed: str) -> None:
    """The digits, too; a store and a written module answer alike."""
    sql = f"SELECT id, {computed} AS x FROM bill ORDER BY id"
    wanted = _shown(bills.theirs(sql))
    assert _shown(bills.ours(sql)) == wanted
    function = written_function(bills.proposal, sql, "postgresql")
    assert [[str(value) for value in row.values()] for row in function(bills.database)] == wanted


def test_zeros_in_json_have_no_sign(bills: Beside) -> None:
    """As PostgreSQL writes them."""
    found = bills.ours("SELECT json_build_object('t', total * -1) FROM bill WHERE id = 1")
    assert "-" not in str(found)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("computed", [*COMPUTED, *OF_MARIADB])
def test_zeros_are_mariadbs(both: Both, computed: str) -> None:
    """Of its rounding functions, products and quotients."""
    ours, theirs = both.answers(f"SELECT id, {computed} AS x FROM bill ORDER BY id")
    assert _shown(ours) == _shown(theirs)


@pytest.mark.parametrize(("sql", "values"), WRITES)
def test_no_negative_zero_is_stored(bills: Beside, sql: str, values: dict[str, object]) -> None:
    """Neither a computed one nor one that is given."""
    Store(bills.proposal, bills.database, dialect="postgresql").execute(sql, **values)
    bills.theirs(sql, values)
    asked = "SELECT balance, total, other FROM bill ORDER BY id"
    assert _shown(bills.ours(asked)) == _shown(bills.theirs(asked))
