"""The text PostgreSQL reads between the quotes of `E'…'`: escapes of bytes and code points, and doubled quotes."""

from __future__ import annotations

import re

_PIECE = re.compile(
    r"\\(?:([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|((?:u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8})(?:\\u[0-9A-Fa-f]{4})*)|(.))|''",
    re.DOTALL,
)
_CODE = re.compile(r"u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})")
_NAMED = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


def escaped_text(written: str) -> str:
    """The text with its escapes resolved; raises ValueError if it is invalid, as with an escaped byte that is not UTF-8."""
    made, at = bytearray(), 0
    for piece in _PIECE.finditer(written):
        made += written[at : piece.start()].encode() + _meant(piece)
        at = piece.end()
    made += written[at:].encode()
    if 0 in made:
        raise ValueError("a text with the character 0, which PostgreSQL cannot store")
    try:
        return made.decode()
    except UnicodeDecodeError:
        raise ValueError("escapes of bytes that are not UTF-8") from None


def _meant(piece: re.Match[str]) -> bytes:
    octal, hexadecimal, points, other = piece.groups()
    if octal is not None:
        return bytes([int(octal, 8) & 255])
    if hexadecimal is not None:
        return bytes([int(hexadecimal, 16)])
    if points is not None:
        return _of_code_points(points)
    if other in ("u", "U"):
        raise ValueError(f"`\\{other}` without its {4 if other == 'u' else 8} hexadecimal digits")
    return _NAMED.get(other, other).encode() if other is not None else b"'"


def _of_code_points(points: str) -> bytes:
    """A pair of surrogates is one character."""
    numbers = [int(short or long, 16) for short, long in _CODE.findall(points)]
    try:
        return "".join(map(chr, numbers)).encode("utf-16-le", "surrogatepass").decode("utf-16-le").encode()
    except (ValueError, OverflowError):
        raise ValueError(f"`\\{points}`, which is not a character") from None
