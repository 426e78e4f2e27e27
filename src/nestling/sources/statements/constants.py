"""What a statement's own text says of the rows it finds or writes, whatever its parameters are: comparisons with literals.

Only what one index can be made for: truths, whole numbers, texts that are equal where they are written alike, NULL and not NULL.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlglot import exp

from nestling.ir.model import Attribute
from nestling.ir.statements.clause import Clause, ClauseOperator, ClauseValue
from nestling.ir.statements.operators import Collation
from nestling.ir.statements.sql_dialects import MYSQL, NAMES
from nestling.ir.types import COMPOSITE, TEXTS, TypeName
from nestling.sources.statements.occurrences import Occurrence
from nestling.sources.statements.walk import StatementWalk

_COMPARED: dict[type[exp.Expr], ClauseOperator] = {
    exp.EQ: ClauseOperator.EQUAL,
    exp.NullSafeEQ: ClauseOperator.EQUAL,
    exp.Is: ClauseOperator.EQUAL,
    exp.LT: ClauseOperator.LESS,
    exp.LTE: ClauseOperator.LESS_OR_EQUAL,
    exp.GT: ClauseOperator.GREATER,
    exp.GTE: ClauseOperator.GREATER_OR_EQUAL,
}

_ComparedColumn = tuple[exp.Column, ClauseOperator, ClauseValue | None]


def note_found(part: exp.Expr, walk: StatementWalk) -> None:
    """Take what one part of a condition that must hold says; its columns have been resolved."""
    for column, compared, value in _compared(part):
        for occurrence, name in walk.origins(column):
            _note(occurrence, occurrence.constants, name, compared, value, walk)


def note_written(occurrence: Occurrence, name: str, value: exp.Expr | None, walk: StatementWalk) -> None:
    """Take the value an attribute is given: None where a new row has the attribute's default."""
    if value is None:
        made = occurrence.entity.attribute(name).default
        if made is None:
            _note(occurrence, occurrence.sets, name, ClauseOperator.NULL, None, walk)
        return
    known, found = _literal(value.unnest())
    if known:
        _note(
            occurrence,
            occurrence.sets,
            name,
            ClauseOperator.NULL if found is None else ClauseOperator.EQUAL,
            found,
            walk,
        )


def note_inserted(tree: exp.Expr, occurrence: Occurrence, names: list[str], walk: StatementWalk) -> None:
    """Record the values of the single row of a VALUES list, and which columns it does not give."""
    rows = tree.expressions if isinstance(tree, exp.Values) else []
    values = rows[0].expressions if len(rows) == 1 and isinstance(rows[0], exp.Tuple) else []
    if len(values) != len(names):
        return
    given = dict(zip(names, values, strict=True))
    for name in occurrence.entity.attribute_names:
        note_written(occurrence, name, given.get(name), walk)


def _compared(part: exp.Expr) -> Iterator[_ComparedColumn]:
    match part:
        case exp.Column():
            yield part, ClauseOperator.EQUAL, True
        case exp.Not():
            for column, compared, value in _compared(part.this.unnest()):
                if compared is ClauseOperator.NULL:
                    yield column, ClauseOperator.PRESENT, None
                elif isinstance(value, bool) and isinstance(part.this.unnest(), exp.Column):
                    yield column, compared, not value
        case exp.Between():
            yield from _ordered(part.this, ClauseOperator.GREATER_OR_EQUAL, part.args["low"])
            yield from _ordered(part.this, ClauseOperator.LESS_OR_EQUAL, part.args["high"])
        case exp.Binary() if type(part) in _COMPARED:
            yield from _ordered(part.left, _COMPARED[type(part)], part.right)
        case _:
            return


def _ordered(left: exp.Expr, compared: ClauseOperator, right: exp.Expr) -> Iterator[_ComparedColumn]:
    left, right = left.unnest(), right.unnest()
    if isinstance(right, exp.Column):
        left, right, compared = right, left, compared.mirrored
    known, value = _literal(right)
    if not isinstance(left, exp.Column) or not known:
        return
    if value is not None:
        yield left, compared, value
    elif isinstance(right.parent, exp.Is | exp.NullSafeEQ):
        yield left, ClauseOperator.NULL, None


def _literal(node: exp.Expr) -> tuple[bool, ClauseValue | None]:
    """Whether a value is a plain literal, and which."""
    match node:
        case exp.Null():
            return True, None
        case exp.Boolean():
            return True, bool(node.this)
        case exp.Literal() if node.is_string:
            return True, str(node.this)
        case exp.Literal() if node.is_int:
            return True, int(node.this)
        case exp.Neg(this=exp.Literal() as inner) if inner.is_int:
            return True, -int(inner.this)
        case _:
            return False, None


def _note(
    occurrence: Occurrence,
    notes: dict[Clause, None],
    name: str,
    compared: ClauseOperator,
    value: ClauseValue | None,
    walk: StatementWalk,
) -> None:
    attribute = occurrence.entity.attribute(name)
    found = _of_kind(attribute, compared, value, walk.dialect)
    notes.update(dict.fromkeys(found))


def _of_kind(
    attribute: Attribute, compared: ClauseOperator, value: ClauseValue | None, dialect: str
) -> Iterable[Clause]:
    """The condition as one on values of the attribute's type; none where that is another thing."""
    kind = attribute.type.name
    if compared in (ClauseOperator.NULL, ClauseOperator.PRESENT):
        return (Clause(attribute.name, compared),) if attribute.nullable and kind not in COMPOSITE else ()
    if kind is TypeName.BOOLEAN and compared is ClauseOperator.EQUAL and isinstance(value, bool):
        return (Clause(attribute.name, compared, value),)
    if kind is TypeName.INTEGER and isinstance(value, int) and not isinstance(value, bool):
        return (Clause(attribute.name, compared, value),)
    if kind in TEXTS and isinstance(value, str) and compared is ClauseOperator.EQUAL and _is_exact(attribute, dialect):
        return (Clause(attribute.name, compared, value.rstrip(" ") if attribute.type.is_char else value),)
    return ()


def _is_exact(attribute: Attribute, dialect: str) -> bool:
    """Whether texts of an attribute are equal where they are written alike, and nowhere else."""
    return attribute.collation is Collation.BINARY and NAMES.get(dialect) != MYSQL
