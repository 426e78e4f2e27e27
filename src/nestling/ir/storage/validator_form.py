"""What makes two validators equal, whatever their messages and number types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nestling.ir.value_forms.canonical import canonical, stored_bytes

_TEXTS = ("description", "title")


def validator_form(validator: object) -> bytes:
    """Everything by which a validator refuses documents, as bytes in which even NaN equals itself. None is an empty validator."""
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
