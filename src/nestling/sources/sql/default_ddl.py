"""Defaults of attributes as the DEFAULT or identity of the target table's columns."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from nestling.ir.constraints.defaults import ConstantDefault, Generated
from nestling.ir.types import TypeName
from nestling.ir.value_forms.infinite_moments import infinite
from nestling.sources.sql.driver_parameters import writer
from nestling.sources.sql.engines import engine_of

if TYPE_CHECKING:
    from nestling.ir.model import Attribute, Entity

_T = TypeName
_CONSTANTS: dict[TypeName, tuple[type, ...]] = {
    _T.BOOLEAN: (bool,), _T.INTEGER: (int,), _T.DECIMAL: (Decimal, int), _T.FLOAT: (float, int), _T.TEXT: (str,),
    _T.ENUM: (str,), _T.JSON: (str,), _T.DATE: (date,), _T.TIMESTAMP: (datetime,), _T.TIMESTAMPTZ: (datetime,),
}  # fmt: skip


def default_ddl(attribute: Attribute, entity: Entity, declared: str, dialect: str) -> str | None:
    """The DDL for the default of a column with this declaration; "" if none is needed, None if it cannot be expressed."""
    match attribute.default:
        case None:
            return ""
        case Generated.NUMBER | Generated.SEQUENCE | Generated.IDENTITY:
            return engine_of(dialect).numbered(attribute, entity, declared)
        case Generated() as made:
            found = engine_of(dialect).made_value(made, attribute)
            return None if found is None else f"DEFAULT {found}"
        case ConstantDefault(value=value) if type(value) in _CONSTANTS.get(attribute.type.name, ()):
            written = _literal(value if attribute.type.name is _T.JSON else writer(attribute, dialect)(value), dialect)
            return f"DEFAULT ({written})" if declared in engine_of(dialect).bracketed_defaults else f"DEFAULT {written}"
        case ConstantDefault(value=value) if engine_of(dialect).has_infinite_moments and infinite(
            value, attribute.type
        ):
            return f"DEFAULT {_literal(value, dialect)}"
        case _:
            return None


def _literal(value: object, dialect: str) -> str:
    engine = engine_of(dialect)
    if isinstance(value, bool) and engine.has_booleans:
        return str(value).lower()
    if isinstance(value, int | float) or (isinstance(value, Decimal) and engine.has_decimals):
        return str(int(value) if isinstance(value, bool) else value)
    return engine.text_literal(str(value))
