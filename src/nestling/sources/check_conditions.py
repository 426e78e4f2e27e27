"""Parses the condition of a CHECK: the parts that must all hold, and what each allows for one column's values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import sqlglot
from sqlglot import exp

from nestling.common.errors import InputError
from nestling.common.sql_syntax import UNREADABLE
from nestling.common.sql_tokens import sql_tokens
from nestling.ir.constraints.allowed import Allowed, Number, Scalar, number
from nestling.ir.model import Attribute, Entity
from nestling.ir.statements.operators import Collation
from nestling.ir.statements.sql_dialects import GRAMMARS, MYSQL, POSTGRESQL
from nestling.ir.types import TypeName
from nestling.sources.tables import CheckConstraint, find_name

_AllowedOf: TypeAlias = tuple[Attribute, Allowed]
"""An attribute and what a condition allows for its values."""

_T = exp.DataType.Type
_FLIPPED = {exp.GT: exp.LT, exp.GTE: exp.LTE, exp.LT: exp.GT, exp.LTE: exp.GTE, exp.EQ: exp.EQ, exp.NEQ: exp.NEQ}
_TEXTS, _WHOLE, _FLOATS = {_T.TEXT, _T.VARCHAR}, {_T.SMALLINT, _T.INT, _T.BIGINT}, {_T.DOUBLE, _T.FLOAT}
_SAME = {TypeName.TEXT: _TEXTS, TypeName.INTEGER: {_T.BIGINT, _T.DECIMAL}}
"""Casts that leave every value of a column unchanged; PostgreSQL includes them in its output."""
_READ: dict[type[exp.Expr], set[str]] = {
    exp.In: {"this", "expressions"},
    exp.Between: {"this", "low", "high"},
    exp.Array: {"expressions"},
    exp.Cast: {"this", "to"},
    exp.DataType: {"this", "expressions", "nested"},
    exp.Identifier: {"this", "quoted"},
    exp.Literal: {"this", "is_string"},
}
"""The arguments of a node that are interpreted; for all others the operands."""


class _NotSaid(Exception):
    """Raised for a condition that `Allowed` cannot express."""


def parts(sql: str, dialect: str) -> list[exp.Expr]:
    """The conditions joined by AND; none if the text cannot be parsed."""
    try:
        grammar, text = sqlglot.Dialect.get_or_raise(GRAMMARS[dialect]), f"SELECT\n{sql}\n"
        [parsed] = grammar.parser().parse(sql_tokens(text, grammar), text)
        found = parsed.expressions if isinstance(parsed, exp.Select) else []
        return list(_joined(found[0])) if len(found) == 1 else []
    except UNREADABLE:
        return []


def _joined(node: exp.Expr) -> Iterator[exp.Expr]:
    node = node.unnest()
    if isinstance(node, exp.And):
        yield from _joined(node.left)
        yield from _joined(node.right)
    else:
        yield node


@dataclass(frozen=True, slots=True)
class Conditions:
    """Reads the conditions of one check over the columns of its table."""

    entity: Entity
    check: CheckConstraint
    dialect: str

    def allowed_by(self, node: exp.Expr) -> _AllowedOf | None:
        """The values a condition allows, if it compares one column with constants; rows with NULL pass a CHECK."""
        try:
            _check_read(node)
            return self._allowed(node.unnest())
        except (_NotSaid, InputError, RecursionError):
            return None

    def is_not_null(self, node: exp.Expr) -> Attribute | None:
        """The attribute that a condition says is never NULL; dialects have two forms of it."""
        if not (isinstance(node, exp.Not) or node.args.get("negate")):
            return None
        try:
            return self._null(node.this.unnest() if isinstance(node, exp.Not) else node)
        except _NotSaid:
            return None

    def _allowed(self, node: exp.Expr) -> _AllowedOf:
        match node:
            case exp.And():
                return _alike(self._allowed(node.left.unnest()), self._allowed(node.right.unnest()), Allowed.meet)
            case exp.Or():
                return self._either(node.left.unnest(), node.right.unnest())
            case exp.In():
                return self._listed(node.this, node.expressions)
            case exp.EQ(expression=exp.Any() as some):
                return self._listed(node.left, self._elements(some.this))
            case exp.Between():
                low, high = (
                    self._compared(kind, node.this, node.args[end])
                    for kind, end in ((exp.GTE, "low"), (exp.LTE, "high"))
                )
                return _alike(low, high, Allowed.meet)
            case exp.EQ() | exp.NEQ() | exp.GT() | exp.GTE() | exp.LT() | exp.LTE():
                flipped = not list(node.left.find_all(exp.Column))
                kind = _FLIPPED[type(node)] if flipped else type(node)
                return self._compared(kind, *((node.right, node.left) if flipped else (node.left, node.right)))
            case _:
                raise _NotSaid

    def _either(self, left: exp.Expr, right: exp.Expr) -> _AllowedOf:
        """Two lists of values are one; `… OR x IS NULL` says nothing more."""
        for node, other in ((left, right), (right, left)):
            if (absent := self._null(node)) is not None:
                found = self._allowed(other)
                return _alike(found, (absent, found[1]), lambda one, _: one)
        return _alike(self._allowed(left), self._allowed(right), _one_list)

    def _null(self, node: exp.Expr) -> Attribute | None:
        if isinstance(node, exp.Is) and isinstance(node.expression, exp.Null) and isinstance(node.this, exp.Column):
            return self._attribute(node.this)
        return None

    def _listed(self, node: exp.Expr, values: Sequence[exp.Expr]) -> _AllowedOf:
        attribute = self._column(node)
        return attribute, Allowed(tuple(dict.fromkeys(self._constant(value, attribute) for value in values)))

    def _elements(self, node: exp.Expr) -> Sequence[exp.Expr]:
        """The elements of an array as PostgreSQL shows it, its own cast left out."""
        node = node.unnest()
        if type(node) is exp.Cast and [each.this for each in node.to.expressions] == [_T.TEXT]:
            node = node.this.unnest()
        if not isinstance(node, exp.Array):
            raise _NotSaid
        return node.expressions

    def _compared(self, kind: type[exp.Expr], node: exp.Expr, constant: exp.Expr) -> _AllowedOf:
        node = node.unnest()
        if isinstance(node, exp.Length):
            attribute = self._column(node.this)
            return attribute, _length(kind, self._number(constant, TypeName.INTEGER))
        attribute = self._column(node)
        value = self._constant(constant, attribute)
        if kind is exp.EQ:
            return attribute, Allowed((value,))
        if kind is exp.NEQ and value == "" and self.dialect != MYSQL and attribute.collation is Collation.BINARY:
            return attribute, Allowed(minimum_length=1)
        if isinstance(value, str) or kind is exp.NEQ:
            raise _NotSaid
        if kind in (exp.GT, exp.GTE):
            return attribute, Allowed(minimum=value, exclusive_minimum=kind is exp.GT)
        return attribute, Allowed(maximum=value, exclusive_maximum=kind is exp.LT)

    # --- columns and constants -------------------------------------------------------------------------------------------

    def _column(self, node: exp.Expr) -> Attribute:
        """The column, or a cast of it that changes no value."""
        node = node.unnest()
        if isinstance(node, exp.Column):
            return self._attribute(node)
        if type(node) is exp.Cast and self.dialect == POSTGRESQL and not node.to.expressions:
            attribute = self._column(node.this)
            if node.to.this in _SAME.get(attribute.type.name, ()):
                return attribute
        raise _NotSaid

    def _attribute(self, node: exp.Column) -> Attribute:
        of_domain = self.check.column and node.name.casefold() == "value"
        name = find_name(self.check.column if of_domain else node.name, self.entity.attribute_names)
        if name is None:
            raise _NotSaid
        return self.entity.attribute(name)

    def _constant(self, node: exp.Expr, attribute: Attribute) -> Scalar:
        """A text for a column of texts, a number for any other."""
        if attribute.type.name is not TypeName.TEXT:
            return self._number(node, attribute.type.name)
        node = node.unnest()
        if type(node) is exp.Cast and node.to.this in _TEXTS and not node.to.expressions:
            node = node.this.unnest()
        if not (isinstance(node, exp.Literal) and node.is_string):
            raise _NotSaid
        return str(node.this)

    def _number(self, node: exp.Expr, kind: TypeName) -> Number:
        node = node.unnest()
        match node:
            case exp.Literal(is_string=False) if not (
                self.dialect == MYSQL and _is_double(node) and kind is not TypeName.FLOAT
            ):
                return number(str(node.this))
            case exp.Neg():
                return number(-self._number(node.this, kind))
            case exp.Boolean() if kind is TypeName.BOOLEAN:
                return int(bool(node.this))
            case exp.Cast() if type(node) is exp.Cast and self.dialect == POSTGRESQL and not node.to.expressions:
                return self._cast(node, kind)
            case _:
                raise _NotSaid

    def _cast(self, node: exp.Cast, kind: TypeName) -> Number:
        """A number, or the text of one, as a type that holds it; a double only where doubles are compared."""
        inner = node.this.unnest()
        is_text = isinstance(inner, exp.Literal) and inner.is_string
        value = number(str(inner.this)) if is_text else self._number(inner, kind)
        fits = isinstance(value, int) if node.to.this in _WHOLE else node.to.this is _T.DECIMAL
        if fits or (node.to.this in _FLOATS and kind is TypeName.FLOAT):
            return value
        raise _NotSaid


def _check_read(node: exp.Expr) -> None:
    """Raise when a node says something that nothing here reads: `NOT`, `SYMMETRIC`, the table of a column."""
    for each in node.walk():
        if {name for name, value in each.args.items() if value} - _READ.get(type(each), {"this", "expression"}):
            raise _NotSaid


def _is_double(node: exp.Literal) -> bool:
    return "e" in str(node.this).lower()


def _length(kind: type[exp.Expr], length: Number) -> Allowed:
    if not isinstance(length, int) or kind is exp.NEQ:
        raise _NotSaid
    least = length + 1 if kind is exp.GT else length if kind in (exp.EQ, exp.GTE) else None
    most = length - 1 if kind is exp.LT else length if kind in (exp.EQ, exp.LTE) else None
    return Allowed(minimum_length=least, maximum_length=most)


def _alike(one: _AllowedOf, other: _AllowedOf, joined: Callable[[Allowed, Allowed], Allowed]) -> _AllowedOf:
    """Two conditions on one attribute as one."""
    if one[0].name != other[0].name:
        raise _NotSaid
    return one[0], joined(one[1], other[1])


def _one_list(one: Allowed, other: Allowed) -> Allowed:
    if not (one.values and other.values):
        raise _NotSaid
    return Allowed(tuple(dict.fromkeys((*one.values, *other.values))))
