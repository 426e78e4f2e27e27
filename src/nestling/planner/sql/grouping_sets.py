"""ROLLUP, CUBE and GROUPING SETS: one grouping after the other, united.

Each set of keys is a SELECT of its own in which the other keys are NULL (but not inside aggregates, which see the rows) and
`GROUPING()` is a constant. ORDER BY and LIMIT stand behind the union.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from itertools import combinations, product
from math import prod

from sqlglot import exp

from nestling.planner.sql.expressions import is_aggregate
from nestling.planner.sql.gaps import statement_gap

_Keys = tuple[exp.Expr, ...]
MOST_SETS = 64
"""A cube of six keys; more would be a statement without end."""


def has_sets(group: exp.Group | None) -> bool:
    """Whether rows are grouped more than one way."""
    if group is None:
        return False
    several = (exp.Rollup, exp.Cube, exp.GroupingSets)
    return any(isinstance(item, several) for item in group.expressions) or bool(
        group.args.get("rollup") or group.args.get("cube") or group.args.get("grouping_sets")
    )


def united(select: exp.Select, titles: Sequence[str], resolved: Callable[[exp.Expr], exp.Expr]) -> exp.Expr:
    """The SELECTs as one query; `titles` name its outputs, `resolved` gives what a key's position or alias stands for."""
    group = select.args["group"]
    if select.args.get("distinct") or any(select.find_all(exp.Window)):
        raise statement_gap("DISTINCT or a window together with grouping sets", group)
    if _size(group.expressions) > MOST_SETS:
        raise statement_gap(f"more than {MOST_SETS} grouping sets", group)
    sets = [tuple(resolved(key) for key in keys) for keys in _sets(group)]
    every = list(dict.fromkeys(key for keys in sets for key in keys))
    parts: list[exp.Expr] = [_one(select, keys, every, titles) for keys in sets]
    found = reduce(lambda left, right: exp.Union(this=left, expression=right, distinct=False), parts)
    for clause in ("order", "limit", "offset", "with_"):
        if select.args.get(clause) is not None:
            found.set(clause, select.args[clause].copy())
    return found


def _size(items: Sequence[exp.Expr]) -> int:
    """How many sets the items offer together."""
    return prod(_offers(item) for item in items)


def _offers(item: exp.Expr) -> int:
    match item:
        case exp.Rollup():
            return len(item.expressions) + 1
        case exp.Cube():
            return 1 << len(item.expressions)
        case exp.GroupingSets():
            return sum(_offers(part) for part in item.expressions)
        case _:
            return 1


def _one(select: exp.Select, keys: _Keys, every: Sequence[exp.Expr], titles: Sequence[str]) -> exp.Select:
    found = select.copy()
    for clause in ("order", "limit", "offset", "with_"):
        found.set(clause, None)
    others = [key for key in every if key not in keys]
    items = [exp.alias_(_without(item.unalias(), others, keys), title, quoted=True)
             for item, title in zip(found.expressions, titles, strict=True)]  # fmt: skip
    found.set("expressions", items)
    found.set("group", exp.Group(expressions=[key.copy() for key in keys]))
    if found.args.get("having") is not None:
        found.set("having", exp.Having(this=_without(found.args["having"].this, others, keys)))
    return found


def _without(node: exp.Expr, others: Sequence[exp.Expr], keys: _Keys) -> exp.Expr:
    """The expression with the keys that are not grouped by as NULL."""
    if isinstance(node, exp.Grouping):
        bits = "".join("0" if argument in keys else "1" for argument in node.expressions)
        return exp.Literal.number(int(bits, 2))
    if any(node == other for other in others):
        return exp.Null()
    if is_aggregate(node) or isinstance(node, exp.Query):
        return node
    changed = node.copy()
    for name, value in node.args.items():
        if isinstance(value, exp.Expr):
            changed.set(name, _without(value, others, keys))
        elif isinstance(value, list):
            changed.set(name, [_without(v, others, keys) if isinstance(v, exp.Expr) else v for v in value])
    return changed


def _sets(group: exp.Group) -> list[_Keys]:
    """Every grouping: what each item of GROUP BY offers, combined with what the others do."""
    offers = [_offered(item) for item in group.expressions]
    whole = tuple(key for (keys,) in offers for key in keys) if all(len(offer) == 1 for offer in offers) else ()
    if group.args.get("rollup"):  # MySQL's WITH ROLLUP, over all keys
        return _rolled([(key,) for key in whole])
    return [sum(choice, ()) for choice in product(*offers)]


def _offered(item: exp.Expr) -> list[_Keys]:
    match item:
        case exp.Rollup():
            return _rolled([_keys(part) for part in item.expressions])
        case exp.Cube():
            parts = [_keys(part) for part in item.expressions]
            chosen = (c for size in range(len(parts), -1, -1) for c in combinations(parts, size))
            return [sum(choice, ()) for choice in chosen]
        case exp.GroupingSets():
            return [keys for part in item.expressions for keys in _offered_set(part)]
        case _:
            return [_keys(item)]


def _offered_set(part: exp.Expr) -> list[_Keys]:
    return _offered(part) if isinstance(part, exp.Rollup | exp.Cube | exp.GroupingSets) else [_keys(part)]


def _rolled(parts: Sequence[_Keys]) -> list[_Keys]:
    """The first so many, from all down to none."""
    return [sum(parts[:size], ()) for size in range(len(parts), -1, -1)]


def _keys(part: exp.Expr) -> _Keys:
    return tuple(part.expressions) if isinstance(part, exp.Tuple) else (part.unnest(),)
