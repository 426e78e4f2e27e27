"""How an attribute's values lie, as files have it: `quantiles` and `common`, a line each, and where they are from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated

from pydantic import WithJsonSchema

from nestling.common.errors import InputError, Problem
from nestling.ir.constraints.defaults import constant, written
from nestling.ir.distribution import Distribution
from nestling.ir.statistics import Origin
from nestling.ir.text.yaml_writer import Line, Plain
from nestling.ir.types import Type

_Scalar = bool | int | float | str
ValueList = Annotated[
    list[_Scalar], WithJsonSchema({"type": "array", "items": {"type": ["boolean", "number", "string"]}})
]
"""Values as files write them: dates and exact decimals are texts."""
Shares = Annotated[
    list[list[_Scalar]],
    WithJsonSchema(
        {
            "type": "array",
            "items": {
                "type": "array",
                "prefixItems": [{"type": ["boolean", "number", "string"]}, {"type": "number"}],
                "minItems": 2,
                "maxItems": 2,
            },
        }
    ),
]
"""Pairs of a value and a number."""
_PROVENANCE = re.compile(r"(declared|measured|inferred)?(?: over (\d+) rows)?")


def distribution(
    quantiles: Sequence[_Scalar], common: Sequence[Sequence[_Scalar]], provenance: str, kind: Type | None
) -> Distribution:
    """The distribution of values of a type; raises `InputError`."""
    match = _PROVENANCE.fullmatch(provenance)
    if match is None:
        where = Problem(what=f"`{provenance}` is not a provenance", next_move="write `measured over 100000 rows`")
        raise InputError(where)
    origin, rows = Origin(match[1] or Origin.DECLARED), int(match[2]) if match[2] else None
    shares = tuple(_share(pair, kind) for pair in common)
    return Distribution(tuple(_value(each, kind) for each in quantiles), shares, origin, rows)


def distribution_text(values: Distribution | None) -> dict[str, Plain]:
    """The distribution as plain values for a file; empty for None."""
    if values is None:
        return {}
    entries: dict[str, Plain] = {}
    if values.quantiles:
        entries["quantiles"] = Line(written(each) for each in values.quantiles)
    if values.common:
        entries["common"] = Line([written(value), share] for value, share in values.common)
    over = f" over {values.rows} rows" if values.rows is not None else ""
    said = "" if values.origin is Origin.DECLARED and not over else f"{values.origin}{over}"
    return entries | ({"values": said} if said else {})


def _share(pair: Sequence[_Scalar], kind: Type | None) -> tuple[object, float]:
    if len(pair) != 2 or isinstance(pair[1], str):
        raise InputError(Problem(what=f"`{list(pair)}` is not a value with its share", next_move="write `[FR, 0.2]`"))
    return _value(pair[0], kind), float(pair[1])


def _value(value: _Scalar, kind: Type | None) -> object:
    return constant(value, kind).value if kind is not None else value
