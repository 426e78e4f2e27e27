"""Names of statements and parameters as the languages of written code take them."""

from __future__ import annotations

from collections.abc import Container
from unicodedata import normalize


def identifier(name: str, taken: Container[str], *, otherwise: str) -> str:
    """The name as a variable of a language; `otherwise` where nothing is left of it.

    A name that is `taken` gets a `_`, and so does what it becomes by that: two names stay two. Python reads every name in
    Unicode's form NFKC, so that form is compared.
    """
    plain = "".join(c if c.isidentifier() or (c.isascii() and c.isdigit()) else "_" for c in normalize("NFKC", name))
    plain = plain or otherwise
    plain = f"_{plain}" if plain[0].isdigit() else plain
    return f"{plain}_" if plain in taken or plain.rstrip("_") in taken else plain
