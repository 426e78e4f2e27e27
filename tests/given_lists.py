"""Statements with lists for parameters as SQLite takes them: each list written out, value by value."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial

_LISTS = ((r"=\s*ANY\s*\(:(\w+)\)", "IN"), (r"<>\s*ALL\s*\(:(\w+)\)", "NOT IN"), (r"\bIN\s+:(\w+)", "IN"))


def written_out(sql: str, values: Mapping[str, object]) -> tuple[str, dict[str, object]]:
    """The statement with `IN (…)` for its lists, and a value for each place; NULL instead of a list is a list of one NULL."""
    made = {name: value for name, value in values.items() if not isinstance(value, list | tuple)}

    def places(word: str, found: re.Match[str]) -> str:
        name = found[1]
        given = values[name]
        items = given if isinstance(given, list | tuple) else [None]
        made.update({f"{name}_{place}": value for place, value in enumerate(items)})
        return f"{word} ({', '.join(f':{name}_{place}' for place in range(len(items)))})"

    for pattern, word in _LISTS:
        sql = re.sub(pattern, partial(places, word), sql)
    return sql, made
