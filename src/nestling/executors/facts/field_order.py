"""The order of a document's fields: that of most documents, with the fields of others where these have them."""

from __future__ import annotations

from collections.abc import Collection, Mapping


def field_order(orders: Mapping[bytes, int], names: Collection[bytes]) -> tuple[bytes, ...]:
    """All names. `orders` are counts of documents by the names of their fields; of two as frequent, the first by name counts.

    A field that the most frequent order lacks stands behind the field that it follows in the next one that has it.
    """
    found, known = list[bytes](), set[bytes]()
    for order in sorted(
        (tuple(each.split(b"\0")) for each in orders), key=lambda each: (-orders[b"\0".join(each)], each)
    ):
        last: bytes | None = None
        for name in (each for each in order if each in names):
            if name not in known:
                found.insert(0 if last is None else found.index(last) + 1, name)
                known.add(name)
            last = name
    return (*found, *sorted(set(names) - known))
