"""Damage to a text somebody wrote: bytes lost, tokens moved, values of another kind: odd, but nearly right."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

BYTES = (b"", b"\x00", b"\xff", b"\n", b"  ", b": ", b"- ", b"'", b'"', b"[", b"{", b"&a", b"*a", b"!!x", b"|", b"~", b"(",
         b"1e999", b"-1", b"null", b"product", b"999999999999999999999")  # fmt: skip
_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
_DEEP: list[object] = []
for _ in range(60):
    _DEEP = [_DEEP]
VALUES: tuple[object, ...] = (
    *(None, True, 0, -1, 1.5, 1e308, -(10**30), "", " ", "x", "é\u2028", "\x07", "a" * 3000, "name", "async(5s)", "1 (measured)"),
    *([], {}, [[]], [None], ["x", "x"], {"a": 1}, {"": None}, {"$date": 1}, {"$numberLong": "x"}, {"$oid": 7}, _DEEP),
    *("NaN", ".inf", "2020-02-30", "*", "-x", "x.y.z", "$where", "0", {"min": 3, "max": 1}, [1, 2, 3], [["x", 1]]),
)  # fmt: skip


@st.composite
def bytes_damage(draw: st.DrawFn, whole: bytes) -> bytes:
    """Up to four runs of bytes replaced, inserted or lost."""
    edit = st.tuples(st.floats(0, 1), st.integers(0, 40), st.sampled_from(BYTES) | st.binary(max_size=6))
    for place, length, instead in draw(st.lists(edit, min_size=1, max_size=4)):
        start = int(place * len(whole))
        whole = whole[:start] + instead + whole[start + length :]
    return whole


@st.composite
def token_damage(draw: st.DrawFn, whole: bytes, words: tuple[str, ...]) -> bytes:
    """Up to four runs of tokens replaced by `words`, by tokens from elsewhere in the text, or by nothing."""
    tokens = _TOKEN.findall(whole.decode())
    for _ in range(draw(st.integers(1, 4))):
        start, length = draw(st.integers(0, len(tokens))), draw(st.integers(0, 3))
        taken = draw(st.integers(0, max(len(tokens) - 1, 0)))
        other = tokens[taken : taken + draw(st.integers(1, 8))]
        instead = draw(st.just([]) | st.just(other) | st.sampled_from(words).map(lambda word: [" ", word, " "]))
        tokens = [*tokens[:start], *instead, *tokens[start + length :]]
    return "".join(tokens).encode()


@st.composite
def tree_damage(draw: st.DrawFn, whole: Any) -> bytes:
    """Up to three values of a YAML or JSON document replaced, lost, moved or called otherwise; written as JSON, which is YAML."""
    root = {"": copy.deepcopy(whole)}
    for _ in range(draw(st.integers(1, 3))):
        places = list(_places(root))
        if not places:
            break
        holder, key = draw(st.sampled_from(places))
        match draw(st.sampled_from(("value", "value", "lose", "move", "name"))):
            case "value":
                holder[key] = copy.deepcopy(draw(st.sampled_from(VALUES)))
            case "lose":
                del holder[key]
            case "move":
                there, name = draw(st.sampled_from(places))
                holder[key] = copy.deepcopy(there[name])
            case _:
                if isinstance(holder, dict):
                    holder[draw(st.sampled_from(("", "x", "name", "a.b", "$set", "_id", "é")))] = holder.pop(key)
    return json.dumps(root.get(""), ensure_ascii=False).encode()


def _places(holder: Any) -> Iterator[tuple[Any, Any]]:
    """Every value of a document, as what holds it and under which key or index."""
    for key, value in list(holder.items()) if isinstance(holder, dict) else list(enumerate(holder)):
        yield holder, key
        if isinstance(value, dict | list) and value is not _DEEP:
            yield from _places(value)
