"""Rows of one table that a SELECT shows only in groups: by its attributes and by units of time of these."""

from __future__ import annotations

import re

from sqlglot import exp

from nestling.ir.rows import AggregateKind
from nestling.ir.workload import UNITS, Grouping
from nestling.sources.statements.aggregates import FUNCTIONS
from nestling.sources.statements.occurrences import NameScope
from nestling.sources.statements.walk import StatementWalk

_FORMATS = {"M": "minute", "H": "hour", "d": "day", "j": "day", "m": "month", "Y": "year"}
_DAYS = (exp.Date, exp.TsOrDsToDate)
_TRUNCATIONS = (exp.TimestampTrunc, exp.DateTrunc)


def note_groups(query: exp.Select, walk: StatementWalk, scope: NameScope) -> None:
    """Note the grouping of the only table of a SELECT whose outputs are its keys and plain aggregates."""
    group = query.args.get("group")
    occurrences = walk.occurrences_of(scope)
    if group is None or len(scope.sources) != 1 or len(occurrences) != 1 or query.args.get("having") is not None:
        return
    expressions = [_meant(each, query) for each in group.expressions]
    keys = [_key(each, walk) for each in expressions]
    aggregates: dict[tuple[AggregateKind, str | None], None] = {}
    for item in query.expressions:
        output = item.unalias()
        found = None if output in expressions else _aggregate(output, walk)
        if output not in expressions and found is None:
            return
        if found is not None:
            aggregates[found] = None
    known = tuple(key for key in keys if key is not None)
    if known and len(known) == len(keys):
        occurrences[0].grouping = Grouping(known, tuple(aggregates))


def _meant(key: exp.Expr, query: exp.Select) -> exp.Expr:
    """The expression grouped by, which may be named by its position or alias."""
    outputs: list[exp.Expr] = query.expressions
    if isinstance(key, exp.Literal) and not key.is_string and key.name.isdigit() and 0 < int(key.name) <= len(outputs):
        return outputs[int(key.name) - 1].unalias()
    named = next((each for each in outputs if isinstance(each, exp.Alias) and each.alias == key.name), None)
    if isinstance(key, exp.Column) and not key.table and named is not None:
        return named.unalias()
    return key


def _key(key: exp.Expr, walk: StatementWalk) -> tuple[str, str | None] | None:
    """A key of groups: the attribute, with a unit of time or None. An expression that is neither gives None."""
    columns = list(key.find_all(exp.Column))
    origins = walk.origins(columns[0]) if len(columns) == 1 else ()
    if len(origins) != 1:
        return None
    if isinstance(key, exp.Column):
        return origins[0][1], None
    unit = _unit(key)
    return (origins[0][1], unit) if unit is not None else None


def _unit(key: exp.Expr) -> str | None:
    """The finest unit of time that tells values of the expression apart."""
    if isinstance(key, _TRUNCATIONS):
        unit = key.text("unit").lower()
        return unit if unit in UNITS else None
    if isinstance(key, _DAYS):
        return "day"
    pattern = key.args.get("format") if isinstance(key, exp.TimeToStr) else None
    if not isinstance(pattern, exp.Literal):
        return None
    letters = re.findall(r"%(.)", pattern.name)
    if not letters or not all(letter in _FORMATS for letter in letters):
        return None
    return min((_FORMATS[letter] for letter in letters), key=UNITS.index)


def _aggregate(output: exp.Expr, walk: StatementWalk) -> tuple[AggregateKind, str | None] | None:
    """A plain aggregate of a column, or the number of rows."""
    function = FUNCTIONS.get(type(output))
    if function is None:
        return None
    if function is AggregateKind.COUNT and isinstance(output.this, exp.Star | exp.Literal):
        return AggregateKind.COUNT, None
    origins = walk.origins(output.this) if isinstance(output.this, exp.Column) else ()
    return (function, origins[0][1]) if len(origins) == 1 else None
