"""A piece of SQL, and the name of a function, as the statement's dialect writes them."""

from __future__ import annotations

import re

from sqlglot import ErrorLevel, exp

from nestling.ir.quantity_words import cut

_CALL = re.compile(r"(\w+)\s*\(")


def sql_as_written(node: exp.Expr, grammar: str) -> str:
    """A piece of SQL as its dialect writes it, and not as the parser calls it; a long one is cut."""
    text = node.sql(dialect=grammar, unsupported_level=ErrorLevel.IGNORE)
    return f"`{cut(text)}`"


def function_name(node: exp.Expr, grammar: str) -> str:
    """The name of a function in its dialect; an operator is shown with its operands."""
    name = _CALL.match(node.sql(dialect=grammar, unsupported_level=ErrorLevel.IGNORE))
    return name[1].upper() if isinstance(node, exp.Func) and name is not None else sql_as_written(node, grammar)
