"""Which collation compares texts: one a COLLATE names, else a column's own, else the dialect's.

SQLite takes the left side's before the right's, and a column keeps its collation through CAST and derived tables. In MySQL every
text made of columns has theirs, and binary beats the others. PostgreSQL's citext, whose columns alone have `NOCASE` there, is a
type: a cast ends it, a constant becomes it, and beside any other text it is text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sqlglot import exp

from nestling.ir.statements.expression import (
    Call,
    Case,
    Cast,
    Coerce,
    Column,
    Expression,
    Literal,
    Parameter,
    Raw,
    ScalarSubquery,
)
from nestling.ir.statements.operands import is_mixed, is_text, operands
from nestling.ir.statements.operators import Collation, Function, Rules
from nestling.ir.types import NEVER_TEXT, OF_DIGITS, TIMES, TypeName
from nestling.planner.sql.gaps import statement_gap
from nestling.planner.sql.scope import Env, NamedOutput, Translation

_NAMES = {"binary": Collation.BINARY, "nocase": Collation.NOCASE, "rtrim": Collation.RTRIM, "c": Collation.BINARY}


def collation(env: Env, nodes: Iterable[exp.Expr | None], sides: Iterable[Expression]) -> Collation:
    """The collation a comparison uses: of the SQL `nodes` that say one, else of the `sides` they are."""
    nodes = tuple(nodes)
    for node in nodes:
        found = explicit(node, env)
        if found is not None:
            return found
    rule = collation_of(sides, env.translation)
    if rule is Collation.NOCASE and env.dialect.rules is Rules.POSTGRESQL and any(map(_is_cast_to_text, nodes)):
        return Collation.BINARY
    return rule


def _is_cast_to_text(node: exp.Expr | None) -> bool:
    inner = node.unnest() if node is not None else None
    return isinstance(inner, exp.Cast) and not is_cast_to_citext(inner)


def is_cast_to_citext(node: exp.Expr) -> bool:
    """Whether it is cast to citext."""
    return isinstance(node, exp.Cast) and node.to.sql().rpartition(".")[2].casefold() == "citext"


def of_group(env: Env, node: exp.Expr | None, key: Expression) -> Collation:
    """The collation rows are grouped by. An enum's labels no collation takes for each other."""
    if key.type.name is TypeName.ENUM and explicit(node, env) is None:
        return Collation.BINARY
    return collation(env, (node,), (key,))


def explicit(node: exp.Expr | None, env: Env) -> Collation | None:
    """The collation of a COLLATE, directly or in the expression of a named output."""
    while isinstance(node, exp.Paren | exp.Ordered | exp.Distinct | exp.Alias):
        node = node.expressions[0] if isinstance(node, exp.Distinct) else node.this
    if isinstance(node, exp.Column) and env.outputs and not node.table:
        found = env.find(node)
        return explicit(found.tree, replace(found.env.rows(), parent=None)) if isinstance(found, NamedOutput) else None
    if env.dialect.rules is Rules.MYSQL and node is not None and _is_binary(node):
        return Collation.BINARY
    return _named(node) if isinstance(node, exp.Collate) else None


def _is_binary(node: exp.Expr) -> bool:
    """Whether it is MySQL's `BINARY x`."""
    return isinstance(node, exp.Cast) and node.to.this is exp.DataType.Type.BINARY and not node.to.expressions


def is_by_bytes(node: exp.Expr) -> bool:
    """Whether one of the sides of LIKE or REGEXP is `BINARY x`."""
    return any(_is_binary(side.unnest()) for side in (node.this, node.expression))


def without_binary(node: exp.Expr, env: Env) -> exp.Expr:
    """The text that MySQL's `BINARY x` takes for bytes: those of two texts differ where their characters do."""
    inner = node.unnest()
    is_bytes = env.dialect.rules is Rules.MYSQL and isinstance(inner, exp.Cast) and _is_binary(inner)
    return inner.this.unnest() if is_bytes and isinstance(inner, exp.Cast) else node


def _named(node: exp.Collate) -> Collation:
    name = node.expression.name.casefold()
    if name in _NAMES:
        return _NAMES[name]
    if name.endswith("_bin"):
        return Collation.BINARY
    if name.endswith("_ci"):
        return Collation.UNICODE_CI
    raise statement_gap(f"collation `{name}`", node)


def collation_of(sides: Iterable[Expression], translation: Translation) -> Collation:
    """The collation of values for which none is declared."""
    sides = tuple(sides)
    if any(is_no_text(side) for side in sides):
        return Collation.BINARY
    if translation.dialect.rules is Rules.MYSQL:
        if any(side.type.name in TIMES for side in sides):  # what is beside a date is one, or the text of a zero date
            return Collation.BINARY
        found = {rule for side in sides for rule in _of_columns(side, translation)}
        if any(map(_is_in_json, sides)):
            return _beside_json(found)
        return next(iter(found)) if len(found) == 1 else Collation.BINARY if found else translation.dialect.collation
    if translation.dialect.rules is Rules.POSTGRESQL:
        kinds = {is_citext(side, translation) for side in sides}
        if True in kinds:
            return Collation.BINARY if False in kinds else Collation.NOCASE
    for side in sides:
        own = declared(side, translation)
        if own is not None:
            return own
    return translation.dialect.collation


def is_no_text(expression: Expression) -> bool:
    """Whether it is never a text."""
    if isinstance(expression, Literal):
        return not isinstance(expression.value, str)
    return expression.type.name in NEVER_TEXT | OF_DIGITS and not is_mixed(expression)


def declared(expression: Expression, translation: Translation) -> Collation | None:
    """The collation of a column, which a conversion keeps; None for anything but a column."""
    if translation.dialect.rules is Rules.POSTGRESQL and is_citext(expression, translation):
        return Collation.NOCASE
    match expression:
        case Cast(operand=inner) if is_citext(inner, translation) and translation.dialect.rules is Rules.POSTGRESQL:
            return Collation.BINARY
        case Raw(operand=inner) | Cast(operand=inner) | Coerce(operand=inner):
            return declared(inner, translation)
        case Column(alias=alias, name=name):
            return translation.collations.get((alias, name), translation.dialect.collation)
        case _:
            return None


def is_citext(expression: Expression, translation: Translation) -> bool | None:
    """Whether PostgreSQL takes a text for citext; None for a constant or parameter, which it takes for what is beside it."""
    match expression:
        case Column(alias=alias, name=name):
            return translation.collations.get((alias, name)) is Collation.NOCASE
        case Raw(operand=inner) | Coerce(operand=inner):
            return is_citext(inner, translation)
        case ScalarSubquery(relation=relation):
            return is_citext(relation.columns[0], translation)
        case Call(function=Function.COALESCE, arguments=parts):
            return _all_citext(parts, translation)
        case Case(branches=branches, default=default):
            return _all_citext((*(value for _, value in branches), default), translation)
        case Literal() | Parameter(exact=False):
            return None
        case _:
            return False


def _all_citext(parts: Iterable[Expression], translation: Translation) -> bool | None:
    kinds = {is_citext(part, translation) for part in parts} - {None}
    return kinds == {True} if kinds else None


def _is_in_json(expression: Expression) -> bool:
    """Whether it is the text of a value in JSON."""
    return isinstance(expression, Call) and expression.function is Function.JSON_VALUE


def _beside_json(found: set[Collation]) -> Collation:
    """MySQL compares the texts of values in JSON to the letter, MariaDB beside a column by that one's collation."""
    if found - {Collation.BINARY}:
        raise statement_gap("a value in JSON together with a text of another collation, where MySQL and MariaDB differ")
    return Collation.BINARY


def _of_columns(expression: Expression, translation: Translation) -> Iterable[Collation]:
    if isinstance(expression, Cast) and is_text(expression) and is_text(expression.operand):
        yield translation.dialect.collation  # of the connection, as MySQL gives what is cast
        return
    if _is_in_json(expression):
        return
    if isinstance(expression, Column):
        is_time = expression.type.name in TIMES  # the text of which has the connection's collation
        if not is_time and not is_no_text(expression) and (expression.mixed or expression.type.name not in OF_DIGITS):
            yield translation.collations.get((expression.alias, expression.name), translation.dialect.collation)
    elif isinstance(expression, ScalarSubquery):
        yield from _of_columns(expression.relation.columns[0], translation)
    for inner in operands(expression):
        yield from _of_columns(inner, translation)


def keep(column: Column, rule: Collation | None, translation: Translation) -> None:
    """Note the collation of a column that was made."""
    if rule is not None:
        translation.collations[column.alias, column.name] = rule


def output_collation(expression: Expression, tree: exp.Expr | None, env: Env) -> Collation | None:
    """The collation that an output passes to the query around it; None if it has none of its own."""
    found = explicit(tree, env)
    if found is None and env.dialect.rules is Rules.MYSQL:
        return collation_of([expression], env.translation)
    return found if found is not None else declared(expression, env.translation)


def rules_of(found: Sequence[Collation]) -> tuple[Collation, ...]:
    """Collations as relations carry them: none at all when all are binary."""
    return tuple(found) if any(rule is not Collation.BINARY for rule in found) else ()
