"""Values of PostgreSQL's types that are kept as texts or doubles, as the database writes them: equal ones are kept alike.

What one of these does not read is refused, also where PostgreSQL knows more spellings.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal
from ipaddress import IPv4Address, IPv6Address, ip_interface, ip_network
from math import inf, isfinite
from typing import Any

MAC = re.compile(
    r"[0-9a-f]{1,2}([:-])(?:[0-9a-f]{1,2}\1){4}[0-9a-f]{1,2}|[0-9a-f]{6}[:-]?[0-9a-f]{6}"
    r"|[0-9a-f]{4}([.-])[0-9a-f]{4}\2[0-9a-f]{4}",
    re.ASCII | re.IGNORECASE,
)
MAC8 = re.compile(
    r"(?:[0-9a-f]{2}([:-]))(?:[0-9a-f]{2}\1){4}(?:(?:[0-9a-f]{2}\1){2})?[0-9a-f]{2}", re.ASCII | re.IGNORECASE
)
RANGE = re.compile(r"\s*([\[(])\s*([^\s,]*)\s*,\s*([^\s,]*)\s*([\])])\s*", re.ASCII)
WHOLE_NUMBER = re.compile(r"[-+]?\d+", re.ASCII)
NUMBER_TEXT = re.compile(r"\s*[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|nan|inf|infinity)\s*", re.ASCII | re.IGNORECASE)
POSITION = re.compile(r"([0-9a-f]{1,8})/([0-9a-f]{1,8})", re.ASCII | re.IGNORECASE)
AMOUNT = re.compile(r"-?\$\d{1,3}(?:,\d{3})*\.\d\d", re.ASCII)

ESCAPED = re.compile(rb"(?:[^\\]|\\\\|\\[0-3][0-7]{2})*")
ESCAPE = re.compile(rb"\\(?:\\|([0-3][0-7]{2}))")


def not_written_so(value: Any, kind: str, form: str) -> ValueError:
    """A value that is not read, and how one is written."""
    return ValueError(f"{value!r} cannot be stored as {kind}", f"give one written like '{form}'")


def strict_bytea(value: Any) -> Any:
    r"""Bytes; a text says them by hexadecimal digits behind `\x`, or is their UTF-8, a backslash twice or with octal digits."""
    if not isinstance(value, str):
        return value
    if value.startswith("\\x"):
        return bytes.fromhex(value[2:])
    written = value.encode()
    if not ESCAPED.fullmatch(written):
        raise not_written_so(value, "bytea", "\\x616263")
    return ESCAPE.sub(lambda found: b"\\" if found[1] is None else bytes([int(found[1], 8)]), written)


def strict_inet(value: Any) -> Any:
    """An address, without a mask that leaves nothing out."""
    try:
        found = ip_interface(plain_address(value))
    except ValueError:
        raise not_written_so(value, "inet", "10.0.0.9") from None
    whole = found.network.prefixlen == found.max_prefixlen
    return address_text(found.ip) + ("" if whole else f"/{found.network.prefixlen}")


def strict_cidr(value: Any) -> Any:
    """A network, with its mask."""
    try:
        found = ip_network(plain_address(value))
    except ValueError:
        raise not_written_so(value, "cidr", "10.0.0.0/24") from None
    return f"{address_text(found.network_address)}/{found.prefixlen}"


def plain_address(value: Any) -> str:
    """A text whose mask is a number; one with a zone is not an address in PostgreSQL."""
    mask = value.partition("/")[2] if isinstance(value, str) else "."
    if "%" in str(value) or not (mask == "" or WHOLE_NUMBER.fullmatch(mask)):
        raise ValueError
    return str(value)


def address_text(found: IPv4Address | IPv6Address) -> str:
    """An address; of version 6 one that holds one of version 4 ends with that."""
    if isinstance(found, IPv6Address) and int(found) >> 32 in (0, 0xFFFF) and int(found) > 0xFFFF:
        return ("::ffff:" if int(found) >> 32 else "::") + str(IPv4Address(int(found) & 0xFFFFFFFF))
    return found.compressed


def strict_macaddr(value: Any) -> Any:
    """Six bytes between colons."""
    if not isinstance(value, str) or not (match := MAC.fullmatch(value)):
        raise not_written_so(value, "macaddr", "08:00:2b:01:02:03")
    parts = value.split(match[1]) if match[1] else re.findall("..", re.sub("[:.-]", "", value))
    return ":".join(part.zfill(2).lower() for part in parts)


def strict_macaddr8(value: Any) -> Any:
    """Eight bytes between colons; of six PostgreSQL makes eight."""
    if not isinstance(value, str) or not (match := MAC8.fullmatch(value)):
        raise not_written_so(value, "macaddr8", "08:00:2b:01:02:03:04:05")
    parts = value.lower().split(match[1])
    return ":".join(parts if len(parts) == 8 else [*parts[:3], "ff", "fe", *parts[3:]])


def strict_money(value: Any) -> Any:
    """An amount as the locales C and en_US write it: which one the database has is not known."""
    if not isinstance(value, str) or not AMOUNT.fullmatch(value):
        raise not_written_so(value, "money", "$1,234.50")
    return value


def strict_pg_lsn(value: Any) -> Any:
    """Two numbers in hexadecimal digits."""
    if not isinstance(value, str) or not (match := POSITION.fullmatch(value)):
        raise not_written_so(value, "pg_lsn", "16/B374D848")
    return f"{int(match[1], 16):X}/{int(match[2], 16):X}"


def strict_range(kind: str, bits: int) -> Callable[[Any], Any]:
    """A range of whole numbers, from the first in it to the first behind it."""

    def read(text: str) -> int:
        if not WHOLE_NUMBER.fullmatch(text):
            raise ValueError
        return within(int(text))

    def within(number: int) -> int:
        if not -(1 << bits) <= number < 1 << bits:
            raise ValueError
        return number

    return discrete_range(kind, "[1,5)", read, lambda number: within(number + 1))


def strict_daterange(value: Any) -> Any:
    """Convert a `daterange` to PostgreSQL's text of it, from the first day in it to the first day after it."""
    return discrete_range("daterange", "[2024-01-01,2024-02-01)", day_in_range, lambda day: day + timedelta(days=1))(
        value
    )


def day_in_range(text: str) -> date:
    """A day, as YYYY-MM-DD."""
    if len(text) != 10:
        raise ValueError
    return date.fromisoformat(text)


def discrete_range(
    kind: str, form: str, read: Callable[[str], Any], following: Callable[[Any], Any]
) -> Callable[[Any], Any]:
    """A range between values that have a next one."""

    def convert(value: Any) -> Any:
        if isinstance(value, str) and value.strip().lower() == "empty":
            return "empty"
        try:
            match = RANGE.fullmatch(value)
            if match is None:
                raise ValueError
            first, second = (read(text) if text else None for text in (match[2], match[3]))
            if first is not None and second is not None and first > second:
                raise ValueError
            low = following(first) if first is not None and match[1] == "(" else first
            high = following(second) if second is not None and match[4] == "]" else second
        except (ValueError, TypeError, OverflowError):
            raise not_written_so(value, kind, form) from None
        if low is not None and high is not None and low >= high:
            return "empty"
        return f"{'(' if low is None else f'[{low}'},{'' if high is None else high})"

    return convert


def strict_float(value: Any) -> float:
    """The double of a number, or of a text that is one."""
    if isinstance(value, str) and not NUMBER_TEXT.fullmatch(value):
        raise not_written_so(value, "a number", "12.5")
    return float(value)


def postgresql_float(value: Any) -> float:
    """The double of a number, or of a text that is one in the range of doubles; PostgreSQL refuses booleans and bytes."""
    if isinstance(value, bool | bytes):
        raise not_written_so(value, "double precision", "12.5")
    found = strict_float(value)
    if isinstance(value, str) and found in (0.0, inf, -inf):
        number = Decimal(value.strip())
        if number.is_finite() and number != 0:
            raise ValueError(f"{value!r} is out of range for double precision", "give a number from 1e-307 to 1e308")
    return found


def strict_real(value: Any) -> Any:
    """The double that shows the digits of a number of single precision; more than that keeps is refused."""
    found = postgresql_float(value)
    try:
        single = struct.unpack("<f", struct.pack("<f", found))[0]
    except OverflowError:
        raise ValueError(f"{value!r} is out of range for real", "give a smaller number") from None
    if not isfinite(single):
        return single
    if found and not single:
        raise ValueError(f"{value!r} is out of range for real", "give 0")
    digits = (float(f"{single:.{count}g}") for count in range(6, 10))
    return next(each for each in digits if struct.unpack("<f", struct.pack("<f", each))[0] == single)


def postgresql_text(value: Any) -> Any:
    """A text, as PostgreSQL makes one of other values; none holds NUL."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, bytes):
        return f"\\x{value.hex()}"
    if isinstance(value, float) and value.is_integer():
        value = f"{value:.15g}" if abs(value) < 1e15 else repr(value)
    text = f"{value:f}" if isinstance(value, Decimal) else str(value)
    text.encode()  # which half a character has not
    if "\0" in text:
        raise ValueError(
            f"{value!r} contains NUL, which PostgreSQL does not allow in text", "remove it, or store the value as bytea"
        )
    return text
