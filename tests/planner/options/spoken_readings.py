"""Random small readings whose statements are SQL that says what they touch, so that they can be compiled."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from nestling.ir.model import Model
from nestling.ir.reading import Reading
from nestling.ir.statements.sql_dialects import POSTGRESQL
from nestling.ir.workload import Access, Operator, Statement, StatementKind
from nestling.sources.statements import with_footprints
from tests.planner.options.random_readings import random_reading


def spoken_reading(seed: int) -> Reading:
    """The random reading of a seed, its statements written out and read again."""
    drawn = random_reading(seed)
    said = tuple(
        Statement(each.name, spoken(each, drawn.model), each.kind, each.rate_per_second)
        for each in drawn.workload.statements
    )
    workload = replace(drawn.workload, statements=said)
    return with_footprints(replace(drawn, workload=workload, dialect=POSTGRESQL))


def spoken(statement: Statement, model: Model) -> str:
    """SQL that touches what the statement's accesses say."""
    first = statement.accesses[0]
    match statement.kind:
        case StatementKind.INSERT:
            names = model.entity(first.entity).attribute_names
            return f"INSERT INTO {first.entity} ({', '.join(names)}) VALUES ({', '.join(f':{name}' for name in names)})"
        case StatementKind.UPDATE:
            changed = ", ".join(f"{name} = :new_{name}" for name in first.attributes)
            return f"UPDATE {first.entity} SET {changed} WHERE {_conditions(first, first.entity)}"
        case StatementKind.DELETE:
            return f"DELETE FROM {first.entity} WHERE {_conditions(first, first.entity)}"
        case _:
            return _select(statement, model)


def _select(statement: Statement, model: Model) -> str:
    aliases = [f"t{number}" for number in range(len(statement.accesses))]
    each = list(zip(aliases, statement.accesses, strict=True))
    shown = [f"{alias}.{name}" for alias, access in each if not access.aggregates for name in access.attributes]
    counted = any(access.aggregates for _, access in each)
    outputs = [f"{column} AS c{number}" for number, column in enumerate(shown)]
    said = f"SELECT {', '.join([*outputs, *(['count(*) AS n'] if counted else [])])} FROM {' JOIN '.join(_joined(each, model))}"
    said += f" WHERE {' AND '.join(_conditions(access, alias) for alias, access in each if access.filters)}"
    said += f" GROUP BY {', '.join(shown)}" if counted else ""
    order = [f"{alias}.{name[1:]} DESC" for alias, access in each for name in access.sort]
    said += f" ORDER BY {', '.join(order)}" if order else ""
    return said + (f" LIMIT {statement.limit}" if statement.limit is not None else "")


def _joined(each: list[tuple[str, Access]], model: Model) -> Iterator[str]:
    for number, (alias, access) in enumerate(each):
        if access.via is None:
            yield f"{access.entity} {alias}"
            continue
        link, before = model.relationship(access.via), each[number - 1][0]
        if number and each[number - 1][1].entity == link.parent:
            parent, child = before, alias
        else:
            parent, child = alias, before
        pairs = zip(link.parent_attributes, link.child_attributes, strict=True)
        yield f"{access.entity} {alias} ON {' AND '.join(f'{child}.{own} = {parent}.{theirs}' for theirs, own in pairs)}"


def _conditions(access: Access, alias: str) -> str:
    return " AND ".join(
        f"{alias}.{each.attribute} {'=' if each.operator is Operator.EQUALITY else '>='} :{each.attribute}"
        for each in access.filters
    )
