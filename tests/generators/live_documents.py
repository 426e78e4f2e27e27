"""Live databases as applications leave them: documents of several kinds in one collection, fields that some lack, references
by key or by value, copies, sub-documents and arrays.

What a field is there for is often what makes others absent: which documents have a field may follow from their kind, their age,
or from whether another collection refers to them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hypothesis import strategies as st

Documents = Mapping[str, list[dict[str, Any]]]
_Value = Callable[[int], object]
_Has = Callable[[int], bool]

NAMES = ("tickets", "events", "users", "visits")
COUNTS = (0, 1, 19, 20, 40, 100)
"""Documents of a collection: around the fewest rows of which anything is said."""


@st.composite
def live_documents(draw: st.DrawFn) -> Documents:
    """A few collections with their documents; at least one is not empty."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True))
    counts = {name: draw(st.sampled_from(COUNTS)) for name in names}
    counts[names[0]] = counts[names[0]] or 1
    made: dict[str, list[dict[str, Any]]] = {}
    for name in names:
        key = draw(st.sampled_from((_number, _text)))
        made[name] = [{"_id": key(number)} for number in range(counts[name])]
    for name in draw(st.permutations(names)):
        for number in range(draw(st.integers(0, 5))):
            _add_field(draw, made, name, number)
    return made


def _add_field(draw: st.DrawFn, made: dict[str, list[dict[str, Any]]], name: str, number: int) -> None:
    """Give some documents of a collection a field."""
    documents = made[name]
    has = draw(_presence(len(documents)))
    kind = draw(
        st.sampled_from(("plain", "kind", "reference", "reference", "copy", "inside", "references", "elements"))
    )
    other = draw(st.sampled_from(sorted(made)))
    there = made[other]
    step, shift = draw(st.sampled_from((1, 3))), draw(st.sampled_from((0, len(there) // 2)))

    def referred(at: int) -> dict[str, Any]:
        return there[(at * step + shift) % len(there)] if there else {}

    within = draw(st.sampled_from((1, 2, 3)))  # of the documents there, the first so many parts are referred to
    field = f"{kind}{number}"
    value: _Value
    match kind:
        case "plain":
            value = draw(st.sampled_from((_number, _text, _few, _mixed)))
        case "kind":
            field, value = "type", _few
        case "reference" | "references":
            known = draw(
                st.sampled_from(sorted({each for one in there for each in one if one[each] is not None} or {"_id"}))
            )
            field = draw(st.sampled_from((f"{other[:-1]}_id", f"{other[:-1]}_{known}", f"{other[:-1]}Ids")))
            few = there[: max(len(there) // within, 1)]
            several = kind == "references"

            def value(at: int) -> object:
                found = few[(at * step) % len(few)].get(known) if few else None
                return [found, found] if several else found

        case "copy":
            known = draw(st.sampled_from(sorted({each for one in there for each in one} or {"_id"})))
            field = f"{other[:-1]}_{known}"

            def value(at: int) -> object:
                return referred(at).get(known)

        case "inside":

            def value(at: int) -> object:
                return {"a": at % 7, "b": f"b{at}"} | ({"c": at} if at % 2 else {})

        case _:

            def value(at: int) -> object:
                return [{"n": n, "at": at} for n in range(at % 4)]

    for at, document in enumerate(documents):
        if has(at) and (found := value(at)) is not None:
            document[field] = found


def _presence(count: int) -> st.SearchStrategy[_Has]:
    """Which documents have a field: all, the first, the last, every other one, one alone, or none."""
    shares = st.sampled_from((1, count // 3, count // 2, count - 20, count - 1))
    return st.one_of(
        st.just(lambda _: True),
        shares.map(lambda many: lambda at: at < many),
        shares.map(lambda many: lambda at: at >= many),
        st.sampled_from((0, 1)).map(lambda odd: lambda at: at % 2 == odd),
        shares.map(lambda one: lambda at: at == one),
    )


def _number(at: int) -> object:
    return at


def _text(at: int) -> object:
    return f"t{at}"


def _few(at: int) -> object:
    return ("open", "done", "lost")[at % 3]


def _mixed(at: int) -> object:
    return (at, f"{at}", None, 1.5, [at], {"a": at})[at % 6]
