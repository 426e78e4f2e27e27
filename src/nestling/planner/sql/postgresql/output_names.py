"""What PostgreSQL calls the outputs of a query that have no name of their own."""

from __future__ import annotations

import re

from sqlglot import exp

NO_NAME = "?column?"
_TYPES = {
    "int": "int4", "integer": "int4", "bigint": "int8", "smallint": "int2", "decimal": "numeric", "boolean": "bool",
    "real": "float4", "double precision": "float8", "char": "bpchar", "timestamp with time zone": "timestamptz",
}  # fmt: skip
"""What PostgreSQL calls types whose names in SQL are others."""


def value_title(node: exp.Expr) -> str:
    """The name of an expression's value, by what the expression is."""
    return _named(node) or _weakly_named(node) or NO_NAME


def _named(node: exp.Expr) -> str | None:
    """The name of a column or function, which also names what is made of it by a cast or as the ELSE of a CASE."""
    inner = node.unnest()
    match inner:
        case exp.Select():
            first = inner.expressions[0]
            return first.alias if isinstance(first, exp.Alias) else value_title(first)
        case exp.Column():
            return inner.name
        case exp.Cast():
            return _named(inner.this)
        case exp.Case():
            return _named(inner.args["default"]) if inner.args.get("default") is not None else None
        case exp.Bracket():
            return _named(inner.this)
        case exp.AtTimeZone():
            return "timezone"
        case exp.Window():
            return _named(inner.this)
        case exp.Coalesce() | exp.Extract() | exp.Exists():
            return inner.key
        case exp.Func() if not isinstance(inner, exp.Binary):
            return inner.sql(dialect="postgres").split("(")[0].casefold() or inner.key
        case _:
            return None


def _weakly_named(node: exp.Expr) -> str | None:
    """The name of what has none of a column's or function's."""
    inner = node.unnest()
    if isinstance(inner, exp.Cast):
        kind = inner.to.sql("postgres").partition("(")[0].casefold()
        return _TYPES.get(kind, kind)
    return "case" if isinstance(inner, exp.Case) else None


_CALL = re.compile(r"\s*(?:\w+\s*\.\s*)?(\w+)\s*\(")
_AFTER_CALL = re.compile(r"\s*(?:(?:OVER|FILTER|WITHIN)\b.*)?", re.IGNORECASE | re.DOTALL)
_OWN_NAMES = {"cast": None, "trim": "btrim"}
"""What PostgreSQL calls what looks like a function; None: not by that word."""


def called_function(text: str) -> str | None:
    """The name of the function that a text calls and does nothing else with; None where it is another expression."""
    call = _CALL.match(text)
    if call is None:
        return None
    depth, quote = 1, ""
    for at, letter in enumerate(text[call.end() :], call.end()):
        if quote or letter in "'\"":
            quote = ("" if quote == letter else quote) if quote else letter
        else:
            depth += (letter == "(") - (letter == ")")
        if not depth:
            name = call[1].casefold()
            return _OWN_NAMES.get(name, name) if _AFTER_CALL.fullmatch(text, at + 1) else None
    return None
