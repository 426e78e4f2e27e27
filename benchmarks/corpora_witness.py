"""What rows must hold for a SELECT to find them: a value for some columns, and which columns must be equal."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from sqlglot import exp

from benchmarks.corpora_mentions import MIRRORED, OPERATORS, At, Columns, Select, conjuncts, constant
from benchmarks.corpora_values import like_text


@dataclass
class Witness:
    """By (alias, column): the text of the value wanted (empty: NULL), and the number of the group of equal columns."""

    tables: dict[str, str]
    values: dict[At, str] = field(default_factory=dict)
    groups: dict[At, int] = field(default_factory=dict)


def witness(select: Select, columns: Columns, choices: random.Random) -> Witness:
    """One way to satisfy the SELECT's conditions; those that are no simple ones are left to chance."""
    found = Witness(_all_tables(select))
    for condition in select.conditions:
        _want(condition, found, select, columns, choices)
    for at, group in found.groups.items():  # a constant on one column of a group is every column's
        for other, other_group in found.groups.items():
            if other_group == group and at in found.values:
                found.values.setdefault(other, found.values[at])
    return found


def _all_tables(select: Select) -> dict[str, str]:
    """With those of the SELECTs around it, whose rows a correlated one is about."""
    outer = _all_tables(select.outer) if select.outer is not None else {}
    return {**outer, **select.tables}


def _want(  # noqa: C901 - one case for each form
    condition: exp.Expr, found: Witness, select: Select, columns: Columns, choices: random.Random
) -> None:
    condition = condition.unnest()
    if isinstance(condition, exp.Or):
        branch = choices.choice(list(condition.flatten()))
        for part in conjuncts(branch):
            _want(part, found, select, columns, choices)
        return
    if isinstance(condition, exp.Not) or condition.args.get("negate"):
        return
    if isinstance(condition, exp.Between):
        _put(condition.this, choices.choice([condition.args["low"], condition.args["high"]]), found, select, columns)
    elif isinstance(condition, exp.In) and condition.expressions:
        _put(condition.this, choices.choice(condition.expressions), found, select, columns)
    elif isinstance(condition, exp.Is) and isinstance(condition.expression, exp.Null):
        _set(condition.this, "", found, select, columns)
    elif isinstance(condition, exp.Like | exp.ILike) and (pattern := constant(condition.expression)) is not None:
        _set(condition.this, like_text(pattern, choices), found, select, columns, more=pattern.startswith("%"))
    elif isinstance(condition, exp.EQ):
        if isinstance(condition.left.unnest(), exp.Column) and isinstance(condition.right.unnest(), exp.Column):
            _equate(condition, found, select, columns)
        else:
            _put(condition.left, condition.right, found, select, columns)
            _put(condition.right, condition.left, found, select, columns)
    elif (
        isinstance(condition, exp.Binary)
        and (operator := OPERATORS.get(type(condition))) in MIRRORED
        and operator != "<>"
    ):
        beside = {"<": -1, ">": 1}
        _put(condition.left, condition.right, found, select, columns, beside.get(operator or "", 0))
        _put(condition.right, condition.left, found, select, columns, beside.get(MIRRORED[operator or ""], 0))


def _put(column: exp.Expr, value: exp.Expr, found: Witness, select: Select, columns: Columns, beside: int = 0) -> None:
    text = constant(value)
    if text is None:
        return
    if beside:
        is_text = isinstance(value.unnest(), exp.Literal) and value.unnest().is_string
        text = _next_text(text, beside) if is_text else str(float(text) + beside).removesuffix(".0")
    _set(column, text, found, select, columns)


def _next_text(text: str, beside: int) -> str:
    """A text just above, or below: a later or earlier year where it begins with one."""
    if text[:4].isdigit():
        return f"{int(text[:4]) + beside:04}{text[4:]}"
    return f"{text}1" if beside > 0 else text[:-1]


def _set(column: exp.Expr, text: str, found: Witness, select: Select, columns: Columns, *, more: bool = False) -> None:
    """The first value wanted stays; what a second LIKE looks for anywhere in the text is written after it."""
    column = column.unnest()
    if isinstance(column, exp.Column) and (place := select.find(column, columns)) is not None:
        held = found.values.get(place[1])
        found.values[place[1]] = text if held is None else held + text if more else held


def _equate(condition: exp.EQ, found: Witness, select: Select, columns: Columns) -> None:
    places = [select.find(each.unnest(), columns) for each in (condition.left, condition.right)]  # type: ignore[arg-type]
    if places[0] is None or places[1] is None:
        return
    one, other = places[0][1], places[1][1]
    first = found.groups.setdefault(one, len(found.groups) + 1)
    second = found.groups.setdefault(other, first)
    for at, group in found.groups.items():
        if group == second:
            found.groups[at] = first
