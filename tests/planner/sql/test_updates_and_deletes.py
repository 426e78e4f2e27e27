"""INSERT, UPDATE and DELETE: applied to rows in memory as the algebra says, and by SQLite."""

# ruff: noqa: E501 - SQL reads best on one line
from __future__ import annotations

import sqlite3
from typing import Any

import pytest

from nestling.common.errors import GapError
from nestling.ir.statements import expression as e
from nestling.ir.statements.write import Assignment, Conflict, ConflictAction, Delete, Insert, Update
from nestling.ir.types import INTEGER
from nestling.planner.sql import translate
from tests.planner.sql.shop_rows import shop
from tests.planner.sql.sqlite_oracle import Oracle, plain
from tests.reference_algebra import Interpreter

Row = tuple[Any, ...]
_PARAMETERS = {"id": 2, "name": "new", "pay": "12.5", "day": "2021-05-05"}


def after(write: Insert | Update | Delete, oracle: Oracle) -> list[Row]:
    """The target's rows after the write."""
    interpreter = Interpreter(oracle.rows, _PARAMETERS)
    match write:
        case Insert():
            return inserted(write, oracle, interpreter)
        case Update():
            return updated(write, oracle, interpreter)
        case Delete():
            rows = oracle.rows[write.target.entity]
            layout = {(c.alias, c.name): place for place, c in enumerate(write.target.columns)}
            gone = interpreter.scalar(write.predicate, layout) if write.predicate is not None else lambda _: True
            return [row for row in rows if gone(row) is not True]


def updated(write: Update, oracle: Oracle, interpreter: Interpreter) -> list[Row]:
    layout = {(c.alias, c.name): place for place, c in enumerate(write.target.columns)}
    chosen = interpreter.scalar(write.predicate, layout) if write.predicate is not None else lambda _: True
    return [
        changed(row, write.assignments, oracle, write.target.entity, interpreter, layout, row) if chosen(row) is True else row
        for row in oracle.rows[write.target.entity]
    ]  # fmt: skip


def changed(
    row: Row, assignments: tuple[Assignment, ...], oracle: Oracle, entity: str, interpreter: Interpreter,
    layout: dict[tuple[str, str], int], seen: Row,
) -> Row:  # fmt: skip
    names = oracle.model.entity(entity).attribute_names
    new = {item.attribute: interpreter.scalar(item.expression, layout)(seen) for item in assignments}
    return tuple(new.get(name, value) for name, value in zip(names, row, strict=True))


def inserted(write: Insert, oracle: Oracle, interpreter: Interpreter) -> list[Row]:
    entity = oracle.model.entity(write.entity)
    rows = list(oracle.rows[write.entity])
    for values in interpreter.relation(write.source, {})(()):
        given = dict(zip(write.attributes, values, strict=True))
        new = tuple(given.get(name) for name in entity.attribute_names)
        place = [entity.attribute_names.index(name) for name in entity.key]
        same = [row for row in rows if all(row[p] == new[p] for p in place)] if place else []
        conflict = write.conflict
        if not same:
            rows.append(new)
        elif conflict is not None and conflict.action is ConflictAction.REPLACE:
            rows = [row for row in rows if row not in same] + [new]
        elif conflict is not None and conflict.action is ConflictAction.UPDATE:
            rows = [upserted(row, new, conflict, write, oracle, interpreter) if row in same else row for row in rows]
    return rows


def upserted(row: Row, new: Row, conflict: Conflict, write: Insert, oracle: Oracle, interpreter: Interpreter) -> Row:
    names = oracle.model.entity(write.entity).attribute_names
    layout = {(write.alias, name): place for place, name in enumerate(names)}
    layout |= {(conflict.excluded, name): len(names) + place for place, name in enumerate(names)}
    if conflict.predicate is not None and interpreter.scalar(conflict.predicate, layout)(row + new) is not True:
        return row
    return changed(row, conflict.assignments, oracle, write.entity, interpreter, layout, row + new)


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO hollow VALUES (1, 'a'), (2, NULL)",
        "INSERT INTO hollow (y, x) VALUES (5, '7'), (1.5, 'seven')",
        "INSERT INTO hollow (x) SELECT id FROM person WHERE active",
        "INSERT INTO hollow SELECT stars, city FROM visit",
        "INSERT INTO person (id, name, pay, born) VALUES (20, :name, :pay, :day)",
        "INSERT INTO person (id, active, score, note) VALUES (20, 1, 3, '4'), (21, 0, '2.5', 4)",
        "INSERT INTO person (id, name) SELECT (SELECT max(id) FROM person) + 1, 'x'",
        "INSERT OR REPLACE INTO city VALUES ('Rome', '1', 2), ('Kyiv', 2, 3)",
        "REPLACE INTO city VALUES ('Rome', '1', 2)",
        "INSERT OR IGNORE INTO city VALUES ('Rome', '1', 2), ('Kyiv', '2', 3)",
        "INSERT INTO city VALUES ('Rome', '1', 2) ON CONFLICT DO NOTHING",
        "INSERT INTO city VALUES ('Rome', '1', 2) ON CONFLICT (\"Name\") DO UPDATE SET people = people + excluded.people",
        "INSERT INTO city VALUES ('Rome', '1', 2), ('Oslo', '1', 2) ON CONFLICT (\"Name\") DO UPDATE SET zip = excluded.zip WHERE city.people > 1",
        "WITH t AS (SELECT 1 AS k) INSERT INTO hollow SELECT k, 'w' FROM t",
        "UPDATE person SET name = 'x' WHERE id = :id",
        "UPDATE person SET pay = pay + 1, score = id, note = name",
        "UPDATE person SET name = NULL, boss = (SELECT max(id) FROM person) WHERE active IS NOT TRUE",
        "UPDATE visit AS v SET stars = (SELECT count(*) FROM visit w WHERE w.city = v.city)",
        "UPDATE person SET born = '2020-02-03', active = 0 WHERE born IS NULL",
        "UPDATE person SET pay = '7', name = 5 WHERE id < 3",
        "UPDATE person SET (pay, note) = (pay + 1, 'n') WHERE id = 2",
        "UPDATE visit SET stars = p.id, code = p.name || code FROM person p WHERE p.id = person_id",
        "UPDATE visit SET stars = p.id FROM person p WHERE p.id = person_id AND city = 'Rome' AND p.name > 'a'",
        'UPDATE visit AS v SET code = c.zip FROM person p, city c WHERE p.id = v.person_id AND c."Name" = v.city AND p.id < 3',
        'UPDATE visit AS v SET code = c.zip FROM person p JOIN city c ON c.people > p.id WHERE p.id = v.person_id AND c."Name" = v.city',
        "UPDATE person SET name = 'travelled' FROM visit WHERE person_id = person.id AND stars > 2",
        "UPDATE person SET boss = b.boss FROM person b WHERE b.id = person.boss",
        "WITH w AS (SELECT 2 AS k) UPDATE person SET name = 'w' FROM w WHERE k = id",
        "WITH w AS (SELECT 2 AS k) UPDATE person SET name = 'w' WHERE id IN (SELECT k FROM w)",
        "WITH w AS (SELECT 2 AS k) DELETE FROM person WHERE id IN (SELECT k FROM w)",
        "DELETE FROM visit",
        "DELETE FROM visit WHERE stars > 3",
        "DELETE FROM person WHERE id NOT IN (SELECT person_id FROM visit)",
        'DELETE FROM city WHERE NOT EXISTS (SELECT 1 FROM visit WHERE visit.city = "Name")',
    ],
)
def test_a_write_leaves_what_sqlite_leaves(sql: str) -> None:
    """The target holds the same rows afterwards."""
    oracle = shop()
    copy = sqlite3.connect(":memory:")
    oracle.connection.backup(copy)
    write = translate(sql, oracle.model, "sqlite")
    assert isinstance(write, Insert | Update | Delete)
    entity = write.entity if isinstance(write, Insert) else write.target.entity
    columns = [e.Column("", c.name, c.type) for c in oracle.model.entity(entity).attributes]
    mine = [tuple(map(plain, row, columns)) for row in after(write, oracle)]
    copy.execute(sql, _PARAMETERS)
    theirs = copy.execute(f'SELECT * FROM "{entity}"').fetchall()
    copy.close()
    assert sorted(mine, key=repr) == sorted(theirs, key=repr)


def test_mysql_upserts_and_replaces() -> None:
    """ON DUPLICATE KEY UPDATE, INSERT IGNORE and REPLACE are the same three actions."""
    actions = []
    for sql in (
        "INSERT INTO city VALUES ('Rome', '1', 2) ON DUPLICATE KEY UPDATE people = people + VALUES(people)",
        "INSERT IGNORE INTO city VALUES ('Rome', '1', 2)",
        "REPLACE INTO city VALUES ('Rome', '1', 2)",
    ):
        write = translate(sql, shop().model, "mysql")
        assert isinstance(write, Insert)
        assert write.conflict is not None
        actions.append(write.conflict.action)
    assert actions == [ConflictAction.UPDATE, ConflictAction.NOTHING, ConflictAction.REPLACE]


def test_mysql_assigns_from_left_to_right() -> None:
    """What follows an assignment sees its new value in MySQL, the old one elsewhere."""
    sql = "UPDATE hollow SET x = x + 1, y = x"
    mentioned = {}
    for dialect in ("mysql", "postgresql"):
        write = translate(sql, shop().model, dialect)
        assert isinstance(write, Update)
        last = write.assignments[-1].expression
        assert isinstance(last, e.AttributeCast)
        mentioned[dialect] = last.operand
    assert mentioned == {
        "mysql": translate_assignment("UPDATE hollow SET x = x + 1", "mysql"),
        "postgresql": e.Column("hollow", "x", INTEGER),
    }


def translate_assignment(sql: str, dialect: str) -> e.Expression:
    """The value of an UPDATE's one assignment."""
    write = translate(sql, shop().model, dialect)
    assert isinstance(write, Update)
    return write.assignments[0].expression


_JOINED = (
    ("postgresql", "UPDATE visit v SET stars = p.id FROM person p WHERE p.id = v.person_id AND v.city = 'Rome'"),
    ("mysql", "UPDATE visit v JOIN person p ON p.id = v.person_id SET v.stars = p.id WHERE v.city = 'Rome'"),
    ("mysql", "UPDATE person p, visit v SET v.stars = p.id WHERE p.id = v.person_id AND v.city = 'Rome'"),
    ("postgresql", "DELETE FROM visit v USING person p WHERE p.id = v.person_id AND v.city = 'Rome'"),
    ("mysql", "DELETE v FROM visit v JOIN person p ON p.id = v.person_id WHERE v.city = 'Rome'"),
    ("mysql", "DELETE FROM v USING visit v JOIN person p ON p.id = v.person_id WHERE v.city = 'Rome'"),
)


@pytest.mark.parametrize(("dialect", "sql"), _JOINED)
def test_joined_writes_of_the_servers(dialect: str, sql: str) -> None:
    """The target's row is chosen by EXISTS, what concerns it alone stands outside, values come from the one partner."""
    write = translate(sql, shop().model, dialect)
    assert isinstance(write, Update | Delete)
    assert write.target.entity == "visit"
    assert isinstance(write.predicate, e.And)
    own, partner = write.predicate.operands
    assert isinstance(own, e.Compare)
    assert isinstance(partner, e.Exists)
    if isinstance(write, Update):
        assert isinstance(write.assignments[0].expression, e.ScalarSubquery)


@pytest.mark.parametrize(
    ("dialect", "sql", "said"),
    [
        (
            "mysql",
            "UPDATE visit v NATURAL JOIN person p SET v.stars = p.id",
            "joined by USING or NATURAL",
        ),
        (
            "mysql",
            "UPDATE visit v JOIN person p ON p.id = v.person_id SET v.stars = 1, p.name = 'x'",
            "of several tables",
        ),
        ("mysql", "DELETE v, p FROM visit v JOIN person p ON p.id = v.person_id", "from several tables"),
        (
            "postgresql",
            "UPDATE person p SET pay = v.stars FROM visit v WHERE v.person_id = p.id",
            "may have several rows",
        ),
        ("postgresql", "UPDATE person p SET pay = x.n FROM (SELECT 1 AS n) x", "may have several rows"),
    ],
)
def test_what_joined_writes_cannot_say(dialect: str, sql: str, said: str) -> None:
    """Several targets and values that are not one row's are gaps."""
    with pytest.raises(GapError, match=said):
        translate(sql, shop().model, dialect)
