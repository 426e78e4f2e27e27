"""Window functions: the function, what it is partitioned and ordered by, and the frame it sees."""

from __future__ import annotations

from sqlglot import exp

from nestling.ir.statements.algebra import (
    AggregateFunction,
    Bound,
    Frame,
    FrameUnit,
    SortKey,
    WindowFunction,
    WindowOnly,
)
from nestling.ir.statements.expression import ANY, Expression, Literal
from nestling.ir.statements.operands import is_mixed, is_mixed_time
from nestling.ir.statements.operators import Collation, Rules
from nestling.ir.types import FLOAT, INTEGER, Type
from nestling.planner.sql import common_type as one_value
from nestling.planner.sql import conversions
from nestling.planner.sql.called import function_name
from nestling.planner.sql.collations import collation, rules_of
from nestling.planner.sql.expressions import bind, bind_sort, is_aggregate
from nestling.planner.sql.gaps import mistake, statement_gap
from nestling.planner.sql.grouping import bind_aggregate
from nestling.planner.sql.mysql.digits import observed
from nestling.planner.sql.postgresql import decimal_digits
from nestling.planner.sql.postgresql import sum_types as sums
from nestling.planner.sql.postgresql.infinite_moments import refuse_infinite
from nestling.planner.sql.scope import Env, SelectWindows
from nestling.planner.sql.supported_types import refuse_parts

_ONLY: dict[type[exp.Expr], WindowOnly] = {
    exp.RowNumber: WindowOnly.ROW_NUMBER,
    exp.Rank: WindowOnly.RANK,
    exp.DenseRank: WindowOnly.DENSE_RANK,
    exp.PercentRank: WindowOnly.PERCENT_RANK,
    exp.CumeDist: WindowOnly.CUME_DIST,
    exp.Ntile: WindowOnly.NTILE,
    exp.Lag: WindowOnly.LAG,
    exp.Lead: WindowOnly.LEAD,
    exp.FirstValue: WindowOnly.FIRST_VALUE,
    exp.LastValue: WindowOnly.LAST_VALUE,
    exp.NthValue: WindowOnly.NTH_VALUE,
}
_FLOATS = (WindowOnly.PERCENT_RANK, WindowOnly.CUME_DIST)
_VALUES = (WindowOnly.LAG, WindowOnly.LEAD, WindowOnly.FIRST_VALUE, WindowOnly.LAST_VALUE, WindowOnly.NTH_VALUE)
_CURRENT = Bound(Literal(0, INTEGER), following=False)
_START = Bound(None, following=False)
_END = Bound(None, following=True)


def bind_window(node: exp.Window, env: Env) -> Expression:
    """The column of a window function; raises WorkloadError where no window function is allowed."""
    windows = env.windows
    if windows is None:
        raise mistake("a window function outside the select list and ORDER BY", node)
    partition, rules, order, frame = _over(node, windows, env)
    function, arguments, kind, condition, rule = _function(node.this, env)
    found = windows.add(WindowFunction(function, arguments, kind, partition, order, frame, condition, rule, rules))
    if function in (AggregateFunction.SUM, AggregateFunction.COUNT):
        sums.note(found, env.translation, of_column=function is AggregateFunction.SUM)
    decimal_digits.note(found, function, arguments[0] if arguments else None, env.translation)
    return observed(found) if env.dialect.rules is Rules.MYSQL else found


Over = tuple[tuple[Expression, ...], tuple[Collation, ...], tuple[SortKey, ...], Frame]


def _over(node: exp.Window, windows: SelectWindows, env: Env) -> Over:
    """Partition and its collations, order and frame, those of a named window where it is named."""
    name = node.alias or (node.this.name if isinstance(node.this, exp.Identifier) else "")
    base = windows.named.get(name.casefold()) if name else None
    if name and base is None:
        raise mistake(f"no window `{name}`", node)
    parts = [part for part in (node, base) if part is not None]
    partition: list[exp.Expr] = next((part.args["partition_by"] for part in parts if part.args.get("partition_by")), [])
    order = next((part.args["order"] for part in parts if part.args.get("order")), None)
    spec = next((part.args["spec"] for part in parts if part.args.get("spec")), None)
    keys = bind_sort(order.expressions if order is not None else (), env)
    terms = tuple(conversions.ordered(bind(term, env), env.translation) for term in partition)
    refuse_parts(node, *terms)
    rules = rules_of([collation(env, (tree,), (term,)) for tree, term in zip(partition, terms, strict=True)])
    return terms, rules, keys, _frame(spec, bool(keys), env)


def _frame(spec: exp.Expr | None, is_ordered: bool, env: Env) -> Frame:
    if spec is None:
        return Frame(FrameUnit.RANGE, _START, _CURRENT) if is_ordered else Frame(FrameUnit.ROWS, _START, _END)
    if spec.args.get("exclude"):
        raise statement_gap("a frame's EXCLUDE", spec)
    unit = FrameUnit(str(spec.args["kind"]).casefold())
    end = _bound(spec.args.get("end"), spec.args.get("end_side"), env) if spec.args.get("end") else _CURRENT
    return Frame(unit, _bound(spec.args.get("start"), spec.args.get("start_side"), env), end)


def _bound(value: object, side: object, env: Env) -> Bound:
    following = str(side).upper() == "FOLLOWING"
    if value == "UNBOUNDED":
        return _END if following else _START
    if value == "CURRENT ROW":
        return _CURRENT
    assert isinstance(value, exp.Expr)
    return Bound(bind(value, env), following)


def _function(
    node: exp.Expr, env: Env
) -> tuple[WindowOnly | AggregateFunction, tuple[Expression, ...], Type, Expression | None, Collation]:
    if isinstance(node, exp.IgnoreNulls | exp.RespectNulls):
        raise statement_gap("IGNORE NULLS", node)
    only = _ONLY.get(type(node))
    if only is not None:
        return only, *_only(only, node, env), None, env.dialect.collation
    if not is_aggregate(node):
        raise statement_gap(f"{function_name(node, env.dialect.grammar)} over a window", node)
    found = bind_aggregate(node, env, kept=True)
    if found.distinct or found.order or found.share is not None or found.separator is not None:
        move = (
            "join a subquery that groups: `JOIN (SELECT k, COUNT(DISTINCT x) AS n FROM t GROUP BY k) AS c ON c.k = t.k`"
        )
        raise statement_gap("DISTINCT or a concatenation over a window", node, move)
    arguments = (found.argument,) if found.argument is not None else ()
    return found.function, arguments, found.type, found.filter, found.collation


def _only(only: WindowOnly, node: exp.Expr, env: Env) -> tuple[tuple[Expression, ...], Type]:
    names = {WindowOnly.NTILE: ("this",), WindowOnly.NTH_VALUE: ("this", "offset")}.get(
        only, ("this", "offset", "default")
    )
    if only not in (*_VALUES, WindowOnly.NTILE):
        return (), FLOAT if only in _FLOATS else INTEGER
    arguments = tuple(bind(node.args[name], env) for name in names if node.args.get(name) is not None)
    if only is WindowOnly.NTILE:
        return arguments, INTEGER
    refuse_infinite(node.key.upper(), node, env.translation, arguments[0])
    value = conversions.as_shown(conversions.ordered(arguments[0], env.translation), env.translation)
    if len(arguments) > 2:
        (value, default), kind = one_value.common([value, arguments[2]], env.translation)
        return (value, arguments[1], default), kind
    return (value, *arguments[1:]), ANY if is_mixed(value) and not is_mixed_time(value) else value.type
