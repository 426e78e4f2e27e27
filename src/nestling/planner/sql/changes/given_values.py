"""Parameters and constants among a query's values, as in `INSERT … SELECT :name, id FROM …`: each as its attribute keeps it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from nestling.ir.model import Attribute
from nestling.ir.statements.algebra import Distinct, Filter, LimitOffset, Named, Project, Relation, Sort, Values
from nestling.ir.statements.expression import ANY, NULL, Column, Literal, Parameter
from nestling.ir.types import TypeName
from nestling.planner.sql.changes.assignments import stored
from nestling.planner.sql.scope import Translation


def with_given_values(rows: Relation, attributes: Sequence[Attribute], translation: Translation) -> Relation:
    """The rows with each parameter that is one of their columns, also of a query in FROM, as its attribute stores it."""
    match rows:
        case Sort() | LimitOffset() | Filter() | Distinct():
            return replace(rows, input=with_given_values(rows.input, attributes, translation))
        case Project(outputs=outputs) if len(outputs) == len(attributes):
            pairs = [*zip(outputs, attributes, strict=True)]
            wanted = {
                each.expression.name: attribute for each, attribute in pairs if isinstance(each.expression, Column)
            }
            below = _below(rows.input, wanted, translation)
            known = {(column.alias, column.name): column for column in below.columns}
            return Project(below, rows.alias, tuple(_stored_output(each, a, known, translation) for each, a in pairs))
        case Values(columns=columns) if len(columns) == len(attributes):
            return _with_bits(rows, attributes, translation)
        case _:
            return rows


def _with_bits(rows: Values, attributes: Sequence[Attribute], translation: Translation) -> Values:
    """The rows with what is written for bits as these are kept: numbers, truths and bits, which have no type in common."""
    is_bits = [attribute.type.name is TypeName.BITS for attribute in attributes]
    columns = tuple(
        replace(column, type=attribute.type, mixed=False) if bits else column
        for column, attribute, bits in zip(rows.columns, attributes, is_bits, strict=True)
    )
    cells = tuple(
        tuple(
            stored(cell, attribute, translation) if bits else cell
            for cell, attribute, bits in zip(row, attributes, is_bits, strict=True)
        )
        for row in rows.rows
    )
    return replace(rows, columns=columns, rows=cells)


def _below(rows: Relation, wanted: Mapping[str, Attribute], translation: Translation) -> Relation:
    if isinstance(rows, Sort | LimitOffset | Filter | Distinct):
        return replace(rows, input=_below(rows.input, wanted, translation))
    names = [column.name for column in rows.columns]
    if not isinstance(rows, Project) or not set(names) <= set(wanted):
        return rows
    return with_given_values(rows, [wanted[name] for name in names], translation)


def _stored_output(
    output: Named, attribute: Attribute, known: Mapping[tuple[str, str], Column], translation: Translation
) -> Named:
    value = output.expression
    is_read = attribute.type.name is not TypeName.TEXT
    is_bits = attribute.type.name is TypeName.BITS
    is_written = isinstance(value, Literal) and ((isinstance(value.value, str) and is_read) or is_bits)
    if is_written or (isinstance(value, Parameter) and value.type == ANY):
        return replace(output, expression=stored(value, attribute, translation))
    if value == NULL:
        return replace(output, expression=Literal(None, attribute.type))
    if isinstance(value, Column) and value.type == ANY:
        return replace(output, expression=known.get((value.alias, value.name), value))
    return output
