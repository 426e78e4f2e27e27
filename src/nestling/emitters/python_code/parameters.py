"""Where a parameter's value belongs, as the call that converts it: by the functions that its `bind` converts it by."""

from __future__ import annotations

import keyword
from collections.abc import Iterator

from nestling.emitters.identifiers import identifier
from nestling.emitters.mql.sql.gaps import rendering_gap
from nestling.emitters.mql.sql.placeholder import ConvertedPlaceholder, conversions
from nestling.emitters.mql.write_constants import StoredParameter
from nestling.emitters.python_code.source_layout import CallCode, one_line, text
from nestling.emitters.python_code.support import DEFINED
from nestling.ir.conversions import stored as conversions_of
from nestling.ir.conversions.conversion import Conversion
from nestling.ir.conversions.stored import stored_array, stored_json
from nestling.ir.programs.compiled import Parameterised, Placeholder
from nestling.ir.programs.row_counts import RowCount
from nestling.ir.types import TypeName
from nestling.ir.value_forms.nans import nan_as_null


def given(placeholder: Placeholder) -> CallCode:
    """The call that gives a value as a query takes it; raises a gap error for a placeholder of another kind."""
    if isinstance(placeholder, RowCount):
        return CallCode("offset_of" if placeholder.skips else "limit_of", arguments_of(placeholder))
    if not isinstance(placeholder, ConvertedPlaceholder):
        raise rendering_gap(f"the parameter `{placeholder.name}`, whose value is converted, in Python")
    how = "given_list" if placeholder.listed else "given"
    return CallCode(how, (*_named(placeholder), *map(_written, conversions(placeholder))))


def stored(placeholder: StoredParameter) -> CallCode:
    """The call that converts a value to its stored form. Raises a gap error if only nestling can encode it."""
    is_json = placeholder.type.name is TypeName.JSON
    if not placeholder.is_plain and not is_json:
        raise rendering_gap(f"the parameter `{placeholder.name}`, which is stored as {placeholder.type}, in Python")
    kind = text(str(placeholder.type))
    how = stored_json if is_json else conversions_of.stored if placeholder.type.element is None else stored_array
    return CallCode(how.__name__, (*_named(placeholder), kind, _written(placeholder.conversion)))


def arguments_of(count: RowCount) -> tuple[str, str, str]:
    """The arguments of the functions that say how many rows: name, value and dialect."""
    return (*_named(count), text(str(count.rules)))


def _named(placeholder: Placeholder) -> tuple[str, str]:
    return text(placeholder.name), argument(placeholder.name)


def _written(value: object) -> str:
    """A conversion, or an argument of one, as source."""
    if isinstance(value, tuple):
        return f"({', '.join(map(_written, value))},)"
    if not isinstance(value, Conversion):
        return one_line(value)
    arguments = "" if value.arguments is None else f"({', '.join(map(_written, value.arguments))})"
    return f"{value.function.__name__}{arguments}"


def bound_lines(statement: Parameterised) -> Iterator[str]:
    """Lines of a function's body by which its arguments are as drivers of the statement's database bind them."""
    for name in map(argument, statement.parameters if statement.nan_is_null else ()):
        yield f"    {name} = {nan_as_null.__name__}({name})"


def argument(name: str) -> str:
    """A parameter's name as Python takes it."""
    return identifier(name, TAKEN, otherwise="value")


_OWN = frozenset(
    (
        *("db", "session", "work", "statement", "columns", "answered", "affected"),
        *("stages", "query", "fields", "steps", "asked", "shown", "limit"),
        *(f"row{depth}" for depth in range(2, 10)),
        *("found", "first", "second", "keys", "rows", "row", "other", "others", "every", "made", "each"),
    )
)
"""Names that the functions define."""
_BUILTIN = frozenset(("dict", "float", "int", "len", "list", "max", "str"))
"""Python's builtins that functions use: an argument may have any other name, such as `id`."""
TAKEN = _OWN | _BUILTIN | DEFINED | frozenset(keyword.kwlist)
"""Names that no argument and no row variable may have."""
