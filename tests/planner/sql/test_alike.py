"""Values that become one, and texts that become numbers or times, beside SQLite."""

from __future__ import annotations

import sqlite3
from functools import cache

import pytest

from nestling.common.errors import GapError
from nestling.ir.model import Attribute, Entity, Model
from nestling.ir.types import INTEGER, Type
from nestling.planner.sql import translate
from tests.planner.sql.shop_rows import shop
from tests.planner.sql.sqlite_oracle import Oracle

_SCRIPT = """
CREATE TABLE m (id INTEGER PRIMARY KEY, d DATE, s TIMESTAMP, ms TIMESTAMP, us TIMESTAMP, w TEXT);
INSERT INTO m VALUES (1, '2020-01-01', '2020-01-01 00:00:00', '2020-01-01 00:00:00.500', '2020-01-01 00:00:00.000001', '2020'),
  (2, NULL, '2021-02-03 04:05:06', NULL, '2021-02-03 04:05:06.000000', NULL),
  (3, '2019-12-31', NULL, '2019-12-31 23:59:59.999', NULL, '2019-12-31'), (4, NULL, NULL, NULL, NULL, 'x');
"""


@cache
def moments() -> Oracle:
    """Dates and times of every precision."""
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    connection.executescript(_SCRIPT)
    return Oracle.of(connection)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT coalesce(d, s), coalesce(s, ms), coalesce(ms, us), coalesce(us, us) FROM m",
        "SELECT coalesce(d, w), coalesce(ms, w), coalesce(w, us) FROM m",
        "SELECT CASE WHEN id > 1 THEN d ELSE s END, CASE id WHEN 1 THEN s ELSE ms END FROM m",
        "SELECT CASE WHEN id = 1 THEN us ELSE us END FROM m",
        "SELECT id FROM m WHERE coalesce(s, ms) > '2020-01-01 00:00:00'",
        "SELECT id FROM m WHERE coalesce(d, s) >= '2020'",
        "SELECT id FROM m WHERE coalesce(us, ms) > s",
        "SELECT id FROM m WHERE CASE WHEN id = 3 THEN ms ELSE us END IS NOT NULL ORDER BY coalesce(us, ms), id",
        "SELECT coalesce(s, ms), count(*) FROM m GROUP BY 1",
        "SELECT max(coalesce(d, s)), min(coalesce(us, ms)) FROM m",
        "SELECT s FROM m UNION SELECT ms FROM m",
        "SELECT d FROM m UNION ALL SELECT us FROM m",
        "SELECT strftime('%Y', coalesce(d, s)) FROM m",
        "SELECT ifnull(d, 0), ifnull(s, 'never') FROM m",
    ],
)
def test_times_that_become_one(sql: str) -> None:
    """CASE, COALESCE and UNION over dates and timestamps show and compare what SQLite's texts do."""
    answer = moments().ask(sql)
    assert answer.equal(), f"{answer.mine} is not {answer.theirs}"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT '10.0' / 4, '10' / 4, '1e1' / 4, ' 7.0x' / 2, 'x' / 2, '5.' / 2, '.5' * 2",
        "SELECT CAST('10.0' AS NUMERIC) / 4, CAST('1e2' AS NUMERIC), CAST('1.50' AS NUMERIC), CAST('x' AS NUMERIC)",
        "SELECT CAST(2.0 AS NUMERIC), CAST(2.0 AS NUMERIC) / 4, CAST(3 AS NUMERIC) / 2, CAST(NULL AS NUMERIC)",
        "SELECT typeof('10.0' + 0), typeof(CAST('10.0' AS NUMERIC)), typeof('10' + 0), typeof(-'10.0')",
        "SELECT code, code / 4, code * 2, CAST(code AS NUMERIC), CAST(code AS NUMERIC) / 4, code + code FROM visit",
        "SELECT sum(CAST(code AS NUMERIC)), avg(code) FROM visit",
        "SELECT person_id FROM visit WHERE CAST(code AS NUMERIC) = '1'",
        "SELECT id, note / 2, note + 0 FROM person WHERE id < 4",
        "SELECT CAST(pay AS DECIMAL(10,2)), CAST(score AS NUMERIC) FROM person",
    ],
)
def test_texts_in_arithmetic(sql: str) -> None:
    """Arithmetic takes `10.0` for a float, CAST AS NUMERIC for the integer it is worth."""
    answer = shop().ask(sql)
    assert answer.equal(), f"{answer.mine} is not {answer.theirs}"


@pytest.mark.parametrize("value", ["5", "5.0", 5, 5.5, "x", "", None, "2"])
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT id FROM person WHERE coalesce(:p, boss) = boss",
        "SELECT id FROM person WHERE boss = coalesce(:p, boss)",
        "SELECT id FROM person WHERE coalesce(:p, boss) = 5",
        "SELECT coalesce(:p, id) + 1, coalesce(:p, id) / 2 FROM person",
        "SELECT CASE WHEN id > 3 THEN :p ELSE id END FROM person",
        "SELECT id FROM person WHERE coalesce(:p, name) = '5'",
        "SELECT id FROM person WHERE :p IS NULL OR boss = :p",
        "SELECT id FROM person WHERE ifnull(:p, born) >= '2000'",
        "SELECT person_id FROM visit WHERE code = coalesce(:p, stars)",
    ],
)
def test_a_parameter_may_be_of_any_class(sql: str, value: object) -> None:
    """Beside a number a parameter's text stays a text where SQLite applies no affinity, and becomes a number where it does."""
    answer = shop().ask(sql, {"p": value})
    assert answer.equal(), f"{answer.mine} is not {answer.theirs}"


def test_timestamps_of_different_precision_elsewhere() -> None:
    """Finer ones are texts in MongoDB: making one value of both is a gap."""
    attributes = (
        Attribute("id", INTEGER),
        Attribute("a", Type.parse("timestamp(6)")),
        Attribute("b", Type.parse("timestamp")),
    )
    model = Model("m", (Entity("m", attributes),))
    with pytest.raises(GapError, match="timestamps of different precision"):
        translate("SELECT coalesce(a, b) FROM m", model, "postgresql")


@pytest.mark.parametrize(
    "text", ["2024-02-30", "2023-02-29 10:00", "2024-04-31T00:00:00", "24:00", "2024-01-01 24:00:00"]
)
def test_a_day_there_is_not(text: str) -> None:
    """SQLite's versions show 30 February as written or as 1 March: the constant is a gap."""
    with pytest.raises(GapError, match="a date or time that does not exist"):
        translate(f"SELECT date('{text}')", shop().model)
