"""What makes two validators the same, whatever their texts say and whoever wrote their numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nestling.ir.value_forms.canonical import canonical, stored_bytes

_TEXTS = ("description", "title")


def validator_form(validator: object) -> bytes:
    """All that a validator refuses documents by, as bytes: the NaN of a condition equals itself there. None is an empty one."""
    return stored_bytes(canonical(_rules(validator or {})))


def _rules(value: Any) -> Any:
    """The rules without their texts, which refuse nothing and name relationships; whole numbers are equal in every form."""
    match value:
        case Mapping():
            return {
                name: _rules(each) for name, each in value.items() if name not in _TEXTS or not isinstance(each, str)
            }
        case list() | tuple():
            return [_rules(each) for each in value]
        case float() if value.is_integer():
            return int(value)
        case bool():
            return value
        case int():
            return int(value)  # the driver's Int64 is another class
        case _:
            return value
