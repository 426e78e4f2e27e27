"""CHECKs over a row's columns as `$expr` of a validator, in addition to `$jsonSchema`.

A row passes unless its check is false: unknown passes, as in SQL. Each `$expr` contains the name of its constraint, because the
server's error shows nothing but the expression.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from nestling.emitters.mql.kinds import is_of_kind
from nestling.emitters.mql.sql import truth_mql
from nestling.emitters.mql.sql.constants import MqlValue
from nestling.ir.design import Design
from nestling.ir.primitives import Form
from nestling.ir.statements.columns import over
from nestling.ir.statements.expression import Arithmetic, Column, Expression, Not
from nestling.ir.statements.operands import columns_of, compared_columns, operands
from nestling.ir.storage.kept_checks import KeptCheck, checks_at
from nestling.ir.storage.layout import Node, StoredCollection
from nestling.ir.storage.names import join
from nestling.ir.types import BSON_DIGITS, EXACT_NUMBERS, MOMENTS, TypeName
from nestling.ir.values import Policy

_AS_FOUND: Mapping[TypeName, tuple[str, ...]] = {
    TypeName.TEXT: ("binData",),
    TypeName.UUID: ("string",),
    TypeName.DATE: ("string",),
    **dict.fromkeys(MOMENTS, ("string", "binData")),
}
"""BSON types of values that are stored as found because no type fits: these pass."""
_NUMBERS = ("int", "long", "double", "decimal")
_WIDE = r"^\d{4}-\d\d-\d\dT"
"""How timestamps stored as texts begin; infinite ones, and those before our era, do not match."""


def row_conditions(design: Design, store: StoredCollection, policy: Policy) -> list[dict[str, object]]:
    """An `{"$expr": …}` for each check that the documents of a collection can break."""
    return [{"$expr": _named(kept, policy)} for kept in checks_at(design, store) if not kept.lacking]


def _named(kept: KeptCheck, policy: Policy) -> MqlValue:
    """True, or false together with the name of the broken constraint."""
    return {"$not": [{"$cond": [_Rows(kept, policy).holds(), False, {"$literal": kept.label}]}]}


@dataclass(frozen=True, slots=True)
class _Rows:
    """The rows of one place, and how expressions refer to their documents, level by level."""

    kept: KeptCheck
    policy: Policy

    def holds(self) -> MqlValue:
        return self._below(0, ())

    def _below(self, level: int, outer: tuple[str, ...]) -> MqlValue:
        """Whether all rows keep it in the document that the last of `outer` refers to."""
        nodes = self.kept.place.nodes
        if level == len(nodes):
            return self._row(outer)
        node = nodes[level]
        above = outer[-1] if outer else ""
        at = _reference(above, node.field) if node.field else above
        if node.form.to_many:
            name = f"row{level}"
            rows = {"$cond": [{"$isArray": at}, at, []]}
            inner = self._unless_absent(node, self._below(level + 1, (*outer, f"$${name}")), f"$${name}")
            return {"$allElementsTrue": [{"$map": {"input": rows, "as": name, "in": inner}}]}
        return self._unless_absent(node, self._below(level + 1, (*outer, at)), at if node.field else "")

    def _unless_absent(self, node: Node, holds: MqlValue, at: str) -> MqlValue:
        """The condition for a row, or that there is none: no sub-document, an empty slot, another kind of document."""
        found = list[MqlValue]()
        if at and node.form is not Form.SCALARS:
            found.append({"$ne": [{"$type": at}, "object"]})
        if node.presence is not None:
            found.append({"$not": [is_of_kind(node.presence)]})
        return {"$or": [*found, holds]} if found else holds

    def _row(self, at: tuple[str, ...]) -> MqlValue:
        check, entity = self.kept.check, self.kept.entity
        condition = over(check.condition, entity, entity.name)
        paths = {name: self._path(name, at) for name in check.columns}
        holds = {"$not": [truth_mql(Not(condition), _AtPlace(paths))]}
        odd = [
            test
            for column in dict.fromkeys(compared_columns(condition))
            for test in self._odd(column, paths[column.name], computed=_is_computed(condition, column))
        ]
        return {"$cond": [odd[0] if len(odd) == 1 else {"$or": odd}, True, holds]} if odd else holds

    def _odd(self, column: Column, path: str, *, computed: bool) -> Iterator[MqlValue]:
        """Tests for values of a column that are not compared as the source compares them, and so pass."""
        kind, of_type = column.type, {"$type": path}
        is_wide = kind.fraction_digits > BSON_DIGITS
        as_found = ("binData",) if is_wide else _AS_FOUND.get(kind.name, ())
        if kind.name in EXACT_NUMBERS and self.policy.long_decimals == "text":
            as_found = ("string",)
        if computed:  # of which the server fails where a value is no number
            yield {"$not": [{"$in": [of_type, [*_NUMBERS, "null", "missing"]]}]}
        elif as_found:
            yield {"$in": [of_type, [*as_found]]}
        if kind.name in (TypeName.FLOAT, TypeName.DECIMAL):
            yield {"$eq": [path, float("nan")]}
        if is_wide:
            is_text = {"$eq": [of_type, "string"]}
            yield {"$and": [is_text, {"$not": [{"$regexMatch": {"input": path, "regex": _WIDE}}]}]}

    def _path(self, name: str, at: tuple[str, ...]) -> str:
        found = self.kept.place.stored(name)
        assert found is not None, "only checks all of whose columns are stored"
        return _reference(at[found[0]], found[1])


def _reference(above: str, path: str) -> str:
    """The reference to a field of the document that `above` refers to; empty for the whole document."""
    if not above:
        return f"${path}"
    return join(above, path)


def _is_computed(condition: Expression, column: Column) -> bool:
    """Whether a column is part of a sum."""
    if isinstance(condition, Arithmetic):
        return column in columns_of(condition)
    return any(_is_computed(part, column) for part in operands(condition))


class _AtPlace:
    """An environment: where the columns of a row are."""

    def __init__(self, paths: Mapping[str, str]) -> None:
        self._paths = paths

    def path(self, column: Column) -> str:
        """The reference to a column's value."""
        return self._paths[column.name]

    def is_field(self, column: Column) -> bool:
        """Never, as a validator's `$expr` is an expression."""
        return column.name not in self._paths

    def parameter(self, name: str) -> object:
        """Raise `KeyError`: a check has no parameters."""
        raise KeyError(name)
