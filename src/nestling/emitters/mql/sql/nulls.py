"""NULL in expressions: null or missing. Both sort below every value, so one test covers both.

Builders bind operands that they mention more than once. Their variables end with an underscore; an environment's must not. An
operand is bound outside the body that uses it, so names need to be unique only within one builder.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from nestling.emitters.mql.sql.constants import MqlValue, is_inline

ABSENT_FIELD = "$$REMOVE"
"""The absence of a field, where a field's value is expected."""


def absent(value: MqlValue) -> MqlValue:
    """Whether the value is NULL."""
    return {"$lte": [value, None]}


def present(value: MqlValue) -> MqlValue:
    """Whether the value is not NULL."""
    return {"$gt": [value, None]}


def bind(
    operands: Mapping[str, MqlValue], body: Callable[..., MqlValue], *, inside: bool = False, total: bool = False
) -> MqlValue:
    """Apply `body` to references to the operands, so that each is evaluated once.

    `inside`: the body uses them inside a `$map` or `$reduce`, whose `$$this` would hide an environment's. `total`: no part of
    the body can fail. Otherwise parameters and a lookup's variables, which are constants inside it, are bound too: the server
    evaluates constant expressions before it starts, even in branches that are never taken, but not those bound by `$let`.
    """
    variables = {
        f"{name}_": value
        for name, value in operands.items()
        if not _is_simple(value, operands, inside) or (_is_constant_later(value) and not total)
    }
    inner = body(*(f"$${name}_" if f"{name}_" in variables else value for name, value in operands.items()))
    return {"$let": {"vars": variables, "in": inner}} if variables else inner


def _is_constant_later(value: MqlValue) -> bool:
    """Whether it is a parameter or a lookup's variable; variables bound here end with an underscore."""
    if isinstance(value, str) and value.startswith("$$"):
        root = value[2:].split(".")[0]
        return not root.endswith("_") and root[0].islower() and root != "this"
    return isinstance(value, dict)


def _is_simple(value: MqlValue, names: Mapping[str, MqlValue], inside: bool) -> bool:
    """Whether the value may be mentioned again and again: a constant, or a path nothing hides."""
    if not isinstance(value, str) or not value.startswith("$$"):
        return isinstance(value, str) or is_inline(value)
    root = value[2:].split(".")[0]
    return root.removesuffix("_") not in names and not (inside and not root.endswith("_"))


def both(*conditions: MqlValue) -> MqlValue:
    """All of the conditions."""
    flat = [part for condition in conditions for part in _parts(condition, "$and")]
    return flat[0] if len(flat) == 1 else {"$and": flat} if flat else True


def either(*conditions: MqlValue) -> MqlValue:
    """Any of the conditions."""
    flat = [part for condition in conditions for part in _parts(condition, "$or")]
    return flat[0] if len(flat) == 1 else {"$or": flat} if flat else False


def _parts(condition: MqlValue, operator: str) -> list[MqlValue]:
    if isinstance(condition, dict) and operator in condition:
        parts = condition[operator]
        assert isinstance(parts, list)
        return parts
    return [condition]


def null_if_any(values: Sequence[MqlValue], result: MqlValue) -> MqlValue:
    """The result, NULL when one of the values (which are simple) is."""
    return {"$cond": [either(*map(absent, values)), None, result]} if values else result


def unless_bytes(value: MqlValue) -> MqlValue:
    """The value, or an error for bytes, which the server compares otherwise than any database does."""
    return bind({"text": value}, lambda x: {"$ifNull": [null_unless_bytes(x), x]})


def null_unless_bytes(value: MqlValue) -> MqlValue:
    """NULL, but the server's error for bytes, which it cannot read as the text they stand for."""
    found = {"$cond": [{"$eq": [{"$type": value}, "binData"]}, value, None]}
    return {"$convert": {"input": found, "to": "double"}}
