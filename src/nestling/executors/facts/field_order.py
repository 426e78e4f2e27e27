"""The order of a document's fields: that of most documents, with additional fields inserted where others have them."""

from __future__ import annotations

from collections.abc import Collection, Mapping


def field_order(orders: Mapping[bytes, int], names: Collection[bytes]) -> tuple[bytes, ...]:
    """Return all names in order. `orders`: counts of documents by the names of their fields; ties are broken by name.

    A field that the most frequent order lacks follows the field that precedes it in the next order with it.
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
