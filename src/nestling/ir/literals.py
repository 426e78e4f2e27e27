"""BSON values as source text: literals of the MongoDB shell and of Python."""

from __future__ import annotations

import json
import math
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from bson import Binary, Decimal128, Int64, MaxKey, MinKey, ObjectId
from bson.datetime_ms import DatetimeMS

from nestling.ir.printable import blanked

WIDTH = 110  # characters a value may take before it goes onto lines of its own
_INT32 = 1 << 31
_ARRAY_INDEXES = (1 << 32) - 1


@dataclass(frozen=True, slots=True)
class _Language:
    """How a language writes single values and names, and how far its people indent."""

    scalar: Callable[[object], str]
    key: Callable[[str], str]
    indent: str


@dataclass(frozen=True, slots=True)
class Code:
    """An expression of the language that is inserted verbatim into a value."""

    text: str

    def __repr__(self) -> str:
        return self.text


def shell(value: object) -> str:
    """A value as the shell reads it, with the same BSON type."""
    return _laid_out(value, 0, _SHELL)


def shell_line(value: object) -> str:
    """A value as the shell reads it, on one line, however long."""
    return _flat(value, _SHELL)


def shell_ordered(fields: Iterable[tuple[str, object]]) -> str:
    """Fields whose order counts, such as the keys of an index, on one line: in an object of JavaScript those named like array
    indexes would come first.
    """
    pairs = list(fields)
    if _keeps_order([name for name, _ in pairs]):
        return shell_line(dict(pairs))
    return f"new Map({shell_line([[Code(quoted(name)), value] for name, value in pairs])})"


def python(value: object, *, indent: int = 0) -> str:
    """A value as a Python literal, its closing bracket at level `indent`; names of `bson` and `datetime` stand for themselves."""
    return _laid_out(value, indent, _Language(_python_scalar, repr, "    "))


def quoted(text: str) -> str:
    """The text in double quotes, as in JSON and JavaScript, with unprintable characters escaped."""
    whole = json.dumps(text, ensure_ascii=False)
    return whole if whole.isprintable() else "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in whole)


def of_collection(database: str, name: str) -> str:
    """The shell's expression for a collection; `database` is that for its database."""
    return f"{database}.getCollection({quoted(name)})"


def comment(text: str) -> str:
    """The text on one line, without unprintable characters."""
    return " ".join(blanked(text).split())


def _keeps_order(names: list[str]) -> bool:
    """Whether an object of JavaScript has these fields in this order: array indexes come first in it, by number."""
    indexes = [each for each in names if each.isascii() and each.isdigit() and str(int(each)) == each]
    indexes = sorted((each for each in indexes if int(each) < _ARRAY_INDEXES), key=int)
    return names[: len(indexes)] == indexes


def _laid_out(value: object, indent: int, language: _Language) -> str:
    """On one line if that is short enough, or else one element per line."""
    if not isinstance(value, Mapping | list | tuple):
        return language.scalar(value)
    flat = _flat(value, language)
    if not value or len(flat) + indent * len(language.indent) <= WIDTH:
        return flat
    inner, outer = language.indent * (indent + 1), language.indent * indent
    if isinstance(value, Mapping):
        parts = [f"{language.key(name)}: {_laid_out(each, indent + 1, language)}" for name, each in value.items()]
    else:
        parts = [_laid_out(each, indent + 1, language) for each in value]
    opening, closing = "{}" if isinstance(value, Mapping) else "[]"
    return opening + "\n" + "".join(f"{inner}{part},\n" for part in parts) + outer + closing


def _flat(value: object, language: _Language) -> str:
    if isinstance(value, Mapping):
        parts = (f"{language.key(name)}: {_flat(each, language)}" for name, each in value.items())
        return "{" + ", ".join(parts) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_flat(each, language) for each in value) + "]"
    return language.scalar(value)


def _shell_key(name: str) -> str:
    if name == "__proto__":
        return '["__proto__"]'  # written plainly, it would set the object's prototype
    return name if name.isascii() and name.removeprefix("$").isidentifier() else quoted(name)


def _shell_scalar(value: object) -> str:  # noqa: C901 - one line for every type
    match value:
        case Code():
            return value.text
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case Int64():
            return f'NumberLong("{int(value)}")'
        case int():
            return str(value) if -_INT32 <= value < _INT32 else f'NumberLong("{value}")'
        case float():
            return _shell_double(value)
        case Decimal128():
            return f'NumberDecimal("{value}")'
        case datetime():
            return f'ISODate("{value.isoformat(timespec="milliseconds").removesuffix("+00:00")}Z")'
        case DatetimeMS():
            return f"new Date({int(value)})"
        case UUID():
            return f'UUID("{value}")'
        case ObjectId():
            return f'ObjectId("{value}")'
        case MinKey() | MaxKey():
            return f"{type(value).__name__}()"
        case Binary():
            return f'BinData({value.subtype}, "{_base64(bytes(value))}")'
        case bytes():
            return f'BinData(0, "{_base64(value)}")'
        case _:
            return quoted(str(value))


_SHELL = _Language(_shell_scalar, _shell_key, "  ")


def _python_scalar(value: object) -> str:
    match value:
        case float() if not math.isfinite(value):
            return f'float("{value}")'
        case datetime():
            return repr(value).replace("datetime.", "")
        case _:
            return repr(value)


def _shell_double(value: float) -> str:
    """A double for the shell. A whole number must be marked as a double, or the shell would store an integer."""
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return f"Double({value!r})" if value.is_integer() else repr(value)


def _base64(value: bytes) -> str:
    return b64encode(value).decode()
