"""Plain values to YAML 1.2, always the same text for the same value.

A map or list is written on one line when it fits there (`{count: 412, growth_per_day: 3}`), otherwise one entry a line. A
`BlockMap` is always one entry a line: it marks the levels people look for when they scroll; a `Line` is on one line however
long. Text of several lines is a literal block. Words are bare where every reader takes them for text, also YAML 1.1 readers
(`"NO"` is quoted); everything else is quoted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence

LINE_WIDTH = 120

Plain = object
"""A plain value: None, bool, int, float, str, or a list or map of these."""

_BARE = re.compile(
    r"(?:-?[^\W\d_]|_+[^\W\d_])[\w./()'!@+-]*(?: [\w./()'!@+-]+)*|[0-9][0-9.e+]* \([a-z0-9 ]+\)|[0-9][0-9.e+]*/[a-z]+"
)
_RESERVED = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
_LITERAL = re.compile(r"[^\s\ufeff][^\r\x85\u2028\u2029\ufeff]*", re.DOTALL)


class BlockMap(dict[str, Plain]):
    """A map that is written one entry a line even where it would fit on one."""


class Line(list[Plain]):
    """A list that is written on one line even where it does not fit: many small things nobody edits one by one."""


def yaml_text(value: Mapping[str, Plain]) -> str:
    """The YAML text of a map, ending with a newline."""
    return "\n".join(_entries(BlockMap(value), "")) + "\n"


def _entries(value: Mapping[str, Plain], indent: str) -> Iterator[str]:
    for name, item in value.items():
        yield from _labelled(f"{indent}{_word(name)}:", item, indent)


def _labelled(label: str, item: Plain, indent: str) -> Iterator[str]:
    """One entry: on the label's line if it fits there, otherwise below it, two spaces further in."""
    if isinstance(item, str) and (literal := _literal(item, indent + "  ")) is not None:
        yield f"{label} {literal}"
    elif _on_one_line(item, LINE_WIDTH - len(label) - 1):
        yield f"{label} {_flow(item)}"
    else:
        yield label
        yield from _block(item, indent + "  ")


def _block(value: Plain, indent: str) -> Iterator[str]:
    if isinstance(value, Mapping):
        yield from _entries(value, indent)
    elif isinstance(value, Sequence):
        for item in value:
            if _on_one_line(item, LINE_WIDTH - len(indent) - 2) or not isinstance(item, Mapping | list | tuple):
                yield f"{indent}- {_flow(item)}"
            else:
                first, *rest = _block(item, indent + "  ")
                yield f"{indent}- {first[len(indent) + 2 :]}"
                yield from rest


def _on_one_line(value: Plain, width: int) -> bool:
    if not isinstance(value, Mapping | list | tuple) or not value or isinstance(value, Line):
        return True
    return not _holds_block(value) and len(_flow(value)) <= width


def _holds_block(value: Plain) -> bool:
    if isinstance(value, BlockMap):
        return bool(value)
    if isinstance(value, Mapping):
        return any(_holds_block(item) for item in value.values())
    return isinstance(value, list | tuple) and any(_holds_block(item) for item in value)


def _flow(value: Plain) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_word(name)}: {_flow(item)}" for name, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_flow, value)) + "]"
    return _word(value) if isinstance(value, str) else _number(value)


def _number(value: Plain) -> str:
    if value is None:
        return "null"
    text = repr(value)
    return {"True": "true", "False": "false", "inf": ".inf", "-inf": "-.inf", "nan": ".nan"}.get(text, text)


def _word(text: str) -> str:
    """Text on one line, bare or in double quotes."""
    if _BARE.fullmatch(text) and text.casefold() not in _RESERVED and text.isprintable():
        return text
    return "".join(c if c.isprintable() else _escape(c) for c in json.dumps(text, ensure_ascii=False))


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _literal(text: str, indent: str) -> str | None:
    """Text of several lines as a literal block, None when it is one line or the block would change it."""
    lines = text.split("\n")
    body = lines[:-1] if lines[-1] == "" else lines
    plain = _LITERAL.fullmatch(text) and all(line.isprintable() and line == line.rstrip() for line in body)
    if len(lines) == 1 or not plain or not body[-1]:
        return None
    mark = "|" if lines[-1] == "" else "|-"
    return "\n".join((mark, *(f"{indent}{line}" if line else "" for line in body)))
