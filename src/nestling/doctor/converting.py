"""Commands that convert the values of a field to one type, for the MongoDB shell."""

from __future__ import annotations

from collections.abc import Iterable

from nestling.ir.facts import Path
from nestling.ir.facts.path import NUMBERS
from nestling.ir.literals import quoted

STAYS = "what cannot be converted stays as it is, and the first command, asked again, finds it"


def finding(where: str, field: str, kinds: Iterable[str]) -> str:
    """The command that finds the values of these types in a collection."""
    return f"{where}.find({_which(field, kinds)})"


def converting(where: str, field: str, kinds: Iterable[str], *into: str) -> str:
    """The command that converts them to the first of these types that takes them; what cannot be converted stays."""
    convert = value = quoted("$" + field)
    for kind in reversed(into):
        convert = f"{{$convert: {{input: {value}, to: {quoted(kind)}, onError: {convert}}}}}"
    return f"{where}.updateMany({_which(field, kinds)}, [{{$set: {{{quoted(field)}: {convert}}}}}])"


def number(path: Path) -> str:
    """The type that holds every number of the path as it is: decimals are exact only as decimals, integers stay integers."""
    kinds = [name for name, _ in path.types if name in NUMBERS]
    return next((kind for kind in ("decimal", "double", "long") if kind in kinds), "int")


def _which(field: str, kinds: Iterable[str]) -> str:
    return f"{{{quoted(field)}: {{$type: [{', '.join(map(quoted, kinds))}]}}}}"
