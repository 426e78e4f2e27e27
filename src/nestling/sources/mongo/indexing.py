"""Today's indexes, as far as a design can express them."""

from __future__ import annotations

from dataclasses import replace

from nestling.ir.facts import IndexFacts
from nestling.ir.indexes.index_text import index_text, read_index
from nestling.ir.invariants import paths_in
from nestling.ir.invariants.expiring_indexes import expiry_mistakes
from nestling.ir.invariants.parallel_arrays import parallel_mistakes
from nestling.ir.model import Model
from nestling.ir.primitives import Collection, Index
from nestling.ir.reading import Gap, GapKind
from nestling.ir.statements.clause import Clause, ClauseOperator
from nestling.ir.storage.layout import stores_of
from nestling.sources.mongo.survey import Survey


def indexes(
    model: Model, survey: Survey, collections: tuple[Collection, ...]
) -> tuple[tuple[Index, ...], tuple[Gap, ...]]:
    """The indexes a design can say, and gaps for the others."""
    stores = {store.name: store for store in stores_of(model, collections)}
    found: list[Index] = []
    gaps: list[Gap] = []
    for collection in survey.facts.of_documents():
        usual = next((index.collation for index in collection.indexes if index.is_id), "")
        for index in collection.indexes if collection.name in stores else ():
            if index.is_id:
                continue
            why = _unfit(index, frozenset(paths_in(stores[collection.name])), usual)
            if why:
                gaps.append(
                    Gap(GapKind.NOTIMPL, f"index `{index.name}` {why}", collection.name, index=_text(index, usual))
                )
                continue
            keys = tuple((field, int(direction)) for field, direction in index.keys)
            seconds = round(index.ttl_seconds) if index.ttl_seconds is not None else None
            partial = tuple(Clause(field, ClauseOperator.PRESENT) for field in index.present)
            made = Index(collection.name, keys, index.unique, partial, seconds)
            roots = stores[collection.name].roots
            if any(parallel_mistakes(model, made, roots, ())):
                what = (
                    f"index `{index.name}` covers two arrays, which no document has at once; a design cannot express it"
                )
                gaps.append(Gap(GapKind.NEVER, what, collection.name, index=_text(index, usual)))
                continue
            if any(expiry_mistakes(model, made, roots, ())):
                gaps.append(
                    Gap(
                        GapKind.NEVER,
                        f"index `{index.name}` expires nothing, as its field holds no dates",
                        collection.name,
                    )
                )
                made = replace(made, expire_after_seconds=None)
            found.append(made)
    return tuple(found), tuple(gaps)


def _text(index: IndexFacts, usual: str) -> str:
    """What makes it again; one that compares to the letter says so where its collection does not."""
    if not index.text or not usual or index.collation:
        return index.text
    made = read_index(index.text, "")
    return index_text(replace(made, options={**made.options, "collation": {"locale": "simple"}}))


def _unfit(index: IndexFacts, known: frozenset[str], usual: str) -> str:
    """What a design cannot say of an index; `usual` is the collation of the collection."""
    if index.collation != usual:
        return "has a collation other than its collection's; a design in place queries by the collection's only"
    if (index.partial or index.sparse) and not index.present:
        return "is partial; a design in place cannot express its condition"
    if any(direction not in (1, -1) for _, direction in index.keys):
        kinds = ", ".join(str(direction) for _, direction in index.keys if direction not in (1, -1))
        return f"is {kinds}; a design has only ascending and descending indexes"
    strange = [field for field in (*(field for field, _ in index.keys), *index.present) if field not in known]
    return f"is on `{strange[0]}`, which is part of a value stored whole, or in no document" if strange else ""
