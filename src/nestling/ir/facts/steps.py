"""Paths in documents as steps: field names, `[]` for the elements of an array, `{*}` for keys that are data.

A field that is really called `[]` or `{*}` has its name in quotes, so that no two paths are the same; so has one without a name.
"""

from __future__ import annotations

import json

ELEMENT, ANY_KEY = "[]", "{*}"
_SPECIAL = frozenset('.[]{}"')


def name_step(name: str) -> str:
    """The step of a field's name."""
    return json.dumps(name) if name in (ELEMENT, ANY_KEY) else name


def steps_text(steps: tuple[str, ...]) -> str:
    """A path for people: `items[].price`, `prices.{*}`, `"a.b".c`, `"".c`."""
    text = ""
    for step in steps:
        if step == ELEMENT:
            text += step
            continue
        is_plain_word = step == ANY_KEY or (step and (step[0] == '"' or not _SPECIAL.intersection(step)))
        shown = step if is_plain_word else json.dumps(step)
        text += f".{shown}" if text else shown
    return text


def field_path(steps: tuple[str, ...]) -> str:
    """The path as queries and indexes write it: `items.price`."""
    return ".".join(step for step in steps if step != ELEMENT)


def arrays_on(steps: tuple[str, ...]) -> tuple[str, ...]:
    """The arrays on the path, each as often as it is to be unwound until the path has one value a row, the outer ones first."""
    return tuple(field_path(steps[:place]) for place, step in enumerate(steps) if step == ELEMENT)


def is_plain(steps: tuple[str, ...]) -> bool:
    """Whether a query can say this path: no keys that are data, no dots or dollars in names."""
    names = [step for step in steps if step != ELEMENT]
    return all(name and name != ANY_KEY and "." not in name and name[0] not in '$"' for name in names)
