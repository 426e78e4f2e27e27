"""References without an index.

Why: finding everything that refers to a document – its orders, its comments – reads the whole collection, as does every
`$lookup` from the other side, and every check before a deletion.

Example: `comments.movie_id` without an index: a film's page reads 50,000 comments to show three.

Remedy: an index on the reference, followed by the fields that the result is sorted by. If another finding proposes an index
that begins with the reference, that one is enough.

Ignore when: it is only ever followed from this side. Never reported: the first part of a compound `_id`, as a range of `_id`s
finds its documents; a copy of a field of the document that another reference leads to, as that reference finds them; and a
reference whose name does not say its collection, if an index has it after the field that does (`content_type_id`, `object_id`).
"""

from __future__ import annotations

from collections.abc import Iterator

from nestling.doctor.commands import create_index
from nestling.doctor.rule import Rule, RuleInput, Threshold
from nestling.ir.facts import ELEMENT, CollectionFacts, ReferenceFacts, field_path, steps_text
from nestling.ir.finding import Confidence, Finding, Severity
from nestling.ir.paths.work import Work
from nestling.ir.quantity_words import count, size

RULE = Rule(
    "Unindexed reference",
    Severity.WARNING,
    (Threshold("documents", "documents that hold the reference", "documents", {"nestling": 1_000}),),
)


def findings(seen: RuleInput) -> Iterator[Finding]:
    """References no index begins with, in collections too large to be scanned unnoticed."""
    copied = {(each.database, each.collection, each.steps) for each in seen.facts.copies}
    for reference in seen.facts.references:
        holder = seen.facts.collection(reference.database, reference.collection)
        if holder is None or holder.storage is None:
            continue
        field = field_path(reference.steps)
        is_indexed = any(index.keys[0][0] == field and not index.hidden for index in holder.indexes)
        is_found = is_indexed or _begins_id(holder, reference.steps) or _follows_its_kind(holder, reference, field)
        is_copy = (reference.database, reference.collection, reference.steps) in copied
        if holder.storage.documents > seen.limits["documents"].value and not is_found and not is_copy:
            yield _finding(seen, holder, reference, field)


def _begins_id(holder: CollectionFacts, steps: tuple[str, ...]) -> bool:
    """Whether it is the first part of a compound `_id`: a range of `_id`s then finds the documents."""
    parts = [path for path in holder.paths if len(path.steps) == 2 and path.steps[0] == "_id"]
    return bool(parts) and min(parts, key=lambda path: path.place).steps == steps


def _follows_its_kind(holder: CollectionFacts, reference: ReferenceFacts, field: str) -> bool:
    """Whether it may refer to one of several collections, and is the second field of an index after the one that says which."""
    second = (index.keys[1][0] for index in holder.indexes if len(index.keys) > 1 and not index.hidden)
    return not reference.named and field in second


def _finding(seen: RuleInput, holder: CollectionFacts, reference: ReferenceFacts, field: str) -> Finding:
    storage = holder.storage
    assert storage is not None
    held_by_parent = ELEMENT in reference.steps
    to = f"`{reference.target}`" if reference.target else "a collection that does not exist here"
    return seen.finding(
        holder,
        steps_text(reference.steps),
        f"refers to {to} and has no index",
        number=storage.documents,
        limit="documents",
        cost=f"finding what refers to one document reads all {count(storage.documents)} ({size(storage.data_bytes)})",
        remedy="Index it, followed by what the result is sorted by.",
        commands=(create_index(holder.database, holder.name, [(field, 1)]),),
        index=[(field, 1)],
        evidence={"documents": storage.documents},
        severity=Severity.INFO if held_by_parent else None,
        confidence=Confidence.POSSIBLE if held_by_parent or not reference.named else Confidence.LIKELY,
        work=Work(scanned=storage.documents, read_bytes=storage.data_bytes),
    )
