"""Statements over views, beside SQLite; and views that cannot be."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from functools import cache

import pytest

from nestling.common.errors import GapError, WorkloadError
from nestling.ir.model import Model, View
from nestling.planner.sql import translate, unusable_views
from nestling.sources.ddl.create_view import sqlite_view
from tests.planner.sql.shop_rows import shop
from tests.planner.sql.sqlite_oracle import Oracle

_VIEWS = """
CREATE VIEW adults AS SELECT id, name, born, boss FROM person WHERE born < '2006-01-01';
CREATE VIEW "by city"(place, visits, best) AS SELECT city, count(*), max(stars) FROM visit GROUP BY city;
CREATE VIEW bosses AS SELECT DISTINCT b.name, b.id FROM adults a JOIN adults b ON b.id = a.boss;
CREATE VIEW everything AS SELECT p.*, v.city, v.stars + 1 FROM person p LEFT JOIN visit v ON v.person_id = p.id;
CREATE VIEW both AS WITH x AS (SELECT 1 AS n UNION ALL SELECT 2) SELECT n, n * 2 AS twice FROM x;
CREATE VIEW chain AS WITH RECURSIVE up(id, boss) AS (SELECT id, boss FROM person WHERE id = 4
  UNION ALL SELECT p.id, p.boss FROM person p JOIN up ON up.boss = p.id) SELECT id FROM up;
"""


@cache
def shop_with_views() -> Oracle:
    """The shop, and views over it."""
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    shop().connection.backup(connection)
    connection.executescript(_VIEWS)
    found = Oracle.of(connection)
    made = connection.execute("SELECT sql, name FROM sqlite_master WHERE type = 'view'").fetchall()
    return replace(found, model=replace(found.model, views=tuple(sqlite_view(sql, name) for sql, name in made)))


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM adults",
        "SELECT a.name FROM adults AS a WHERE a.id > 2 ORDER BY a.name, a.id",
        "SELECT id FROM adults WHERE born = '1990-01-31'",
        "SELECT * FROM \"by city\" ORDER BY place",
        "SELECT \"By City\".visits, best + 1 FROM \"by city\" WHERE place = 'Rome'",
        "SELECT * FROM bosses",
        "SELECT c.place, p.name FROM \"by city\" c JOIN visit v ON v.city = c.place JOIN adults p ON p.id = v.person_id",
        "SELECT id, city, \"v.stars + 1\" FROM everything WHERE id < 4",
        "SELECT * FROM both",
        "SELECT count(*) FROM chain",
        "SELECT id FROM person WHERE id IN (SELECT id FROM chain) AND EXISTS (SELECT 1 FROM adults a WHERE a.id = person.boss)",
        "WITH adults AS (SELECT 7 AS id) SELECT * FROM adults",
        "SELECT * FROM main.adults WHERE name LIKE 'b%'",
        "SELECT x.n FROM (SELECT twice AS n FROM both) x ORDER BY 1 DESC",
    ],
)  # fmt: skip
def test_a_view_stands_for_its_select(sql: str) -> None:
    """Rows, order and names are SQLite's."""
    answer = shop_with_views().ask(sql)
    assert answer.equal(), f"{answer.mine} is not {answer.theirs}"
    assert answer.query.names == answer.names


def with_view(*views: View) -> Model:
    """The shop's model with other views."""
    return replace(shop().model, views=views)


@pytest.mark.parametrize(
    ("views", "said"),
    [
        ((View("v", "SELECT * FROM v"),), "view `v`, which refers to itself"),
        ((View("v", "SELECT * FROM w"), View("w", "SELECT 1 FROM v")), "view `v`, which refers to itself"),
        ((View("v", "SELECT id FROM person FOR XML"),), "view `v`: the statement cannot be read"),
        ((View("v", "SELECT id FROM nobody"),), "view `v`: no table `nobody`"),
        ((View("v", "SELECT id FROM person", "mysql"),), "view `v`, which is in another dialect"),
        ((View("v", "SELECT id FROM person", "", ("a", "b")),), "view `v` has 1 column, not 2"),
        ((View("v", "SELECT random() AS r"),), "view `v`: RAND"),
    ],
)
def test_what_no_statement_can_name(views: tuple[View, ...], said: str) -> None:
    """Naming such a view is refused, and the reading lists it beforehand."""
    model = with_view(*views)
    with pytest.raises((GapError, WorkloadError)) as caught:
        translate("SELECT * FROM v", model)
    assert said in str(caught.value)
    other_dialect = views[0].dialect == "mysql"
    assert bool(unusable_views(model, "sqlite")) is not other_dialect


def test_views_are_not_written_to() -> None:
    """A write to a view is a gap, an unknown table lists views too."""
    model = with_view(View("grown", "SELECT id FROM person"))
    for sql in ("DELETE FROM grown", "INSERT INTO grown VALUES (1)", "UPDATE grown SET id = 1"):
        with pytest.raises(GapError, match="a write to the view `grown`"):
            translate(sql, model)
    with pytest.raises(WorkloadError, match="there is `grown`"):
        translate("SELECT * FROM growm", model)
