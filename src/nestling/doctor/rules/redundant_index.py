"""Indexes whose keys are the beginning of another index, or equal to it.

Why: everything that `{a: 1}` answers, `{a: 1, b: 1}` answers as well. The shorter one is written on every insert for nothing.

Example: `customer_1` next to `customer_1_date_-1`; `date_1` next to `date_-1`, as an index can be read from both ends.

Remedy: hide the shorter one; if nothing has become slow after a week, drop it.

Ignore when: the shorter one is much smaller and is scanned whole. Never reported: `_id`, unique, sparse, partial,
hidden and TTL indexes, shard keys, text and geospatial ones, and pairs with different collations. An index that another finding
says to drop, as `unused-index` does, makes no other redundant.
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.doctor.commands import hide_first
from nestling.doctor.rule import Rule, RuleInput
from nestling.ir.facts import CollectionFacts, IndexFacts
from nestling.ir.finding import Finding, Severity
from nestling.ir.paths.work import Work
from nestling.ir.quantity_words import size

RULE = Rule("Redundant index", Severity.WARNING, last=True)


def findings(seen: RuleInput) -> Iterator[Finding]:
    """Indexes that another one covers which stays; of two that are alike, the later by name."""
    going = {(each.namespace, name) for each in seen.proposed for name in each.drops}
    for collection in seen.facts.of_documents():
        staying = [each for each in collection.indexes if (collection.namespace, each.name) not in going]
        for index in collection.indexes:
            covering = [other for other in staying if _covers(other, index)]
            longest = next((each for each in covering if not any(_covers(other, each) for other in staying)), None)
            if longest is not None:
                yield _finding(seen, collection, index, longest)


def _covers(longer: IndexFacts, index: IndexFacts) -> bool:
    """Whether an index answers everything that another one does."""
    if longer is index or index.is_special or longer.collation != index.collation:
        return False
    if longer.partial or longer.sparse or longer.hidden or not (_is_plain(longer) and _is_plain(index)):
        return False
    if longer.keys[: len(index.keys)] not in (index.keys, _reversed(index)):
        return False
    return len(longer.keys) > len(index.keys) or longer.is_special or longer.name < index.name


def _is_plain(index: IndexFacts) -> bool:
    return all(isinstance(direction, int) for _, direction in index.keys)


def _reversed(index: IndexFacts) -> tuple[tuple[str, int | str], ...]:
    """The keys of the index with every direction reversed, as it is read from its other end."""
    return tuple((field, -direction if isinstance(direction, int) else direction) for field, direction in index.keys)


def _finding(seen: RuleInput, collection: CollectionFacts, index: IndexFacts, longer: IndexFacts) -> Finding:
    same = "has the same keys" if len(longer.keys) == len(index.keys) else "begins with its keys"
    mirrored = "" if longer.keys[: len(index.keys)] == index.keys else ", read from the other end"
    return seen.finding(
        collection,
        index.name,
        f"`{longer.name}` {same}{mirrored}",
        number=index.size_bytes,
        unit="bytes",
        cost=f"{size(index.size_bytes)} of disk and cache, and an index entry for every document written",
        remedy=f"Hide it: `{longer.name}` serves everything it serves. If nothing has become slow after a week, drop it.",
        commands=hide_first(collection, index.name),
        drops=(index.name,),
        evidence={"covered_by": longer.name, "bytes": index.size_bytes},
        work=Work(index_writes=1),
    )
