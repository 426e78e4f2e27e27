"""Which documents of a collection are read, and walking them within bounds of bytes and time.

Small collections are read whole. Of larger ones a sample is taken by a hash of `_id`, which is the same on every run; that
reads every `_id`, so of very large ones, and on servers without that hash, the server draws at random.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from struct import unpack_from
from typing import cast

from bson.errors import InvalidBSON
from pymongo.database import Database
from pymongo.errors import OperationFailure

from nestling.executors.facts.drawing import HASH_UP_TO, seeded
from nestling.executors.facts.folding import fold
from nestling.executors.facts.path_tree import PathTree
from nestling.executors.facts.paths import paths_of
from nestling.executors.facts.permitted import Asking, FoundDocument
from nestling.ir.facts import OUT_OF_TIME, CollectionFacts, Sample

BATCH_DOCUMENTS = 500
LEAST_GROUPS = 1.5
"""Times the sample a collection must be to be sampled at all; below, a sample would be nearly everything."""


@dataclass(frozen=True, slots=True)
class Amount:
    """How much is read of a collection: documents and bytes, and the seed of the sample."""

    documents: int = 10_000
    size_bytes: int = 32_000_000
    seed: int = 1


def with_documents(
    collection: CollectionFacts, database: Database[FoundDocument], asking: Asking, amount: Amount
) -> CollectionFacts:
    """Add what reading documents shows to the collection: paths, sizes and depth."""
    plan = _plan(collection, amount)
    tree = PathTree()
    drawn = asking.ask(
        f"the documents of {collection.namespace}",
        lambda: _walk(database, collection, plan, tree, asking, amount),
        _cut_short(plan),
    )
    if not tree.documents:
        return collection
    fold(tree.root)
    sample = replace(drawn, documents=tree.documents)
    return replace(
        collection,
        sample=sample,
        sizes=tree.sizes.quantiles(),
        depth=tree.depth,
        fields=tree.fields.quantiles(),
        paths=paths_of(tree.root, exact=sample.exact),
    )


def _plan(collection: CollectionFacts, amount: Amount) -> Sample:
    """Decide how to choose the documents, by the server's information on the collection's size."""
    storage = collection.storage
    if storage is None:
        return Sample(amount.documents, "random")
    if storage.documents < LEAST_GROUPS * amount.documents and storage.data_bytes <= amount.size_bytes:
        return Sample(storage.documents, "all")
    wanted = min(amount.documents, max(int(amount.size_bytes / max(storage.mean_bytes, 1)), 1))
    method = "seeded" if storage.documents <= HASH_UP_TO else "random"
    return Sample(wanted, method, amount.seed if method == "seeded" else 0)


def _walk(
    database: Database[FoundDocument],
    collection: CollectionFacts,
    plan: Sample,
    tree: PathTree,
    asking: Asking,
    amount: Amount,
) -> Sample:
    """Read the documents of the plan; a random sample if the server has no hash function."""
    try:
        return _read(database, collection, plan, tree, asking, amount)
    except OperationFailure:
        if plan.method != "seeded" or tree.documents:
            raise
        return _read(database, collection, Sample(plan.documents, "random"), tree, asking, amount)


def _read(
    database: Database[FoundDocument],
    collection: CollectionFacts,
    plan: Sample,
    tree: PathTree,
    asking: Asking,
    amount: Amount,
) -> Sample:
    pipeline, limit = _pipeline(collection, plan), asking.milliseconds()
    mean = collection.storage.mean_bytes if collection.storage else 0.0
    size = max(min(BATCH_DOCUMENTS, int(4_000_000 / max(mean, 1))), 1)
    cursor = database[collection.name].aggregate_raw_batches(pipeline, batchSize=size, maxTimeMS=limit)
    read = 0
    for data, start, length in _documents(asking.pace.between(cast("Iterable[bytes]", cursor))):
        read += length
        _add(tree, data, start, length)
        if read >= 2 * amount.size_bytes or asking.late:
            why = OUT_OF_TIME if asking.late else "the byte budget was used up"
            asking.skip(f"the documents of {collection.namespace}", f"only {tree.documents:,} were read: {why}")
            return _cut_short(plan)
    return plan


def _cut_short(plan: Sample) -> Sample:
    """The plan as executed when reading ended early: instead of all documents, only the first ones."""
    return replace(plan, method="first") if plan.method == "all" else plan


def _pipeline(collection: CollectionFacts, plan: Sample) -> list[FoundDocument]:
    match plan.method:
        case "all":
            return []
        case "seeded":
            total = collection.storage.documents if collection.storage else 0
            return seeded(total, plan.documents, plan.seed)
        case _:
            return [{"$sample": {"size": plan.documents}}]


def _documents(batches: Iterable[bytes]) -> Iterator[tuple[bytes, int, int]]:
    """The documents in raw batches: the batch, the offset and the length."""
    for batch in batches:
        at = 0
        while at < len(batch):
            size = unpack_from("<i", batch, at)[0]
            yield batch, at, size
            at += size


def _add(tree: PathTree, data: bytes, start: int, size: int) -> None:
    try:
        tree.add(data, start, size)
    except (IndexError, KeyError, ValueError) as error:
        raise InvalidBSON("a document is not BSON") from error
