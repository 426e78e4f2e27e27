"""Whether the defaults of a model written by hand can be: a source's own are as it declares them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal

from nestling.common.errors import Problem
from nestling.ir.constraints.defaults import ConstantDefault, written
from nestling.ir.model import Attribute, Model
from nestling.ir.text.yaml_reader import YamlPath
from nestling.ir.types import NUMBERS, TEXTS, TypeName

_PYTHON: Mapping[TypeName, type] = {TypeName.BOOLEAN: bool, TypeName.INTEGER: int}


def default_mistakes(model: Model, path: YamlPath) -> Iterator[Problem]:
    """Constants that are not values of their attribute, or are not allowed there."""
    for entity in model.entities:
        for attribute in entity.attributes:
            if isinstance(attribute.default, ConstantDefault) and (why := _why_not(attribute, attribute.default.value)):
                at = (*path, "entities", entity.name, "attributes", attribute.name, "default")
                what = f"the default of `{attribute.name}` cannot be `{written(attribute.default.value)}`: {why}"
                yield Problem(what=what, path=at, next_move="give an allowed value, or remove the default")


def _why_not(attribute: Attribute, value: object) -> str:
    kind = attribute.type.name
    is_other = isinstance(value, str) or not isinstance(value, _PYTHON.get(kind, object))
    if kind in NUMBERS | {TypeName.BOOLEAN} and is_other and not any(each.name in TEXTS for each in attribute.also):
        return f"it is {attribute.type}"
    allowed = attribute.allowed
    if allowed is None or not isinstance(value, int | float | Decimal | str):  # nothing is said of others
        return ""
    return "" if allowed.holds(value) else f"allowed is {allowed}"
