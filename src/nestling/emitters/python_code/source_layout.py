"""Python source laid out as `ruff format` does: on one line if it fits, else an element a line with a comma at its end."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from bson import Binary, Decimal128, Int64, MaxKey, MinKey, ObjectId
from bson.datetime_ms import DatetimeMS

WIDTH = 120
INDENT = "    "


@dataclass(frozen=True, slots=True)
class PlainCode:
    """Source code that is inserted verbatim into a literal."""

    text: str


@dataclass(frozen=True, slots=True)
class CallCode:
    """A call in a literal."""

    function: str
    arguments: tuple[str | CallCode, ...]

    @property
    def text(self) -> str:
        """The call on one line."""
        return f"{self.function}({', '.join(map(_flat, self.arguments))})"


def laid_out(value: object, *, before: str = "", level: int = 0, after: str = "") -> str:
    """A value after `before` (the start of its first line, without indentation), its closing bracket at `level`."""
    flat = one_line(value)
    if level * len(INDENT) + len(before) + len(flat) + len(after) <= WIDTH or not _opens(value):
        return f"{before}{flat}{after}"
    if isinstance(value, CallCode):
        return called(f"{before}{value.function}(", value.arguments, f"){after}", level=level)
    inner, outer = INDENT * (level + 1), INDENT * level
    if isinstance(value, Mapping):
        parts = [
            laid_out(each, before=f"{text(str(name))}: ", level=level + 1, after=",") for name, each in value.items()
        ]
        opening, closing = "{}"
    else:
        assert isinstance(value, list | tuple)
        parts = [laid_out(each, level=level + 1, after=",") for each in value]
        opening, closing = "[]"
    return f"{before}{opening}\n" + "".join(f"{inner}{part}\n" for part in parts) + f"{outer}{closing}{after}"


def _flat(argument: str | CallCode) -> str:
    return argument.text if isinstance(argument, CallCode) else argument


def called(before: str, arguments: Sequence[str | CallCode], after: str, *, level: int) -> str:
    """A call or signature: its arguments on the same line, on one line of their own, or one per line."""
    flat = ", ".join(map(_flat, arguments))
    if level * len(INDENT) + len(before) + len(flat) + len(after) <= WIDTH:
        return f"{before}{flat}{after}"
    inner, outer = INDENT * (level + 1), INDENT * level
    if len(inner) + len(flat) <= WIDTH:
        return f"{before}\n{inner}{flat}\n{outer}{after}"
    return f"{before}\n" + "".join(f"{inner}{_argument(each, level + 1)}\n" for each in arguments) + f"{outer}{after}"


def _argument(argument: str | CallCode, level: int) -> str:
    """An argument on lines of its own, with a trailing comma."""
    return laid_out(argument, level=level, after=",") if isinstance(argument, CallCode) else f"{argument},"


def _opens(value: object) -> bool:
    return isinstance(value, CallCode | Mapping | list | tuple) and bool(value)


def one_line(value: object) -> str:
    """A value on one line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{text(str(name))}: {one_line(each)}" for name, each in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(one_line, value)) + "]"
    return _scalar(value)


def _scalar(value: object) -> str:  # noqa: C901 - one line for every type
    match value:
        case PlainCode() | CallCode():
            return value.text
        case str():
            return text(value)
        case Int64():
            return f"Int64({int(value)})"
        case float() if not math.isfinite(value):
            return f'float("{value}")'
        case datetime():
            moment = value if value.tzinfo is None else value.astimezone(UTC)
            return repr(moment).removeprefix("datetime.").replace("datetime.timezone.utc", "UTC")
        case DatetimeMS():
            return f"DatetimeMS({int(value)})"
        case Decimal128():
            return f'Decimal128("{value}")'
        case UUID():
            return f'UUID("{value}")'
        case ObjectId():
            return f'ObjectId("{value}")'
        case Binary() if value.subtype:
            return f"Binary({_quotes(repr(bytes(value))[1:], bytes(value).decode('latin-1'), 'b')}, {value.subtype})"
        case bytes():
            return _quotes(repr(bytes(value))[1:], bytes(value).decode("latin-1"), "b")
        case MaxKey() | MinKey():
            return f"{type(value).__name__}()"
        case _:
            return repr(value)


def text(value: str) -> str:
    """A text in double quotes, unless single ones need fewer escapes."""
    return _quotes(repr(value), value, "")


def _quotes(written: str, value: str, prefix: str) -> str:
    body = written[1:-1].replace("\\'", "'") if written[0] == "'" else written[1:-1]
    if value.count('"') > value.count("'"):
        return f"{prefix}'" + body.replace('\\"', '"').replace("'", "\\'") + "'"
    return f'{prefix}"' + body.replace('"', '\\"') + '"'
