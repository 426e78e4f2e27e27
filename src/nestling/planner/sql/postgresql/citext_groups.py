"""Groups of citext, whose texts are equal without their case: by the small letters of A to Z, shown in one of the spellings.

PostgreSQL shows any spelling of the group; here it is the first by code point, so capitals come before small letters.
"""

from __future__ import annotations

from nestling.ir.statements.algebra import (
    AggregateCall,
    AggregateFunction,
    GroupBy,
    Named,
    NamedAggregate,
    Project,
    Relation,
)
from nestling.ir.statements.expression import Call, Expression
from nestling.ir.statements.operands import is_mixed, is_text
from nestling.ir.statements.operators import Collation, Function, Rules
from nestling.ir.types import TEXT
from nestling.planner.sql.scope import Translation


def spelled(group: GroupBy, translation: Translation) -> Relation:
    """The groups by citexts; others as they are."""
    pairs = [*zip(group.keys, group.collations, strict=True)] if group.collations else []
    folded = {key.name for key, rule in pairs if rule is Collation.NOCASE and _is_plain(key.expression)}
    if translation.dialect.rules is not Rules.POSTGRESQL or not folded:
        return group
    alias = translation.alias("folded")
    spellings = tuple(
        NamedAggregate(f"spelling_{place}", AggregateCall(AggregateFunction.MIN, key.expression, key.expression.type))
        for place, key in enumerate(group.keys)
        if key.name in folded
    )
    rules = tuple(Collation.BINARY if key.name in folded else rule for key, rule in pairs)
    keys = tuple(_in_small_letters(key) if key.name in folded else key for key in group.keys)
    made = GroupBy(group.input, alias, keys, (*group.aggregates, *spellings), rules)
    columns = {column.name: column for column in made.columns}
    shown = dict(zip((key.name for key in group.keys if key.name in folded), spellings, strict=True))
    outputs = [
        Named(key.name, columns[shown[key.name].name if key.name in shown else key.name], key.mixed)
        for key in group.keys
    ]
    outputs += [Named(item.name, columns[item.name], item.mixed) for item in group.aggregates]
    return Project(made, group.alias, tuple(outputs))


def _is_plain(value: Expression) -> bool:
    return is_text(value) and not is_mixed(value)


def _in_small_letters(key: Named) -> Named:
    return Named(key.name, Call(Function.LOWER, (key.expression,), TEXT, Rules.SQLITE))
