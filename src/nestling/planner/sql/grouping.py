"""What a SELECT's rows become once they are grouped: keys, aggregates, and the columns that are neither."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from sqlglot import exp

from nestling.ir.free_names import free_name
from nestling.ir.statements.algebra import (
    SPREAD,
    AggregateCall,
    AggregateFunction,
    GroupBy,
    Named,
    NamedAggregate,
    Relation,
    SortKey,
)
from nestling.ir.statements.expression import ANY, NULL, Cast, Column, Expression, Literal
from nestling.ir.statements.operands import columns_of, is_float, is_mixed, is_mixed_time, nullable, of_numbers
from nestling.ir.statements.operators import Collation, Rules
from nestling.ir.types import BOOLEAN, FLOAT, INTEGER, KEPT_AS_TEXT, MAY_BE_ARRAYS, TEXT, TIMES, Type, TypeName
from nestling.planner.sql import conversions
from nestling.planner.sql.called import function_name
from nestling.planner.sql.collations import collation, declared, is_no_text, keep, of_group
from nestling.planner.sql.distinct_rows import distinct_rows, distinct_values
from nestling.planner.sql.expressions import bind, bind_sort, is_aggregate, predicate
from nestling.planner.sql.gaps import mistake, no_constant, statement_gap
from nestling.planner.sql.lists import in_order, of_list
from nestling.planner.sql.literals import DECIMAL
from nestling.planner.sql.mysql.digits import Digits, digits_of, observed, quotient, together
from nestling.planner.sql.mysql.times_as_text import note_digits
from nestling.planner.sql.postgresql import decimal_digits
from nestling.planner.sql.postgresql import sum_types as sums
from nestling.planner.sql.postgresql.citext_groups import spelled
from nestling.planner.sql.postgresql.enums import ranked, unranked
from nestling.planner.sql.postgresql.infinite_moments import refuse_infinite, unplaced
from nestling.planner.sql.postgresql.whole_rows import object_of, present, row_of
from nestling.planner.sql.scope import Env, Translation
from nestling.planner.sql.supported_types import refuse_groups, refuse_order, refuse_stored_otherwise

_FUNCTIONS: dict[type[exp.Expr], AggregateFunction] = {
    exp.Count: AggregateFunction.COUNT,
    exp.Sum: AggregateFunction.SUM,
    exp.Avg: AggregateFunction.AVG,
    exp.Min: AggregateFunction.MIN,
    exp.Max: AggregateFunction.MAX,
    exp.GroupConcat: AggregateFunction.CONCAT,
    exp.LogicalAnd: AggregateFunction.EVERY,
    exp.LogicalOr: AggregateFunction.SOME,
    exp.AnyValue: AggregateFunction.ANY_VALUE,
    exp.ArrayAgg: AggregateFunction.LIST,
    exp.JSONArrayAgg: AggregateFunction.LIST,
    exp.Stddev: AggregateFunction.STDDEV_SAMP,
    exp.StddevSamp: AggregateFunction.STDDEV_SAMP,
    exp.StddevPop: AggregateFunction.STDDEV_POP,
    exp.Variance: AggregateFunction.VAR_SAMP,
    exp.VariancePop: AggregateFunction.VAR_POP,
}
_PERCENTILES: dict[type[exp.Expr], AggregateFunction] = {
    exp.PercentileCont: AggregateFunction.PERCENTILE_CONT,
    exp.PercentileDisc: AggregateFunction.PERCENTILE_DISC,
}
_NAMED = {
    "total": AggregateFunction.TOTAL,
    "every": AggregateFunction.EVERY,
    "jsonb_agg": AggregateFunction.LIST,
}
_OF_POSTGRESQL = ("every", "jsonb_agg")
_EXTREMES = (AggregateFunction.MIN, AggregateFunction.MAX)


@dataclass
class SelectGrouping:
    """The keys and aggregates of one SELECT; aggregates are added as its expressions are bound."""

    rows: Env
    alias: str
    trees: tuple[exp.Expr, ...]
    keys: tuple[Named, ...]
    collations: tuple[Collation, ...]
    unique: frozenset[str] = frozenset()  # aliases of scans whose whole key is grouped by
    aggregates: list[NamedAggregate] = field(default_factory=list)
    _columns: dict[Expression, Column] = field(default_factory=dict)
    _found: dict[AggregateCall, Column] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for named, rule in zip(self.keys, self.collations, strict=True):
            key = Column(self.alias, named.name, named.expression.type, nullable(named.expression), named.mixed)
            self._columns.setdefault(named.expression, key)
            _keep_affinity(named.expression, key, self.rows.translation)
            keep(key, rule, self.rows.translation)
            note_digits(key, named.expression, self.rows.translation)
        self._trees = [tree for tree in self.trees if not isinstance(tree, exp.Column)]

    def key(self, node: exp.Expr) -> Expression | None:
        """The key the expression is as it is written."""
        if isinstance(node, exp.Column) or not any(type(tree) is type(node) for tree in self._trees):
            return None
        place = next((place for place, tree in enumerate(self.trees) if tree == node), None)
        return None if place is None else self._columns[self.keys[place].expression]

    def column(self, column: Column, node: exp.Expr) -> Expression:
        """The key, or the value some row of the group has for the column."""
        if column in self._columns:
            return self._columns[column]
        if not self.rows.dialect.lenient and column.alias not in self.unique:
            what = f"`{column.name}` is neither grouped by nor aggregated"
            raise mistake(what, node, "name it in GROUP BY, or take its min() or max()")
        found = self._add(
            AggregateCall(AggregateFunction.ANY_VALUE, column, column.type), column.name, mixed=column.mixed
        )
        _keep_affinity(column, found, self.rows.translation)
        keep(found, declared(column, self.rows.translation), self.rows.translation)
        note_digits(found, column, self.rows.translation)
        return found

    def aggregate(self, node: exp.Expr, env: Env) -> Expression:
        """The column of an aggregate call; its arguments see the rows, not the groups."""
        found = bind_aggregate(node, env.rows(), kept=bool(self.keys))
        own = {
            column.alias
            for source in self.rows.scope.sources
            for _, named in source.columns
            for column in columns_of(named)
        }
        used = {column.alias for column in columns_of(found.argument)} if found.argument is not None else set()
        if used and not used & own:
            raise statement_gap("an aggregate of an outer query's columns", node)
        is_of_times = found.type.name in TIMES and found.argument is not None and is_mixed_time(found.argument)
        column = self._add(found, found.function.value, mixed=is_of_times)
        if found.function in (AggregateFunction.SUM, AggregateFunction.COUNT):
            sums.note(column, self.rows.translation, of_column=found.function is AggregateFunction.SUM)
        decimal_digits.note(column, found.function, found.argument, self.rows.translation)
        if found.argument is not None:
            note_digits(column, found.argument, self.rows.translation)
        return column

    def group(self, source: Relation) -> Relation:
        """The relation, once everything above it is bound."""
        extremes = [item.aggregate for item in self.aggregates if item.aggregate.function in _EXTREMES]
        if len(extremes) == 1 and self.rows.dialect.is_sqlite and extremes[0].argument is not None:
            at = (extremes[0].function, extremes[0].argument)
            self.aggregates = [
                replace(item, aggregate=replace(item.aggregate, at=at))
                if item.aggregate.function is AggregateFunction.ANY_VALUE
                else item
                for item in self.aggregates
            ]
        found = GroupBy(source, self.alias, self.keys, tuple(self.aggregates), self.collations)
        return spelled(found, self.rows.translation)

    def _add(self, aggregate: AggregateCall, wish: str, *, mixed: bool = False) -> Column:
        if aggregate not in self._found:
            taken = {key.name for key in self.keys} | {item.name for item in self.aggregates}
            name = free_name(wish, taken)
            self.aggregates.append(NamedAggregate(name, aggregate, mixed))
            may_be_null = aggregate.nullable(keyed=bool(self.keys))
            self._found[aggregate] = Column(self.alias, name, aggregate.type, may_be_null, mixed)
            if not self.rows.dialect.is_sqlite:
                keep(self._found[aggregate], aggregate.collation, self.rows.translation)
        return self._found[aggregate]


def _keep_affinity(source: Expression, column: Column, translation: Translation) -> None:
    translation.affinities[column.alias, column.name] = conversions.affinity(source, translation)


def start_grouping(nodes: Sequence[exp.Expr], env: Env) -> SelectGrouping:
    """A grouping by these expressions (positions and output names already replaced by what they stand for)."""
    keys: list[Named] = []
    for node in nodes:
        expression = conversions.as_shown(conversions.ordered(bind(node, env), env.translation), env.translation)
        wish = expression.name if isinstance(expression, Column) else "key"
        keys.append(Named(free_name(wish, {key.name for key in keys}), expression))
    collations = tuple(of_group(env, node, key.expression) for node, key in zip(nodes, keys, strict=True))
    unique = _unique(keys, env)
    for node, key in zip(nodes, keys, strict=True):
        if not isinstance(key.expression, Column) or key.expression.alias not in unique:
            refuse_groups("groups", node, key.expression)
    return SelectGrouping(env, env.translation.alias("grouped"), tuple(nodes), tuple(keys), collations, unique)


def _unique(keys: Sequence[Named], env: Env) -> frozenset[str]:
    """The aliases of scans whose whole key is grouped by: their other columns have one value in each group."""
    grouped = {(key.expression.alias, key.expression.name) for key in keys if isinstance(key.expression, Column)}
    return frozenset(
        alias
        for alias, entity in env.translation.scans.items()
        if entity.key and all((alias, name) in grouped for name in entity.key)
    )


_SUMS = (AggregateFunction.SUM, AggregateFunction.AVG, AggregateFunction.TOTAL, *SPREAD)
_MOMENTS = {TypeName.DATE, TypeName.TIMESTAMP, TypeName.TIMESTAMPTZ}
_NO_SUMMANDS = KEPT_AS_TEXT | _MOMENTS | {TypeName.BOOLEAN, TypeName.UUID, TypeName.BYTES, *MAY_BE_ARRAYS}


def bind_aggregate(node: exp.Expr, env: Env, *, kept: bool) -> AggregateCall:
    """One aggregate call over rows.

    `kept`: MySQL keeps what it is of in a table of its own, rounded to what that shows, as it does with distinct values.
    """
    if isinstance(node, exp.Filter):
        inner = bind_aggregate(node.this, env, kept=kept)
        return replace(inner, filter=predicate(node.expression.this, env))
    name = function_name(node, env.dialect.grammar)
    if not is_aggregate(node):
        raise statement_gap(f"{name} as an aggregate", node)
    if isinstance(node, exp.WithinGroup):
        return _percentile(node, env)
    if (values_counted := distinct_values(node, env.dialect)) is not None:
        return distinct_rows(node, values_counted, env)
    function = _named(node, name, env)
    argument, distinct, order = _argument(_counting_column(node, env), name)
    if argument is None:
        return AggregateCall(function, None, INTEGER)
    if function is AggregateFunction.LIST and not isinstance(node, exp.ArrayAgg):
        argument = object_of(argument, env) or argument
    value = bind(argument, env)
    value = observed(value) if (kept or distinct) and env.dialect.rules is Rules.MYSQL else value
    _refuse(function, value, name, node, env, distinct=distinct)
    operand = _operand(function, value, env)
    separator = _separator(node, env) if function is AggregateFunction.CONCAT else None
    keys: tuple[SortKey, ...] = bind_sort(order, env)
    if function is AggregateFunction.LIST:
        return of_list(AggregateCall(function, operand, operand.type, distinct, None, keys), node, env)
    if distinct and function is AggregateFunction.CONCAT and env.dialect.rules is Rules.POSTGRESQL:
        keys = keys or in_order(operand)
    kind = _result(function, operand, env)
    rule = collation(env, (argument,), (value if is_no_text(value) else operand,))
    return AggregateCall(function, operand, kind, distinct, None, keys, separator, rule)


def _percentile(node: exp.WithinGroup, env: Env) -> AggregateCall:
    """PostgreSQL's percentile_cont and percentile_disc, of a constant share."""
    function = _PERCENTILES.get(type(node.this))
    keys = node.expression.expressions
    if function is None or env.dialect.rules is not Rules.POSTGRESQL or len(keys) != 1:
        raise statement_gap(f"{function_name(node.this, env.dialect.grammar)} WITHIN GROUP", node)
    said = bind(node.this.this, env)
    share = said.value if isinstance(said, Literal) else None
    if not isinstance(share, int | Decimal):
        raise no_constant("a percentile of a share that is not a constant number", node, node.this.this)
    if not 0 <= share <= 1:
        raise mistake(f"a percentile of {share}, which is not between 0 and 1", node)
    (key,) = bind_sort(keys, env)
    _refuse(AggregateFunction.MAX, key.expression, function.value, node, env, distinct=False)
    operand, kind = key.expression, key.expression.type
    if unplaced(unranked(operand)) != operand:
        raise statement_gap("a percentile of an enum or date, whose order differs from that of the stored values", node)
    if function is AggregateFunction.PERCENTILE_CONT:
        if not of_numbers(operand):
            raise statement_gap(f"PERCENTILE_CONT of {operand.type}", node)
        operand, kind = (operand if is_float(operand) else Cast(operand, FLOAT, Rules.POSTGRESQL)), FLOAT
        key = replace(key, expression=operand)
    return AggregateCall(function, operand, kind, order=(key,), collation=key.collation, share=float(share))


def _named(node: exp.Expr, name: str, env: Env) -> AggregateFunction:
    """The function a call names, where its dialect has it."""
    function = _NAMED[node.name.casefold()] if isinstance(node, exp.Anonymous) else _FUNCTIONS[type(node)]
    is_known = function not in (AggregateFunction.LIST, *SPREAD) and node.name.casefold() not in _OF_POSTGRESQL
    if not is_known and env.dialect.rules is not Rules.POSTGRESQL:
        raise statement_gap(f"{name} as an aggregate", node)
    return function


def _refuse(
    function: AggregateFunction, value: Expression, name: str, node: exp.Expr, env: Env, *, distinct: bool
) -> None:
    """Raise for what an aggregate does not say of such values."""
    if function in _EXTREMES:
        refuse_order(name, node, value)
    if env.dialect.rules is not Rules.SQLITE and function in _SUMS:
        refuse_stored_otherwise(name, node, value)
    if distinct:
        refuse_groups(f"{name}(DISTINCT)", node, value)
    if env.dialect.rules is Rules.POSTGRESQL and function in _SUMS and value.type.name in _NO_SUMMANDS:
        raise mistake(f"there is no {name} of {value.type}", node, "cast it to a number")
    if function in (*_EXTREMES, *_SUMS):
        refuse_infinite(name, node, env.translation, value)
    is_truth = value.type.name is TypeName.BOOLEAN and not is_mixed(value)
    if distinct and function in SPREAD:
        raise statement_gap(f"{name}(DISTINCT)", node)
    if distinct and function in _SUMS and value != NULL and not of_numbers(value) and not is_truth:
        # distinct ones may be equal as numbers
        raise statement_gap(f"{name}(DISTINCT) of values that are not numbers", node)
    if function in _EXTREMES and env.dialect.rules is Rules.POSTGRESQL and ranked(value, value.type.values) != value:
        raise statement_gap(f"{name} of an enum whose labels are not listed in alphabetical order", node)


def _argument(node: exp.Expr, name: str) -> tuple[exp.Expr | None, bool, Sequence[exp.Expr]]:
    """The argument (None for the star), whether only distinct values count, and the order of a concatenation."""
    inner = node.expressions[0] if isinstance(node, exp.Anonymous) else node.this
    order: Sequence[exp.Expr] = ()
    if isinstance(inner, exp.Order):
        order, inner = inner.expressions, inner.this
    distinct = isinstance(inner, exp.Distinct)
    if isinstance(inner, exp.Distinct):
        if len(inner.expressions) != 1:
            raise statement_gap("DISTINCT of several columns in an aggregate", node)
        inner = inner.expressions[0]
    if isinstance(inner, exp.Order):
        order, inner = inner.expressions, inner.this
    if isinstance(node, exp.Count) and (inner is None or isinstance(inner, exp.Star)):
        return None, False, ()
    if isinstance(inner, exp.Column) and isinstance(inner.this, exp.Star):
        raise statement_gap(f"{name} of whole rows; name columns", node)
    if inner is None or (
        isinstance(node, exp.Min | exp.Max | exp.Count) and node.expressions and not isinstance(node, exp.Anonymous)
    ):
        raise statement_gap(f"{name} of several arguments", node)
    return inner, distinct, order


def _counting_column(node: exp.Expr, env: Env) -> exp.Expr:
    """PostgreSQL's `count(t.*)`, and `count(t)` where `t` is no column, as the count of a column, or of all rows."""
    source = row_of(node.this, env) if isinstance(node, exp.Count) else None
    return node if source is None else exp.Count(this=present(source, node, env))


def _operand(function: AggregateFunction, value: Expression, env: Env) -> Expression:
    translation = env.translation
    match function:
        case AggregateFunction.SUM | AggregateFunction.AVG | AggregateFunction.TOTAL if conversions.is_strict(
            translation, value
        ):
            return value  # of which the server's sums leave out what is no number
        case AggregateFunction.SUM:
            return conversions.summand(value, translation)
        case AggregateFunction.AVG | AggregateFunction.TOTAL:
            return conversions.number(value, translation)
        case _ if function in SPREAD:
            return conversions.number(value, translation)
        case AggregateFunction.CONCAT:
            return conversions.text(value, translation)
        case AggregateFunction.EVERY | AggregateFunction.SOME:
            return conversions.truth(value, translation)
        case AggregateFunction.MIN | AggregateFunction.MAX:
            if translation.dialect.rules is Rules.MYSQL and value.type.name is TypeName.DECIMAL:
                return value
            return conversions.as_shown(conversions.ordered(value, translation), translation)
        case _:
            return value


def _separator(node: exp.Expr, env: Env) -> Expression:
    separator = node.args.get("separator")
    return conversions.text(bind(separator, env), env.translation) if separator is not None else Literal(",", TEXT)


def _result(function: AggregateFunction, operand: Expression, env: Env) -> Type:
    match function:
        case AggregateFunction.COUNT:
            return INTEGER
        case AggregateFunction.TOTAL:
            return FLOAT
        case AggregateFunction.SUM:
            return _sum(operand, env)
        case AggregateFunction.AVG:
            if env.dialect.is_sqlite or is_float(operand):
                return FLOAT
            return _average(operand) if env.dialect.rules is Rules.MYSQL else DECIMAL
        case _ if function in SPREAD:
            return FLOAT if is_float(operand) else DECIMAL
        case AggregateFunction.CONCAT:
            return TEXT
        case AggregateFunction.EVERY | AggregateFunction.SOME:
            return BOOLEAN
        case _:
            return ANY if is_mixed(operand) and not is_mixed_time(operand) else operand.type


def _sum(operand: Expression, env: Env) -> Type:
    if conversions.is_strict(env.translation, operand):
        return ANY
    if operand.type.name is TypeName.INTEGER and sums.is_large(operand, env.translation):
        return DECIMAL
    if operand.type.name in (TypeName.INTEGER, TypeName.FLOAT):
        return operand.type
    return together((operand,)) or DECIMAL if env.dialect.rules is Rules.MYSQL else DECIMAL


def _average(operand: Expression) -> Type:
    """The type of MySQL's average of exact numbers: their sum by how many they are."""
    digits = digits_of(operand)
    if digits is None:
        raise statement_gap("an average of decimals with an undeclared number of digits")
    return quotient(digits, Digits(0, 0)).type
