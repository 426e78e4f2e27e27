"""The number of digits of codes with leading zeros, which numbers among them have lost."""

from __future__ import annotations

from nestling.ir.facts import CollectionFacts, Facts, PathFacts


def code_width(facts: Facts, collection: CollectionFacts, path: PathFacts) -> int:
    """The digits of each code, if the field refers to keys of one width, or else has such texts itself; 0: unknown."""
    place = (collection.database, collection.name, path.steps)
    for reference in facts.references:
        if (reference.database, reference.collection, reference.steps) == place:
            target = facts.collection(reference.database, reference.target)
            key = target.path(*reference.target_field.split(".")) if target is not None else None
            if key is not None and key.code_width:
                return key.code_width
    return path.code_width
