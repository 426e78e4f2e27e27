"""`INSERT … SELECT p0::uuid FROM (VALUES …) AS x(p0, n) ORDER BY n`, as SQLAlchemy adds rows: what it means, as VALUES."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from sqlglot import exp

from nestling.planner.sql.expressions import is_aggregate

_CLAUSES = frozenset({"expressions", "from_", "order"})


def as_values(rows: exp.Expr) -> exp.Expr:
    """The query as VALUES where it only casts the columns of a VALUES, in the order they are written; else as it is."""
    source = _source(rows)
    if source is None:
        return rows
    columns = [column.name.casefold() for column in source.args["alias"].args.get("columns") or ()]
    if not columns or any(len(row.expressions) != len(columns) for row in source.expressions):
        return rows
    cells = [dict(zip(columns, row.expressions, strict=True)) for row in source.expressions]
    name = source.args["alias"].name.casefold()
    is_plain = all(_is_plain(each, columns, name) for each in rows.expressions)
    if not (
        _is_in_order(rows, cells, name)
        and is_plain
        and all(_are_alike([row[each] for row in cells]) for each in columns)
    ):
        return rows
    made = [exp.Tuple(expressions=[_cell(each.unalias(), row) for each in rows.expressions]) for row in cells]
    return exp.Values(expressions=made)


def _source(rows: exp.Expr) -> exp.Values | None:
    """The VALUES with a name that is all the query reads."""
    if not isinstance(rows, exp.Select) or any(value and key not in _CLAUSES for key, value in rows.args.items()):
        return None
    source = rows.args.get("from_")
    found = source.this if isinstance(source, exp.From) else None
    if not isinstance(found, exp.Values) or not isinstance(found.args.get("alias"), exp.TableAlias):
        return None
    has_rows = all(isinstance(row, exp.Tuple) for row in found.expressions)
    return found if has_rows and not found.args.get("order") else None


def _is_in_order(rows: exp.Expr, cells: Sequence[Mapping[str, exp.Expr]], name: str) -> bool:
    """Whether the rows come in the order in which they are written: by a column of growing numbers, or without an ORDER BY."""
    if not isinstance(order := rows.args.get("order"), exp.Order):
        return True
    key = order.expressions[0]
    if len(order.expressions) != 1 or key.args.get("desc") or not _is_column(key.this, cells[0], name):
        return False
    numbers = [row[key.this.name.casefold()] for row in cells]
    if any(not isinstance(each, exp.Literal) or each.is_string or not each.name.isdecimal() for each in numbers):
        return False
    return all(int(one.name) < int(other.name) for one, other in pairwise(numbers))


def _is_column(node: exp.Expr, columns: Sequence[str] | Mapping[str, exp.Expr], name: str) -> bool:
    return isinstance(node, exp.Column) and node.name.casefold() in columns and node.table.casefold() in ("", name)


def _is_plain(node: exp.Expr, columns: Sequence[str], name: str) -> bool:
    """Whether it means for one row what it means for the whole column: the column itself, its cast, or what reads none."""
    inner = node.unalias().unnest()
    inner = inner.this.unnest() if isinstance(inner, exp.Cast) else inner
    if isinstance(inner, exp.Column):
        return _is_column(inner, columns, name)
    return not any(isinstance(each, exp.Column | exp.Query | exp.Window) or is_aggregate(each) for each in inner.walk())


def _are_alike(cells: Sequence[exp.Expr]) -> bool:
    """Whether the values of a column have one type by themselves: they say the same one, or none."""
    kinds = {_written_type(each) for each in cells if not isinstance(each, exp.Null)}
    return len(kinds) < 2 and None not in kinds


def _written_type(cell: exp.Expr) -> str | None:
    """The type a value says; empty for a text or parameter, which takes any, None for what would have to be found out."""
    match cell:
        case exp.Cast():
            return cell.to.sql()
        case exp.Literal(is_string=True) | exp.Placeholder() | exp.Parameter():
            return ""
        case exp.Boolean():
            return "BOOLEAN"
        case exp.Literal() if cell.name.isdecimal():
            return "INT"
        case _:
            return None


def _cell(node: exp.Expr, row: Mapping[str, exp.Expr]) -> exp.Expr:
    """The value of one row; NULL is of every type."""
    if isinstance(node, exp.Paren):
        return _cell(node.this, row)
    if isinstance(node, exp.Column):
        return row[node.name.casefold()].copy()
    if not isinstance(node, exp.Cast) or not isinstance(node.this.unnest(), exp.Column):
        return node.copy()
    value = _cell(node.this, row)
    if isinstance(value, exp.Null):
        return value
    return exp.Cast(this=value, to=node.to.copy())
