"""Commands that convert the values of a field to one type, for the MongoDB shell."""

from __future__ import annotations

from collections.abc import Collection

from nestling.ir.facts import Path, text_forms
from nestling.ir.facts.path import NUMBERS
from nestling.ir.literals import quoted

STAYS = "what cannot be converted stays as it is, and the first command, asked again, finds it"

_TRIED = {"int": ("int", "long", "decimal"), "long": ("long", "decimal"), "string": ()}
"""The types tried one after the other, where it is not the one alone."""


def finding(where: str, field: str, kinds: Collection[str]) -> str:
    """The command that finds the values of these types in a collection."""
    return f"{where}.find({_of_types(field, kinds)})"


def converting(where: str, field: str, kinds: Collection[str], into: str) -> str:
    """The command that converts them to this type; what would say something else then stays as it is."""
    value = quoted("$" + field)
    made = _as_text(value) if into == "string" else value
    for kind in reversed(_TRIED.get(into, (into,))):
        made = f"{{$convert: {{input: {value}, to: {quoted(kind)}, onError: {made}}}}}"
    return f"{where}.updateMany({_which(field, kinds, into)}, [{{$set: {{{quoted(field)}: {made}}}}}])"


def number(path: Path) -> str:
    """The type that holds every number of the path as it is: decimals are exact only as decimals, integers stay integers."""
    kinds = [name for name, _ in path.types if name in NUMBERS]
    return next((kind for kind in ("decimal", "double", "long") if kind in kinds), "int")


def _as_text(value: str) -> str:
    """A value as text. The server rounds doubles when it writes them, so only those that are integers are written."""
    integer = f"{{$convert: {{input: {value}, to: 'long', onError: null}}}}"
    text = f"{{$cond: [{{$eq: ['$$integer', {value}]}}, {{$toString: '$$integer'}}, {value}]}}"
    double = f"{{$let: {{vars: {{integer: {integer}}}, in: {text}}}}}"
    return f"{{$cond: [{{$eq: [{{$type: {value}}}, 'double']}}, {double}, {{$toString: {value}}}]}}"


def _which(field: str, kinds: Collection[str], into: str) -> str:
    """The values of these types; of texts those alone that are written like a value of the type they become."""
    if "string" not in kinds:
        return _of_types(field, kinds)
    form = {"date": text_forms.DATE, "objectId": text_forms.OBJECT_ID}.get(into) or text_forms.exact(into)
    texts = f"{{{quoted(field)}: {{$regex: {quoted(f'^(?:{form})$')}}}}}"
    others = [kind for kind in kinds if kind != "string"]
    return f"{{$or: [{texts}, {_of_types(field, others)}]}}" if others else texts


def _of_types(field: str, kinds: Collection[str]) -> str:
    return f"{{{quoted(field)}: {{$type: [{', '.join(map(quoted, kinds))}]}}}}"
