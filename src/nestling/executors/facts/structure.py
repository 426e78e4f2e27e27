"""Relations between the rows of a database: all of them for a model, only links and copies for the doctor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pymongo.database import Database

from nestling.executors.facts.composite import composite_links, without_implied
from nestling.executors.facts.keys import Elsewhere, keys, lacked_id
from nestling.executors.facts.kinds import kinds_of
from nestling.executors.facts.links import links, targets
from nestling.executors.facts.near_keys import near_keys
from nestling.executors.facts.permitted import Asking, FoundDocument
from nestling.executors.facts.repeats import counted, repeats
from nestling.executors.facts.row_hashes import HashedTable, tables
from nestling.ir.facts import OUT_OF_TIME, CollectionFacts
from nestling.ir.facts.structure import Key, Link, StructureFacts, Unclear


def structure(
    database: Database[FoundDocument],
    collections: Sequence[CollectionFacts],
    asking: Asking,
    tell: Callable[[str], None],
) -> StructureFacts:
    """Keys, links, repeated values and kinds of rows in a database's collections; `tell` receives progress."""
    rows = _rows(database, collections, asking, tell)
    tell("keys and repeated values")
    made, sure = rows.tables, rows.sure
    every = without_implied((*sure, *composite_links(made, rows.keys, sure)))
    return StructureFacts(
        keys=rows.keys,
        links=every,
        unclear=tuple(each for each in rows.links if isinstance(each, Unclear)),
        repeats=tuple(repeats(made, every)),
        counted=tuple(counted(made, every)),
        near_keys=tuple(near_keys(made, {(link.collection, steps) for link in every for steps in link.columns})),
        kinds=tuple(each for collection in collections for each in kinds_of(database, collection, asking)),
        partial=tuple((table.collection.name, table.node.steps) for table in made if not table.whole),
        lacked_ids=tuple(each for table in made if (each := lacked_id(table)) is not None),
    )


def value_links(
    database: Database[FoundDocument],
    collections: Sequence[CollectionFacts],
    asking: Asking,
    tell: Callable[[str], None],
) -> StructureFacts:
    """The single-column links between rows of a database's collections, and columns that repeat or count along them."""
    rows = _rows(database, collections, asking, tell)
    found = rows.sure
    if asking.late:
        asking.skip(f"references in {database.name} found by values", OUT_OF_TIME)
        return StructureFacts(links=found)
    tell("repeated values")
    return StructureFacts(
        links=found, repeats=tuple(repeats(rows.tables, found)), counted=tuple(counted(rows.tables, found))
    )


@dataclass(frozen=True, slots=True)
class _Rows:
    """The rows of a database's collections as tables, with their keys and single-column links."""

    tables: tuple[HashedTable, ...]
    keys: tuple[Key, ...]
    links: tuple[Link | Unclear, ...]

    @property
    def sure(self) -> tuple[Link, ...]:
        """The links that are clear."""
        return tuple(each for each in self.links if isinstance(each, Link))


def _rows(
    database: Database[FoundDocument],
    collections: Sequence[CollectionFacts],
    asking: Asking,
    tell: Callable[[str], None],
) -> _Rows:
    made: list[tuple[HashedTable, ...]] = []
    for collection in collections:
        tell(f"rows of {collection.name}")
        made.append(tuple(tables(database, collection, asking)))
    every = tuple(table for own in made for table in own)
    known = Elsewhere.of(every)
    found = tuple(key for own in made for key in keys(own, known))
    tell("references by values")
    return _Rows(every, found, tuple(links(every, found, targets(every, found))))
