"""Conditions: which attributes are filtered by what kind of comparison, and which columns they make equal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlglot import exp

from nestling.common.errors import name_list
from nestling.ir.workload import AttributeFilter, Operator
from nestling.sources.statements.condition_kinds import condition_kind
from nestling.sources.statements.constants import note_found
from nestling.sources.statements.occurrences import (
    NamedSource,
    NameScope,
    Occurrence,
    Origins,
    add_filter,
    add_range_beside,
    add_read,
    found_by,
)
from nestling.sources.statements.walk import StatementWalk, outermost

_RANGES = (exp.GT, exp.GTE, exp.LT, exp.LTE)


def conditions(node: exp.Expr, walk: StatementWalk) -> None:
    """Take every part that must hold (joined by AND) into the footprint; its columns have been resolved."""
    for part in node.unnest().flatten() if isinstance(node.unnest(), exp.And) else [node]:
        one = part.unnest()
        if isinstance(one, exp.And):
            conditions(one, walk)
            continue
        if _asks_for_lack(one, walk):
            _no_whole_value(one, walk)
            continue
        note_found(one, walk)
        if not _understood(one, walk):
            _no_whole_value(one, walk)


def _asks_for_lack(part: exp.Expr, walk: StatementWalk) -> bool:
    """Whether it asks for NULL of what an outer join may lack: where no row was found, and of no row that was."""
    is_null = isinstance(part, exp.Is) and isinstance(part.right, exp.Null)
    return is_null and any(occurrence.optional for occurrence, _ in walk.origins(part.this.unnest()))


def _understood(part: exp.Expr, walk: StatementWalk) -> bool:
    """Take one condition whose kind is known; False for the others."""
    if isinstance(part, exp.EQ | exp.NullSafeEQ | exp.Is):
        return all(_equal(left, right, walk) for left, right in _pairs(part.left, part.right))
    if isinstance(part, _RANGES):  # of two rows, the first values decide where to seek
        left, right = next(_pairs(part.left, part.right))
        _range_beside(left, right, walk)
        return _take_comparison(left, right, Operator.RANGE, walk) or _take_comparison(
            right, left, Operator.RANGE, walk
        )
    if isinstance(part, exp.Between):
        for end in (part.args["low"], part.args["high"]):
            _range_beside(part.this, end, walk)
        return (
            _is_given(part.args["low"]) and _is_given(part.args["high"]) and _filtered(part.this, Operator.RANGE, walk)
        )
    if isinstance(part, exp.In):
        return _in(part, walk)
    if isinstance(part, exp.Like):
        prefix = part.expression.name if part.expression.is_string else "%"
        return not prefix.startswith(("%", "_")) and _filtered(part.this, Operator.RANGE, walk)
    if isinstance(part, exp.Or):
        return _alternatives(part, walk)
    if isinstance(part, exp.Column):
        return _filtered(part, Operator.EQUALITY, walk)
    if isinstance(part, exp.Not) and isinstance(part.this.unnest(), exp.In):
        return _lacks(part.this.unnest(), walk)
    return isinstance(part, exp.Exists)


def _range_beside(one: exp.Expr, other: exp.Expr, walk: StatementWalk) -> None:
    """Take a range between columns of two tables, by which rows of the one are sought for each of the other."""
    if isinstance(one, exp.Column) and isinstance(other, exp.Column):
        mine, its = walk.origins(one), walk.origins(other)
        if len(mine) == len(its) == 1:
            add_range_beside(mine, its)


def _lacks(part: exp.In, walk: StatementWalk) -> bool:
    """NOT IN the set of a subquery, which is looked up for each row."""
    found = list(_of_set(part, walk))
    for column, origins in found:
        _unite(walk.origins(column), origins, walk)
        add_filter(walk.origins(column), Operator.LACKS)
    return bool(found)


def _of_set(part: exp.In, walk: StatementWalk) -> Iterator[tuple[exp.Expr, Origins]]:
    """Each column beside where the values of the subquery's own come from."""
    query = part.args.get("query")
    columns = part.this.expressions if isinstance(part.this, exp.Tuple) else [part.this]
    found = walk.result(query.this if isinstance(query, exp.Subquery) else query) if query is not None else {}
    yield from zip(columns, found.values(), strict=False)


def _pairs(left: exp.Expr, right: exp.Expr) -> Iterator[tuple[exp.Expr, exp.Expr]]:
    left, right = left.unnest(), right.unnest()
    if isinstance(left, exp.Tuple) and isinstance(right, exp.Tuple) and len(left.expressions) == len(right.expressions):
        yield from zip(left.expressions, right.expressions, strict=True)
    else:
        yield left, right


def _equal(left: exp.Expr, right: exp.Expr, walk: StatementWalk) -> bool:
    mine, its = _values_of(left, walk), _values_of(right, walk)
    if mine and its:
        _unite(mine, its, walk)
        return True
    if isinstance(right, exp.Any):
        return _take_comparison(left, right.this, Operator.IN, walk)
    return _take_comparison(left, right, Operator.EQUALITY, walk) or _take_comparison(
        right, left, Operator.EQUALITY, walk
    )


def _values_of(node: exp.Expr, walk: StatementWalk) -> Origins:
    """Where a column's values, or those of a subquery's only column, come from."""
    if isinstance(node, exp.Column):
        return walk.origins(node)
    query = node.this if isinstance(node, exp.Subquery) else node
    outputs = list(walk.result(query).values()) if isinstance(query, exp.Query) else []
    return outputs[0] if len(outputs) == 1 else ()


def _unite(mine: Origins, its: Origins, walk: StatementWalk) -> None:
    for left in mine:
        for right in its:
            walk.equal.columns(left, right)


def _take_comparison(column: exp.Expr, value: exp.Expr, operator: Operator, walk: StatementWalk) -> bool:
    """A column compared with what is known when the statement runs."""
    if not isinstance(column, exp.Column) or _is_folded(value):
        return False
    if isinstance(query := value.unnest(), exp.Query) and walk.is_correlated(query):
        return _filtered(column, Operator.EACH, walk)
    if not _is_known(value, operator):
        return False
    if operator is Operator.EQUALITY and isinstance(value, exp.Placeholder | exp.Literal):
        for origin in walk.origins(column):
            walk.equal.constant(origin, value.sql())
    return _filtered(column, operator, walk)


def _is_folded(value: exp.Expr) -> bool:
    """Whether a comparison with it is by a rule of SQLite's that no index of the server has."""
    return isinstance(value, exp.Collate) and value.expression.name.upper() in ("NOCASE", "RTRIM")


def _filtered(column: exp.Expr, operator: Operator, walk: StatementWalk) -> bool:
    if isinstance(column, exp.Column):
        add_filter(walk.origins(column), operator)
    return isinstance(column, exp.Column)


def _is_known(value: exp.Expr, operator: Operator) -> bool:
    """Whether rows may be sought by a value: one that is given, or one to equal that a subquery makes first for all rows."""
    return operator.is_exact if isinstance(value.unnest(), exp.Query) else _is_given(value)


def _is_given(node: exp.Expr) -> bool:
    """Whether a value depends on no rows."""
    return node.find(exp.Column, exp.Query) is None


def _in(part: exp.In, walk: StatementWalk) -> bool:
    query = part.args.get("query")
    if query is None:
        listed = _listed(part)
        columns = part.this.expressions if isinstance(part.this, exp.Tuple) else [part.this]
        if not all(isinstance(column, exp.Column) for column in columns) or not all(map(_is_given, listed)):
            return False
        for column in columns:
            add_filter(walk.origins(column), Operator.IN)
        return True
    for column, origins in _of_set(part, walk):
        mine = walk.origins(column)
        _unite(mine, origins, walk)
        if not origins:
            add_filter(mine, Operator.IN)
    return True


def _alternatives(part: exp.Or, walk: StatementWalk) -> bool:
    """`a = 1 OR a = 2` is an IN; of other alternatives each may be sought by an index of its own."""
    sides = [[_sought(each.unnest(), walk) for each in _anded(side)] for side in part.flatten()]
    exact = [side[0] for side in sides if len(side) == 1 and side[0] is not None and side[0][1].is_exact]
    if len(exact) == len(sides) and len({origins for origins, _ in exact}) == 1:
        add_filter(exact[0][0], Operator.IN)
        return True
    found = [[each for each in side if each is not None and _is_served(*each)] for side in sides]
    occurrences = dict.fromkeys(origins[0][0] for side in found for origins, _ in side) if all(found) else {}
    for occurrence in occurrences if not any(each.any_of for each in occurrences) else ():
        occurrence.any_of = tuple(_compared_of(occurrence, side) for side in found)
    return False


def _compared_of(occurrence: Occurrence, side: Sequence[tuple[Origins, Operator]]) -> tuple[AttributeFilter, ...]:
    """What one side of an OR compares of an occurrence."""
    own = (AttributeFilter(origins[0][1], operator) for origins, operator in side if origins[0][0] is occurrence)
    return tuple(dict.fromkeys(own))


def _is_served(origins: Origins, operator: Operator) -> bool:
    """Whether it is of one column, and of a kind that an index serves there."""
    return len(origins) == 1 and found_by(origins[0][0].entity, origins[0][1], operator).operator.seeks


def _anded(node: exp.Expr) -> Iterator[exp.Expr]:
    one = node.unnest()
    yield from one.flatten() if isinstance(one, exp.And) else (one,)


def _sought(part: exp.Expr, walk: StatementWalk) -> tuple[Origins, Operator] | None:
    """The column that one condition compares with what is known, and how; None where no index finds rows by it."""
    sides: tuple[tuple[exp.Expr, list[exp.Expr]], ...]
    match part:
        case exp.EQ() | exp.NullSafeEQ():
            sides, operator = ((part.left, [part.right]), (part.right, [part.left])), Operator.EQUALITY
        case exp.GT() | exp.GTE() | exp.LT() | exp.LTE():
            sides, operator = ((part.left, [part.right]), (part.right, [part.left])), Operator.RANGE
        case exp.Between():
            sides, operator = ((part.this, [part.args["low"], part.args["high"]]),), Operator.RANGE
        case exp.In() if not part.args.get("query"):
            sides, operator = ((part.this, _listed(part)),), Operator.IN
        case _:
            return None
    for side, values in sides:
        column = side.unnest()
        if isinstance(column, exp.Column) and all(_is_given(each) and not _is_folded(each) for each in values):
            return walk.origins(column), operator
    return None


def _listed(part: exp.In) -> list[exp.Expr]:
    """The values of a list: those written down, or the one parameter that is the list."""
    field = part.args.get("field")
    return part.expressions or ([field] if field else [])


def _no_whole_value(part: exp.Expr, walk: StatementWalk, *, negated: bool = False, among: bool = False) -> None:
    """Every column compared with constants otherwise than by its values: alternatives, negations, functions, elements.

    `among`: it is one of several alternatives.
    """
    if isinstance(part, exp.And | exp.Or | exp.Not | exp.Paren):
        for side in part.iter_expressions():
            _no_whole_value(
                side,
                walk,
                negated=negated or isinstance(part, exp.Not),
                among=among or isinstance(part, exp.Or),
            )
        return
    kind = Operator.OTHER if negated else condition_kind(part, walk)
    if among and (kind.seeks or kind is Operator.CASED):
        kind = Operator.OTHER if kind.seeks else Operator.FOLDED
    found = outermost(part, lambda node: isinstance(node, exp.Column | exp.Query))
    origins = [walk.origins(column) for column in found if isinstance(column, exp.Column)]
    if all(origins) and len({occurrence for each in origins for occurrence, _ in each}) == 1:
        for each in origins:
            add_filter(each, kind)


# --- joins without a condition ---------------------------------------------------------------------------------------


def natural_join(before: list[NamedSource], added: list[NamedSource], walk: StatementWalk, scope: NameScope) -> None:
    """NATURAL: the columns both sides have are equal."""
    right = {name.casefold() for source in added for name in source.columns}
    common = [name for source in before for name in source.columns if name.casefold() in right]
    using_join(list(dict.fromkeys(common)), before, added, walk, scope)


def using_join(
    names: list[str], before: list[NamedSource], added: list[NamedSource], walk: StatementWalk, scope: NameScope
) -> None:
    """USING: the named columns are equal, and one column from then on."""
    for name in names:
        scope.merged.add(name.casefold())
        sides = []
        for sources in (before, added):
            found = [origins for source in sources if (origins := source.column(name)) is not None]
            if not found and not any(source.is_open for source in sources):
                aliases = name_list(source.alias for source in sources)
                walk.mistake(f"no column `{name}` to join by in {aliases}", exp.Identifier(this=name))
            sides.append(found[0] if found else ())
            add_read(sides[-1])
        _unite(sides[0], sides[1], walk)
