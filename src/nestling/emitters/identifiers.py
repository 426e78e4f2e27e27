"""Names of statements, parameters and rows as the languages of written code take them."""

from __future__ import annotations

from collections.abc import Container, Iterable
from unicodedata import normalize

from nestling.ir.free_names import free_name


def identifier(name: str, taken: Container[str], *, otherwise: str) -> str:
    """Return the name as an identifier, or `otherwise` if no usable character remains.

    Characters that are not allowed are replaced by one `_` between the others. A name that is `taken` gets a `_`, so different
    names stay different. Names are compared in Unicode's form NFKC, as Python does.
    """
    kept = (c if c.isidentifier() or (c.isascii() and c.isdigit()) else " " for c in normalize("NFKC", name))
    plain = "_".join("".join(kept).split()) or otherwise
    plain = f"_{plain}" if plain[0].isdigit() else plain
    return f"{plain}_" if plain in taken or plain.rstrip("_") in taken else plain


class Identifiers:
    """The identifiers of one scope, by what they stand for. One that is taken or `used` already gets a number."""

    def __init__(self, *used: str, reserved: Container[str] = (), otherwise: str) -> None:
        self._used, self._reserved, self._otherwise = set(used), reserved, otherwise
        self._found: dict[str, str] = {}

    def keep(self, names: Iterable[str]) -> None:
        """Give the names that are identifiers already to what is called so, whatever comes before it."""
        for name in names:
            if name not in self._used and identifier(name, self._reserved, otherwise=self._otherwise) == name:
                self._used.add(name)
                self._found[name] = name

    def __getitem__(self, name: str) -> str:
        if name not in self._found:
            found = free_name(identifier(name, self._reserved, otherwise=self._otherwise), self._used)
            self._used.add(found)
            self._found[name] = found
        return self._found[name]
