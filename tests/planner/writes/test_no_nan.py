"""NaN for columns of PostgreSQL that held none: refused by every way in, as their orders are MongoDB's; infinities are kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal

import pytest
from pymongo.errors import OperationFailure

from nestling import Store
from nestling.common.errors import WorkloadError, WriteError
from tests.planner.reads.beside_postgresql import Beside, beside_of
from tests.written_module import written_function

TABLES = """
CREATE TABLE part (id integer PRIMARY KEY, name text, x float8, price numeric(10,2), n numeric, r real,
    shares float8[], known float8);
INSERT INTO part SELECT i, 'NaN', i / 2.0, i, i / 4.0, i, ARRAY[i / 2.0], 'NaN' FROM generate_series(0, 5) i;
"""
NAN, INFINITY = float("nan"), float("inf")
Given = tuple[str, Mapping[str, object]]
WRITES: tuple[Given, ...] = (
    *(("UPDATE part SET x = :v WHERE id = 1", {"v": v}) for v in (NAN, Decimal("NaN"), "NaN", "nan")),
    *(("UPDATE part SET price = :v WHERE id = 1", {"v": v}) for v in (NAN, Decimal("NaN"), "NaN")),
    ("UPDATE part SET n = :v WHERE id = 1", {"v": Decimal("NaN")}),
    ("UPDATE part SET r = :v WHERE id = 1", {"v": NAN}),
    ("UPDATE part SET shares = :v WHERE id = 1", {"v": [1.0, NAN]}),
    ("UPDATE part SET shares = array_append(shares, :v) WHERE id = 1", {"v": NAN}),
    ("UPDATE part SET x = x + :v WHERE id = 1", {"v": NAN}),
    ("UPDATE part SET x = x + :v WHERE id = 1 RETURNING x", {"v": NAN}),
    ("UPDATE part SET price = price + :v WHERE id = 1", {"v": Decimal("NaN")}),
    ("UPDATE part SET x = x * :v WHERE id = 0", {"v": INFINITY}),
    ("UPDATE part SET x = coalesce(:v, x) WHERE id = 1", {"v": NAN}),
    ("INSERT INTO part (id, x) VALUES (9, :v)", {"v": NAN}),
    ("INSERT INTO part (id, n) VALUES (9, 1), (10, :v)", {"v": Decimal("NaN")}),
    ("INSERT INTO part (id, x) VALUES (1, :v) ON CONFLICT (id) DO UPDATE SET x = excluded.x", {"v": NAN}),
    *(
        (sql, {})
        for sql in (
            "UPDATE part SET x = 'NaN' WHERE id = 1",
            "UPDATE part SET price = 'NaN' WHERE id = 1",
            "UPDATE part SET n = 'nan'::numeric WHERE id = 1",
            "UPDATE part SET r = 'NaN' WHERE id = 1",
            "UPDATE part SET shares = '{NaN,1}' WHERE id = 1",
            "UPDATE part SET x = CASE WHEN id = 1 THEN 'NaN'::float8 ELSE x END WHERE id = 1",
            "UPDATE part SET x = name::float8 WHERE id = 1",
            "UPDATE part SET price = name::numeric WHERE id = 1",
            "UPDATE part SET x = 'Infinity'::float8 - 'Infinity'::float8 WHERE id = 1",
            "UPDATE part SET x = known WHERE id = 1",
            "UPDATE part SET x = known + 1 WHERE id = 1",
            "INSERT INTO part (id, x) VALUES (9, 'NaN')",
            "INSERT INTO part (id, x) SELECT id + 20, 'NaN' FROM part WHERE id = 1",
        )
    ),
)
TAKEN: tuple[Given, ...] = (
    ("UPDATE part SET x = :v WHERE id = 1", {"v": INFINITY}),
    ("UPDATE part SET x = '-Infinity' WHERE id = 1", {}),
    ("UPDATE part SET n = :v WHERE id = 1", {"v": Decimal("Infinity")}),
    ("UPDATE part SET x = x * 2 WHERE id = 1", {}),
    ("UPDATE part SET x = x * :v WHERE id = 1", {"v": 1.5}),
    ("UPDATE part SET x = x / :v, price = price * 2 WHERE id = 1", {"v": 1.5}),
    ("UPDATE part SET known = 'NaN' WHERE id = 1", {}),
    ("UPDATE part SET known = :v WHERE id = 1", {"v": NAN}),
    ("UPDATE part SET known = known + 1 WHERE id = 1", {}),
)
ORDERS = (
    "SELECT id, x, n FROM part ORDER BY x DESC, id",
    "SELECT id FROM part WHERE x > 1.5 ORDER BY id",
    "SELECT max(x), min(x), max(n) FROM part",
    "SELECT id FROM part WHERE n < 'Infinity' ORDER BY id",
)


parts = beside_of(TABLES, scope="module")
"""Parts of whose numbers one column knows NaN."""


def _by_store(parts: Beside, sql: str) -> Callable[..., object]:
    store = Store(parts.proposal, parts.database, dialect="postgresql")
    return lambda **values: store.execute(sql, **values)


def _by_module(parts: Beside, sql: str) -> Callable[..., object]:
    function = written_function(parts.proposal, sql, "postgresql")
    return lambda **values: function(parts.database, **values)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("by", [_by_store, _by_module])
@pytest.mark.parametrize(("sql", "values"), WRITES)
def test_nan_is_refused(
    parts: Beside, by: Callable[..., Callable[..., object]], sql: str, values: Mapping[str, object]
) -> None:
    """A column that held no NaN takes none, whoever gives it; what is stored stays."""
    before = list(parts.database["part"].find(sort=[("_id", 1)]))
    with pytest.raises((WorkloadError, WriteError, ValueError, OperationFailure), match=r"NaN|nan"):
        by(parts, sql)(**values)
    assert repr(list(parts.database["part"].find(sort=[("_id", 1)]))) == repr(before)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("sql", "values"), TAKEN)
def test_infinities_and_known_nan_are_stored(parts: Beside, sql: str, values: Mapping[str, object]) -> None:
    """Infinity is a number in MongoDB's order too; a column of which NaN is known takes it. Orders are PostgreSQL's then."""
    _by_store(parts, sql)(**values)
    parts.theirs(sql, values)
    for asked in ORDERS:
        assert repr(parts.ours(asked)) == repr(parts.theirs(asked)), asked


@pytest.mark.parametrize("value", [Decimal("Infinity"), "-Infinity", INFINITY])
def test_a_number_of_so_many_digits_is_not_infinite(parts: Beside, value: object) -> None:
    """As in PostgreSQL, which says `numeric field overflow`."""
    with pytest.raises(WorkloadError, match=r"cannot be stored as decimal\(10,2\)") as refused:
        _by_store(parts, "UPDATE part SET price = :v WHERE id = 1")(v=value)
    assert "give a number of at most 8 digits before the point" in str(refused.value)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT id FROM part WHERE x < 'NaN'",
        "SELECT id FROM part WHERE n BETWEEN 1 AND 'NaN'",
        "SELECT greatest(x, 'NaN') FROM part",
    ],
)
def test_an_order_of_nan_is_a_gap(parts: Beside, sql: str) -> None:
    """A constant in it, too."""
    assert "NaN" in parts.gap(sql)


def test_a_parameter_that_comes_in_an_order_is_not_nan(parts: Beside) -> None:
    """Every number is less than NaN in PostgreSQL, none in MongoDB."""
    with pytest.raises(WorkloadError, match="parameter `v` cannot be nan"):
        _by_store(parts, "SELECT id FROM part WHERE x < :v")(v=NAN)
