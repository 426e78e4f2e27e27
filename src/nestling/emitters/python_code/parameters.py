"""Where a parameter's value belongs, as the call that converts it: exactly what `Placeholder.bind` does."""

from __future__ import annotations

import keyword
from collections.abc import Iterator

from nestling.emitters.mql.sql.gaps import gap
from nestling.emitters.mql.sql.placeholder import Expected, Placeholder
from nestling.emitters.python_code import given_support, read_support
from nestling.emitters.python_code.layout import Call, text
from nestling.ir.compiled import Placeholder as AnyPlaceholder
from nestling.ir.expression import Affinity
from nestling.ir.types import TypeName

_CASTS = {
    TypeName.TEXT: "number_as_text",
    TypeName.INTEGER: "cast_to_integer",
    TypeName.FLOAT: "cast_to_float",
    TypeName.DECIMAL: "cast_to_decimal",
    TypeName.ANY: "cast_to_number",
    TypeName.BOOLEAN: "cast_to_truth",
}
_AFFINITIES = {Affinity.NUMERIC: "numeric", Affinity.TEXT: "number_as_text"}
_READ = {Expected.TIME: "text_as_time", Expected.UUID: "text_as_uuid", Expected.TIME_OF_DAY: "text_as_time_of_day"}
_OTHER_NUMBER = {TypeName.DECIMAL: "float", TypeName.FLOAT: "decimal"}
_CHECKS = {
    Expected.NUMBER: "a_number",
    Expected.TEXT: "a_text",
    Expected.TIME: "a_time",
    Expected.TRUTH: "a_truth",
    Expected.UUID: "a_uuid",
    Expected.TIME_OF_DAY: "a_time_of_day",
}


def given(placeholder: AnyPlaceholder) -> Call:
    """The call; raises a gap error for a placeholder of another kind."""
    if not isinstance(placeholder, Placeholder):
        raise gap(f"the parameter `{placeholder.name}`, whose value is converted, in Python")
    how = "given_list" if placeholder.listed else "given"
    return Call(how, (text(placeholder.name), argument(placeholder.name), *_conversions(placeholder)))


def _taken(placeholder: Placeholder) -> Iterator[str]:
    if placeholder.exactly is TypeName.DECIMAL:
        yield "short_float_as_decimal"
    if placeholder.exactly is not None:
        yield f"of_exact_type({text(str(placeholder.exactly))})"
    if placeholder.number is not None:
        yield f"{_OTHER_NUMBER[placeholder.number]}_as_{placeholder.number}"
    if placeholder.expected is not Expected.TRUTH:
        yield "counted_truth"


def _conversions(placeholder: Placeholder) -> Iterator[str]:
    """In the order of `bind`; a check that the conversion before it makes needless is left out."""
    yield from _taken(placeholder)
    if placeholder.by_sqlite and placeholder.boundary is None:
        yield from ("time_as_text", "decimal_as_float")
    for kind in placeholder.casts:
        if kind not in _CASTS:
            raise gap(f"the parameter `{placeholder.name}`, which is cast to {kind}, in Python")
        yield from ("time_as_text", _CASTS[kind])
    if placeholder.affinity is not None:
        yield "uuid_as_text"
    if placeholder.affinity in _AFFINITIES:
        yield _AFFINITIES[placeholder.affinity]
    if placeholder.boundary is not None:
        yield f"time_as_text_of({text(str(placeholder.boundary.grain))})"
    elif placeholder.expected in _READ:
        yield _READ[placeholder.expected]
    if placeholder.expected in _CHECKS:
        yield _CHECKS[placeholder.expected]
    yield from _identified(placeholder)
    if placeholder.boundary is not None:
        how = ", after=True" * placeholder.boundary.after + ", exact=True" * placeholder.boundary.exact
        yield f"first_from({text(str(placeholder.boundary.grain))}{how})"
    yield from _kept_as(placeholder)


def _identified(placeholder: Placeholder) -> Iterator[str]:
    if placeholder.object_id:
        yield "text_as_object_id"
    if placeholder.uuid:
        yield "text_as_stored_uuid"


def _kept_as(placeholder: Placeholder) -> Iterator[str]:
    if placeholder.whole is not None:
        yield f"at_millisecond({text(str(placeholder.whole))})"
    if placeholder.wide is not None:
        yield f"as_wide_text({text(str(placeholder.wide))})"


def argument(name: str) -> str:
    """A parameter's name as Python takes it."""
    plain = "".join(c if c.isidentifier() or (c.isascii() and c.isdigit()) else "_" for c in name) or "value"
    plain = f"_{plain}" if plain[0].isdigit() else plain
    return f"{plain}_" if keyword.iskeyword(plain) or plain in TAKEN else plain


_OWN = frozenset(
    (
        "db",
        "stages",
        "query",
        "fields",
        "limit",
        "found",
        "first",
        "second",
        "keys",
        "rows",
        "row",
        "other",
        "others",
        "every",
    )
)
"""What the functions call their own."""
TAKEN = _OWN | frozenset(vars(given_support)) | frozenset(vars(read_support))
