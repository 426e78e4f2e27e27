"""Lists that are parameters: the algebra beside SQLite, which gets them written out, and what the dialects write them as."""

from __future__ import annotations

import pytest

from nestling.common.errors import GapError
from nestling.ir.statements import algebra as a
from nestling.ir.statements.expression import InList
from nestling.ir.types import TypeName
from nestling.planner.sql import translate
from tests.planner.sql.shop_rows import shop

LISTS: tuple[list[object] | None, ...] = (
    [1, 3], [], [1, None], [None], None, ["1", "3"], ["bob", "BOB", 7], [2.0, "2.5"], ["1990-01-31", 1], [1, 1, 1],
)  # fmt: skip
STATEMENTS = (
    "SELECT id FROM person WHERE boss = ANY(:these)",
    "SELECT id FROM person WHERE boss NOT IN :these",
    "SELECT id, boss IN :these, NOT boss IN :these, (boss <> ALL (:these)) IS NULL FROM person",
    "SELECT id FROM person WHERE name IN :these OR born = ANY(:these)",
    "SELECT id FROM person WHERE note IN :these OR active NOT IN :these",
    "SELECT id FROM person WHERE name COLLATE NOCASE IN :these",
    "SELECT person_id, code IN :these FROM visit",
    "SELECT city, count(*) FROM visit GROUP BY city HAVING count(*) IN :these",
)


@pytest.mark.parametrize("sql", STATEMENTS)
def test_a_list_is_its_values(sql: str) -> None:
    """Empty lists, NULLs in them and instead of them, and values of other classes."""
    for these in LISTS:
        answer = shop().ask(sql, {"these": these})
        assert answer.equal(), f"{these}: {answer.mine} is not {answer.theirs}"


@pytest.mark.parametrize(
    ("dialect", "condition", "kind"),
    [
        ("postgresql", "id = ANY($1)", TypeName.INTEGER),
        ("postgresql", "id = SOME(:ids)", TypeName.INTEGER),
        ("postgresql", "id = ANY((:ids)::bigint[])", TypeName.INTEGER),
        ("postgresql", "name = ANY(CAST(:ids AS text[]))", TypeName.TEXT),
        ("postgresql", "born = ANY(:ids::date[])", TypeName.DATE),
        ("postgresql", "born IN :ids", TypeName.DATE),
        ("mysql", "id IN :ids", TypeName.INTEGER),
        ("sqlite", "id IN @ids", TypeName.ANY),
        ("sqlite", "name = ANY(:ids)", TypeName.ANY),
    ],
)
def test_the_list_in_each_dialect(dialect: str, condition: str, kind: TypeName) -> None:
    """One parameter, each of whose values is converted as one value would be there."""
    query = translate(f"SELECT id FROM person WHERE {condition}", shop().model, dialect)
    assert isinstance(query, a.Query)
    assert isinstance(query.relation, a.Project)
    assert isinstance(query.relation.input, a.Filter)
    found = query.relation.input.predicate
    assert isinstance(found, InList)
    assert found.given is not None
    assert found.given.type.name is kind


def test_in_parentheses_it_is_one_value() -> None:
    """`IN (:x)` is a list of one."""
    query = translate("SELECT id FROM person WHERE boss IN (:x)", shop().model, "postgresql")
    assert "listed=False" in repr(query)
    assert "listed=True" not in repr(query)


@pytest.mark.parametrize(
    ("condition", "construct"),
    [
        ("id < ANY(:ids)", "`id < ANY("),
        ("id <> ANY(:ids)", "`id <> ANY("),
        ("id = ALL(:ids)", "`id = ALL("),
        ("id = ANY(note)", "`note` as an array"),
        ("id = ANY('{{1},{2}}'::int[])", "the items of a one-dimensional array"),
        ("(id, boss) IN :ids", "IN without a list"),
        ("name = ANY(:ids::varchar(3)[])", "a list cast to text(3)"),
        ("id = ANY(:ids::inet[])", "CAST to INET"),
    ],
)
def test_what_is_no_list_stays_a_gap(condition: str, construct: str) -> None:
    """With its place."""
    with pytest.raises(GapError, match="1:") as raised:
        translate(f"SELECT id FROM person WHERE {condition}", shop().model, "postgresql")
    assert construct in str(raised.value)
